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

// A Question is what the user is asked.
type Question struct {
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

	Call     string // the tool call that it is about; "" gives it one of its own
	NoStatus bool   // the status of that call was not said
	Said     bool   // the text was said as a message

	// Own is the params of the agent's own permission request, if it is one that is asked:
	// they are repeated, but for the title and the options.
	Own rawjson.Object
}

// A Choice is something that the user can choose. Kind is that of its option; "" is
// allow_once.
type Choice struct{ ID, Name, Description, Kind string }

// A Result is what the user has said. If none of it is set, the questions were
// cancelled.
type Result struct {
	Chosen  [][]string // the ids of the choices, by question, if all were answered
	Refused string     // the id of the refusal that has ended the questions
	Unasked bool       // the client cannot ask this: the questions are messages
	Error   []byte     // raw, with which the client has answered; they were cancelled
}

const (
	maxChoices = 10  // of a request
	maxTitle   = 300 // bytes of a title
)

// Place returns what tells which of several questions one is, from 0 on: " (2 of 3)".
func Place(i, of int) string {
	if of == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d)", i+1, of)
}

// Body returns the text of a question with choices.
func Body(introduction, question string, choices []Choice) string {
	var b strings.Builder
	if introduction != "" {
		b.WriteString(introduction + "\n\n")
	}
	b.WriteString(question)
	for i, c := range choices {
		if b.WriteByte('\n'); i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString("- " + c.Name)
		if c.Description != "" {
			b.WriteString(": " + c.Description)
		}
	}
	return b.String()
}

// An inquiry is questions that are asked one after the other.
type inquiry struct {
	*Asking
	asker     *Asker
	questions []Question
	done      func(Result)

	chosen  [][]string // of the questions that were answered
	taken   []string   // of this one
	names   []string   // the same, by their names
	left    []Choice   // of this one: what is still to be offered
	offered []option   // in the request that is open
	each    bool       // that request is about one choice
	title   string     // of its tool call
	text    string     // and the content
	call    string     // its id, if the call is our own
}

// An option is one of a permission request.
type option struct {
	id, name string
	allows   bool
	kind     string // if it allows
	choice   int    // of those that are left, if it allows
	ends     bool   // it is an answer that takes no further choice
}

// Ask asks questions. What the user has said is handed to done, at once or later; never
// if the questions are taken back.
func (a *Asker) Ask(out *translate.Out, session string, questions []Question, done func(Result)) *Asking {
	a.out = out
	x := &Asking{session: session}
	if slices.ContainsFunc(questions, a.cannotAsk) {
		for _, question := range questions {
			a.Say(out, session, question.Text)
		}
		done(Result{Unasked: true})
		return x
	}
	q := &inquiry{Asking: x, asker: a, questions: questions, done: done}
	x.begin, x.answered = q.next, q.answer
	x.takeBack = func() { q.endCall("failed", "") }
	a.begin(x)
	return x
}

// cannotAsk reports whether nobody would choose: there is nothing to choose from, or the
// client answers by itself.
func (a *Asker) cannotAsk(q Question) bool {
	return len(q.Choices) == 0 && !q.InChat || a.client.AsksNobody && !q.Approval
}

func (q *inquiry) question() *Question { return &q.questions[len(q.chosen)] }

// next asks the question behind those that were answered.
func (q *inquiry) next() {
	if len(q.chosen) == len(q.questions) {
		q.done(q.result())
		return
	}
	question := q.question()
	if !question.Said && !q.asker.client.ShowsContent {
		q.asker.Say(q.asker.out, q.session, question.Text)
	}
	q.taken, q.names, q.left = nil, nil, question.Choices
	if question.isLong() {
		q.left = q.left[:maxChoices-1]
	}
	q.ask()
}

// result returns what was chosen. Nothing at all is a refusal.
func (q *inquiry) result() Result {
	if slices.ContainsFunc(q.chosen, func(ids []string) bool { return len(ids) > 0 }) {
		return Result{Chosen: q.chosen}
	}
	return Result{Refused: q.questions[0].Refusals[0].ID}
}

// isLong reports whether a request cannot have all choices.
func (q *Question) isLong() bool { return len(q.Choices) > maxChoices && q.Own == nil }

// separately reports whether each choice is a request of its own.
func (q *inquiry) separately() bool {
	question := q.question()
	return q.asker.client.Buttons != capabilities.EachOption && len(question.Choices) > 0 && !question.Approval && !question.Answers
}

// ask asks for one of the choices that are left.
func (q *inquiry) ask() {
	question := q.question()
	id := q.asker.nextID(q.Asking)
	q.title, q.text, q.each = cmp.Or(oneLine(question.Title), "Question"), question.Text, q.separately()
	switch {
	case q.each:
		q.title = strings.TrimSpace(q.title + " " + oneLine(q.left[0].Name) + "?")
		q.text += "\n\n" + q.left[0].Name + "?"
	case len(q.taken) > 0:
		q.text += "\n\nChosen: " + strings.Join(q.names, ", ")
	}
	q.offer()
	q.call = ""
	switch call := question.Call; {
	case call == "" || q.asker.client.OwnCall:
		q.call = id
		kind := "tool_call"
		if q.asker.Version >= 2 {
			kind = "tool_call_update"
		}
		q.asker.update(q.session, kind, func(b *rawjson.Builder) { q.writeCall(b, id) })
	default:
		id = call
		if question.NoStatus && q.asker.client.NeedsStatus {
			q.asker.update(q.session, "tool_call_update", func(b *rawjson.Builder) {
				b.StringMember("toolCallId", []byte(call))
				b.StringMember("status", []byte("pending"))
			})
		}
	}
	q.asker.send(q.Asking, "session/request_permission", func(b *rawjson.Builder) {
		if q.asker.Version >= 2 {
			b.StringMember("title", []byte(q.title))
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
			kind := "reject_once"
			if o.allows || o.ends && q.endsApart() {
				kind = cmp.Or(o.kind, "allow_once")
			}
			b.Object()
			b.StringMember("optionId", []byte(o.id))
			b.StringMember("name", []byte(o.name))
			b.StringMember("kind", []byte(kind))
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

// offer chooses the options of the next request: the yes first, and always a no.
func (q *inquiry) offer() {
	question := q.question()
	q.offered = q.offered[:0]
	if q.each {
		name := q.left[0].Name
		q.offered = append(q.offered, option{id: "allow", name: name, kind: q.left[0].Kind, allows: true}, option{id: "reject", name: "Not " + name})
	} else {
		for i, c := range q.left {
			id := "allow-" + strconv.Itoa(i)
			if question.Approval || question.Answers {
				id = "allow"
			}
			q.offered = append(q.offered, option{id: id, name: c.Name, kind: c.Kind, allows: true, choice: i})
		}
		if q.endsApart() {
			q.offered = append(q.offered, option{id: "allow-" + strconv.Itoa(len(q.left)), name: q.nameOf(question.Refusals[0]), ends: true})
		}
		for _, r := range question.Refusals {
			name := q.nameOf(r)
			switch {
			case q.endsApart() && question.Answers:
				name = "Answer in the chat"
			case q.endsApart():
				name = r.Name
			}
			q.offered = append(q.offered, option{id: r.ID, name: name, ends: q.canEnd() && !q.endsApart()})
			if q.asker.client.Buttons != capabilities.EachOption {
				break // the others could be taken for this one
			}
		}
	}
	if q.asker.client.Yes != "" {
		for i := range q.offered {
			q.offered[i].id = q.asker.client.No
			if q.offered[i].allows {
				q.offered[i].id = q.asker.client.Yes
			}
		}
	}
}

// nameOf returns the name of a refusal, which may be the end of what is chosen.
func (q *inquiry) nameOf(refusal Choice) string {
	switch question := q.question(); {
	case q.isEnough() && len(q.taken) > 0:
		return "Done"
	case question.isLong():
		return "Other: answer in the chat"
	case q.isEnough():
		return "None of these"
	}
	return refusal.Name
}

// canEnd reports whether the question has an answer that takes no further choice.
func (q *inquiry) canEnd() bool {
	question := q.question()
	return question.Answers || q.isEnough() && (len(q.taken) > 0 || !question.isLong())
}

// endsApart reports whether that answer is an option besides the refusal, which ends the
// turn in some clients that show each option.
func (q *inquiry) endsApart() bool {
	return q.canEnd() && q.asker.client.Buttons == capabilities.EachOption
}

// isEnough reports whether what was taken is as many of several choices as it has to be.
func (q *inquiry) isEnough() bool {
	question := q.question()
	return question.Multiple && len(q.taken) >= question.AtLeast
}

// answer handles the answer to a request.
func (q *inquiry) answer(m *jsonrpc.Message) {
	id, ok := selected(m)
	if !ok {
		q.endCall("failed", "")
		var failure []byte
		if m.Failed() {
			failure = m.Error.Of(m.Text)
		}
		q.done(Result{Error: failure})
		return
	}
	took := func(o option) bool { return o.id == id }
	i := slices.IndexFunc(q.offered, took)
	if i < 0 {
		i = slices.IndexFunc(q.offered, func(o option) bool { return !o.allows && !(o.ends && q.endsApart()) })
	}
	o, question := q.offered[i], q.question()
	q.endCall("completed", o.name)
	switch {
	case o.allows:
		q.taken, q.names = append(q.taken, q.left[o.choice].ID), append(q.names, o.name)
		if q.left = slices.Delete(slices.Clone(q.left), o.choice, o.choice+1); !question.Multiple || len(q.taken) == question.AtMost {
			q.left = nil
		}
	case q.each:
		q.left = q.left[1:]
	case question.Answers && o.ends && o.id == id:
		q.taken, q.left = append(q.taken, question.Refusals[0].ID), nil
	case question.Multiple && o.ends:
		q.left = nil
	case q.endsApart():
		q.done(Result{Refused: question.Refusals[0].ID})
		return
	default:
		q.done(Result{Refused: question.Refusals[i-len(q.left)].ID})
		return
	}
	switch {
	case len(q.left) > 0:
		q.ask()
	case len(q.taken) == 0 && (!question.Multiple || question.isLong()) || question.Multiple && !q.isEnough():
		q.done(Result{Refused: question.Refusals[0].ID})
		return
	default:
		q.chosen = append(q.chosen, q.taken)
		q.next()
	}
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
	b.StringMember("toolCallId", []byte(id))
	b.StringMember("title", []byte(q.title))
	b.StringMember("kind", []byte(kind))
	b.StringMember("status", []byte("pending"))
	writeContent(b, q.text)
}

// repeatCall writes the members of the agent's own tool call, with the title of this
// request. A client that shows no title gets it as content.
func (q *inquiry) repeatCall(b *rawjson.Builder) {
	call, _ := rawjson.ReadObject(nil, q.question().Own.Get("toolCall"))
	hidden := q.asker.client.HidesTitle
	for _, f := range call {
		if name := string(f.Name); name != "title" && (name != "content" || !hidden) {
			b.Field(f)
		}
	}
	b.StringMember("title", []byte(q.title))
	if call.Get("kind") == nil {
		b.StringMember("kind", []byte("other"))
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
	q.asker.update(q.session, "tool_call_update", func(b *rawjson.Builder) {
		b.StringMember("toolCallId", []byte(q.call))
		b.StringMember("status", []byte(status))
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
	b.StringMember("text", []byte(text))
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
