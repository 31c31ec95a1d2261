// Package forms asks the user of a client without forms what an agent asks by forms
// (elicitation/create): with permission requests, one property after the other.
//
//	agent <─> … <─> plans <─> forms <─> … <─> client
//
// Agents ask by forms only if the client has announced them, so somebody has to announce
// them in the client's place, see [capabilities.Told].
//
//	forms.go   who gets a message; which form is asked when
//	schema.go  the questions that are made of a form, and the values of the answers
//
// What is answered was chosen by the user, and is valid by the form's schema. A form is
// declined if the user wants to answer in the chat, or if it cannot be asked so; then it
// is a message. In all other cases the agent hears that it was cancelled.
package forms

import (
	"bytes"
	"cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Translator asks for the forms of one connection. It must not be used by two goroutines
// at once. It leaves everything alone until Negotiated.
type Translator struct {
	asks    bool // the client has no forms
	urls    bool // it opens addresses
	asker   asking.Asker
	budget  keep.Budget
	prompts asking.Prompts
	out     *translate.Out // of the message at hand

	filters [2]*jsonrpc.Filter // see Wants
	want    want               // what they are for
}

// New returns a Translator.
func New() *Translator {
	t := new(Translator)
	kept := t.budget.Open(0, nil)
	t.asker = asking.Asker{Name: "form-", InTurn: true, Kept: kept}
	t.prompts.Kept = kept
	return t
}

// Negotiated begins a connection with a client, or begins it again: what was asked stays
// asked then. The version is that in which the client is spoken to; asks tells whether the
// forms of the agent are asked, or pass.
func (t *Translator) Negotiated(client capabilities.Request, version int, asks bool) {
	t.asker.Version, t.asker.Client = version, client.Profile()
	t.asks, t.urls = asks, client.OpensURLs
}

// A want is what matters at a time.
type want struct{ asks, asked bool }

// Wants implements [translate.Words].
func (t *Translator) Wants() [2]*jsonrpc.Filter {
	w := want{t.asks || t.asker.Pending() > 0, t.asker.HasAsked()}
	if w == t.want {
		return t.filters
	}
	t.want, t.filters = w, [2]*jsonrpc.Filter{translate.Client: {Responses: w.asked}}
	if w.asks {
		client := t.filters[translate.Client]
		client.Heads, client.Methods = []string{"session/prompt"}, t.prompts.Methods()
		t.filters[translate.Agent] = &jsonrpc.Filter{Methods: []string{"elicitation/create", "$/cancel_request"}}
	}
	return t.filters
}

// Awaits implements [translate.Words].
func (t *Translator) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Client && t.asker.IsOwn(id)
}

// FromAgent implements [translate.Words].
func (t *Translator) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	switch {
	case !m.Ambiguous && string(m.Method) == "$/cancel_request":
		return t.asker.Cancel(asking.RequestID(m))
	case t.asks && m.IsRequest() && string(m.Method) == "elicitation/create":
		return t.create(m)
	}
	return false
}

// FromClient implements [translate.Words].
func (t *Translator) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	t.out, t.asker.Out = out, out
	if m.Ambiguous {
		return false
	}
	switch string(m.Method) {
	case "":
		return m.IsResponse() && t.asker.Respond(m)
	case "session/prompt":
		t.prompts.Add(m)
		t.budget.Settle() // evicts the oldest prompts
		return false
	}
	session, closed, ok := t.prompts.Cancelled(m)
	if ok {
		t.asker.CancelSession(session, closed) // first: a bridge would take its forms back otherwise
		out.Forward()
	}
	return ok
}

// ClientGone implements [translate.Words]. Without a client nobody is asked anything.
func (t *Translator) ClientGone(out *translate.Out) {
	t.out, t.asker.Out = out, out
	t.asker.Close()
}

// create handles a form of the agent.
func (t *Translator) create(m *jsonrpc.Message) bool {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	mode, hasMode := o.Text("mode")
	isForm := !hasMode || string(mode) == "form"
	if !isForm && t.urls {
		return false
	}
	message := o.String("message")
	var questions []asking.Question
	why := "it is none"
	if isForm {
		questions, why = readQuestions(message, o.Get("requestedSchema"))
	}
	r := asking.Request{ID: bytes.Clone(m.ID), Session: t.sessionOf(m), Size: m.Params.End - m.Params.Start}
	switch {
	case r.Session == "":
		t.decline(r, "it belongs to no session")
	case why != "":
		t.asker.SendText(r.Session, message)
		t.decline(r, why)
	default:
		t.asker.Ask(r, questions, func(result asking.Result) {
			switch {
			case result.NotAsked:
				t.decline(r, "the client asks nobody")
			case result.Refused != "":
				t.answer(r, "decline", nil)
			case result.Chosen != nil:
				t.answer(r, "accept", contentOf(questions, result.Chosen))
			default:
				t.answer(r, "cancel", nil)
			}
		})
	}
	if t.budget.Settle() {
		t.lose(r, translate.LossMemory, "too many forms wait for the user: one was cancelled")
	}
	return true
}

// sessionOf returns the session of a form: of the request that it is about, or else the
// one that was prompted last. "" if there was none.
func (t *Translator) sessionOf(m *jsonrpc.Message) string {
	if m.Session != nil {
		return string(m.Session)
	}
	return cmp.Or(t.prompts.Session(asking.RequestID(m)), t.prompts.Last)
}

// decline declines a form that the user was not asked.
func (t *Translator) decline(r asking.Request, why string) {
	t.lose(r, translate.LossUserNotAsked, "a form of the agent was declined: "+why)
	t.answer(r, "decline", nil)
}

// answer answers the agent.
func (t *Translator) answer(r asking.Request, action string, content []byte) {
	var b rawjson.Builder
	b.Object()
	b.Texts("action", action)
	b.Member("content", content)
	b.EndObject()
	t.out.Send(translate.Agent, translate.Answer(r.ID, "result", b.Out))
}

func (t *Translator) lose(r asking.Request, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: r.Session, Detail: detail})
}
