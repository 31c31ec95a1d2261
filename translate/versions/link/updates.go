package link

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An Update is a session/update of the agent that is being converted. It is
// valid as long as its message is.
type Update struct {
	Message *jsonrpc.Message
	Kind    []byte
	Members rawjson.Object // of the update
	Content rawjson.Object // the members of its content

	// Held: it was kept for a while, so the message at hand is another one.
	Held bool

	span    jsonrpc.Span // of params.update
	session []byte       // in which the client is shown it
	plain   bool         // what is around the update can stay
}

// Read finds the update in a session/update. It reports false if the message has
// no session, or no update with a kind.
func (u *Update) Read(m *jsonrpc.Message) bool {
	*u = Update{Message: m, span: m.Update, session: m.Session, Members: m.Members, Content: m.Content}
	if !m.Update.Present() || m.Session == nil {
		return false
	}
	if len(u.Members) == 0 { // the plan translation has read the message
		u.Members, _ = rawjson.ReadObject(nil, m.Update.Of(m.Text))
		u.Content, _ = rawjson.ReadObject(nil, u.Members.Get("content"))
	}
	version := []byte(`"jsonrpc"`)
	u.plain = (!m.Meta.Present() || m.Text[m.Meta.Start] == '{' || m.Text[m.Meta.Start] == 'n') &&
		(bytes.Contains(m.Text[m.Start:m.Params.Start], version) || bytes.Contains(m.Text[m.Params.End:m.End], version))
	var ok bool
	u.Kind, ok = u.Members.Text("sessionUpdate")
	return ok
}

// In returns u as an update of another session. What is around it is the bridge's
// own then.
func (u Update) In(session []byte) *Update {
	u.session, u.plain = session, false
	return &u
}

// Text returns the raw update.
func (u *Update) Text() []byte { return u.span.Of(u.Message.Text) }

// Pass sends the client an update as it came.
func (l *Link) Pass(u *Update) {
	switch {
	case u.plain && !u.Held:
		l.out.Forward()
	case u.plain:
		l.out.Send(translate.Client, u.Message.Span.Of(u.Message.Text))
	default:
		l.Rewrite(u).Raw(u.Text())
		l.SendRewritten(u)
		return
	}
	l.markUpdate(u.Kind)
}

// Rewrite begins a session/update like u, up to the value of params.update. That
// comes next, then SendRewritten. What is around it is as in u.
func (l *Link) Rewrite(u *Update) *words.Writer {
	if !u.plain {
		return l.beginUpdate(u.session)
	}
	w := l.Write()
	w.Out = append(w.Out, u.Message.Text[u.Message.Start:u.span.Start]...)
	return w
}

// SendRewritten sends what Rewrite began.
func (l *Link) SendRewritten(u *Update) {
	if u.plain {
		l.w.Out = append(l.w.Out, u.Message.Text[u.span.End:u.Message.End]...)
	} else {
		l.w.Out = append(l.w.Out, "}}"...)
	}
	l.Send(translate.Client)
	l.markUpdate(u.Kind)
}

// Update begins a session/update of the bridge's own, up to its kind. The other
// members come next, then SendUpdate.
func (l *Link) Update(session []byte, kind string) *words.Writer {
	w := l.beginUpdate(session)
	w.Object()
	w.StringMember("sessionUpdate", []byte(kind))
	return w
}

// SendUpdate sends what Update began.
func (l *Link) SendUpdate() {
	l.w.Out = append(l.w.Out, "}}}"...)
	l.Send(translate.Client)
	l.out.NoPlan()
}

func (l *Link) beginUpdate(session []byte) *words.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	w.StringMember("sessionId", session)
	w.Name("update")
	return w
}

func (l *Link) markUpdate(kind []byte) {
	if !translate.IsPlan(kind) {
		l.out.NoPlan()
	}
}
