package v1agent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
)

// sessionUpdate converts session/update.
func (b *Bridge) sessionUpdate(m *jsonrpc.Message) {
	u := b.link.ReadUpdate(m)
	switch {
	case u == nil:
		b.link.Lose(translate.LossUnreadableUpdate, "an update without a session or a kind is dropped")
		return
	case b.isClosed(m.Session): // too late: version 2 allows no update
		return
	}
	// An update of the conversation is omitted from a replay that the client has not requested, and
	// extends a lingering turn.
	s, inConversation := b.session(m.Session), translate.RoleOf(u.Kind) != translate.Other
	if inConversation && s.replay.isSilent() {
		return
	}
	if string(u.Kind) == "user_message_chunk" && s.turn.takeEcho(u) {
		return
	}
	if t := s.turn; inConversation && t != nil && t.answer != nil {
		t.linger()
	}
	b.update(s, u)
}

// update converts an update by its kind. It forwards updates of unknown kinds, which version 2
// allows. It drops updates that only version 2 has, which some agents send: the bridge derives its
// own.
func (b *Bridge) update(s *session, u *calls.Update) {
	if translate.IsPlan(u.Kind) { // package plans converts it later, but would forward a plan without entries
		s.message.end()
		if entries := u.Members.Get("entries"); string(u.Kind) == translate.LegacyPlan && (len(entries) == 0 || entries[0] != '[') {
			s.link.Lose(translate.LossUnreadableUpdate, "a plan without entries is dropped")
			return
		}
		s.link.ForwardUpdate(u)
		return
	}
	switch string(u.Kind) {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		s.chunk(u)
	case "tool_call", "tool_call_update":
		s.reportToolCall(u)
	case "notice", "compaction_update":
		s.message.end()
		s.sendConverted(u)
	case "subagent_update":
		b.reportSubagent(s, u)
	case "current_mode_update":
		if _, ok := u.Members.Text("currentModeId"); !ok { // package selectors reports a mode with an id
			s.link.Lose(translate.LossUnreadableUpdate, "a mode without an id is dropped")
		}
	case "prompt_suggestions_update":
		if b.options.Client.Suggestions {
			s.sendConverted(u)
		}
	case "cursor_update": // no client announces cursors
	case "usage_update", "available_commands_update", "config_option_update", "session_info_update", "session_message", "session_message_chunk", "compaction_summary_chunk":
		s.sendConverted(u)
	case "user_message", "agent_message", "agent_thought", "state_update", "terminal_update", "replay_complete",
		"tool_call_content_chunk", "terminal_output_chunk":
		s.link.Lose(translate.LossVersion2Update, "an update of version 2 is dropped: an agent of version 1 sent it")
	default:
		if !bytes.HasPrefix(u.Kind, []byte("_")) {
			s.link.Report(translate.Loss{Kind: translate.LossUnknownUpdate, Name: cut(u.Kind), Detail: "an update that neither version defines is forwarded: " + cut(u.Kind)})
		}
		s.link.ForwardUpdate(u)
	}
}

// sendConverted converts and sends an update of a kind that both versions have. It drops unreadable
// optional members. If a required member is missing or unreadable, it drops the update.
func (s *session) sendConverted(u *calls.Update) {
	w := s.rewrite(u)
	start := len(w.Out)
	if !shapes.Update(string(u.Kind)).ToV2(w, u.Members) {
		s.link.Lose(translate.LossUnreadableUpdate, "an update that cannot be read is dropped")
		return
	}
	if bytes.Equal(w.Out[start:], u.Text()) {
		s.link.ForwardUpdate(u)
		return
	}
	if w.LeftOut {
		w.Lose(translate.LossUnreadableMember, "a member that cannot be read is omitted")
	}
	s.link.SendRewritten(u)
}
