package asking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/talktest"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A harness records the output of an Asker.
type harness struct {
	t     *testing.T
	asker Asker
	out   translate.Out
	got   string // the results as note writes them
}

func newHarness(t *testing.T, client capabilities.ClientProfile) *harness {
	h := &harness{t: t}
	h.asker.Client, h.asker.Out = client, &h.out
	return h
}

// ask asks questions in place of the request.
func (h *harness) ask(questions ...Question) { h.asker.Ask(request, questions, h.note) }

// note appends a result: the ids of the choices by question, or the id of the refusal.
func (h *harness) note(r Result) {
	switch {
	case r.Answers != nil:
		h.got += fmt.Sprint(r.Answers)
	case r.Error != nil:
		h.got += "error " + string(r.Error)
	case r.NotAsked:
		h.got += "unasked"
	case r.Closed:
		h.got += "closed"
	default:
		h.got += cmp.Or(r.Refused, "cancelled")
	}
}

// sent returns the lines for the client since the last call.
func (h *harness) sent() (lines []string) {
	for _, l := range h.out.Outputs() {
		lines = append(lines, string(h.out.Text(l)))
	}
	h.out.Reset(translate.Client, nil)
	return lines
}

// respond sends the client's response to a request. It reports whether the Asker accepts it.
func (h *harness) respond(id, result string) bool {
	text := []byte(`{"jsonrpc":"2.0","id":` + id + `,` + result + `}`)
	m := jsonrpc.MessageOf(text)
	return h.asker.AcceptResponse(&m)
}

// request is the agent's request.
var request = Request{ID: []byte("7"), Session: "s", ToolCall: "t7"}

func chosen(option string) string {
	return `"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`
}

const cancelled = `"result":{"outcome":{"outcome":"cancelled"}}`

// A permission is a request as a client reads it.
type permission struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ToolCall struct {
			ToolCallID, Title, Kind, Status string
			Content                         []struct{ Content struct{ Text string } }
		}
		Options []struct{ OptionID, Name, Kind string }
	}
}

// firstOf and lastOf return the id of an option whose kind has the prefix, "" if there is none.
func (p *permission) firstOf(kind string) string {
	for _, o := range p.Params.Options {
		if strings.HasPrefix(o.Kind, kind) {
			return o.OptionID
		}
	}
	return ""
}

func (p *permission) lastOf(kind string) (id string) {
	for _, o := range p.Params.Options {
		if strings.HasPrefix(o.Kind, kind) {
			id = o.OptionID
		}
	}
	return id
}

// no returns the id of the option for a user who wants none of the choices.
func (p *permission) no() string {
	for _, name := range []string{"Done", "None of these", "No"} {
		if id := p.named(name); id != "" {
			return id
		}
	}
	return p.firstOf("reject")
}

// named returns the id of the option with the name.
func (p *permission) named(name string) string {
	for _, o := range p.Params.Options {
		if o.Name == name {
			return o.OptionID
		}
	}
	return ""
}

// A wish lists the names of the choices that the user wants. The user reads the names that the
// client shows. An empty wish is a user who wants nothing.
//
// A choice has two names if some clients show it only in the title, and others only on the button.
type wish []string

// matches reports whether text is a wanted name, or ends with one and a question mark.
func (w wish) matches(text string) bool {
	return slices.ContainsFunc(w, func(name string) bool { return strings.HasSuffix(text, name+"?") || text == name })
}

// selections maps clients to the option that they select for a wish.
var selections = map[string]func(p *permission, w wish) string{
	"": func(p *permission, w wish) string { // every option by its name
		for _, o := range p.Params.Options {
			if w.matches(o.Name) {
				return o.OptionID
			}
		}
		return p.no()
	},
	"acpx": func(p *permission, w wish) string { // y takes the first that allows, n the first that refuses
		if w.matches(p.Params.ToolCall.Title) {
			return p.firstOf("allow")
		}
		return p.firstOf("reject")
	},
	"CodeCompanion.nvim": func(p *permission, w wish) string { // the last of a kind
		if w.matches(p.Params.ToolCall.Title) {
			return p.lastOf("allow_once")
		}
		return p.lastOf("reject_once")
	},
	"avante": func(p *permission, w wish) string { // a button by its name; only three ids are a yes
		pressed := p.firstOf("reject")
		for _, o := range p.Params.Options {
			if w.matches(o.Name) {
				pressed = o.OptionID
			}
		}
		if slices.Contains([]string{"allow", "allow_once", "allow_always"}, pressed) {
			return p.lastOf("allow_once")
		}
		return p.lastOf("reject_once")
	},
	"hapi": func(p *permission, w wish) string { // without a refusal, no is the first option
		if w.matches(p.Params.ToolCall.Title) {
			return p.firstOf("allow")
		}
		if no := p.firstOf("reject"); no != "" {
			return no
		}
		return p.Params.Options[0].OptionID
	},
	"t3-code": func(p *permission, w wish) string { // its own ids by kind, even if they were not offered
		if w.matches(p.Params.ToolCall.Title) {
			return strings.ReplaceAll(p.Params.Options[0].Kind, "_", "-")
		}
		return "reject-once"
	},
	"happy-cli": func(p *permission, w wish) string {
		if w.matches(p.Params.ToolCall.Title) {
			return "proceed_once"
		}
		return "cancel"
	},
	"vscode-acp-client": func(p *permission, w wish) string { // by name; one request at a time
		for _, o := range p.Params.Options {
			if w.matches(o.Name) {
				return o.OptionID
			}
		}
		return p.no()
	},
}

func profileOf(name string) capabilities.ClientProfile {
	if name == "avante" { // it gives no name
		return capabilities.Request{}.Profile()
	}
	return capabilities.Request{Name: name, Offers: capabilities.OfferTerminals}.Profile()
}

var databases = Question{
	Title: "Which database?", Text: "Which database?\n\n- A\n- B\n- C",
	Choices:  []Choice{{ID: "a", Name: "A"}, {ID: "b", Name: "B"}, {ID: "c", Name: "C"}},
	Refusals: []Choice{{ID: "reject", Name: "Skip"}},
}

func many(n int) Question {
	q := databases
	q.Choices = nil
	for i := range n {
		q.Choices = append(q.Choices, Choice{ID: strconv.Itoa(i), Name: "N" + strconv.Itoa(i)})
	}
	return q
}

var approval = Question{
	Title: "Plan", Text: "# Plan", Approval: true,
	Choices:  []Choice{{ID: "allow", Name: "Accept"}},
	Refusals: []Choice{{ID: "reject", Name: "Reject"}, {ID: "abandon", Name: "Abandon"}},
}

var agentsQuestion = Question{
	Title: "Plan", Text: "Why?", Choices: []Choice{{ID: "allow", Name: "Accept", Kind: "allow_always"}}, Refusals: approval.Refusals[:1],
	AgentParams: rawjson.Object{}.Set("toolCall", []byte(`{"toolCallId":"t","title":"old","content":[{"x":1}]}`)).Set("y", []byte("2")),
}

func multiple(q Question) Question {
	q.Multiple = true
	return q
}

func between(least, most int, q Question) Question {
	q.Multiple, q.AtLeast, q.AtMost = true, least, most
	return q
}

var proceed = Question{
	Title: "Proceed?", Text: "Proceed?", YesNo: true,
	Choices: []Choice{{ID: "true", Name: "Yes"}}, Refusals: []Choice{{ID: "reject", Name: "No"}},
}

var nameQuestion = Question{Title: "Name", Text: "Name", InChat: true, Refusals: []Choice{{ID: "reject", Name: "Answer in the chat"}}}

// With every client, the result is what the user wanted.
func TestProfiles(t *testing.T) {
	var tested [capabilities.OptionDisplayCount]bool
	for name, press := range selections {
		tested[profileOf(name).Displays] = true
		none := "[[]]" // an option of its own takes no choice
		if profileOf(name).Displays != capabilities.AllOptions {
			none = "reject"
		}
		for _, test := range []struct {
			name      string
			questions []Question
			wish      string
			want      string
		}{
			{"approved", []Question{approval}, "Plan,Accept", "[[allow]]"},
			{"refused", []Question{approval}, "", "reject"},
			{"the first", []Question{databases}, "A", "[[a]]"},
			{"the second", []Question{databases}, "B", "[[b]]"},
			{"the last", []Question{databases}, "C", "[[c]]"},
			{"none of them", []Question{databases}, "", "reject"},
			{"two questions", []Question{databases, many(2)}, "B,N1", "[[b] [1]]"},
			{"the second of two questions is refused", []Question{databases, many(2)}, "B", "reject"},
			{"a question with one choice", []Question{many(1)}, "N0,Which database?", "[[0]]"},
			{"one of several", []Question{multiple(databases)}, "B", "[[b]]"},
			{"several", []Question{multiple(databases)}, "A,C", "[[a c]]"},
			{"all", []Question{multiple(databases)}, "A,B,C", "[[a b c]]"},
			{"none of several", []Question{multiple(databases)}, "", none},
			{"none of several, and one", []Question{multiple(databases), many(2)}, "N1", "[[] [1]]"},
			{"one of ten", []Question{many(10)}, "N9", "[[9]]"},
			{"the ninth of eleven", []Question{many(11)}, "N8", "[[8]]"},
			{"the tenth of eleven", []Question{many(11)}, "N9", "reject"},
			{"none of several of eleven, and one", []Question{multiple(many(11)), databases}, "A", "reject"},
			{"a yes", []Question{proceed}, "Proceed,Yes", "[[true]]"},
			{"a no that is an answer", []Question{proceed, databases}, "B", "[[reject] [b]]"},
			{"at most two", []Question{between(0, 2, databases)}, "A,B,C", "[[a b]]"},
			{"at least two", []Question{between(2, 3, databases)}, "A,C", "[[a c]]"},
			{"one where two are the least", []Question{between(2, 3, databases)}, "B", "reject"},
			{"nothing where one is the least, and one", []Question{between(1, 3, databases), many(2)}, "N1", "reject"},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				h := newHarness(t, profileOf(name))
				h.ask(test.questions...)
				wanted := wish(strings.FieldsFunc(test.wish, func(r rune) bool { return r == ',' }))
				for asked := 0; h.got == ""; asked++ {
					p := h.open()
					if p == nil || asked > 30 {
						t.Fatalf("after %d requests the user is asked nothing more", asked)
					}
					h.checkValid(p)
					option := press(p, wanted)
					if name == "" || name == "vscode-acp-client" { // the user does not select a choice twice
						wanted = slices.DeleteFunc(wanted, func(n string) bool { return p.named(n) == option })
					}
					h.respond(string(p.ID), chosen(option))
				}
				if h.got != test.want {
					t.Errorf("got %s, want %s", h.got, test.want)
				}
				if p := h.open(); p != nil || h.asker.Pending() != 0 {
					t.Errorf("the user is asked again: %+v", p)
				}
			})
		}
	}
	if d := slices.Index(tested[:], false); d >= 0 {
		t.Errorf("no client of selections has the OptionDisplay %d", d)
	}
}

// open returns the last request in the output, nil if there is none.
func (h *harness) open() (p *permission) {
	h.t.Helper()
	for _, line := range h.sent() {
		var m permission
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			h.t.Fatalf("%v: %s", err, line)
		}
		if m.Method == "session/request_permission" {
			if p != nil {
				h.t.Fatalf("two requests at once: %s", line)
			}
			p = &m
		}
	}
	return p
}

// checkValid checks the members that every request has.
func (h *harness) checkValid(p *permission) {
	h.t.Helper()
	kinds := make(map[string]int)
	ids := make(map[string]bool)
	for _, o := range p.Params.Options {
		kinds[o.Kind]++
		ids[o.OptionID] = true
	}
	call := p.Params.ToolCall
	switch {
	case kinds["allow_once"] == 0 || kinds["reject_once"] == 0 || len(kinds) != 2 || p.Params.Options[0].Kind != "allow_once":
		h.t.Errorf("the options are %+v", p.Params.Options)
	case len(ids) != len(p.Params.Options):
		h.t.Errorf("an id is there twice: %+v", p.Params.Options)
	case call.Kind == "" || call.Title == "" || strings.ContainsAny(call.Title, "\n") || call.Status != "pending":
		h.t.Errorf("the tool call is %+v", call)
	}
}

// Responses without a choice of the user.
func TestNoAnswer(t *testing.T) {
	for _, test := range []struct {
		name, client, answer string
		question             Question
		want                 string
	}{
		{"an id that was not offered", "", chosen("yes"), approval, "reject"},
		{"an id that was not offered, for a question whose refusal is an answer", "", chosen("no"), proceed, "reject"},
		{"another client's id of a refusal", "t3-code", chosen("reject"), proceed, "reject"},
		{"a question without choices", "", chosen("reject"), nameQuestion, "reject"},
		{"an allowing id for a question without choices", "", chosen("allow"), nameQuestion, "reject"},
		{"the usual id, from a client with ids of its own", "t3-code", chosen("allow"), approval, "reject"},
		{"an id of allow_always", "t3-code", chosen("allow-always"), approval, "reject"},
		{"a refusal that was not offered", "", chosen("cancel"), approval, "reject"},
		{"the second refusal", "", chosen("abandon"), approval, "abandon"},
		{"the second refusal, from a client with one button to refuse", "acpx", chosen("abandon"), approval, "reject"},
		{"an empty id", "", chosen(""), approval, "reject"},
		{"an id after that of the last choice", "", chosen("allow-3"), databases, "reject"},
		{"an id without the number of the choice", "", chosen("allow"), databases, "reject"},
		{"cancelled", "", cancelled, approval, "cancelled"},
		{"cancelled, with an id", "", `"result":{"outcome":{"outcome":"cancelled","optionId":"allow"}}`, approval, "cancelled"},
		{"cancelled, with a request for each choice", "acpx", cancelled, databases, "cancelled"},
		{"no outcome", "", `"result":{}`, approval, "cancelled"},
		{"a result of null", "", `"result":null`, approval, "cancelled"},
		{"an outcome that is not nested", "", `"result":{"outcome":"selected","optionId":"allow"}`, approval, "cancelled"},
		{"no id", "", `"result":{"outcome":{"outcome":"selected"}}`, approval, "cancelled"},
		{"an id that is no text", "", `"result":{"outcome":{"outcome":"selected","optionId":0}}`, approval, "cancelled"},
		{"an error", "", `"error":{"code":-32601,"message":"no"}`, approval, `error {"code":-32601,"message":"no"}`},
		{"an error beside an answer", "", chosen("allow") + `,"error":{"code":1}`, approval, `error {"code":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, profileOf(test.client))
			h.ask(test.question)
			h.respond(string(h.open().ID), test.answer)
			if h.got != test.want {
				t.Errorf("got %s, want %s", h.got, test.want)
			}
		})
	}
}

// A client that is asked about each choice refuses a question only with the last choice.
func TestUnofferedOption(t *testing.T) {
	h := newHarness(t, profileOf("acpx"))
	h.ask(databases)
	h.respond(string(h.open().ID), chosen("nobody"))
	h.respond(string(h.open().ID), chosen("allow"))
	if h.got != "[[b]]" {
		t.Errorf("got %s", h.got)
	}
}

// templates abbreviates messages.
var templates = talktest.Templates{
	"says":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n$1\n\n"}}}}`,
	"begins": `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"acp-plan-proxy/1","title":"$1","kind":"$2","status":"pending","content":[{"type":"content","content":{"type":"text","text":"$3"}}]}}}`,
	"asks":   `{"jsonrpc":"2.0","id":"acp-plan-proxy/1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"$1","title":"$2","kind":"$3","status":"pending","content":[{"type":"content","content":{"type":"text","text":"$4"}}]},"options":[$5]}}`,
	"done":   `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"$1\n\nAnswer: $2"}}]}}}`,
	"failed": `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/1","status":"failed"}}}`,
}

// The output for the client, line by line.
func TestOutput(t *testing.T) {
	for _, test := range []struct {
		name     string
		client   capabilities.ClientProfile
		question Question
		answer   string
		asked    string
		answered string
	}{
		{"an unknown client", capabilities.ClientProfile{}, databases, chosen("allow-1"), `
client< says Which database?\n\n- A\n- B\n- C
client< begins Which database? | other | Which database?\n\n- A\n- B\n- C
client< asks acp-plan-proxy/1 | Which database? | other | Which database?\n\n- A\n- B\n- C | {"optionId":"allow-0","name":"A","kind":"allow_once"},{"optionId":"allow-1","name":"B","kind":"allow_once"},{"optionId":"allow-2","name":"C","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}`, `
client< done Which database?\n\n- A\n- B\n- C | B`},
		{"a client that shows the content", capabilities.ClientProfile{ShowsContent: true}, databases, cancelled, `
client< begins Which database? | other | Which database?\n\n- A\n- B\n- C
client< asks acp-plan-proxy/1 | Which database? | other | Which database?\n\n- A\n- B\n- C | {"optionId":"allow-0","name":"A","kind":"allow_once"},{"optionId":"allow-1","name":"B","kind":"allow_once"},{"optionId":"allow-2","name":"C","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}`, `
client< failed`},
		{"a client with two buttons", capabilities.ClientProfile{Displays: capabilities.AllowAndReject}, databases, cancelled, `
client< says Which database?\n\n- A\n- B\n- C
client< begins Which database? A? | other | Which database?\n\n- A\n- B\n- C\n\nA?
client< asks acp-plan-proxy/1 | Which database? A? | other | Which database?\n\n- A\n- B\n- C\n\nA? | {"optionId":"allow","name":"A","kind":"allow_once"},{"optionId":"reject","name":"Not A","kind":"reject_once"}`, `
client< failed`},
		{"a client that approves without asking", capabilities.ClientProfile{AutoApproves: true}, databases, "", `
client< says Which database?\n\n- A\n- B\n- C`, ``},
		{"a plan", capabilities.ClientProfile{}, approval, chosen("allow"), `
client< asks t7 | Plan | switch_mode | # Plan | {"optionId":"allow","name":"Accept","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"},{"optionId":"abandon","name":"Abandon","kind":"reject_once"}`, ``},
		{"a plan, for a client that approves without asking", capabilities.ClientProfile{AutoApproves: true}, approval, chosen("allow"), `
client< asks t7 | Plan | switch_mode | # Plan | {"optionId":"allow","name":"Accept","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"},{"optionId":"abandon","name":"Abandon","kind":"reject_once"}`, ``},
		{"a plan, for a client with a button per kind", capabilities.ClientProfile{Displays: capabilities.OnePerKind}, approval, chosen("allow"), `
client< asks t7 | Plan | switch_mode | # Plan | {"optionId":"allow","name":"Accept","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"}`, ``},
		{"a plan, for a client with ids of its own", capabilities.ClientProfile{Displays: capabilities.AllowAndReject, AllowOnceID: "y", RejectID: "n"}, approval, chosen("y"), `
client< asks t7 | Plan | switch_mode | # Plan | {"optionId":"y","name":"Accept","kind":"allow_once"},{"optionId":"n","name":"Reject","kind":"reject_once"}`, ``},
		{"a client that needs a new tool call", capabilities.ClientProfile{NeedsNewToolCall: true}, approval, chosen("allow"), `
client< begins Plan | switch_mode | # Plan
client< asks acp-plan-proxy/1 | Plan | switch_mode | # Plan | {"optionId":"allow","name":"Accept","kind":"allow_once"},{"optionId":"reject","name":"Reject","kind":"reject_once"},{"optionId":"abandon","name":"Abandon","kind":"reject_once"}`, `
client< done # Plan | Accept`},
		{"the agent's own request", capabilities.ClientProfile{HidesTitle: true}, agentsQuestion, chosen("allow"), `
client< says Why?
client< {"jsonrpc":"2.0","id":"acp-plan-proxy/1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Plan","kind":"other","content":[{"type":"content","content":{"type":"text","text":"Plan"}},{"x":1}]},"options":[{"optionId":"allow-0","name":"Accept","kind":"allow_always"},{"optionId":"reject","name":"Reject","kind":"reject_once"}],"y":2}}`, ``},
		{"a question without choices", capabilities.ClientProfile{ShowsContent: true}, Question{Text: "Why?", Refusals: databases.Refusals}, "", `
client< says Why?`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := newHarness(t, test.client)
			h.ask(test.question)
			h.check(test.asked)
			if unasked := h.got == "unasked"; unasked != (test.answer == "") {
				t.Errorf("unasked: %v", unasked)
			} else if !unasked && !h.respond(`"acp-plan-proxy/1"`, test.answer) {
				t.Error("the answer is not ours")
			}
			h.check(test.answered)
		})
	}
}

// Version 2 has a title and a subject, and no tool_call.
func TestVersion2(t *testing.T) {
	h := newHarness(t, capabilities.ClientProfile{})
	h.asker.Version = 2
	h.ask(many(1))
	h.check(`client< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"acp-plan-proxy/message-1","content":{"type":"text","text":"\n\nWhich database?\n\n- A\n- B\n- C\n\n"}}}}
client< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"acp-plan-proxy/1","title":"Which database?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which database?\n\n- A\n- B\n- C"}}]}}}
client< {"jsonrpc":"2.0","id":"acp-plan-proxy/1","method":"session/request_permission","params":{"sessionId":"s","title":"Which database?","subject":{"type":"tool_call","toolCall":{"toolCallId":"acp-plan-proxy/1","title":"Which database?","kind":"other","status":"pending","content":[{"type":"content","content":{"type":"text","text":"Which database?\n\n- A\n- B\n- C"}}]}},"options":[{"optionId":"allow-0","name":"N0","kind":"allow_once"},{"optionId":"reject","name":"Skip","kind":"reject_once"}]}}`)
}

// check compares the output since the last call.
func (h *harness) check(want string) {
	h.t.Helper()
	got := ""
	for _, line := range h.sent() {
		got += "\nclient< " + line
	}
	if want := templates.Expand(want); strings.TrimSpace(got) != want {
		h.t.Errorf("got:%s\nwant:\n%s", got, want)
	}
}

// A form contains all questions, and accepts only offered choices.
func TestForm(t *testing.T) {
	for _, test := range []struct {
		answer string
		want   string
	}{
		{`"result":{"action":"accept","content":{"q1":"0","q2":["c","d","a",7],"q3":"Why not?"}}`, "[[0] [c a] [Why not?]]"},
		{`"result":{"action":"accept","content":{"q1":"d"}}`, "[[] [] []]"},
		{`"result":{"action":"decline"}`, "reject"},
		{`"result":{"action":"cancel"}`, "cancelled"},
		{`"error":{},"result":{"action":"decline"}`, "cancelled"},
	} {
		h := newHarness(t, profileOf("vscode-acp"))
		h.asker.Forms = true
		h.ask(many(1), multiple(databases), Question{Title: "Why?", Multiple: true})
		h.check(`client< {"jsonrpc":"2.0","id":"acp-plan-proxy/1","method":"elicitation/create","params":{"sessionId":"s","toolCallId":"t7","mode":"form","message":"Questions","requestedSchema":{"type":"object","properties":{"q1":{"title":"Which database?","type":"string","oneOf":[{"const":"0","title":"N0"}]},"q2":{"title":"Which database?","type":"array","items":{"anyOf":[{"const":"a","title":"A"},{"const":"b","title":"B"},{"const":"c","title":"C"}]}},"q3":{"title":"Why?","type":"string"}}}}}`)
		h.respond(`"acp-plan-proxy/1"`, test.answer)
		if h.got != test.want {
			t.Errorf("%s: %s", test.answer, h.got)
		}
	}
}

// A long question offers nine choices, and its title is one line.
func TestLongQuestions(t *testing.T) {
	h := newHarness(t, capabilities.ClientProfile{})
	q := many(11)
	q.Title = "Which\n of\tthem " + strings.Repeat("é", 400) + "?"
	h.ask(q)
	p := h.open()
	h.checkValid(p)
	if n := len(p.Params.Options); n != 10 || p.Params.Options[9].Name != "Other: answer in the chat" {
		t.Errorf("%d options: %+v", n, p.Params.Options)
	}
	if title := p.Params.ToolCall.Title; !strings.HasPrefix(title, "Which of them éé") || !strings.HasSuffix(title, "é…") || utf8.RuneCountInString(title) > maxTitle {
		t.Errorf("the title is %q", title)
	}
}

// The user takes several choices, one at a time, until done.
func TestMultiple(t *testing.T) {
	h := newHarness(t, capabilities.ClientProfile{})
	h.ask(multiple(databases))
	p := h.open()
	if p.named("None of these") != "allow-3" || p.named("Skip") != "reject" {
		t.Errorf("options: %+v", p.Params.Options)
	}
	h.respond(string(p.ID), chosen(p.named("B")))
	if p = h.open(); p.named("B") != "" || p.named("Done") != "allow-2" {
		t.Errorf("options: %+v", p.Params.Options)
	}
	if !strings.HasSuffix(p.Params.ToolCall.Content[0].Content.Text, "Chosen: B") {
		t.Errorf("the second request shows %+v", p.Params.ToolCall)
	}
	h.respond(string(p.ID), chosen(p.named("C")))
	p = h.open()
	if !strings.HasSuffix(p.Params.ToolCall.Content[0].Content.Text, "Chosen: B, C") {
		t.Errorf("the third request shows %+v", p.Params.ToolCall)
	}
	h.respond(string(p.ID), cancelled)
	if h.got != "cancelled" {
		t.Errorf("after the last request was cancelled: got %s", h.got)
	}
}

// With OnePerSession, the next inquiry of a session begins after a response or a cancellation.
func TestOnePerSession(t *testing.T) {
	h := newHarness(t, capabilities.ClientProfile{})
	h.asker.OnePerSession, h.asker.Share = true, new(keep.Budget).Open(0, nil)
	var got []string
	for i, session := range []string{"s", "s", "o", "s", "s"} {
		r := Request{ID: []byte(strconv.Itoa(i)), Session: session}
		h.asker.Ask(r, []Question{approval}, func(r Result) { got = append(got, fmt.Sprint(i, r.Answers)) })
		if asked := h.open() != nil; asked != (i == 0 || i == 2) {
			t.Errorf("request %d is asked at once: %t", i, asked)
		}
	}
	h.asker.Cancel("1")
	if lines := h.sent(); lines != nil {
		t.Errorf("for a waiting request, the client gets %s", lines)
	}
	h.respond(`"acp-plan-proxy/1"`, chosen("allow"))
	if next := h.open(); next == nil || string(next.ID) != `"acp-plan-proxy/3"` {
		t.Errorf("the next is %+v", next)
	}
	h.asker.Cancel("3")
	if lines := h.sent(); len(lines) < 3 || !strings.Contains(lines[0], "$/cancel_request") || !strings.Contains(lines[2], `"acp-plan-proxy/4"`) {
		t.Errorf("got %s", lines)
	}
	h.asker.CancelSession("s", true)
	if lines := h.sent(); len(lines) != 1 || !strings.Contains(lines[0], "$/cancel_request") {
		t.Errorf("the session is closed, and the client gets %s", lines)
	}
	h.asker.Close()
	h.asker.Ask(request, []Question{approval}, func(r Result) { got = append(got, fmt.Sprint("gone ", r.Closed)) })
	if fmt.Sprint(got) != "[1 [] 0 [[allow]] 3 [] 4 [] 2 [] gone true]" || h.asker.Share.Used() != keep.SessionCost {
		t.Errorf("got %s, and %d bytes are kept", got, h.asker.Share.Used())
	}
}

// Cancellation ends the tool call, and a late response has no effect.
func TestCancel(t *testing.T) {
	for _, closed := range []bool{false, true} {
		h := newHarness(t, capabilities.ClientProfile{})
		h.ask(databases)
		p := h.open()
		if h.asker.CancelSession("other", closed) || !h.asker.CancelSession("s", closed) || h.got != map[bool]string{false: "cancelled", true: "closed"}[closed] {
			t.Errorf("closed is %v: %s", closed, h.got)
		}
		lines := strings.Join(h.sent(), "\n")
		if !strings.HasPrefix(lines, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/1"}}`) ||
			strings.Contains(lines, `"status":"failed"`) == closed {
			t.Errorf("closed is %v: %s", closed, lines)
		}
		if !h.respond(string(p.ID), chosen("allow-0")) || !h.respond(`"acp-plan-proxy\/1"`, cancelled) {
			t.Error("a late answer is passed on")
		}
		if h.respond("1", cancelled) || h.respond(`"1"`, cancelled) {
			t.Error("the answer to another request is kept")
		}
		if lines := h.sent(); len(lines) != 0 {
			t.Errorf("got %s", lines)
		}
	}
}

func TestComplete(t *testing.T) {
	questions := []Question{{Text: "P?"}, {Text: "Q?", Choices: []Choice{{Name: "A"}, {Name: "B", Description: "small"}}}, proceed}
	WriteTexts("I", questions)
	for i, want := range []string{"I\n\nP? (1 of 3)", "Q? (2 of 3)\n\n- A\n- B: small", "Proceed? (3 of 3)\n\n- Yes\n- No"} {
		if got := questions[i].Text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An open request keeps its options after a change of the client.
func TestSetClient(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		open     bool // another choice is asked for
	}{{from: "acpx", open: true}, {to: "acpx"}} {
		h := newHarness(t, profileOf(tt.from))
		h.ask(databases)
		p := h.open()
		h.asker.Client = profileOf(tt.to)
		h.respond(string(p.ID), chosen(p.firstOf("reject")))
		if open := h.open() != nil; open != tt.open || (h.got != "") == tt.open {
			t.Errorf("%+v: open: %t, got %s", tt, open, h.got)
		}
	}
}
