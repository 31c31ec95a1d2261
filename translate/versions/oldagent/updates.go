package oldagent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	handle func(*session, *link.Update) // nil if its shape says all
	shape  words.Object                 // of what the client gets then; nil if handle has sent that

	// history: it tells of the conversation itself. A client that did not ask for a
	// replay must not get it in one, and a turn that lingers waits for more.
	history bool
	echo    bool // it may repeat the prompt
	breaks  bool // a message does not go on behind it
}

// updateRows returns the rows, by kind. Version 1 has no such updates as the last ones:
// agents that mix the versions send them, and the bridge itself tells the client what
// they say.
func (b *Bridge) updateRows() map[string]row {
	chunk := row{handle: b.messages.chunk, history: true}
	toolCall := row{handle: (*session).reportToolCall, history: true}
	shapeOf := func(kind string) words.Object { return words.Update(kind) }
	suggestions := row{handle: drop}
	if b.openings.client.Suggestions {
		suggestions = row{shape: shapeOf("prompt_suggestions_update")}
	}
	return map[string]row{
		"user_message_chunk":        {handle: b.messages.chunk, history: true, echo: true},
		"agent_message_chunk":       chunk,
		"agent_thought_chunk":       chunk,
		"tool_call":                 toolCall,
		"tool_call_update":          toolCall,
		"plan":                      {handle: plan, history: true, breaks: true},
		"plan_update":               {handle: pass, history: true, breaks: true},
		"plan_removed":              {handle: pass, history: true},
		"compaction_update":         {shape: shapeOf("compaction_update"), history: true, breaks: true},
		"compaction_summary_chunk":  {shape: shapeOf("compaction_summary_chunk"), history: true},
		"session_message":           {shape: shapeOf("session_message"), history: true},
		"session_message_chunk":     {shape: shapeOf("session_message_chunk"), history: true},
		"notice":                    {shape: shapeOf("notice"), breaks: true},
		"usage_update":              {shape: shapeOf("usage_update")},
		"prompt_suggestions_update": suggestions,
		"cursor_update":             {handle: drop},
		"session_info_update":       {handle: sessionInfo, shape: shapeOf("session_info_update")},
		"subagent_update":           {handle: b.sessions.subagent},
		"available_commands_update": {shape: words.CommandsUpdate},
		"current_mode_update":       {handle: b.choices.modeUpdate},
		"config_option_update":      {handle: b.choices.optionsUpdate},

		"_": {handle: pass}, // and all others of an extension
		"":  {handle: passUnknown},

		"user_message":            {handle: loseVersion2},
		"agent_message":           {handle: loseVersion2},
		"agent_thought":           {handle: loseVersion2},
		"state_update":            {handle: loseVersion2},
		"terminal_update":         {handle: loseVersion2},
		"replay_complete":         {handle: loseVersion2},
		"tool_call_content_chunk": {handle: loseVersion2, history: true},
		"terminal_output_chunk":   {handle: loseVersion2, history: true},
	}
}

// rowOf returns the row for a kind. Of a kind that is not listed, the name says whether
// it tells of the conversation.
func (b *Bridge) rowOf(kind []byte) row {
	r, ok := b.updates[string(kind)]
	if ok {
		return r
	}
	name := ""
	if bytes.HasPrefix(kind, []byte("_")) {
		name = "_"
	}
	r = b.updates[name]
	r.history = bytes.HasSuffix(kind, []byte("_chunk")) || bytes.HasPrefix(kind, []byte("tool_call")) ||
		bytes.HasPrefix(kind, []byte("plan")) || bytes.HasPrefix(kind, []byte("compaction"))
	return r
}

// pass handles an update that is the same in both versions.
func pass(s *session, u *link.Update) { s.link.Pass(u) }

// drop handles an update of which the client has not announced that it knows it.
func drop(*session, *link.Update) {}

func loseVersion2(s *session, _ *link.Update) {
	s.lose(translate.LossVersion2Update, "an agent of version 1 sent it, it was dropped")
}

// passUnknown handles an update that neither version has. In version 2 there may be more.
func passUnknown(s *session, u *link.Update) {
	s.lose(translate.LossUnknownUpdate, "neither version has it, it was passed on: "+cut(u.Kind))
	s.link.Pass(u)
}

// plan handles a plan: the plan translation makes what version 2 knows of it. It would
// leave one without entries as it is.
func plan(s *session, u *link.Update) {
	if entries := u.Members.Get("entries"); len(entries) == 0 || entries[0] != '[' {
		s.lose(translate.LossUnreadableUpdate, "a plan without entries was dropped")
		return
	}
	s.link.Pass(u)
}

// sessionInfo handles session_info_update, which has a new title, or when the session
// was last active.
func sessionInfo(s *session, u *link.Update) {
	if at := u.Members.Get("updatedAt"); at != nil && words.Time(&words.Writer{}, at) {
		s.keepInfo(&s.updatedAt, at)
	}
	if title := u.Members.Get("title"); title != nil {
		s.keepInfo(&s.title, title)
	}
}

// sendAs sends the client an update that both versions have. It passes as it is, if a
// client of version 2 can read it. An optional member that it cannot read is left out.
// If a required one is missing or unreadable, the update is dropped.
func (s *session) sendAs(u *link.Update, shape words.Object) {
	w := s.rewrite(u)
	start := len(w.Out)
	if !shape.ToV2(w, u.Members) {
		s.lose(translate.LossUnreadableUpdate, "an update that version 2 cannot read was dropped")
		return
	}
	if bytes.Equal(w.Out[start:], u.Text()) {
		s.link.Pass(u)
		return
	}
	if w.LeftOut {
		w.Lose(translate.LossUnreadableMember, "it was left out")
	}
	s.link.SendRewritten(u)
}
