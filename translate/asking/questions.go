package asking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Question is one question for the user.
type Question struct {
	ID       string   // for the caller
	Title    string   // title of the permission request
	Text     string   // full text, for the content of the request and for the chat message
	Choices  []Choice // the ways to accept
	Refusals []Choice // the ways to refuse, at least one; a client with one reject button is offered only the first
	Approval bool     // the only choice approves a plan; the client has received its text
	YesNo    bool     // a yes-or-no question: the refusal means no, and does not end the inquiry
	InChat   bool     // a user who refuses answers in the chat instead; Choices may be empty
	Multiple bool     // the user may take several choices
	AtLeast  int      // minimum number of choices if Multiple
	AtMost   int      // maximum number of choices if Multiple; 0 means no limit

	// AgentParams holds the params of the agent's own permission request; nil if the agent sent another
	// request. The requests of the question repeat them, except for the title and the options.
	AgentParams rawjson.Object
}

// A Choice is one way to answer. Kind is the kind of its permission option; "" means allow_once.
type Choice struct{ ID, Name, Description, Kind string }

// A Result is the end of an inquiry. The zero value means cancelled: by the user or the agent,
// with the session, or because the memory budget is exhausted.
type Result struct {
	Answers  [][]string // ids of the choices that the user took, by question, if all questions were answered
	Refused  string     // id of the refusal that ended the inquiry
	NotAsked bool       // the client cannot ask these questions; they are chat messages
	Closed   bool       // the client disconnected, or closed the session
	Error    []byte     // raw error of the client's response
}

const (
	// maxChoices is the number of choices that permission requests offer. Of a longer question,
	// they offer the first nine, and "Other: answer in the chat" unless each choice has a request
	// of its own.
	maxChoices = 10
	maxTitle   = 300 // characters
)

// WriteTexts writes the full text of each question: its position and choices, and the introduction
// before the first.
func WriteTexts(introduction string, questions []Question) {
	for i := range questions {
		question := &questions[i]
		if introduction != "" {
			introduction += "\n\n"
		}
		text := introduction + question.Text
		if len(questions) > 1 {
			text += fmt.Sprintf(" (%d of %d)", i+1, len(questions))
		}
		choices := question.Choices
		if question.YesNo {
			choices = slices.Concat(choices, question.Refusals)
		}
		for n, c := range choices {
			if n == 0 {
				text += "\n"
			}
			text += "\n- " + c.Name
			if c.Description != "" {
				text += ": " + c.Description
			}
		}
		question.Text, introduction = text, ""
	}
}

// An inquiry is a pending list of questions, asked in place of one request of the agent.
type inquiry struct {
	Request
	asker     *Asker
	questions []Question
	done      func(Result)
	id        []byte // raw id of the latest request to the client; nil if there was none
	isForm    bool   // the client is asked with a form; the fields below are unused

	answers          [][]string // ids of the choices that the user took, by answered question
	endedByUser      bool       // the user selected an option that ends a question
	taken            []Choice   // choices of the current question that the user took
	remaining        []Choice   // choices of the current question that the user can still take
	options          []option   // of the request that the client has
	choicePerRequest bool       // the client does not show every option, so each choice has a request of its own, with two options
	title            string     // title of the request's tool call
	text             string     // content of the request's tool call
	proxyToolCall    string     // id of the tool call if the proxy has sent it, otherwise ""
}

// An option is one option of a permission request.
type option struct {
	id, name, kind string
	choice         *Choice // the choice that the option takes, or nil
	refusal        string  // id of the refusal that the option selects, or ""
	endsQuestion   bool    // the option ends the question without taking a choice
}

// begin sends the form, or asks the first question.
func (q *inquiry) begin() {
	if q.isForm {
		q.askForm()
	} else {
		q.askNext()
	}
}

// newRequest sets the id of the next request, and returns it.
func (q *inquiry) newRequest() string {
	q.asker.requests++
	id := ownID + q.asker.Name + strconv.Itoa(q.asker.requests)
	q.id = rawjson.AppendQuoted(nil, id)
	return id
}

// accept continues the inquiry with the response to its request.
func (q *inquiry) accept(m *jsonrpc.Message) {
	if q.isForm {
		q.acceptForm(m)
	} else {
		q.acceptPermission(m)
	}
}

// finish ends the inquiry.
func (q *inquiry) finish(r Result) {
	q.asker.remove(q)
	q.done(r)
	if q.asker.OnePerSession {
		q.asker.beginNext(q.Session)
	}
}

// cannotAsk reports whether permission requests cannot ask a question: it has neither choices nor
// an answer in the chat, or the client responds without asking the user. An approval may be asked
// of a client that approves by itself.
func (a *Asker) cannotAsk(question Question) bool {
	return len(question.Choices) == 0 && !question.InChat || a.Client.AutoApproves && !question.Approval
}

// current returns the current question: the first without an answer.
func (q *inquiry) current() *Question { return &q.questions[len(q.answers)] }

// askNext asks the first unanswered question.
func (q *inquiry) askNext() {
	if len(q.answers) == len(q.questions) {
		q.finish(q.result())
		return
	}
	question := q.current()
	if !question.Approval && !q.asker.Client.ShowsContent {
		q.asker.SendText(q.Session, question.Text)
	}
	q.taken, q.remaining = nil, question.Choices
	if question.isLong() {
		q.remaining = q.remaining[:maxChoices-1]
	}
	q.ask()
}

// result returns the result of an answered inquiry: the refusal of the first question if the user
// refused every choice of every question, and otherwise the choices.
func (q *inquiry) result() Result {
	if q.endedByUser || slices.ContainsFunc(q.answers, func(ids []string) bool { return len(ids) > 0 }) {
		return Result{Answers: q.answers}
	}
	return Result{Refused: q.questions[0].Refusals[0].ID}
}

// isLong reports whether permission requests offer only the first choices, see maxChoices. They offer
// all choices of an agent's own request.
func (question *Question) isLong() bool {
	return len(question.Choices) > maxChoices && question.AgentParams == nil
}

// ask sends a permission request with the remaining choices, or with the first of them. The request
// is about a tool call of the proxy, unless it can be about that of the agent's request.
func (q *inquiry) ask() {
	question, client := q.current(), &q.asker.Client
	toolCallID := q.newRequest()
	q.title, q.text = cmp.Or(translate.OneLine(question.Title, maxTitle), "Question"), question.Text
	q.choicePerRequest = client.Displays != capabilities.AllOptions && len(question.Choices) > 0 && !question.Approval && !question.YesNo
	switch {
	case q.choicePerRequest:
		q.title = strings.TrimSpace(q.title + " " + translate.OneLine(q.remaining[0].Name, maxTitle) + "?")
		q.text += "\n\n" + q.remaining[0].Name + "?"
	case len(q.taken) > 0:
		q.text += "\n\nChosen: " + q.taken[0].Name
		for _, c := range q.taken[1:] {
			q.text += ", " + c.Name
		}
	}
	q.setOptions()
	q.proxyToolCall = ""
	if hasToolCall := q.ToolCall != "" && (question.Approval || question.AgentParams != nil); hasToolCall && !client.NeedsNewToolCall {
		toolCallID = q.ToolCall
	} else {
		q.proxyToolCall = toolCallID
		kind := "tool_call"
		if q.asker.Version >= 2 {
			kind = "tool_call_update"
		}
		q.asker.Out.Send(translate.Client, translate.Update(q.Session, kind, func(b *rawjson.Builder) { q.writeToolCall(b, toolCallID) }))
	}
	q.asker.send(q.id, q.Session, "session/request_permission", func(b *rawjson.Builder) { q.writeRequest(b, toolCallID) })
}

// writeRequest writes the params of the permission request, without the session.
func (q *inquiry) writeRequest(b *rawjson.Builder, toolCallID string) {
	agentParams := q.current().AgentParams
	if q.asker.Version >= 2 {
		b.Texts("title", q.title)
		b.Name("subject")
		b.JSON(`{"type":"tool_call"`)
	}
	b.Name("toolCall")
	b.Object()
	if agentParams != nil {
		q.repeatToolCall(b)
	} else {
		q.writeToolCall(b, toolCallID)
	}
	b.EndObject()
	if q.asker.Version >= 2 {
		b.EndObject()
	}
	b.Name("options")
	b.Array()
	for _, o := range q.options {
		b.Object()
		b.Texts("optionId", o.id, "name", o.name, "kind", o.kind)
		b.EndObject()
	}
	b.EndArray()
	for _, f := range agentParams {
		if name := string(f.Name); name != "sessionId" && name != "toolCall" && name != "options" {
			b.Field(f)
		}
	}
}

// setOptions sets the options of the next request: the allow options, then at least one reject
// option.
func (q *inquiry) setOptions() {
	question, client := q.current(), &q.asker.Client
	q.options = q.options[:0]
	choices := q.remaining
	if q.choicePerRequest {
		choices = choices[:1]
	}
	for i := range choices {
		c := &choices[i]
		kind := cmp.Or(c.Kind, "allow_once")
		id := cmp.Or(client.OptionID(kind), client.AllowOnceID, "allow")
		if !q.choicePerRequest && !question.Approval && !question.YesNo {
			id = "allow-" + strconv.Itoa(i)
		}
		q.options = append(q.options, option{id: id, name: c.Name, kind: kind, choice: c})
	}
	if q.choicePerRequest {
		q.options = append(q.options, option{id: cmp.Or(client.RejectID, "reject"), name: "Not " + choices[0].Name, kind: "reject_once"})
	} else {
		q.addEndOptions()
	}
}

// addEndOptions adds the options that take no choice. The option that ends the question has an allow
// kind for clients that show every option, because some of these clients end the turn after a
// refusal.
func (q *inquiry) addEndOptions() {
	question, client, endName := q.current(), &q.asker.Client, q.endOptionName()
	showsAll := client.Displays == capabilities.AllOptions
	if endName != "" && showsAll {
		q.options = append(q.options, option{id: "allow-" + strconv.Itoa(len(q.remaining)), name: endName, kind: "allow_once", endsQuestion: true})
	}
	for _, r := range question.Refusals {
		name := r.Name
		switch {
		case endName == "" && question.isLong():
			name = "Other: answer in the chat"
		case question.YesNo && showsAll:
			name = "Answer in the chat"
		}
		q.options = append(q.options, option{
			id: cmp.Or(client.RejectID, r.ID), name: name, kind: "reject_once",
			refusal: r.ID, endsQuestion: endName != "" && !showsAll,
		})
		if !showsAll {
			return // another refusal could share its button
		}
	}
}

// endOptionName returns the name of the option that ends the question without a further choice, or "".
func (q *inquiry) endOptionName() string {
	switch question := q.current(); {
	case question.YesNo:
		return question.Refusals[0].Name
	case !q.hasEnough():
		return ""
	case len(q.taken) > 0:
		return "Done"
	}
	return "None of these"
}

// hasEnough reports whether the user took enough choices. Choosing nothing is an answer only if the
// question allows several choices and the request offers all of them.
func (q *inquiry) hasEnough() bool {
	question := q.current()
	least := question.AtLeast
	if !question.Multiple || question.isLong() {
		least = max(least, 1)
	}
	return len(q.taken) >= least
}

// acceptPermission continues the inquiry with the response to a permission request. An unknown
// option id counts as the first reject option; setOptions adds at least one.
func (q *inquiry) acceptPermission(m *jsonrpc.Message) {
	id, ok := selectedID(m)
	if !ok {
		q.endToolCall("failed", "")
		q.finish(Result{Error: FailureOf(m)})
		return
	}
	i := slices.IndexFunc(q.options, func(o option) bool { return o.id == id })
	if i < 0 {
		i = slices.IndexFunc(q.options, func(o option) bool { return o.kind == "reject_once" })
	}
	o, question := q.options[i], q.current()
	q.endToolCall("completed", o.name)
	switch {
	case o.choice != nil:
		q.taken = append(q.taken, *o.choice)
		q.remaining = slices.DeleteFunc(slices.Clone(q.remaining), func(c Choice) bool { return c.ID == o.choice.ID })
		if !question.Multiple || len(q.taken) == question.AtMost {
			q.remaining = nil
		}
	case q.choicePerRequest:
		q.remaining = q.remaining[1:]
	case o.endsQuestion && (!question.YesNo || o.id == id): // an unknown id is not the answer "no"
		q.remaining, q.endedByUser = nil, true
		if question.YesNo {
			q.taken = question.Refusals
		}
	default:
		q.finish(Result{Refused: o.refusal})
		return
	}
	switch {
	case len(q.remaining) > 0:
		q.ask()
	case !q.hasEnough():
		q.finish(Result{Refused: question.Refusals[0].ID})
	default:
		var ids []string
		for _, c := range q.taken {
			ids = append(ids, c.ID)
		}
		q.answers = append(q.answers, ids)
		q.askNext()
	}
}

// FailureOf returns the raw error of a failed response, or nil if the response has a result. It returns
// an error of its own if the response has neither.
func FailureOf(m *jsonrpc.Message) []byte {
	switch failure := m.Error.Of(m.Text); {
	case !m.Failed():
		return nil
	case !rawjson.IsNull(failure):
		return failure
	}
	return []byte(`{"code":-32603,"message":"the response has neither a result nor an error"}`)
}

// selectedID returns the id of the selected option in a response, and whether there is one.
func selectedID(m *jsonrpc.Message) (id string, ok bool) {
	outcome, kind := OutcomeOf(m)
	option, ok := outcome.Text("optionId")
	return string(option), ok && kind == "selected" && !m.Failed()
}

// OutcomeOf returns the outcome in a response to a permission request, and its kind.
func OutcomeOf(m *jsonrpc.Message) (outcome rawjson.Object, kind string) {
	outcome = rawjson.Members(rawjson.Get(m.Result.Of(m.Text), "outcome"))
	return outcome, outcome.String("outcome")
}

// writeToolCall writes the members of the request's tool call.
func (q *inquiry) writeToolCall(b *rawjson.Builder, id string) {
	kind := "other"
	if q.current().Approval {
		kind = "switch_mode"
	}
	b.Texts("toolCallId", id, "title", q.title, "kind", kind, "status", "pending")
	writeContent(b, q.text)
}

// repeatToolCall writes the members of the tool call in the agent's own request, with the title of the
// current request and the id of the proxy's tool call, if there is one. For a client that hides titles,
// the content begins with the title.
func (q *inquiry) repeatToolCall(b *rawjson.Builder) {
	toolCall := rawjson.Members(q.current().AgentParams.Get("toolCall"))
	hidesTitle := q.asker.Client.HidesTitle
	for _, f := range toolCall {
		name := string(f.Name)
		isReplaced := name == "title" || name == "content" && hidesTitle || name == "toolCallId" && q.proxyToolCall != ""
		if !isReplaced {
			b.Field(f)
		}
	}
	if q.proxyToolCall != "" {
		b.Texts("toolCallId", q.proxyToolCall)
	}
	b.Texts("title", q.title)
	if toolCall.Get("kind") == nil {
		b.Texts("kind", "other")
	}
	if !hidesTitle {
		return
	}
	b.Name("content")
	b.Array()
	translate.WriteText(b, q.title)
	content, _ := rawjson.ReadArray(nil, toolCall.Get("content"))
	for _, element := range content {
		b.Raw(element)
	}
	b.EndArray()
}

// endToolCall ends the request's tool call, if the proxy has sent it. optionName is the name of
// the selected option, or "".
func (q *inquiry) endToolCall(status, optionName string) {
	if q.proxyToolCall == "" {
		return
	}
	q.asker.Out.Send(translate.Client, translate.Update(q.Session, "tool_call_update", func(b *rawjson.Builder) {
		b.Texts("toolCallId", q.proxyToolCall, "status", status)
		if optionName != "" {
			writeContent(b, q.text+"\n\nAnswer: "+optionName)
		}
	}))
}

func writeContent(b *rawjson.Builder, text string) {
	b.Name("content")
	b.Array()
	translate.WriteText(b, text)
	b.EndArray()
}
