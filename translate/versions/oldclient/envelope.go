package oldclient

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// member returns the raw value of a member of a raw object, nil if there is none.
func member(object []byte, name string) []byte {
	o, _ := rawjson.ReadObject(nil, object)
	return o.Get(name)
}

// appendMember appends a member to the members of an object that begins with {.
func appendMember(dst []byte, name string, text []byte) []byte {
	return rawjson.AppendQuoted(appendName(dst, name), text)
}

func appendRaw(dst []byte, name string, value []byte) []byte {
	return append(appendName(dst, name), value...)
}

func appendName(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

// appendObject appends an object, see [words.Shape].
func appendObject(dst []byte, o rawjson.Object) []byte {
	size := len("{}")
	for _, f := range o {
		size += len(f.Text) + len(",")
	}
	dst = append(slices.Grow(dst, size), '{')
	for _, f := range o {
		if !words.UnreadableMeta(f) {
			dst = append(appendComma(dst), f.Text...)
		}
	}
	return append(dst, '}')
}

func cloned(raw []byte) []byte { return append([]byte(nil), raw...) }

// textIn returns what a raw JSON value says if it is a string. That is a part of
// the value or, if it has escapes, appended to buf.
func textIn(buf, value []byte) (text []byte, ok bool) {
	switch {
	case len(value) < 2 || value[0] != '"':
		return nil, false
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], true
	}
	return rawjson.AppendUnquoted(buf, value), true
}

// A sessionUpdateMessage is a session/update that is being converted.
type sessionUpdateMessage struct {
	m       *jsonrpc.Message
	span    jsonrpc.Span // of params.update
	members rawjson.Object
	content rawjson.Object // the members of its content
	kind    []byte
	session []byte // in which the client is shown it, if that is another one
	plain   bool   // what is around the update can stay
	plan    bool   // it concerns a plan
}

// read finds the update in a session/update. It reports false if there is none.
func (u *sessionUpdateMessage) read(m *jsonrpc.Message) bool {
	*u = sessionUpdateMessage{m: m, span: m.Update, members: m.Members, content: m.Content}
	if !m.Update.Present() || m.Session == nil {
		return false
	}
	if len(u.members) == 0 { // the plan translation has read the message
		u.members, _ = rawjson.ReadObject(nil, u.span.Of(m.Text))
		u.content, _ = rawjson.ReadObject(nil, u.members.Get("content"))
	}
	version := []byte(`"jsonrpc"`)
	u.plain = (!m.Meta.Present() || m.Text[m.Meta.Start] == '{' || m.Text[m.Meta.Start] == 'n') &&
		(bytes.Contains(m.Text[m.Start:m.Params.Start], version) || bytes.Contains(m.Text[m.Params.End:m.End], version))
	var ok bool
	u.kind, ok = u.members.Text("sessionUpdate")
	u.plan = translate.IsPlan(u.kind)
	return ok
}

// pass sends the client the update as it came.
func (b *Bridge) pass() {
	u := &b.update
	if u.plain && u.session == nil && !b.releasing {
		b.out.Forward()
		b.sentUpdate()
		return
	}
	b.w.Out = append(b.w.Out[:0], u.span.Of(u.m.Text)...)
	b.emit()
}

// emit sends the client what the Writer has as a session/update. What is around
// the update is as in the message that is being converted.
func (b *Bridge) emit() {
	u := &b.update
	switch {
	case u.session != nil:
		b.emitTo(u.session)
	case u.plain:
		text := u.m.Text
		b.out.Send(translate.Client, text[u.m.Start:u.span.Start], b.w.Out, text[u.span.End:u.m.End])
		b.sentUpdate()
	default:
		b.emitTo(u.m.Session)
	}
}

// emitTo sends the client what the Writer has as a session/update of the
// bridge's own.
func (b *Bridge) emitTo(session []byte) {
	b.line = append(b.line[:0], `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":`...)
	b.line = append(rawjson.AppendQuoted(b.line, session), `,"update":`...)
	b.out.Send(translate.Client, b.line, b.w.Out, []byte("}}"))
	b.sentUpdate()
}

// sentUpdate is called when an update was sent. The bridge itself never makes one
// that concerns a plan.
func (b *Bridge) sentUpdate() {
	b.w.Out = b.w.Out[:0]
	if !b.update.plan {
		b.out.NoPlan()
	}
}

// old calls a handler that finds the update in the Bridge.
func (b *Bridge) old(handle func(*Bridge, *session)) func(*session, *link.Update) {
	return func(s *session, u *link.Update) {
		update, releasing := b.update, b.releasing
		b.update, b.releasing = sessionUpdateMessage{}, u.Held
		b.update.read(u.Message)
		handle(b, s)
		b.update, b.releasing = update, releasing
	}
}

func (s *session) works() { s.turns.said() }

func (s *session) flush() { s.bridge.flush(s) }

func (s *session) flushSmall() { s.bridge.flushSmall(s) }

// emitAs converts the update by its shape and sends it.
func (b *Bridge) emitAs(shape words.Shape) {
	b.w.Out = b.w.Out[:0]
	if shape.ConvertObject(&b.w, b.update.members) {
		b.emit()
		return
	}
	b.w.Lose(translate.LossUnreadableUpdate, "dropped a "+string(b.update.kind)+" that cannot be read")
}

func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return dst
}
