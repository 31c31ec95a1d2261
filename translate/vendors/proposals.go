package vendors

import (
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// oh-my-pi writes its plan in one tool call, and proposes the plan in another. Then it asks for
// approval in a form. If the client has no forms, it starts the work without asking.
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

	approveValue = "Approve and execute"

	maxDrafts = 8       // per session
	maxDraft  = 1 << 20 // bytes of a text as JSON
	maxForms  = 256     // pending in a connection
)

// A draft is a plan file that the agent has written.
type draft struct {
	text     string // text of the last call that wrote the whole file
	file     string // absolute path of the file, "" if it is unknown
	isEdited bool   // a later call may have changed the file
}

// recordForm records a form of the agent if it asks about a proposal.
func (s *Stage) recordForm(m *jsonrpc.Message) {
	if sess := s.sessions.all.Find(m.Session); sess != nil && sess.proposal != "" && m.IsRequest() {
		s.forms.Put(string(jsonrpc.IDOf(m.ID)), sess.id)
		s.forms.Trim(maxForms)
		sess.proposal = ""
	}
}

// draftPath returns the path of the plan file that a tool call writes, or proposeTool for a
// proposal, or "" for any other call.
func draftPath(members rawjson.Object) string {
	path := rawjson.StringAt(members.Get("rawInput"), "path")
	isDraft := strings.HasPrefix(path, draftScheme) && strings.HasSuffix(path, draftSuffix) && members.String("kind") != "read"
	if isDraft || path == proposeTool {
		return path
	}
	return ""
}

// acceptDraft accepts a message about a tool call that writes or proposes a plan file. It returns
// false if the message passes.
func (s *Stage) acceptDraft(sess *session, id []byte, c *todoCall, m *jsonrpc.Message, begins bool) bool {
	input := rawjson.Get(m.Members.Get("rawInput"), "content")
	if len(input) > 0 && input[0] == '"' && len(input) <= maxDraft {
		c.store(input)
	}
	status := m.Members.String("status")
	completed := status == "completed"
	ends := completed || status == "failed" || status == "cancelled"
	if ends {
		s.sessions.endCall(sess, id)
	}
	if c.path != proposeTool {
		if completed {
			sess.recordWrite(c, m)
		}
		return false
	}
	s.out.Forward()
	if begins {
		s.propose(sess, string(id), c)
	}
	if ends {
		s.endProposal(sess, string(id), completed)
	}
	return true
}

// recordWrite records the effect of a completed call on a plan file.
func (s *session) recordWrite(c *todoCall, m *jsonrpc.Message) {
	d := s.drafts.Get(c.path)
	if d.isEdited = c.value == nil; !d.isEdited {
		d.text = string(rawjson.Unquote(c.value))
	}
	for o := range rawjson.Objects(m.Members.Get("locations"), nil) {
		d.file = o.String("path")
		break
	}
	s.drafts.Keep(s.kept, c.path, d, nil).SetSize(len(d.text) + len(d.file))
	s.drafts.Trim(maxDrafts)
}

// propose sends the client the proposed plan, if its text is known.
func (s *Stage) propose(sess *session, id string, c *todoCall) {
	name, _ := rawjson.TextOf(c.value)
	d := sess.drafts.Get(draftScheme + string(name) + draftSuffix)
	if d.isEdited && s.ReadFile != nil {
		if content, err := s.ReadFile(d.file); err == nil {
			d.text = string(content)
		}
	}
	if strings.TrimSpace(d.text) == "" {
		return
	}
	s.recordUse("oh-my-pi")
	s.out.MarkPlan()
	s.out.Send(translate.Client, translate.MarkdownPlan(sess.id, translate.ProposedPlan, d.text))
	sess.proposal = id
}

// acceptFormResponse accepts the response to a form about a proposal. It returns false for any other
// response.
func (s *Stage) acceptFormResponse(m *jsonrpc.Message) bool {
	id := string(jsonrpc.IDOf(m.ID))
	session := s.forms.Get(id)
	if session == "" {
		return false
	}
	s.forms.Delete(id)
	result := m.Result.Of(m.Text)
	approves := rawjson.StringAt(result, "action") == "accept" && rawjson.StringAt(result, "content", "value") == approveValue
	s.out.MarkPlan()
	s.out.Forward()
	if m.Failed() || !approves {
		s.out.Send(translate.Client, translate.RemovedPlan(session, translate.ProposedPlan))
	}
	return true
}

// endProposal ends a proposal that no form asked about.
func (s *Stage) endProposal(sess *session, call string, completed bool) {
	if sess.proposal != call {
		return
	}
	sess.proposal = ""
	if completed {
		s.lose(sess.id, translate.LossUserNotAsked, "the agent did not ask for approval of its plan; with --forms=ask it asks")
	} else {
		s.out.Send(translate.Client, translate.RemovedPlan(sess.id, translate.ProposedPlan))
	}
}
