package v1agent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	handle func(*session, *link.Update) // nil if it is only shaped
	shaped bool                         // the client gets what [words.Update] makes of it

	// history: it tells of the conversation itself. A client that did not ask for a
	// replay must not get it in one, and a turn that lingers waits for more.
	history bool
	echo    bool // it may repeat the prompt
	breaks  bool // a message does not go on behind it
}

// updateRows returns the rows, by kind.
func (b *Bridge) updateRows() map[string]row {
	chunk := row{handle: b.chunk, history: true}
	toolCall := row{handle: (*session).reportToolCall, history: true}
	suggestions := row{handle: drop}
	if b.options.Client.Suggestions {
		suggestions = row{shaped: true}
	}
	return map[string]row{
		"user_message_chunk":        {handle: b.chunk, history: true, echo: true},
		"agent_message_chunk":       chunk,
		"agent_thought_chunk":       chunk,
		"tool_call":                 toolCall,
		"tool_call_update":          toolCall,
		"plan":                      {handle: plan, history: true, breaks: true},
		"plan_update":               {handle: pass, history: true, breaks: true},
		"plan_removed":              {handle: pass, history: true},
		"compaction_update":         {shaped: true, history: true, breaks: true},
		"compaction_summary_chunk":  {shaped: true, history: true},
		"session_message":           {shaped: true, history: true},
		"session_message_chunk":     {shaped: true, history: true},
		"notice":                    {shaped: true, breaks: true},
		"usage_update":              {shaped: true},
		"prompt_suggestions_update": suggestions,
		"cursor_update":             {handle: drop},
		"session_info_update":       {handle: sessionInfo, shaped: true},
		"subagent_update":           {handle: b.sessions.subagent},
		"available_commands_update": {shaped: true},
		"current_mode_update":       {handle: (*session).modeUpdate},
		"config_option_update":      {handle: (*session).optionsUpdate},
	}
}

// onlyV2 are updates that version 1 does not have. Agents that mix the versions send them,
// and the bridge itself tells the client what they say.
var onlyV2 = []string{
	"user_message", "agent_message", "agent_thought", "state_update", "terminal_update", "replay_complete",
	"tool_call_content_chunk", "terminal_output_chunk",
}

// rowOf returns the row for a kind. Of a kind that is not listed, the name says whether
// it tells of the conversation.
func (b *Bridge) rowOf(kind []byte) row {
	r, ok := b.updates[string(kind)]
	if ok {
		return r
	}
	switch {
	case slices.Contains(onlyV2, string(kind)):
		r.handle = loseVersion2
	case bytes.HasPrefix(kind, []byte("_")):
		r.handle = pass
	default:
		r.handle = passUnknown
	}
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

// sendShaped sends the client an update that both versions have. It passes as it is, if a
// client of version 2 can read it. An optional member that it cannot read is left out.
// If a required one is missing or unreadable, the update is dropped.
func (s *session) sendShaped(u *link.Update) {
	w := s.rewrite(u)
	start := len(w.Out)
	if !words.Update(string(u.Kind)).ToV2(w, u.Members) {
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
