package vendors

import (
	"bytes"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// oh-my-pi writes its plan in one tool call, and proposes it in another. Then it asks for
// approval in a form. It asks no client without forms, and starts the work.
//
//	tool_call          local://NAME-plan.md, rawInput {"path": …, "content": the text}
//	tool_call          xd://propose, rawInput {"path": …, "content": NAME}
//	elicitation/create {"value": "Approve and execute"} approves, any other value refuses
//
// The client receives the text as a plan between the proposal and the form.
const (
	draftScheme = "local://"
	draftSuffix = "-plan.md"
	proposeTool = "xd://propose"

	proposedPlan = "plan-to-approve"
	approveValue = "Approve and execute"

	maxDrafts    = 8       // per session
	maxDraft     = 1 << 20 // bytes of a text as JSON
	maxProposals = 256     // pending in a connection
)

// proposals holds the pending proposals of a connection.
type proposals struct {
	pending keep.Map[*proposal] // by session
	forms   keep.Map[string]    // sessions by the id of the form
}

// A draft is a plan file that the agent has written.
type draft struct {
	text   string // of the last call that wrote the whole file
	file   string // absolute path of the file, "" if it is unknown
	edited bool   // a later call may have changed the file
}

func (d *draft) size() int { return callCost + len(d.text) + len(d.file) }

// A proposal is a pending proposal of a plan.
type proposal struct {
	call string      // id of the tool call
	form jsonrpc.ID  // "" until the agent has asked
	plan *vendorPlan // the plan that the client displays
}

// draftPath returns the path of the plan file that a tool call writes, or proposeTool for a
// proposal, or "" for any other call.
func draftPath(members rawjson.Object) string {
	text, _ := rawjson.TextOf(rawjson.Get(members.Get("rawInput"), "path"))
	kind, _ := members.Text("kind")
	path := string(text)
	isDraft := strings.HasPrefix(path, draftScheme) && strings.HasSuffix(path, draftSuffix) && string(kind) != "read"
	if isDraft || path == proposeTool {
		return path
	}
	return ""
}

// draftCall accepts a message about a tool call that writes or proposes a plan file.
func (t *Translator) draftCall(s *session, id []byte, c *todoCall, m *jsonrpc.Message, begins bool) bool {
	input := rawjson.Get(m.Members.Get("rawInput"), "content")
	if len(input) > 0 && input[0] == '"' && len(input) <= maxDraft {
		s.grow(len(input) - len(c.list))
		c.list = bytes.Clone(input)
	}
	status, _ := m.Members.Text("status")
	ends := string(status) == "completed" || string(status) == "failed" || string(status) == "cancelled"
	if ends {
		t.sessions.endCall(s, id, c)
	}
	completed := string(status) == "completed"
	if c.path != proposeTool {
		if completed {
			s.wrote(c, m)
		}
		return false
	}
	t.out.Forward()
	t.out.NoPlan()
	if begins {
		t.propose(s, string(id), c)
	}
	if ends {
		t.endProposal(s, string(id), completed)
	}
	return true
}

// wrote records the effect of a completed call on a plan file.
func (s *session) wrote(c *todoCall, m *jsonrpc.Message) {
	d := s.drafts[c.path]
	if d == nil {
		if len(s.drafts) >= maxDrafts {
			s.dropDrafts()
		}
		if s.drafts == nil {
			s.drafts = make(map[string]*draft)
		}
		d = new(draft)
		s.drafts[c.path] = d
		s.grow(len(c.path) + d.size())
	}
	before := d.size()
	if d.edited = c.list == nil; !d.edited {
		d.text = string(rawjson.Unquote(c.list))
	}
	for o := range rawjson.Objects(m.Members.Get("locations"), nil) {
		d.file = o.String("path")
		break
	}
	s.grow(d.size() - before)
}

func (s *session) dropDrafts() {
	for path, d := range s.drafts {
		s.grow(-len(path) - d.size())
	}
	s.drafts = nil
}

// propose sends the client the proposed plan, if its text is known.
func (t *Translator) propose(s *session, id string, c *todoCall) {
	name, _ := rawjson.TextOf(c.list)
	d := s.drafts[draftScheme+string(name)+draftSuffix]
	if d == nil {
		return
	}
	text := d.text
	if d.edited && t.ReadFile != nil {
		if content, err := t.ReadFile(d.file); err == nil {
			text = string(content)
		}
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	t.use("oh-my-pi")
	t.out.OfPlan()
	t.out.sendText(s, proposedPlan, text)
	if s.plan.size > t.peers.TextLimit { // the client does not receive it from the plan
		t.asker.SendText(s.id, text)
	}
	t.proposals.pending.Put(s.id, &proposal{call: id, plan: s.plan})
	t.proposals.pending.Trim(maxProposals)
}

// asked records the form that asks about a proposal.
func (ps *proposals) asked(m *jsonrpc.Message) {
	if p := ps.pending.Get(string(m.Session)); p != nil && p.form == "" && m.IsRequest() {
		p.form = jsonrpc.IDOf(m.ID)
		ps.forms.Put(string(p.form), string(m.Session))
		ps.forms.Trim(maxProposals)
	}
}

// formAnswered accepts the response to a form about a proposal. It reports false for any
// other response.
func (t *Translator) formAnswered(m *jsonrpc.Message) bool {
	id := string(jsonrpc.IDOf(m.ID))
	session := t.proposals.forms.Get(id)
	t.proposals.forms.Delete(id)
	p := t.proposals.pending.Get(session)
	s := t.sessions.all.Get(session)
	if p == nil || s == nil || string(p.form) != id {
		return false
	}
	t.proposals.pending.Delete(session)
	result := m.Result.Of(m.Text)
	action, _ := rawjson.TextOf(rawjson.Get(result, "action"))
	value, _ := rawjson.TextOf(rawjson.Get(result, "content", "value"))
	t.out.OfPlan()
	t.out.Forward()
	if !m.Failed() && string(action) == "accept" && string(value) == approveValue {
		p.plan.approved = true
	} else if s.plan == p.plan {
		t.out.removeText(s)
	}
	return true
}

// endProposal ends a proposal that no form asked about.
func (t *Translator) endProposal(s *session, call string, completed bool) {
	p := t.proposals.pending.Get(s.id)
	if p == nil || p.call != call || p.form != "" {
		return
	}
	t.proposals.pending.Delete(s.id)
	if completed {
		p.plan.approved = true
		t.out.lose(s.id, translate.LossUserNotAsked, "the agent asked nobody to approve its plan; with --forms=ask it asks")
	} else if s.plan == p.plan {
		t.out.removeText(s)
	}
}
