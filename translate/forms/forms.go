// Package forms asks the user of a client without forms what an agent asks by forms
// (elicitation/create): with permission requests, one property after the other.
//
//	agent <─> bridge, if there is one <─> plans <─> forms <─> client
//
// Agents ask by forms only if the client has announced them, so somebody has to announce
// them in the client's place, see [capabilities.Told].
//
//	forms.go      who gets a message; which form is asked when
//	schema.go     the properties of a form
//	questions.go  the questions that are made of them, and the values of the answers
//
// What is answered was chosen by the user, and is valid by the form's schema. A form is
// declined if the user wants to answer in the chat, or if it cannot be asked so; then it
// is a message. In all other cases the agent hears that it was cancelled.
package forms

import (
	"bytes"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// What is kept is bounded.
const (
	maxOpen    = 256      // forms that wait for the user
	maxKept    = 16 << 20 // bytes of them
	maxID      = 1 << 10  // bytes of an id, of whatever
	maxPrompts = 64       // of the client whose sessions are known
)

// A Translator asks for the forms of one connection. It must not be used by two goroutines
// at once. The zero value leaves everything alone until Negotiated.
type Translator struct {
	asks    bool // the client has no forms
	urls    bool // it opens addresses
	asker   asking.Asker
	open    keep.Map[*form]  // by the ids of their requests
	kept    int              // bytes of them
	prompts keep.Map[string] // the sessions of the client's last prompts, by their ids
	last    string           // the session that was prompted last
	gone    bool             // the client
	out     *translate.Out   // of the message at hand

	filters [2]*jsonrpc.Filter // see Wants
	want    want               // what they are for
}

// A form is one that the agent waits for.
type form struct {
	id         []byte // raw, of the request
	session    string
	message    string
	properties []property
	asking     *asking.Asking // nil if it waits for another one of the session
	size       int
}

// Negotiated begins a connection with a client, or begins it again: what was asked stays
// asked then. The version is that in which the client is spoken to; asks tells whether the
// forms of the agent are asked, or pass.
func (t *Translator) Negotiated(client capabilities.Request, version int, asks bool) {
	t.asker.Name, t.asker.Version = "form-", version
	t.asker.SetClient(client.Manner())
	t.asks, t.urls = asks, client.OpensURLs
}

// A want is what matters at a time.
type want struct{ asks, open, asked bool }

// Wants implements [translate.Words].
func (t *Translator) Wants() [2]*jsonrpc.Filter {
	w := want{t.asks, t.open.Len() > 0, t.asker.HasAsked()}
	if w == t.want {
		return t.filters
	}
	client, agent := jsonrpc.Filter{Responses: w.asked}, jsonrpc.Filter{}
	if w.asks {
		client.Heads = []string{"session/prompt"}
		agent.Methods = []string{"elicitation/create"}
	}
	if w.open {
		client.Methods = []string{"session/cancel", "session/close", "session/delete", "$/cancel_request"}
		agent.Methods = append(agent.Methods, "$/cancel_request")
	}
	t.want, t.filters = w, [2]*jsonrpc.Filter{translate.Client: &client, translate.Agent: &agent}
	return t.filters
}

// Awaits implements [translate.Words].
func (t *Translator) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Client && t.asker.IsOwn(id)
}

// FromAgent implements [translate.Words].
func (t *Translator) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	t.out = out
	switch {
	case !m.Ambiguous && string(m.Method) == "$/cancel_request":
		f := t.open.Get(string(idIn(m)))
		return f != nil && t.takeBack(false, func(other *form) bool { return other == f })
	case t.asks && m.IsRequest() && string(m.Method) == "elicitation/create":
		return t.create(m)
	}
	return false
}

// FromClient implements [translate.Words].
func (t *Translator) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	t.out = out
	if m.Ambiguous {
		return false
	}
	switch string(m.Method) {
	case "":
		return m.IsResponse() && t.asker.Answer(out, m)
	case "session/prompt":
		t.prompted(m)
	case "session/cancel":
		return m.Session != nil && t.overWith(string(m.Session), false)
	case "session/close", "session/delete":
		return m.Session != nil && t.overWith(string(m.Session), true)
	case "$/cancel_request":
		id := string(idIn(m))
		return t.prompts.Has(id) && t.overWith(t.prompts.Get(id), false)
	}
	return false
}

// Gone implements [translate.Words]. Without a client nobody is asked anything.
func (t *Translator) Gone(side translate.Side, out *translate.Out) {
	if side == translate.Client {
		t.out, t.gone = out, true
		t.takeBack(true, func(*form) bool { return true })
	}
}

// idIn returns which request a $/cancel_request or a form is about.
func idIn(m *jsonrpc.Message) jsonrpc.ID {
	return jsonrpc.IDOf(rawjson.Get(m.Params.Of(m.Text), "requestId"))
}

// prompted notes which session a prompt is of.
func (t *Translator) prompted(m *jsonrpc.Message) {
	if m.ID == nil || m.Session == nil || len(m.Session) > maxID {
		return
	}
	if t.prompts.Len() >= maxPrompts {
		oldest, _ := t.prompts.Oldest()
		t.prompts.Delete(oldest)
	}
	t.last = string(m.Session)
	t.prompts.Put(string(jsonrpc.IDOf(m.ID)), t.last)
}

// create handles a form of the agent.
func (t *Translator) create(m *jsonrpc.Message) bool {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	mode, hasMode := o.Text("mode")
	if hasMode && string(mode) != "form" && t.urls {
		return false
	}
	message, _ := o.Text("message")
	f := &form{id: bytes.Clone(m.ID), session: t.sessionOf(m), message: string(message), size: m.Params.End - m.Params.Start}
	why := "it is none"
	if !hasMode || string(mode) == "form" {
		f.properties, why = readProperties(o.Get("requestedSchema"))
	}
	switch {
	case t.gone:
		t.answer(f, "cancel", nil)
	case t.open.Len() >= maxOpen || t.kept+f.size > maxKept || len(m.ID) > maxID || t.open.Has(string(jsonrpc.IDOf(m.ID))):
		t.lose(f, translate.LossMemory, "too many forms wait for the user: one was cancelled")
		t.answer(f, "cancel", nil)
	case f.session == "":
		t.decline(f, "it belongs to no session")
	case why != "":
		t.asker.Say(t.out, f.session, f.message)
		t.decline(f, why)
	default:
		t.open.Put(string(jsonrpc.IDOf(f.id)), f)
		t.kept += f.size
		t.next(f.session)
	}
	return true
}

// sessionOf returns the session of a form: of the request that it is about, or else the
// one that was prompted last. "" if there was none.
func (t *Translator) sessionOf(m *jsonrpc.Message) string {
	if m.Session != nil {
		return string(m.Session)
	}
	if session := t.prompts.Get(string(idIn(m))); session != "" {
		return session
	}
	return t.last
}

// next asks for the first form of a session, unless another one is being asked there.
func (t *Translator) next(session string) {
	for _, f := range t.open.All() {
		if f.session != session {
			continue
		}
		if f.asking == nil {
			t.ask(f)
		}
		return
	}
}

func (t *Translator) ask(f *form) {
	f.asking = new(asking.Asking) // it is being asked, even if the answer comes at once
	asked := t.asker.Ask(t.out, f.session, questionsOf(f.message, f.properties), func(r asking.Result) {
		t.ends(f)
		switch {
		case r.Unasked:
			t.decline(f, "the client asks nobody")
		case r.Refused != "":
			t.answer(f, "decline", nil)
		case r.Chosen != nil:
			t.answer(f, "accept", contentOf(f.properties, r.Chosen))
		default:
			t.answer(f, "cancel", nil)
		}
		t.next(f.session)
	})
	f.asking = asked
}

// ends notes that the agent waits for a form no more.
func (t *Translator) ends(f *form) {
	t.open.Delete(string(jsonrpc.IDOf(f.id)))
	t.kept -= f.size
}

// overWith cancels the forms of a session that the client has cancelled or closed with the
// message at hand. They are answered first: a bridge would take them back otherwise.
func (t *Translator) overWith(session string, closed bool) bool {
	t.takeBack(closed, func(f *form) bool { return f.session == session })
	t.out.Forward()
	return true
}

// takeBack cancels forms. It reports whether there were any. closed: the client knows the
// session no more.
func (t *Translator) takeBack(closed bool, which func(*form) bool) (any bool) {
	var askings []*asking.Asking
	var sessions []string
	for _, f := range t.open.All() {
		if !which(f) {
			continue
		}
		any = true
		t.ends(f)
		t.answer(f, "cancel", nil)
		if f.asking != nil {
			askings = append(askings, f.asking)
			sessions = append(sessions, f.session)
		}
	}
	t.asker.TakeBack(t.out, closed, askings...)
	for _, session := range sessions {
		t.next(session)
	}
	return any
}

// decline declines a form that the user was not asked.
func (t *Translator) decline(f *form, why string) {
	t.lose(f, translate.LossUserNotAsked, "a form of the agent was declined: "+why)
	t.answer(f, "decline", nil)
}

// answer answers the agent.
func (t *Translator) answer(f *form, action string, content []byte) {
	var b rawjson.Builder
	b.Object()
	b.StringMember("action", []byte(action))
	b.Member("content", content)
	b.EndObject()
	t.out.Send(translate.Agent, translate.Answer(f.id, "result", b.Out))
}

func (t *Translator) lose(f *form, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: f.session, Detail: detail})
}
