package v1client

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// sessionUpdate converts session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	b.convert(b.link.ReadUpdate(m))
}

// convert converts an update, which is nil if it cannot be read.
func (b *Bridge) convert(u *calls.Update) {
	if u == nil {
		b.link.Lose(translate.LossUnreadableUpdate, "a session/update that cannot be read is dropped")
		return
	}
	s := b.session(u.Session)
	if s.root() != s {
		s.subagent.sessionUpdate(u)
		return
	}
	if s.awaitsReplay {
		s.beginHistory()
	}
	s.update(u)
	s.awaitSilence()
}

// update converts an update by its kind. Clients of version 1 know a closed list of kinds, and show
// updates of other kinds to the user as errors.
func (s *session) update(u *calls.Update) {
	if translate.IsPlan(u.Kind) {
		s.flush(smallContent)
		s.turns.onUpdate()
		s.link.ForwardUpdate(u)
		return
	}
	client := &s.bridge.options.Client
	switch string(u.Kind) {
	case "user_message_chunk", "user_message":
		if !s.holdEcho(u) {
			s.showMessage(u)
		}
	case "agent_message_chunk", "agent_thought_chunk", "agent_message", "agent_thought":
		s.showMessage(u)
	case "state_update":
		s.stateUpdate(u)
	case "tool_call", "tool_call_update": // agents that mix the versions send tool_call
		if id := s.acceptUpdate(u, "toolCallId"); id != nil {
			s.toolCall(id).change(u, u.Members)
		}
	case "tool_call_content_chunk":
		if id := s.acceptUpdate(u, "toolCallId", "content"); id != nil {
			s.toolCall(id).addContent(u.Members.Get("content"), u.Members.Get("_meta"))
		}
	case "terminal_update", "terminal_output_chunk":
		if id := s.acceptUpdate(u, "terminalId"); id != nil {
			s.terminal(id).update(u.Members)
		}
	case "compaction_update", "compaction_summary_chunk":
		s.compaction(u)
	case "subagent_update":
		s.flush(smallContent)
		s.subagentUpdate(u)
	case "session_message", "session_message_chunk":
		if client.Subagents {
			s.sendConverted(u)
		} else {
			s.link.Lose(translate.LossSubagentMessage, "a message between sessions is dropped")
		}
	case "notice":
		if client.Notices {
			s.sendConverted(u)
		} else {
			s.sendNotice(u)
		}
	case "prompt_suggestions_update":
		if client.Suggestions {
			s.sendConverted(u)
		}
	case "available_commands_update", "current_mode_update", "session_info_update", "usage_update":
		s.sendConverted(u)
	case "config_option_update":
		s.optionsUpdate(u)
	case "cursor_update", "replay_complete":
		// No client announces cursors. The response to session/load replaces replay_complete.
	default:
		const maxKind = 60 // bytes of the kind in the log
		s.link.Report(translate.Loss{Kind: translate.LossUnknownUpdate, Name: string(u.Kind[:min(len(u.Kind), maxKind)]), Detail: "dropped: version 1 does not define this update"})
	}
}

// showMessage sends a whole message or a chunk that is not an echo.
func (s *session) showMessage(u *calls.Update) {
	if !bytes.HasSuffix(u.Kind, []byte("_chunk")) {
		s.sendWhole(u)
		return
	}
	s.flush(smallContent)
	s.turns.onUpdate()
	s.sendChunk(u)
}

// acceptUpdate records an update of a turn, and returns the id in its member of that name. It drops
// the update and returns nil if the id or one of the other members is missing.
func (s *session) acceptUpdate(u *calls.Update, name string, members ...string) []byte {
	id, ok := u.Members.Text(name)
	for _, member := range members {
		ok = ok && u.Members.Get(member) != nil
	}
	if !ok {
		s.loseUnreadable(u)
		return nil
	}
	s.turns.onUpdate()
	return id
}

// sendConverted converts and sends an update that needs no state.
func (s *session) sendConverted(u *calls.Update) {
	s.flush(smallContent)
	s.sendConvertedAs(u, u.Members, shapes.Update(string(u.Kind)))
}

// sendConvertedAs converts and sends the members o in place of those of u.
func (s *session) sendConvertedAs(u *calls.Update, o rawjson.Object, shape shapes.Object) {
	w := s.link.RewriteWith(u)
	if shape.ToV1(w, o) {
		s.link.SendRewritten(u)
		return
	}
	s.link.Report(w.Losses...)
	s.loseUnreadable(u)
}

func (s *session) loseUnreadable(u *calls.Update) {
	s.link.Lose(translate.LossUnreadableUpdate, "a "+string(u.Kind)+" that cannot be read is dropped")
}
