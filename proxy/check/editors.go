package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/demo"
)

// An editor is one that check speaks of.
type editor struct {
	name   string
	words  string // empty for one of package settings, which is called by its name
	client demo.Client
	hello  string // the params of its initialize
	blind  bool   // it shows no plans of any form
}

// editors returns the kinds that initialize tells apart, and those of package settings: what
// they announce, as far as it matters here.
func editors() []editor {
	return []editor{
		{name: "1", words: "version 1, lists only", client: demo.Legacy, hello: version1("editor", "1", "")},
		{name: "1+plan", words: "version 1, plan operations", client: demo.Operations, hello: version1("editor", "1", capabilities.Members())},
		{name: "2", words: "version 2", client: demo.Version2,
			hello: `{"protocolVersion":2,"info":{"name":"editor","version":"1"},"capabilities":{}}`},

		{name: "zed", client: demo.Client{Version: 1, Lists: true, Forms: true},
			hello: version1("zed", "1", `"terminal":true,"elicitation":{"form":{}}`)},
		{name: "jetbrains", client: demo.Legacy, hello: version1("JetBrains", "1", "")},
		{name: "avante", client: demo.Legacy, hello: `{"protocolVersion":1,"clientCapabilities":{}}`},
		{name: "codecompanion", client: demo.Legacy, hello: version1("CodeCompanion.nvim", "1.0.0", ""), blind: true},
		{name: "agent-shell", client: demo.Legacy, hello: version1("agent-shell", "0.74.3", "")},
		{name: "obsidian", client: demo.Legacy, hello: version1("obsidian-agent-client", "1", "")},
		{name: "acpx", client: demo.Legacy, hello: version1("acpx", "0.19.1", "")},
		{name: "toad", client: demo.Legacy, hello: version1("toad", "0.6.18", `"terminal":true`)},
	}
}

func version1(name, release, capabilities string) string {
	return fmt.Sprintf(`{"protocolVersion":1,"clientInfo":{"name":%q,"version":%q},"clientCapabilities":{%s}}`, name, release, capabilities)
}

// A form is how an agent says a plan or a question; the demo has a recorded turn of it.
type form struct{ turn, words string }

// ofVendor is what agents with words of their own say. Others may say what any can.
var (
	ofVendor = map[string][]form{
		"opencode": {todos},
		"kilo":     {todos},
		"cursor":   {todos, approvals, questions},
		"grok":     {lists, approvals, questions},
	}
	ofAny     = []form{lists, {"named", "lists with ids"}, {"markdown", "texts"}}
	lists     = form{"list", "lists"}
	todos     = form{"todos", "todos"}
	approvals = form{"approval", "plans to approve"}
	questions = form{turn: "question"}
)

// Gets is what an editor's user gets of an agent.
type Gets struct {
	Connection string `json:"connection"`
	Plans      Change `json:"plans"`
	Questions  Change `json:"questions"`
}

// A Change is what an editor shows without the proxy and with it.
type Change struct {
	Without string `json:"without"`
	With    string `json:"with"`
}

const (
	asItIs        = "as it is"
	joined        = "joined"
	cannotConnect = "cannot connect"

	none    = "none"
	noForms = "none, without forms"
	asked   = "permission requests, with --forms=ask"
	ifSent  = ", if it sends them"
)

var getsNothing = Gets{cannotConnect, Change{none, none}, Change{none, none}}

// gets says what an editor shows of turns that come behind the answers that the agent has
// given: of what the agent has sent, and of what the proxy makes of it.
func (i *inquiry) gets(e editor, vendor string) (Gets, error) {
	forms, known := ofVendor[vendor]
	if !known {
		forms = ofAny
	}
	request, _ := capabilities.ReadRequest([]byte(e.hello)) // which is an object
	connected, hangs := false, false
	var without, with []string
	questioned := Change{none, none}
	switch {
	case !known && e.client.Forms:
		questioned = Change{"forms", "forms"}
	case !known: // agents ask by forms
		questioned = Change{noForms, asked}
	}
	handshake := i.handshake(e)
	for _, f := range forms {
		before, after, err := demo.Watch(handshake, f.turn, e.client, i.options)
		if err != nil {
			return getsNothing, err
		}
		connected = after.Connected
		hangs = hangs || request.Profile().Silent && (f == approvals || f == questions)
		switch {
		case f == questions && after.Asked && e.client.Forms:
			questioned.With = "forms"
		case f == questions && after.Asked:
			questioned.With = "permission requests"
		}
		if before.Plan {
			without = append(without, f.words)
		}
		if after.Plan {
			with = append(with, f.words)
		}
	}
	gets := Gets{asItIs, Change{words(without), words(with)}, questioned}
	if !known {
		gets.Plans.Without += ifSent
		gets.Plans.With += ifSent
	}
	if e.blind {
		gets.Plans = Change{"none of any form", "none of any form"}
	}
	switch own := i.answers[e.client.Version]; {
	case !own.agrees() && !connected:
		return getsNothing, nil
	case !own.agrees():
		gets.Connection, gets.Plans.Without, gets.Questions.Without = joined, none, none
	case hangs:
		gets.Questions.Without = "none, and the turn hangs"
	}
	return gets, nil
}

func words(shown []string) string { return cmp.Or(strings.Join(shown, ", "), none) }

// handshake returns what an editor and the agent say first, as a trace: the agent's
// answer to the editor, and its answer if the proxy asks for the other version.
func (i *inquiry) handshake(e editor) []byte {
	const request = `{"type":"request","ts":0,"from":%q,"to":"Agent","id":%s,"method":"initialize","params":%s}` + "\n"
	const first, second = `0`, `1000000001`
	version := e.client.Version
	b := fmt.Appendf(nil, request, "Client", first, e.hello)
	b = i.answers[version].appendEvent(b, first)
	other := 3 - version
	b = fmt.Appendf(b, request, "Proxy", second, i.hello[other])
	return i.answers[other].appendEvent(b, second)
}

func (q *question) appendEvent(b []byte, id string) []byte {
	payload := q.result
	if q.failure != nil {
		payload, _ = json.Marshal(q.failure) // it was read from JSON
	}
	if payload == nil {
		return b
	}
	return fmt.Appendf(b, `{"type":"response","ts":0,"from":"Agent","to":"Client","id":%s,"is_error":%t,"payload":%s}`+"\n",
		id, q.failure != nil, payload)
}
