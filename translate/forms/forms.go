// Package forms asks an agent's forms (elicitation/create) with permission requests, one
// property after another, for a client without forms.
//
//	agent <─> … <─> plans <─> forms <─> … <─> client
//
// Agents send forms only to clients that announce them, so the proxy announces them for the
// client, see [capabilities.Announcement].
//
//	forms.go   the messages, and the pending forms
//	schema.go  the questions of a form, and the values of its response
//
// A response contains only values that the user chose and that the form's schema allows. If the
// user prefers to answer in the chat, the form is declined. A form that cannot be asked is also
// declined, and its message is sent as a chat message if the session is known. In all other cases
// the response is cancel.
package forms

import (
	"bytes"
	"cmp"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Stage translates the forms of one connection. It forwards everything until Negotiated
// is called. A Stage is not safe for concurrent use.
type Stage struct {
	asks      bool // the client has no forms, and the proxy announced them
	opensURLs bool // the client supports url mode
	asker     asking.Asker
	budget    keep.Budget
	prompts   asking.Prompts

	filters scan.Cache[wanted]
}

// New returns a Stage.
func New() *Stage {
	s := new(Stage)
	share := s.budget.Open(0, nil)
	s.asker = asking.Asker{Name: "form-", OnePerSession: true, Share: share}
	s.prompts.Share = share
	return s
}

// Negotiated sets the client after initialize, with its protocol version. asks reports that the
// proxy announced forms for the client; otherwise forms pass. Pending forms remain pending.
func (s *Stage) Negotiated(client capabilities.Request, version int, asks bool) {
	s.asker.Version, s.asker.Client = version, client.Profile()
	s.asks, s.opensURLs = asks, client.OpensURLs
}

// wanted selects the messages that the Stage needs.
type wanted struct{ forms, responses bool }

// Wants implements [translate.SimpleStage].
func (s *Stage) Wants() [2]*scan.Filter {
	return s.filters.Filters(wanted{s.asks || s.asker.Pending() > 0, s.asker.HasAsked()}, wanted.filters)
}

func (w wanted) filters() (f [2]*scan.Filter) {
	f[translate.Client] = asking.Filter(w.forms, w.responses)
	if w.forms {
		f[translate.Agent] = &scan.Filter{Methods: []string{"elicitation/create", "$/cancel_request"}}
	}
	return f
}

// Awaits implements [translate.SimpleStage].
func (s *Stage) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Client && s.asker.IsOwn(id)
}

// FromAgent implements [translate.SimpleStage].
func (s *Stage) FromAgent(m *jsonrpc.Message, out *translate.Out) bool {
	s.asker.Out = out
	switch {
	case !m.Ambiguous && string(m.Method) == "$/cancel_request":
		return s.asker.Cancel(jsonrpc.IDOf(translate.RequestID(m)))
	case s.asks && m.IsRequest() && string(m.Method) == "elicitation/create":
		return s.ask(m)
	}
	return false
}

// FromClient implements [translate.SimpleStage].
func (s *Stage) FromClient(m *jsonrpc.Message, out *translate.Out) bool {
	s.asker.Out = out
	switch {
	case m.Ambiguous:
		return false
	case m.Method == nil:
		return m.IsResponse() && s.asker.AcceptResponse(m)
	}
	defer s.budget.EvictExcess() // evicts the least recently sent prompts
	session, closed, ok := s.prompts.Read(m)
	if ok {
		s.asker.CancelSession(session, closed) // before a bridge cancels its forms
		out.Forward()
	}
	return ok
}

// ClientClosed implements [translate.SimpleStage]. It answers all pending forms.
func (s *Stage) ClientClosed(out *translate.Out) {
	s.asker.Out = out
	s.asker.Close()
}

// ask asks the user the questions of a form. It returns false if the form passes.
func (s *Stage) ask(m *jsonrpc.Message) bool {
	o := rawjson.Members(m.Params.Of(m.Text))
	isForm := cmp.Or(o.String("mode"), "form") == "form"
	if !isForm && s.opensURLs {
		return false
	}
	message := o.String("message")
	var questions []asking.Question
	why := "it is not a form"
	if isForm {
		questions, why = readQuestions(message, o.Get("requestedSchema"))
	}
	r := asking.Request{ID: bytes.Clone(m.ID), Session: s.sessionOf(m), Size: m.Params.End - m.Params.Start}
	switch {
	case r.Session == "":
		s.decline(r, "it has no session")
	case why != "":
		s.asker.SendText(r.Session, message)
		s.decline(r, why)
	default:
		s.asker.Ask(r, questions, func(result asking.Result) {
			switch {
			case result.NotAsked:
				s.decline(r, "the client does not ask the user")
			case result.Refused != "":
				s.answer(r, "decline", nil)
			case result.Answers != nil:
				s.answer(r, "accept", contentOf(questions, result.Answers))
			default:
				s.answer(r, "cancel", nil)
			}
		})
	}
	if s.budget.EvictExcess() {
		s.asker.Out.LoseIn(r.Session, translate.LossMemory, "memory limit: a form was cancelled")
	}
	return true
}

// sessionOf returns the session of a form, or else the session of the request to which the form
// refers, or else of the latest prompt. It returns "" if there was no prompt.
func (s *Stage) sessionOf(m *jsonrpc.Message) string {
	if m.Session != nil {
		return string(m.Session)
	}
	return cmp.Or(s.prompts.Session(jsonrpc.IDOf(translate.RequestID(m))), s.prompts.LastSession)
}

// decline declines a form without asking the user.
func (s *Stage) decline(r asking.Request, why string) {
	s.asker.Out.LoseIn(r.Session, translate.LossUserNotAsked, "a form of the agent was declined: "+why)
	s.answer(r, "decline", nil)
}

// answer responds to the agent's form.
func (s *Stage) answer(r asking.Request, action string, content []byte) {
	var b rawjson.Builder
	b.Object()
	b.Texts("action", action)
	b.Member("content", content)
	b.EndObject()
	s.asker.Out.Send(translate.Agent, translate.Answer(r.ID, "result", b.Out))
}
