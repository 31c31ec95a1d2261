package oldagent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An update is a session/update of the agent.
type update struct {
	m          *jsonrpc.Message
	session    *session
	start, end int // of params.update in the text of the message
	kind       []byte
	fields     rawjson.Object // of the update
	content    rawjson.Object // the members of its content
	waited     bool           // it is not the message that is dealt with now, see echo.go
}

// read finds the update in a message. It reports false if the message has no
// update with a kind.
func (u *update) read(m *jsonrpc.Message) bool {
	u.m = m
	u.start, u.end = m.Update.Start, m.Update.End
	if u.fields, u.content = m.Members, m.Content; len(u.fields) == 0 { // the plan translation has read the message
		u.fields, _ = rawjson.ReadObject(nil, m.Update.Of(m.Text))
		u.content, _ = rawjson.ReadObject(nil, u.fields.Get("content"))
	}
	var ok bool
	u.kind, ok = u.fields.Text("sessionUpdate")
	return ok
}

// update takes in what the agent reports of a session.
func (b *Bridge) update(m *jsonrpc.Message) {
	u := &b.u
	*u = update{}
	if m.Session == nil || !u.read(m) {
		b.lose(m.Session, translate.LossUnreadableUpdate, "an update without a session or without a kind was dropped")
		return
	}
	if b.closed[string(m.Session)] {
		return // it comes too late, version 2 wants silence
	}
	s := b.session(m.Session)
	u.session = s
	if s.replay.silent() && isHistory(u.kind) {
		return
	}
	if string(u.kind) == "user_message_chunk" && b.isEcho(u) {
		return
	}
	if t := s.turn; t != nil {
		s.live = true
		b.endEcho(t)
		b.acknowledge(t)
		if t.answer != nil && isHistory(u.kind) {
			b.waitForMore(t)
		}
	}
	switch string(u.kind) {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		b.chunk(u)
	case "tool_call", "tool_call_update":
		b.toolCall(u)
	case "available_commands_update":
		b.commands(u)
	case "current_mode_update":
		b.modeUpdate(u)
	case "config_option_update":
		b.optionsUpdate(u)
	case "session_info_update":
		b.sessionInfo(u)
	case "subagent_update":
		b.announced(u)
		b.other(u)
	case "plan":
		s.breakMessage()
		b.plan(u)
	case "plan_update", "notice", "compaction_update":
		s.breakMessage()
		b.other(u)
	default:
		b.other(u)
	}
}

// other takes in an update that needs no state.
func (b *Bridge) other(u *update) {
	kind := string(u.kind)
	if shape := words.Update(kind).ToV2; shape != nil {
		b.shared(u, shape)
		return
	}
	switch {
	case isShared(kind):
		b.out.Forward()
	case isOfVersion2(kind):
		b.lose([]byte(u.session.id), translate.LossVersion2Update, "an agent of version 1 sent it, it was dropped")
	default:
		b.lose([]byte(u.session.id), translate.LossUnknownUpdate, "version 2 does not know it, it was dropped: "+cut(u.kind))
	}
}

// plan passes a plan on: the plan translation makes what version 2 knows of it.
// It would leave one without entries as it is.
func (b *Bridge) plan(u *update) {
	if entries := u.fields.Get("entries"); len(entries) == 0 || entries[0] != '[' {
		b.lose([]byte(u.session.id), translate.LossUnreadableUpdate, "a plan without entries was dropped")
		return
	}
	b.out.Forward()
}

// isHistory reports whether an update of that kind tells of the conversation
// itself. A client that did not ask for a replay must not get one.
func isHistory(kind []byte) bool {
	return bytes.HasSuffix(kind, []byte("_chunk")) || bytes.HasPrefix(kind, []byte("tool_call")) ||
		bytes.HasPrefix(kind, []byte("plan")) || bytes.HasPrefix(kind, []byte("compaction")) ||
		string(kind) == "session_message"
}

// passOn passes on an update, which does not concern a plan, as it is.
func (b *Bridge) passOn(u *update) {
	if u.waited {
		b.out.Send(toClient, u.m.Span.Of(u.m.Text))
	} else {
		b.out.Forward()
	}
	b.out.NoPlan()
}

// beginSame begins the message of an update again, up to the update. What
// follows is up to the caller; [Bridge.sendSame] writes the rest.
func (b *Bridge) beginSame(u *update) *words.Writer {
	w := b.begin()
	w.Cwd = u.session.cwd
	w.Out = append(w.Out, u.m.Text[u.m.Start:u.start]...)
	return w
}

func (b *Bridge) sendSame(u *update) {
	b.w.Out = append(b.w.Out, u.m.Text[u.end:u.m.End]...)
	b.send(toClient)
	if !translate.IsPlan(u.kind) {
		b.out.NoPlan()
	}
}

// beginUpdate begins an update of the bridge's own, up to its kind.
func (b *Bridge) beginUpdate(s *session, kind string) *words.Writer {
	w := b.begin()
	w.Text(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`)
	w.Quoted([]byte(s.id))
	w.Text(`,"update":{"sessionUpdate":"`)
	w.Text(kind)
	w.Text(`"`)
	return w
}

func (b *Bridge) sendUpdate(w *words.Writer) {
	w.Text("}}}")
	b.send(toClient)
	b.out.NoPlan()
}

// sessionInfo takes in a new title, or when the session was last active.
func (b *Bridge) sessionInfo(u *update) {
	s := u.session
	b.inner.Reset()
	if at := u.fields.Get("updatedAt"); at != nil && words.OrNull(words.Time)(&b.inner, at) {
		b.keepInfo(s, &s.updatedAt, at)
	}
	if title := u.fields.Get("title"); title != nil {
		b.keepInfo(s, &s.title, title)
	}
	b.other(u)
}

// keepInfo replaces a text that is kept of a session by another value. If that is
// no short string, no text is kept.
func (b *Bridge) keepInfo(s *session, text *[]byte, value []byte) {
	const longest = 4096
	b.unkeep(s, len(*text))
	*text = nil
	if value[0] == '"' && len(value) <= longest && b.keep(s, len(value)) {
		*text = bytes.Clone(value)
	}
}
