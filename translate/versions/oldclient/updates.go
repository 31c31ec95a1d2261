package oldclient

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	// known tells that the client knows such an update, and gets what package words
	// makes of it. Small content that was collected is sent before. For others the
	// update is handled.
	known  bool
	handle func(*session, *link.Update)

	// Before an update is handled:
	id      string // a member that must be a text; "" if none must
	content bool   // it must have content
	flushes bool   // small content that was collected is sent
	turn    bool   // it belongs to a turn of the agent
}

func (b *Bridge) updateRows() map[string]row {
	client := &b.options.Client
	passed := row{handle: b.passUpdate, flushes: true, turn: true}
	return map[string]row{
		"user_message_chunk":        {handle: b.userMessage},
		"user_message":              {handle: b.userMessage},
		"agent_message_chunk":       {handle: messageChunk, flushes: true, turn: true},
		"agent_thought_chunk":       {handle: messageChunk, flushes: true, turn: true},
		"agent_message":             {handle: wholeMessage},
		"agent_thought":             {handle: wholeMessage},
		"state_update":              {handle: b.prompts.stateUpdate},
		"tool_call":                 {handle: tools((*toolCalls).toolCallUpdate), id: "toolCallId", turn: true}, // by agents that mix the versions
		"tool_call_update":          {handle: tools((*toolCalls).toolCallUpdate), id: "toolCallId", turn: true},
		"tool_call_content_chunk":   {handle: tools((*toolCalls).toolCallContentChunk), id: "toolCallId", content: true, turn: true},
		"terminal_update":           {handle: tools((*toolCalls).terminalUpdate), id: "terminalId", turn: true},
		"terminal_output_chunk":     {handle: tools((*toolCalls).terminalOutputChunk), id: "terminalId", turn: true},
		"available_commands_update": {known: true},
		"config_option_update":      {handle: b.choices.optionsUpdate},
		"current_mode_update":       {known: true},
		"replay_complete":           {handle: ignored},
		"session_info_update":       {known: true},
		"usage_update":              {known: true},
		"notice":                    {known: client.Notices, handle: b.notice, flushes: true},
		"compaction_update":         {known: client.Compaction, handle: tools((*toolCalls).compactionUpdate), id: "compactionId", turn: true},
		"compaction_summary_chunk":  {known: client.Compaction, handle: tools((*toolCalls).compactionSummaryChunk), id: "compactionId", content: true, turn: true},
		"subagent_update":           {known: client.Subagents, handle: b.subagents.subagentUpdate},
		"session_message":           {known: client.Subagents, handle: b.sessionMessage},
		"session_message_chunk":     {known: client.Subagents, handle: b.sessionMessage},
		"plan":                      passed,
		"plan_update":               passed,
		"plan_removed":              passed,
	}
}

// tools returns a handler that is one of the tool calls of a session.
func tools(handle func(*toolCalls, *link.Update)) func(*session, *link.Update) {
	return func(s *session, u *link.Update) { handle(&s.tools, u) }
}

// notice handles notice for a client that does not know it.
func (b *Bridge) notice(_ *session, u *link.Update) { tellNotice(&b.link, u, b.ids.next("notice-")) }

// sessionMessage handles what sessions of subagents send each other, for a client that
// does not know them.
func (b *Bridge) sessionMessage(*session, *link.Update) {
	b.link.Lose(translate.LossSubagentMessage, "left out")
}

// ignored handles replay_complete: the answer to session/load says the same in version 1.
func ignored(*session, *link.Update) {}

// sessionUpdate handles session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	if len(m.Session) > maxID {
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a session/update whose sessionId is too long")
		return
	}
	if b.holds(m) {
		return
	}
	b.updateOf(m, &b.scratch)
}

// updateOf handles the update in a message; u is memory for it.
func (b *Bridge) updateOf(m *jsonrpc.Message, u *link.Update) {
	held := u.Held
	if !u.Read(m) {
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a session/update that cannot be read")
		return
	}
	u.Held = held
	if a := b.subagents.of(m.Session); a != nil {
		b.subagents.sessionUpdate(a, u)
		b.sessions.account(b.sessions.get([]byte(a.root)))
		return
	}
	s := b.sessions.get(m.Session)
	if s.unseen {
		b.openings.beginHistory(s)
	}
	b.convert(s, u)
	b.sessions.account(s)
}

// convert handles an update of a session as its row says.
func (b *Bridge) convert(s *session, u *link.Update) {
	r, ok := b.updates[string(u.Kind)]
	switch {
	case ok:
	case bytes.HasPrefix(u.Kind, []byte("_")):
		r = b.updates[translate.LegacyPlan] // it passes
	default:
		const most = 60
		b.link.LoseNamed(translate.LossUnknownUpdate, string(u.Kind[:min(len(u.Kind), most)]), "dropped, as version 1 has no such update")
		return
	}
	if r.known {
		s.tools.flushSmall()
		b.rewrite(u)
		return
	}
	if !r.readable(u.Members) {
		how := " without " + r.id
		if r.content {
			how = " that cannot be read"
		}
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+how)
		return
	}
	if r.flushes {
		s.tools.flushSmall()
	}
	if r.turn {
		s.turns.said()
	}
	r.handle(s, u)
}

// readable reports whether an update has what its row asks for.
func (r *row) readable(o rawjson.Object) bool {
	if r.id == "" {
		return true
	}
	_, ok := o.Text(r.id)
	return ok && (!r.content || o.Get("content") != nil)
}

// rewrite sends what becomes of an update that the client knows.
func (b *Bridge) rewrite(u *link.Update) {
	w := b.link.RewriteWith(u)
	if words.Update(string(u.Kind)).ToV1.ConvertObject(w, u.Members) {
		b.link.SendRewritten(u)
		return
	}
	b.link.LoseAll(w.Losses)
	b.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+" that cannot be read")
}

// passUpdate passes an update that is the same in both versions.
func (b *Bridge) passUpdate(_ *session, u *link.Update) { b.link.Pass(u) }

// userMessage handles what the user has said.
func (b *Bridge) userMessage(s *session, u *link.Update) {
	switch {
	case b.prompts.userMessage(s, u):
	case string(u.Kind) == "user_message":
		wholeMessage(s, u)
	default:
		s.tools.flushSmall()
		s.turns.said()
		messageChunk(s, u)
	}
}

// messageChunk handles a part of a message.
func messageChunk(s *session, u *link.Update) { s.messages.chunk(u) }

// wholeMessage handles a message as a whole.
func wholeMessage(s *session, u *link.Update) {
	if rest, ok := s.messages.whole(u); ok {
		s.tools.flushSmall()
		s.turns.said()
		s.messages.send(u, rest)
	}
}
