package oldagent

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	handle func(*session, *link.Update)

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
	toolCall := row{handle: b.toolCalls.toolCall, history: true}
	return map[string]row{
		"user_message_chunk":        {handle: b.messages.chunk, history: true, echo: true},
		"agent_message_chunk":       chunk,
		"agent_thought_chunk":       chunk,
		"tool_call":                 toolCall,
		"tool_call_update":          toolCall,
		"plan":                      {handle: b.plan, history: true, breaks: true},
		"plan_update":               {handle: b.passUpdate, history: true, breaks: true},
		"plan_removed":              {handle: b.passUpdate, history: true},
		"compaction_update":         {handle: b.shaped, history: true, breaks: true},
		"compaction_summary_chunk":  {handle: b.shaped, history: true},
		"session_message":           {handle: b.shaped, history: true},
		"session_message_chunk":     {handle: b.shaped, history: true},
		"notice":                    {handle: b.shaped, breaks: true},
		"usage_update":              {handle: b.shaped},
		"session_info_update":       {handle: b.sessionInfo},
		"subagent_update":           {handle: b.subagent},
		"available_commands_update": {handle: b.commands},
		"current_mode_update":       {handle: b.modeUpdate},
		"config_option_update":      {handle: b.optionsUpdate},

		"_": {handle: b.passUpdate}, // and all others of an extension
		"":  {handle: b.loseUnknown},

		"user_message":            {handle: b.loseVersion2},
		"agent_message":           {handle: b.loseVersion2},
		"agent_thought":           {handle: b.loseVersion2},
		"state_update":            {handle: b.loseVersion2},
		"terminal_update":         {handle: b.loseVersion2},
		"replay_complete":         {handle: b.loseVersion2},
		"tool_call_content_chunk": {handle: b.loseVersion2, history: true},
		"terminal_output_chunk":   {handle: b.loseVersion2, history: true},
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

// passUpdate handles an update that is the same in both versions.
func (b *Bridge) passUpdate(_ *session, u *link.Update) { b.link.Pass(u) }

func (b *Bridge) loseVersion2(s *session, _ *link.Update) {
	s.lose(&b.link, translate.LossVersion2Update, "an agent of version 1 sent it, it was dropped")
}

func (b *Bridge) loseUnknown(s *session, u *link.Update) {
	s.lose(&b.link, translate.LossUnknownUpdate, "version 2 does not know it, it was dropped: "+cut(u.Kind))
}

// plan handles a plan: the plan translation makes what version 2 knows of it. It would
// leave one without entries as it is.
func (b *Bridge) plan(s *session, u *link.Update) {
	if entries := u.Members.Get("entries"); len(entries) == 0 || entries[0] != '[' {
		s.lose(&b.link, translate.LossUnreadableUpdate, "a plan without entries was dropped")
		return
	}
	b.link.Pass(u)
}

// subagent handles subagent_update.
func (b *Bridge) subagent(s *session, u *link.Update) {
	b.replays.announced(s, u)
	b.link.Pass(u)
}

// sessionInfo handles session_info_update, which has a new title, or when the session
// was last active.
func (b *Bridge) sessionInfo(s *session, u *link.Update) {
	if at := u.Members.Get("updatedAt"); at != nil && words.OrNull(words.Time)(b.link.Trial(), at) {
		s.keepInfo(&s.updatedAt, at)
	}
	if title := u.Members.Get("title"); title != nil {
		s.keepInfo(&s.title, title)
	}
	b.shaped(s, u)
}

// shaped handles an update that both versions have. It passes as it is, if a client of
// version 2 can read it. An optional member that it cannot read is left out. If a
// required one is missing or unreadable, the update is dropped.
func (b *Bridge) shaped(s *session, u *link.Update) {
	shape := words.Update(string(u.Kind)).ToV2
	leftOut := slices.ContainsFunc(u.Members, words.UnreadableMeta)
	same := !leftOut
	for i := range shape {
		value := u.Members.Get(shape[i].Name)
		if value == nil {
			same = same && !shape[i].Required
			continue
		}
		w := b.link.Trial()
		w.Cwd = s.cwd
		if !shape[i].Convert(w, value) {
			same, leftOut = false, true
		}
		same = same && bytes.Equal(w.Out, value)
	}
	if same {
		b.link.Pass(u)
		return
	}
	w := s.rewrite(&b.link, u)
	if !shape.ConvertObject(w, u.Members) {
		s.lose(&b.link, translate.LossUnreadableUpdate, "an update that version 2 cannot read was dropped")
		return
	}
	if leftOut {
		w.Lose(translate.LossUnreadableMember, "it was left out")
	}
	b.link.SendRewritten(u)
}

// commands handles available_commands_update.
func (b *Bridge) commands(s *session, u *link.Update) {
	words.CommandsUpdate.ToV2.ConvertObject(s.rewrite(&b.link, u), u.Members)
	b.link.SendRewritten(u)
}
