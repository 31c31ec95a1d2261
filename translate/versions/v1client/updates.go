package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A row says what becomes of a session/update of a kind.
type row struct {
	// shape is of what a client gets that knows such an update; nil if the client does
	// not, or if the update needs more than a shape. Then it is handled. Small content
	// that was collected is sent before what has a shape.
	shape  words.Object
	handle func(*session, *link.Update)

	// Before an update is handled:
	id      string // a member that must be a text; "" if none must
	content bool   // it must have content
	flushes bool   // small content that was collected is sent
	turn    bool   // it belongs to a turn of the agent
}

// updateRows returns the rows, by kind.
func (b *Bridge) updateRows() map[string]*row {
	shapeIf := func(known bool, kind string) words.Object {
		if !known {
			return nil
		}
		return words.Update(kind)
	}
	client := &b.options.Client
	chunk := &row{handle: messageChunk, flushes: true, turn: true}
	toolCall := &row{handle: ofToolCalls((*toolCalls).toolCallUpdate), id: "toolCallId", turn: true}
	passes := &row{handle: b.pass, flushes: true, turn: true}
	return map[string]*row{
		"user_message_chunk":        {handle: b.userMessage},
		"user_message":              {handle: b.userMessage},
		"agent_message_chunk":       chunk,
		"agent_thought_chunk":       chunk,
		"agent_message":             {handle: wholeMessage},
		"agent_thought":             {handle: wholeMessage},
		"state_update":              {handle: b.stateUpdate},
		"tool_call":                 toolCall, // by agents that mix the versions
		"tool_call_update":          toolCall,
		"tool_call_content_chunk":   {handle: ofToolCalls((*toolCalls).toolCallContentChunk), id: "toolCallId", content: true, turn: true},
		"terminal_update":           {handle: ofToolCalls((*toolCalls).terminalUpdate), id: "terminalId", turn: true},
		"terminal_output_chunk":     {handle: ofToolCalls((*toolCalls).terminalOutputChunk), id: "terminalId", turn: true},
		"compaction_update":         {shape: shapeIf(client.Compaction, "compaction_update"), handle: ofToolCalls((*toolCalls).compactionUpdate), id: "compactionId", turn: true},
		"compaction_summary_chunk":  {shape: shapeIf(client.Compaction, "compaction_summary_chunk"), handle: ofToolCalls((*toolCalls).compactionSummaryChunk), id: "compactionId", content: true, turn: true},
		"subagent_update":           {handle: b.subagents.subagentUpdate, flushes: true},
		"session_message":           {shape: shapeIf(client.Subagents, "session_message"), handle: b.loseMessage},
		"session_message_chunk":     {shape: shapeIf(client.Subagents, "session_message_chunk"), handle: b.loseMessage},
		"notice":                    {shape: shapeIf(client.Notices, "notice"), handle: b.tellNotice, flushes: true},
		"prompt_suggestions_update": {shape: shapeIf(client.Suggestions, "prompt_suggestions_update"), handle: b.drop},
		"cursor_update":             {handle: b.drop},
		"available_commands_update": {shape: shapeIf(true, "available_commands_update")},
		"current_mode_update":       {shape: shapeIf(true, "current_mode_update")},
		"session_info_update":       {shape: shapeIf(true, "session_info_update")},
		"usage_update":              {shape: shapeIf(true, "usage_update")},
		"config_option_update":      {handle: b.choices.optionsUpdate},
		"replay_complete":           {handle: b.drop},
		"plan":                      passes,
		"plan_update":               passes,
		"plan_removed":              passes,

		"": {handle: b.loseUnknown}, // and all others
	}
}

// ofToolCalls returns a handler that is one of the tool calls of a session.
func ofToolCalls(handle func(*toolCalls, *link.Update)) func(*session, *link.Update) {
	return func(s *session, u *link.Update) { handle(&s.toolCalls, u) }
}

// rowOf returns the row for a kind. Clients of version 1 know a closed list of them, and
// report any other to their users as an error.
func (b *Bridge) rowOf(kind []byte) *row {
	if r, ok := b.updates[string(kind)]; ok {
		return r
	}
	return b.updates[""]
}

// sessionUpdate handles session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	if len(m.Session) > maxID {
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a session/update whose sessionId is too long")
	} else if !b.holds(m) {
		b.convert(b.link.ReadUpdate(m))
	}
}

// convert handles an update, which is nil if it cannot be read.
func (b *Bridge) convert(u *link.Update) {
	if u == nil {
		b.link.Lose(translate.LossUnreadableUpdate, "dropped a session/update that cannot be read")
		return
	}
	if a := b.subagents.of(u.Session); a != nil {
		b.subagents.sessionUpdate(a, u)
		return
	}
	s := b.sessions.get(u.Session)
	if s.unseen {
		b.openings.beginHistory(s)
	}
	b.handle(b.rowOf(u.Kind), s, u)
	b.prompts.awaitMore(s)
}

// handle does what a row says.
func (b *Bridge) handle(r *row, s *session, u *link.Update) {
	if r.shape != nil || r.flushes {
		s.toolCalls.flushSmall()
	}
	switch {
	case r.shape != nil:
		if string(u.Kind) == "current_mode_update" {
			s.options.told = digest{}
		}
		b.shaped(u, r.shape)
	case !r.readable(u.Members):
		b.loseUnreadable(u)
	default:
		if r.turn {
			s.turns.said()
		}
		r.handle(s, u)
	}
}

// stateUpdate handles state_update.
func (b *Bridge) stateUpdate(s *session, u *link.Update) {
	b.prompts.stateUpdate(s, u)
	b.subagents.stateUpdate(s, u)
}

// userMessage handles an update of a user message.
func (b *Bridge) userMessage(s *session, u *link.Update) {
	if !b.prompts.isEcho(s, u) {
		s.showUserMessage(u)
	}
}

// showUserMessage shows what is no echo.
func (s *session) showUserMessage(u *link.Update) {
	if string(u.Kind) == "user_message" {
		wholeMessage(s, u)
		return
	}
	s.toolCalls.flushSmall()
	s.turns.said()
	messageChunk(s, u)
}

// messageChunk handles a part of a message.
func messageChunk(s *session, u *link.Update) { s.messages.chunk(u) }

// wholeMessage handles a message as a whole. An empty one sends nothing, and does not
// count as work of the agent.
func wholeMessage(s *session, u *link.Update) {
	if rest, ok := s.messages.whole(u); ok {
		s.toolCalls.flushSmall()
		s.turns.said()
		s.messages.send(u, rest)
	}
}

// readable reports whether an update has what its row asks for.
func (r *row) readable(o rawjson.Object) bool {
	if r.id == "" {
		return true
	}
	_, ok := o.Text(r.id)
	return ok && (!r.content || o.Get("content") != nil)
}

// pass handles an update that is the same in both versions.
func (b *Bridge) pass(_ *session, u *link.Update) { b.link.Pass(u) }

// drop handles an update that tells the client nothing: it has not announced that it
// knows such, or it knows by something else. To replay_complete, in version 1, that is the
// answer to session/load.
func (b *Bridge) drop(*session, *link.Update) {}

// shaped sends what becomes of an update that has a shape.
func (b *Bridge) shaped(u *link.Update, shape words.Object) {
	w := b.link.RewriteWith(u)
	if shape.ToV1(w, u.Members) {
		b.link.SendRewritten(u)
		return
	}
	b.link.LoseAll(w.Losses)
	b.loseUnreadable(u)
}

func (b *Bridge) loseUnreadable(u *link.Update) {
	b.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+" that cannot be read")
}

// loseMessage handles what the sessions of subagents send each other, for a client that
// does not know them.
func (b *Bridge) loseMessage(*session, *link.Update) {
	b.link.Lose(translate.LossSubagentMessage, "left out")
}

func (b *Bridge) loseUnknown(_ *session, u *link.Update) {
	const most = 60 // bytes of a name that an agent gave
	b.link.LoseNamed(translate.LossUnknownUpdate, string(u.Kind[:min(len(u.Kind), most)]), "dropped, as version 1 has no such update")
}
