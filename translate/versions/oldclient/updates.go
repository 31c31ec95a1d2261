package oldclient

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// updates says what becomes of a session/update of each kind. A handler that
// sends something calls flush first, so that what was collected earlier leaves
// first.
var updates = map[string]func(*Bridge, *session){
	"user_message_chunk":        (*Bridge).userMessage,
	"user_message":              (*Bridge).userMessage,
	"agent_message_chunk":       (*Bridge).messageChunk,
	"agent_thought_chunk":       (*Bridge).messageChunk,
	"agent_message":             (*Bridge).wholeMessage,
	"agent_thought":             (*Bridge).wholeMessage,
	"state_update":              (*Bridge).stateUpdate,
	"tool_call":                 (*Bridge).toolCallUpdate, // by agents that mix the versions
	"tool_call_update":          (*Bridge).toolCallUpdate,
	"tool_call_content_chunk":   (*Bridge).toolCallContentChunk,
	"terminal_update":           (*Bridge).terminalUpdate,
	"terminal_output_chunk":     (*Bridge).terminalOutputChunk,
	"available_commands_update": (*Bridge).commandsUpdate,
	"config_option_update":      (*Bridge).optionsUpdate,
	"current_mode_update":       shaped(modeUpdate),
	"replay_complete":           (*Bridge).replayComplete,
	"session_info_update":       shaped(infoUpdate),
	"usage_update":              shaped(usageUpdate),
	"notice":                    (*Bridge).notice,
	"compaction_update":         (*Bridge).compactionUpdate,
	"compaction_summary_chunk":  (*Bridge).compactionSummaryChunk,
	"subagent_update":           (*Bridge).subagentUpdate,
	"session_message":           (*Bridge).sessionMessage,
	"session_message_chunk":     (*Bridge).sessionMessage,
	"plan":                      (*Bridge).passUpdate,
	"plan_update":               (*Bridge).passUpdate,
	"plan_removed":              (*Bridge).passUpdate,
}

var (
	infoUpdate = words.Shape{
		{Name: "title", Convert: words.StringOrNull},
		{Name: "updatedAt", Convert: words.StringOrNull},
		{Name: "_meta", Convert: words.Object},
	}
	usageUpdate = words.Shape{
		{Name: "used", Convert: words.Natural, Required: true},
		{Name: "size", Convert: words.Natural, Required: true},
		{Name: "cost", Convert: words.OrNull(cost.Convert)},
	}
	cost = words.Shape{
		{Name: "amount", Convert: words.Number, Required: true},
		{Name: "currency", Convert: words.String, Required: true},
	}
	modeUpdate = words.Shape{
		{Name: "currentModeId", Convert: words.String, Required: true},
	}
)

// clipped returns a name that an agent gave, for a log.
func clipped(name []byte) string {
	const max = 60
	if len(name) > max {
		name = name[:max]
	}
	return string(name)
}

// sessionUpdate handles session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	if len(m.Session) > maxID {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a session/update whose sessionId is too long")
		return
	}
	if b.holds(m) {
		return
	}
	if !b.update.read(m) {
		b.w.Lose(translate.LossUnreadableUpdate, "dropped a session/update that cannot be read")
		return
	}
	b.u.Read(m)
	b.u.Held = b.releasing
	if a := b.subagents.of(m.Session); a != nil {
		b.subagents.sessionUpdate(a, &b.u)
		b.sessions.account(b.sessions.get(b, []byte(a.root)))
		return
	}
	handle := b.handlers.updates[string(b.update.kind)]
	s := b.sessions.get(b, m.Session)
	if s.unseen {
		b.beginHistory(s)
	}
	switch {
	case handle != nil:
		handle(b, s)
	case bytes.HasPrefix(b.update.kind, []byte("_")):
		b.passUpdate(s)
	default:
		b.w.Losses = append(b.w.Losses, translate.Loss{
			Kind: translate.LossUnknownUpdate, Name: clipped(b.update.kind),
			Detail: "dropped, as version 1 has no such update",
		})
	}
	b.sessions.account(s)
}

// replayComplete handles replay_complete. The answer to session/load says the same
// in version 1.
func (b *Bridge) replayComplete(*session) {}

// passUpdate passes an update that is the same in both versions.
func (b *Bridge) passUpdate(s *session) {
	b.flushSmall(s)
	s.works()
	b.pass()
}

// works notes that the agent has said something that belongs to a turn.
func (s *session) works() {
	s.seq++
	s.output = s.seq
}

// shaped handles an update that has a shape.
func shaped(shape words.Shape) func(*Bridge, *session) {
	return func(b *Bridge, s *session) {
		b.flushSmall(s)
		b.emitAs(shape)
	}
}

// emitAs converts the update by its shape and sends it.
func (b *Bridge) emitAs(shape words.Shape) {
	b.w.Out = b.w.Out[:0]
	if shape.ConvertObject(&b.w, b.update.members) {
		b.emit()
		return
	}
	b.w.Lose(translate.LossUnreadableUpdate, "dropped a "+string(b.update.kind)+" that cannot be read")
}
