package oldagent

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A question is a request of the agent that the user answers. When its session
// is cancelled, version 1 wants the client to answer it, and version 2 wants the
// agent to take it back: the bridge does both.
type question struct {
	call    *link.Call
	session *session
	turn    *turn  // in which it was asked; nil if in none
	dropped string // the result that tells the agent that nobody answers
}

// Results of questions that were dropped.
const (
	noPermission  = words.NoPermission
	noElicitation = words.NoForm
)

// pose asks the client a question of the agent.
func (b *Bridge) pose(m *jsonrpc.Message, params []byte, dropped string, answered func(*link.Call, *jsonrpc.Message)) {
	s := b.sessions.get(m.Session)
	s.breakMessage()
	q := &question{session: s, turn: s.turn, dropped: dropped}
	if s.turn != nil && s.turn.answer != nil {
		q.turn = nil // the turn does not wait for it
	}
	s.questions = append(s.questions, q)
	b.prompts.tellProgress(s)
	q.call = b.link.Ask(translate.Client, m, "", params, link.Request{Of: q, Answered: answered})
	if q.call == nil {
		b.questionAnswered(q)
	}
}

// unwanted reports whether nobody is to be asked, because the session is closed
// or its turn cancelled. It then answers the agent.
func (b *Bridge) unwanted(m *jsonrpc.Message, dropped string) bool {
	s := b.sessions.find(m.Session)
	unwanted := b.sessions.isSilent(m.Session) || s != nil && s.turn != nil && s.turn.isCancelled()
	if unwanted {
		b.link.Answer(translate.Agent, m.ID, []byte(dropped))
	}
	return unwanted
}

// questionAnswered notes that a question is no longer open.
func (b *Bridge) questionAnswered(q *question) {
	s := q.session
	s.questions = slices.DeleteFunc(s.questions, func(o *question) bool { return o == q })
	b.prompts.tellProgress(s)
}

// dropQuestions answers the agent's questions for the user, and takes them back
// from the client. These are the questions of a turn, or of the whole session
// if the turn is nil. Later answers of the client are ignored.
func (s *session) dropQuestions(l *link.Link, of *turn) {
	var left []*question
	for _, q := range s.questions {
		if of != nil && q.turn != of {
			left = append(left, q)
			continue
		}
		l.Forget(translate.Client, q.call)
		if l.Ended() == "" {
			l.Answer(translate.Agent, q.call.ID, []byte(q.dropped))
		}
		l.Cancel(translate.Client, q.call)
	}
	s.questions = left
}

// requestPermission asks the client for a permission.
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	if b.unwanted(m, noPermission) {
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	options := b.permissionOptions(m, o.Get("options"))
	if m.Session == nil || options == nil {
		b.link.LoseOf(m.Session, translate.LossNoPermissionOptions, "the request was answered with cancelled")
		b.link.Answer(translate.Agent, m.ID, []byte(noPermission))
		return
	}
	s := b.sessions.get(m.Session)
	call, _ := rawjson.ReadObject(nil, o.Get("toolCall"))
	title, described := b.permissionTitle(s, o, call)
	w := &words.Writer{Cwd: s.cwd}
	w.Text("{")
	for _, f := range o {
		switch string(f.Name) {
		case "toolCall", "options", "title", "description", "subject":
		default:
			field(w, f)
		}
	}
	member(w, "title")
	w.Quoted(title)
	if described != nil {
		member(w, "description")
		w.Quoted(described)
	}
	if id, ok := call.Text("toolCallId"); ok {
		t := b.knownToolCall(s, string(id))
		b.reportTerminals(s, t, call)
		member(w, "subject")
		w.Text(`{"type":"tool_call","toolCall":`)
		b.patch(w, s, t, call, false)
		t.told = true
		w.Text("}")
	}
	member(w, "options")
	w.Out = append(w.Out, options...)
	w.Text("}")
	b.link.LoseAllOf(m.Session, w.Losses)
	b.pose(m, w.Out, noPermission, b.permissionAnswered)
}

// permissionTitle returns what the user is asked, and more about it. In version
// 1 that is the title of the tool call.
func (b *Bridge) permissionTitle(s *session, params, call rawjson.Object) (title, described []byte) {
	for _, meta := range [][]byte{call.Get("_meta"), params.Get("_meta")} {
		o, _ := rawjson.ReadObject(nil, meta)
		prompt, _ := rawjson.ReadObject(nil, o.Get("permission_prompt"))
		if title, ok := prompt.Text("title"); ok {
			described, _ := prompt.Text("description")
			return title, described
		}
	}
	if title, ok := call.Text("title"); ok && len(title) > 0 {
		return title, nil
	}
	id, _ := call.Text("toolCallId")
	if t := s.toolCalls.known[string(id)]; t != nil && t.title != "" {
		return []byte(t.title), nil
	}
	kind, _ := call.Text("kind")
	return []byte(titleOf(string(kind))), nil
}

// titleOf returns what is asked about a tool call without a title.
func titleOf(kind string) string {
	switch kind {
	case "execute":
		return "Run this command?"
	case "edit":
		return "Make this edit?"
	case "delete":
		return "Delete this?"
	case "move":
		return "Move this?"
	case "read":
		return "Read this?"
	case "search":
		return "Search this?"
	case "fetch":
		return "Fetch this?"
	case "switch_mode":
		return "Switch the mode?"
	}
	return "Permission required"
}

// permissionOptions returns the options of a permission that version 2 reads,
// nil if there are none: it wants at least one, each with an id of its own.
func (b *Bridge) permissionOptions(m *jsonrpc.Message, list []byte) []byte {
	elements, _ := rawjson.ReadArray(nil, list)
	ids := make(map[string]bool, len(elements))
	w := &words.Writer{}
	w.Text("[")
	for _, e := range elements {
		o, _ := rawjson.ReadObject(nil, e)
		id, hasID := o.Text("optionId")
		_, hasName := o.Text("name")
		_, hasKind := o.Text("kind")
		if !hasID || !hasName || !hasKind || ids[string(id)] {
			b.link.LoseOf(m.Session, translate.LossUnreadablePermissionOption, "one without a name, a kind or an id of its own was left out")
			continue
		}
		ids[string(id)] = true
		words.PermissionOption.ToV2.ConvertObject(w, o)
	}
	if len(ids) == 0 {
		return nil
	}
	return append(w.Out, ']')
}

// permissionAnswered takes in the client's answer. An answer that version 1
// does not know is not an approval.
func (b *Bridge) permissionAnswered(c *link.Call, m *jsonrpc.Message) {
	if m.Result.Present() && !m.Failed() {
		var w words.Writer
		words.PermissionAnswer(&w, m.Result.Of(m.Text))
		b.link.Answer(translate.Agent, c.ID, w.Out)
	} else {
		passedTo(&b.link, translate.Agent)(c, m)
	}
	if q, ok := c.Asked.Of.(*question); ok {
		b.questionAnswered(q)
	}
}
