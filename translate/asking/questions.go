package asking

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Question is what the user is asked.
type Question struct {
	ID       string   // for who asks
	Title    string   // what it is about
	Text     string   // all that there is to read
	Choices  []Choice // what the user can say yes to
	Refusals []Choice // what a no is; the first where there is but one
	Approval bool     // there is one choice: to approve what the text says. Else there is one refusal
	Answers  bool     // the refusal is an answer: its id is chosen
	InChat   bool     // the refusal is an answer in the chat: there may be no choices
	Multiple bool     // several choices can be taken
	AtLeast  int      // of several choices
	AtMost   int      // likewise; 0 if there is no limit
	Said     bool     // the text was said as a message

	// Own is the params of the agent's own permission request, if it is one that is asked:
	// they are repeated, except the title and the options.
	Own rawjson.Object
}

// A Choice is something that the user can choose. Kind is that of its option; "" is
// allow_once.
type Choice struct{ ID, Name, Description, Kind string }

// A Result is what the user has said. Without a choice or a refusal, the questions were
// cancelled: by the user or the agent, with the session, or because too much waits.
type Result struct {
	Chosen  [][]string // the ids of the choices, by question, if all were answered
	Refused string     // the id of the refusal that has ended the questions
	Unasked bool       // the client cannot ask this: the questions are messages
	Closed  bool       // the client has gone, or knows the session no more
	Error   []byte     // raw, with which the client has answered
}

const (
	maxChoices = 10  // of a request
	maxTitle   = 300 // bytes of a title
)

// Complete adds to the texts of questions what else there is to read: the introduction to the
// first, which of several a question is, and its choices.
func Complete(introduction string, questions []Question) {
	for i := range questions {
		q := &questions[i]
		if introduction != "" {
			introduction += "\n\n"
		}
		text := introduction + q.Text
		if len(questions) > 1 {
			text += fmt.Sprintf(" (%d of %d)", i+1, len(questions))
		}
		choices := q.Choices
		if q.Answers {
			choices = slices.Concat(choices, q.Refusals)
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
		q.Text, introduction = text, ""
	}
}

// An inquiry is what the client is asked in place of a request.
type inquiry struct {
	Request
	asker     *Asker
	questions []Question
	done      func(Result)
	id        []byte // raw, of the request that the client has; nil if it has none yet
	form      bool   // it is a form

	// Else it is one of several permission requests.
	chosen  [][]string // of the questions that were answered
	ended   bool       // one of them by an answer that takes no further choice
	taken   []Choice   // of this one
	left    []Choice   // of this one: what is still to be offered
	offered []option
	each    bool   // the request is about one choice
	title   string // of its tool call
	text    string // and the content
	call    string // its id, if the call is our own
}

// An option is one of a permission request.
type option struct {
	id, name, kind string
	choice         *Choice // nil if it takes none
	refusal        string  // the id of what it refuses with
	ends           bool    // it is an answer that takes no further choice
}

// begin asks the first question, or all of them in a form.
func (q *inquiry) begin() {
	if q.form {
		q.askForm()
	} else {
		q.next()
	}
}

// nextID returns the id of a new request, which is then the one that the client has.
func (q *inquiry) nextID() string {
	q.asker.number++
	id := ownID + q.asker.Name + strconv.Itoa(q.asker.number)
	q.id = rawjson.AppendQuoted(nil, id)
	return id
}

// finish ends the inquiry.
func (q *inquiry) finish(r Result) {
	q.asker.ends(func(other *inquiry) bool { return other == q })
	q.done(r)
	if q.asker.InTurn {
		q.asker.next(q.Session)
	}
}

// cannotAsk reports whether nobody would choose: there is nothing to choose from, or the
// client answers by itself.
func (a *Asker) cannotAsk(q Question) bool {
	return len(q.Choices) == 0 && !q.InChat || a.Client.AsksNobody && !q.Approval
}

func (q *inquiry) question() *Question { return &q.questions[len(q.chosen)] }

// next asks the question behind those that were answered.
func (q *inquiry) next() {
	if len(q.chosen) == len(q.questions) {
		q.finish(q.result())
		return
	}
	question := q.question()
	if !question.Said && !q.asker.Client.ShowsContent {
		q.asker.Say(q.Session, question.Text)
	}
	q.taken, q.left = nil, question.Choices
	if question.isLong() {
		q.left = q.left[:maxChoices-1]
	}
	q.ask()
}

// result returns what was chosen. Who has refused one choice after the other until none was
// left has refused to answer.
func (q *inquiry) result() Result {
	if q.ended || slices.ContainsFunc(q.chosen, func(ids []string) bool { return len(ids) > 0 }) {
		return Result{Chosen: q.chosen}
	}
	return Result{Refused: q.questions[0].Refusals[0].ID}
}

// isLong reports whether a request cannot have all choices.
func (q *Question) isLong() bool { return len(q.Choices) > maxChoices && q.Own == nil }

// separately reports whether each choice is a request of its own.
func (q *inquiry) separately() bool {
	question := q.question()
	return q.asker.Client.Buttons != capabilities.EachOption && len(question.Choices) > 0 && !question.Approval && !question.Answers
}

// ask asks for one of the choices that are left.
func (q *inquiry) ask() {
	question, client := q.question(), &q.asker.Client
	id := q.nextID()
	q.title, q.text, q.each = cmp.Or(oneLine(question.Title), "Question"), question.Text, q.separately()
	switch {
	case q.each:
		q.title = strings.TrimSpace(q.title + " " + oneLine(q.left[0].Name) + "?")
		q.text += "\n\n" + q.left[0].Name + "?"
	case len(q.taken) > 0:
		q.text += "\n\nChosen: " + q.taken[0].Name
		for _, c := range q.taken[1:] {
			q.text += ", " + c.Name
		}
	}
	q.offer()
	q.call = ""
	if isOfCall := q.Call != "" && (question.Approval || question.Own != nil); isOfCall && !client.OwnCall {
		id = q.Call
	} else {
		q.call = id
		kind := "tool_call"
		if q.asker.Version >= 2 {
			kind = "tool_call_update"
		}
		q.asker.update(q.Session, kind, func(b *rawjson.Builder) { q.writeCall(b, id) })
	}
	q.asker.send(q.id, q.Session, "session/request_permission", func(b *rawjson.Builder) {
		if q.asker.Version >= 2 {
			b.Texts("title", q.title)
			b.Name("subject")
			b.JSON(`{"type":"tool_call"`)
		}
		b.Name("toolCall")
		b.Object()
		if question.Own != nil {
			q.repeatCall(b)
		} else {
			q.writeCall(b, id)
		}
		b.EndObject()
		if q.asker.Version >= 2 {
			b.EndObject()
		}
		b.Name("options")
		b.Array()
		for _, o := range q.offered {
			b.Object()
			b.Texts("optionId", o.id, "name", o.name, "kind", o.kind)
			b.EndObject()
		}
		b.EndArray()
		for _, f := range question.Own {
			if name := string(f.Name); name != "sessionId" && name != "toolCall" && name != "options" {
				b.Field(f)
			}
		}
	})
}

const (
	allowOnce  = "allow_once"
	rejectOnce = "reject_once"
)

// offer chooses the options of the next request: the yes first, and always a no.
func (q *inquiry) offer() {
	question, client := q.question(), &q.asker.Client
	q.offered = q.offered[:0]
	choices := q.left
	if q.each {
		choices = choices[:1]
	}
	for i := range choices {
		c, id := &choices[i], cmp.Or(client.Yes, "allow")
		if !q.each && !question.Approval && !question.Answers {
			id = "allow-" + strconv.Itoa(i)
		}
		q.offered = append(q.offered, option{id: id, name: c.Name, kind: cmp.Or(c.Kind, allowOnce), choice: c})
	}
	if q.each {
		q.offered = append(q.offered, option{id: cmp.Or(client.No, "reject"), name: "Not " + choices[0].Name, kind: rejectOnce})
	} else {
		q.offerEnds()
	}
}

// offerEnds adds the options that take no further choice. What ends the choice is no
// refusal: that ends the turn in some clients that show each option.
func (q *inquiry) offerEnds() {
	question, client, end := q.question(), &q.asker.Client, q.end()
	apart := client.Buttons == capabilities.EachOption
	if end != "" && apart {
		q.offered = append(q.offered, option{id: "allow-" + strconv.Itoa(len(q.left)), name: end, kind: allowOnce, ends: true})
	}
	for _, r := range question.Refusals {
		name := r.Name
		switch {
		case end == "" && question.isLong():
			name = "Other: answer in the chat"
		case question.Answers && apart:
			name = "Answer in the chat"
		}
		q.offered = append(q.offered, option{id: cmp.Or(client.No, r.ID), name: name, kind: rejectOnce, refusal: r.ID, ends: end != "" && !apart})
		if !apart {
			return // the others could be taken for this one
		}
	}
}

// end returns the name of the answer that takes no further choice, "" if there is none.
func (q *inquiry) end() string {
	switch question := q.question(); {
	case question.Answers:
		return question.Refusals[0].Name
	case !q.isEnough():
		return ""
	case len(q.taken) > 0:
		return "Done"
	}
	return "None of these"
}

// isEnough reports whether as much was taken as has to be. Nothing is an answer only if
// several choices can be taken, and all of them are offered.
func (q *inquiry) isEnough() bool {
	question := q.question()
	least := question.AtLeast
	if !question.Multiple || question.isLong() {
		least = max(least, 1)
	}
	return len(q.taken) >= least
}

func (q *inquiry) permissionAnswered(m *jsonrpc.Message) {
	id, ok := selected(m)
	if !ok {
		q.endCall("failed", "")
		q.finish(Result{Error: ErrorOf(m)})
		return
	}
	i := slices.IndexFunc(q.offered, func(o option) bool { return o.id == id })
	if i < 0 {
		i = slices.IndexFunc(q.offered, func(o option) bool { return o.kind == rejectOnce })
	}
	o, question := q.offered[i], q.question()
	q.endCall("completed", o.name)
	switch {
	case o.choice != nil:
		q.taken = append(q.taken, *o.choice)
		q.left = slices.DeleteFunc(slices.Clone(q.left), func(c Choice) bool { return c.ID == o.choice.ID })
		if !question.Multiple || len(q.taken) == question.AtMost {
			q.left = nil
		}
	case q.each:
		q.left = q.left[1:]
	case o.ends && (!question.Answers || o.id == id):
		if q.left, q.ended = nil, true; question.Answers {
			q.taken = question.Refusals
		}
	default:
		q.finish(Result{Refused: o.refusal})
		return
	}
	switch {
	case len(q.left) > 0:
		q.ask()
	case !q.isEnough():
		q.finish(Result{Refused: question.Refusals[0].ID})
	default:
		var ids []string
		for _, c := range q.taken {
			ids = append(ids, c.ID)
		}
		q.chosen = append(q.chosen, ids)
		q.next()
	}
}

// ErrorOf returns the error of a response as raw JSON, nil if it has a result. A response
// with neither gets an error of the proxy.
func ErrorOf(m *jsonrpc.Message) []byte {
	switch failure := m.Error.Of(m.Text); {
	case !m.Failed():
		return nil
	case !rawjson.Null(failure):
		return failure
	}
	return []byte(`{"code":-32603,"message":"the response has neither a result nor an error"}`)
}

// selected returns the id of the option in an answer. It reports false if there is none.
func selected(m *jsonrpc.Message) (id string, ok bool) {
	result, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
	outcome, _ := rawjson.ReadObject(nil, result.Get("outcome"))
	kind, _ := outcome.Text("outcome")
	option, ok := outcome.Text("optionId")
	return string(option), ok && string(kind) == "selected" && !m.Failed()
}

// writeCall writes the members of the tool call of a request.
func (q *inquiry) writeCall(b *rawjson.Builder, id string) {
	kind := "other"
	if q.question().Approval {
		kind = "switch_mode"
	}
	b.Texts("toolCallId", id, "title", q.title, "kind", kind, "status", "pending")
	writeContent(b, q.text)
}

// repeatCall writes the members of the agent's own tool call, with the title of this
// request. A client that shows no title gets it as content.
func (q *inquiry) repeatCall(b *rawjson.Builder) {
	call, _ := rawjson.ReadObject(nil, q.question().Own.Get("toolCall"))
	hidden := q.asker.Client.HidesTitle
	for _, f := range call {
		if name := string(f.Name); name != "title" && (name != "content" || !hidden) {
			b.Field(f)
		}
	}
	b.Texts("title", q.title)
	if call.Get("kind") == nil {
		b.Texts("kind", "other")
	}
	if !hidden {
		return
	}
	b.Name("content")
	b.Array()
	writeText(b, q.title)
	content, _ := rawjson.ReadArray(nil, call.Get("content"))
	for _, element := range content {
		b.Raw(element)
	}
	b.EndArray()
}

// endCall ends the tool call of a request if it is our own.
func (q *inquiry) endCall(status, answer string) {
	if q.call == "" {
		return
	}
	q.asker.update(q.Session, "tool_call_update", func(b *rawjson.Builder) {
		b.Texts("toolCallId", q.call, "status", status)
		if answer != "" {
			writeContent(b, q.text+"\n\nAnswer: "+answer)
		}
	})
}

func writeContent(b *rawjson.Builder, text string) {
	b.Name("content")
	b.Array()
	writeText(b, text)
	b.EndArray()
}

func writeText(b *rawjson.Builder, text string) {
	b.JSON(`{"type":"content","content":{"type":"text"`)
	b.Texts("text", text)
	b.EndObject()
	b.EndObject()
}

// oneLine returns a text on one line, cut if it is long.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxTitle {
		return text
	}
	return strings.ToValidUTF8(text[:maxTitle], "") + "…"
}
