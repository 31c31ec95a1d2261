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
	planScheme  = "local://"
	planSuffix  = "-plan.md"
	proposeTool = "xd://propose"

	approveValue = "Approve and execute"

	maxPlanFiles = 8       // per session
	maxPlanText  = 1 << 20 // bytes of a text as JSON
	maxForms     = 256     // pending forms in a connection
)

// A planFile is a plan file that the agent has written.
type planFile struct {
	text     string // text of the last call that wrote the whole file
	location string // path of the file on the agent's machine, "" if it is unknown
	isEdited bool   // a later call may have changed the file
}

// recordForm records the first form of the agent after a proposal: the form asks about the proposal.
func (s *Stage) recordForm(m *jsonrpc.Message) {
	if sess := s.sessions.all.Find(m.Session); sess != nil && sess.proposal != "" && m.IsRequest() {
		s.forms.Put(string(jsonrpc.IDOf(m.ID)), sess.id)
		s.forms.Trim(maxForms)
		sess.proposal = ""
	}
}

// planFilePath returns the path of the plan file that a tool call writes, or proposeTool for a
// proposal, or "" for any other call.
func planFilePath(members rawjson.Object) string {
	path := rawjson.StringAt(members.Get("rawInput"), "path")
	isPlan := strings.HasPrefix(path, planScheme) && strings.HasSuffix(path, planSuffix) && members.String("kind") != "read"
	if isPlan || path == proposeTool {
		return path
	}
	return ""
}

// acceptPlanFile processes a message about a tool call that writes or proposes a plan file. It returns
// false if the caller must forward the message.
func (s *Stage) acceptPlanFile(sess *session, id []byte, c *planCall, m *jsonrpc.Message, begins bool) bool {
	input := rawjson.Get(m.Members.Get("rawInput"), "content")
	if len(input) > 0 && input[0] == '"' && len(input) <= maxPlanText {
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
func (s *session) recordWrite(c *planCall, m *jsonrpc.Message) {
	file := s.planFiles.Get(c.path)
	if file.isEdited = c.value == nil; !file.isEdited {
		file.text = string(rawjson.Unquote(c.value))
	}
	for o := range rawjson.Objects(m.Members.Get("locations"), nil) {
		file.location = o.String("path")
		break
	}
	s.planFiles.Keep(s.share, c.path, file, nil).SetSize(len(file.text) + len(file.location))
	s.planFiles.Trim(maxPlanFiles)
}

// propose sends the client the proposed plan, if its text is known.
func (s *Stage) propose(sess *session, id string, c *planCall) {
	name, _ := rawjson.TextOf(c.value)
	file := sess.planFiles.Get(planScheme + string(name) + planSuffix)
	text := file.text
	if file.isEdited {
		text = s.readEdited(sess, file)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	s.recordUse("oh-my-pi")
	s.out.MarkPlan()
	s.out.Send(translate.Client, translate.MarkdownPlan(sess.id, translate.ProposedPlan, text))
	sess.proposal = id
}

// readEdited returns the text of a plan file that may have changed. If it cannot read the file, it
// returns the earlier text with a note, or "" if there is none.
func (s *Stage) readEdited(sess *session, file planFile) string {
	if s.ReadFile != nil {
		if content, err := s.ReadFile(file.location); err == nil {
			return string(content)
		}
	}
	s.out.LoseIn(sess.id, translate.LossPlanFile, "the agent may have changed its plan, and the file cannot be read: an earlier text is shown, or none")
	if strings.TrimSpace(file.text) == "" {
		return ""
	}
	return file.text + "\n\n(The agent may have changed this plan since. Its file cannot be read here.)"
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
		s.out.LoseIn(sess.id, translate.LossUserNotAsked, "the agent did not ask for approval of its plan; with --forms=ask it asks")
	} else {
		s.out.Send(translate.Client, translate.RemovedPlan(sess.id, translate.ProposedPlan))
	}
}
