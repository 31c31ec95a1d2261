package calls

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An Update is a session/update of the agent during its conversion. It is valid as long as its
// message is.
type Update struct {
	Message *jsonrpc.Message
	Session []byte // the session in which the client is shown the update, see ShowIn
	Kind    []byte
	Members rawjson.Object // of the update
	Content rawjson.Object // the members of its content

	// Buffered reports that the update is not in the current message, but in one that was buffered.
	Buffered bool

	span       jsonrpc.Span // of params.update
	copiesRest bool         // the rest of the message is copied unchanged
}

// Read finds the update in a session/update. It reports false if the message has no session,
// or no update with a kind.
func (u *Update) Read(m *jsonrpc.Message) bool {
	*u = Update{Message: m, Session: m.Session, span: m.Update, Members: m.Members, Content: m.Content}
	if !m.Update.Present() || m.Session == nil {
		return false
	}
	if len(u.Content) == 0 { // as in a message that was read with a ParamsReader
		u.Content = u.Members.Object("content")
	}
	u.copiesRest = m.Versioned && (!m.Meta.Present() || m.Text[m.Meta.Start] == '{' || m.Text[m.Meta.Start] == 'n')
	var ok bool
	u.Kind, ok = u.Members.Text("sessionUpdate")
	return ok
}

// ReadUpdate returns the update in the current message, or nil, see [Update.Read]. The update is
// valid until the next call.
func (l *Link) ReadUpdate(m *jsonrpc.Message) *Update {
	if !l.update.Read(m) {
		return nil
	}
	return &l.update
}

// ReadBuffered returns the update in the text of a buffered message, or nil. The update refers to
// the text.
func ReadBuffered(text []byte) *Update {
	m := jsonrpc.MessageOf(text)
	var u Update
	if !u.Read(&m) {
		return nil
	}
	u.Buffered = true
	return &u
}

// ShowIn sets the session in which the client is shown the update.
func (u *Update) ShowIn(session []byte) { u.Session, u.copiesRest = session, false }

// Text returns the raw update.
func (u *Update) Text() []byte { return u.span.Of(u.Message.Text) }

// ForwardUpdate forwards an update to the client unchanged.
func (l *Link) ForwardUpdate(u *Update) {
	switch {
	case u.copiesRest && !u.Buffered:
		l.out.Forward()
	case u.copiesRest:
		l.out.Send(translate.Client, u.Message.Span.Of(u.Message.Text))
		l.out.SetTopic(u.Kind)
	default:
		l.RewriteWith(u).Raw(u.Text())
		l.SendRewritten(u)
	}
}

// RewriteWith begins a session/update with the other members of u's message, up to the value
// of params.update. SendRewritten completes it.
func (l *Link) RewriteWith(u *Update) *shapes.Writer {
	if !u.copiesRest {
		return l.beginUpdate(u.Session)
	}
	w := l.Write()
	w.Out = append(w.Out, u.Message.Text[u.Message.Start:u.span.Start]...)
	return w
}

// SendRewritten completes and sends the update that RewriteWith has begun. u.Kind must be the kind
// that was written.
func (l *Link) SendRewritten(u *Update) {
	if u.copiesRest {
		l.writer.Out = append(l.writer.Out, u.Message.Text[u.span.End:u.Message.End]...)
	} else {
		l.writer.Out = append(l.writer.Out, "}}"...)
	}
	l.topic = u.Kind
	l.Send(translate.Client)
}

// UpdateWith begins a session/update of the bridge's own, up to its kind. SendUpdate completes
// it.
func (l *Link) UpdateWith(session []byte, kind string) *shapes.Writer {
	w := l.beginUpdate(session)
	w.Object()
	w.Texts("sessionUpdate", kind)
	l.topic = scan.Topic(kind)
	return w
}

// SendUpdate completes and sends the update that UpdateWith has begun.
func (l *Link) SendUpdate() {
	l.writer.Out = append(l.writer.Out, "}}}"...)
	l.Send(translate.Client)
}

func (l *Link) beginUpdate(session []byte) *shapes.Writer {
	w := l.Write()
	w.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	w.StringMember("sessionId", session)
	w.Name("update")
	return w
}
