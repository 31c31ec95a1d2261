package permissions

import (
	"fmt"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A step is a message and what leaves for it: lines that begin with "C " go to the
// client, those with "A " to the agent, and "=" is the message itself.
type step struct {
	from translate.Side
	in   string
	want []string
}

func agent(in string, want ...string) step  { return step{translate.Agent, in, want} }
func client(in string, want ...string) step { return step{translate.Client, in, want} }

// mannerOf returns how a client is. "avante" gives no name.
func mannerOf(name string) capabilities.Manner {
	if name == "avante" {
		return capabilities.Request{}.Manner()
	}
	return capabilities.Request{Name: name}.Manner()
}

func newTranslator(name string) *Translator {
	tr := New(Auto)
	tr.Negotiated(mannerOf(name))
	return tr
}

func say(tr *Translator, s step) string {
	text := []byte(s.in)
	var m jsonrpc.Message
	var c rawjson.Cursor
	c.Reset(text)
	if m.Read(&c, text, nil); !c.End() {
		return "not JSON: " + s.in
	}
	var out translate.Out
	out.Reset(s.from, &m)
	handle := tr.FromAgent
	if s.from == translate.Client {
		handle = tr.FromClient
	}
	if !handle(&m, &out) {
		if len(out.Leaves()) > 0 {
			return "it is not decided, and leaves " + leaves(&out)
		}
		return strings.Join(append([]string{"="}, lost(&out)...), "\n")
	}
	return leaves(&out)
}

func leaves(out *translate.Out) string {
	var lines []string
	for _, l := range out.Leaves() {
		switch {
		case l.Same:
			lines = append(lines, "=")
		case l.To == translate.Client:
			lines = append(lines, "C "+string(out.Text(l)))
		default:
			lines = append(lines, "A "+string(out.Text(l)))
		}
	}
	return strings.Join(append(lines, lost(out)...), "\n")
}

func lost(out *translate.Out) (lines []string) {
	for _, l := range out.Losses() {
		lines = append(lines, "lost "+l.Kind.String())
	}
	return lines
}

// optionsOf returns options, each given as "id kind name".
func optionsOf(options ...string) string {
	var list []string
	for _, o := range options {
		word := strings.SplitN(o, " ", 3)
		list = append(list, fmt.Sprintf(`{"optionId":%q,"name":%q,"kind":%q}`, word[0], word[2], word[1]))
	}
	return "[" + strings.Join(list, ",") + "]"
}

const runIt = `"toolCall":{"toolCallId":"t","title":"Run it","kind":"execute","status":"pending"}`

// asks is a request of the agent.
func asks(id, call string, options ...string) string { return asksIn("s", id, call, options...) }

func asksIn(session, id, call string, options ...string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"session/request_permission","params":{"sessionId":"` + session + `",` + call + `,"options":` + optionsOf(options...) + `}}`
}

// asksOne is a request about one option.
func asksOne(n, call, name, yes, kind, no string) string {
	return `C {"jsonrpc":"2.0","id":"acp-plan-proxy/permission-` + n + `","method":"session/request_permission","params":{"sessionId":"s",` + call + `,"options":` +
		optionsOf(yes+" "+kind+" "+name, no+" reject_once Not "+name) + `}}`
}

func own(n string) string { return `"acp-plan-proxy/permission-` + n + `"` }

func result(id, result string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
}

func chosen(id, option string) string {
	return result(id, `{"outcome":{"outcome":"selected","optionId":"`+option+`"}}`)
}

func cancelled(id string) string { return result(id, `{"outcome":{"outcome":"cancelled"}}`) }

func failed(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"broken"}}`
}

func notification(method, params string) string {
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `}}`
}

func tells(text string) string {
	return `C {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\n\n` + text + `\n\n"}}}}`
}

const takenBack = `C {"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"acp-plan-proxy/permission-1"}}`

func TestTranslator(t *testing.T) {
	claude := []string{"allow-once allow_once Yes", "allow-with-updates allow_always Yes, always", "reject reject_once No"}
	choose := []string{"a allow_once One", "b allow_once Two", "c allow_once Three", "n reject_once None"}
	asked := func(n, option string) string {
		return asksOne(n, `"toolCall":{"toolCallId":"t","kind":"execute","status":"pending","title":"Run it `+option+`?"}`, option, "allow", "allow_once", "reject")
	}
	const choices = `Run it\n\n- One\n- Two\n- Three`
	cancel := notification("session/cancel", `"sessionId":"s"`)
	pending := `C {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"pending"}}}`
	tool := func(kind, more string) string {
		return notification("session/update", `"sessionId":"s","update":{"sessionUpdate":"`+kind+`","toolCallId":"t"`+more+`}`)
	}
	avante := asks("0", runIt, "allow_once allow_once Yes", "allow allow_always Yes, always", "reject reject_once No")
	plain := func(id string) string { return asks(id, runIt, "y allow_once Yes", "n reject_once No") }
	held := func(line string) string { return "C " + line }
	for _, test := range []struct {
		name, client string
		steps        []step
	}{
		{"other clients", "zed", []step{agent(asks("0", runIt, choose...), "="), client(chosen("0", "z"), "=")}},
		{"nobody known", "editor", []step{agent(asks("0", runIt, choose...), "=")}},
		{"a client that answers by itself", "vscode-acp", []step{agent(asks("0", runIt, choose...), "=")}},
		{"what is not misread", "acpx", []step{agent(asks("0", runIt, claude...), "="), client(chosen("0", "z"), "=")}},
		{"one of each kind", "CodeCompanion.nvim", []step{agent(asks("0", runIt, claude...), "=")}},
		{"options that cannot be read", "acpx", []step{
			agent(strings.Replace(asks("0", runIt, choose...), `"kind":"allow_once"`, `"kind":1`, 1), "="),
			agent(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","options":{}}}`, "="),
			agent(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"options":[]}}`, "="),
		}},

		{"avante: ids, there and back", "avante", []step{
			agent(tool("tool_call", `,"status":"pending"`), "="),
			agent(asks("0", runIt, claude...), "C "+avante),
			client(chosen("0", "allow_once"), "A "+chosen("0", "allow-once")),
			client(chosen("0", "allow_once"), "="),
		}},
		{"avante: always is once", "avante", []step{
			agent(asks("0", runIt, "x allow_always Always", "y allow_once Once", "n reject_once No"),
				"C "+asks("0", runIt, "allow allow_always Always", "allow_once allow_once Once", "reject reject_once No")),
			client(chosen("0", "allow_once"), "A "+chosen("0", "y")),
		}},
		{"avante: an only yes that is for good, an only no", "avante", []step{
			agent(asks("0", runIt, "x allow_always Always", "y reject_always Never"), "C "+asks("0", runIt, "allow allow_once Always", "reject reject_once Never")),
			client(chosen("0", "allow"), "A "+chosen("0", "x")),
			agent(asks("1", runIt, "x allow_always Always", "y reject_always Never"), "C "+asks("1", runIt, "allow allow_once Always", "reject reject_once Never")),
			client(chosen("1", "reject"), "A "+chosen("1", "y")),
		}},
		{"avante: ids that it knows", "avante", []step{
			agent(asks("0", runIt, "allow allow_once Yes", "reject reject_once No"), "="),
			agent(asks("1", runIt, "allow_once allow_once Yes", "reject reject_once No"), "="),
			agent(asks("2", runIt, "allow_always allow_once Yes", "allow reject_once No"), "C "+asks("2", runIt, "allow_once allow_once Yes", "reject reject_once No")),
			agent(asks("3", runIt, "y allow_once Yes", "n reject_once No", "allow_always reject_always Never"),
				"C "+asks("3", runIt, "allow_once allow_once Yes", "reject reject_once No", "allow_always-2 reject_always Never")),
			client(chosen("3", "allow_always-2"), "A "+chosen("3", "allow_always")),
		}},
		{"avante: an option that nobody offered, none, cancelled, an error", "avante", []step{
			agent(asks("0", runIt, claude...), "C "+avante),
			client(chosen("0", "allow-once"), "A "+chosen("0", "reject")),
			agent(asks("0", runIt, claude...), "C "+avante),
			client(result("0", `{"outcome":{"outcome":"selected"}}`), "A "+cancelled("0")),
			agent(asks("0", runIt, claude...), "C "+avante),
			client(cancelled("0"), "="),
			agent(asks("0", runIt, claude...), "C "+avante),
			client(failed("0"), "="),
			agent(asks("0", runIt, "y allow_once Yes"), "C "+asks("0", runIt, "allow_once allow_once Yes")),
			client(chosen("0", "z"), "A "+cancelled("0")),
			agent(asks("0", runIt, "y allow_once Yes"), "C "+asks("0", runIt, "allow_once allow_once Yes")),
			client(chosen("0", ""), "A "+cancelled("0")),
		}},
		{"avante: an option beside an error, without selected, in a cancelled outcome", "avante", []step{
			agent(asks("0", runIt, claude...), "C "+avante),
			client(`{"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`,
				`A {"id":0,"error":{"code":1},"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`),
			agent(asks("0", runIt, "allow allow_once Yes", "x allow_always Always"), "C "+asks("0", runIt, "allow_once allow_once Yes", "allow allow_always Always")),
			client(result("0", `{"outcome":{"optionId":"allow"}}`), "A "+result("0", `{"outcome":{"optionId":"x"}}`)),
			agent(asks("0", runIt, "allow allow_once Yes", "x allow_always Always"), "C "+asks("0", runIt, "allow_once allow_once Yes", "allow allow_always Always")),
			client(result("0", `{"outcome":{"outcome":"cancelled","optionId":"allow"}}`), "A "+result("0", `{"outcome":{"outcome":"cancelled","optionId":"x"}}`)),
		}},
		{"avante: what else is said stays", "avante", []step{
			agent(`{"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"y","name":"Yes"}],`+runIt+`}, "x":1}`,
				`C {"id":"\u0030", "method":"session/request_permission", "params":{"_meta":{"a": 1},"sessionId":"s","options":[{"kind":"allow_once","_meta":{},"optionId":"allow_once","name":"Yes"}],`+runIt+`}, "x":1}`),
			client(`{"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"allow_once","outcome":"selected","c":3}}}`,
				`A {"id": "0", "result":{"_meta":{"b": 2},"outcome":{"optionId":"y","outcome":"selected","c":3}}}`),
		}},
		{"avante: a status first", "avante", []step{
			agent(tool("tool_call", `,"title":"x"`), "="),
			agent(asks("0", runIt, claude...), pending, "C "+avante),
			agent(asks("1", runIt, "allow_once allow_once Yes"), "="),
			agent(asks("2", `"toolCall":{"toolCallId":"t2","status":"pending"}`, "allow_once allow_once Yes"), "="),
			agent(asks("3", `"toolCall":{"toolCallId":"t3"}`, "allow_once allow_once Yes"), strings.Replace(pending, `"t"`, `"t3"`, 1), "="),
			agent(tool("tool_call_update", `,"title":"x"`), "="),
			agent(asks("4", runIt, "allow_once allow_once Yes"), "="),
		}},
		{"avante: the status was said later", "avante", []step{
			agent(tool("tool_call", ``), "="), agent(tool("tool_call_update", `,"status":"in_progress"`), "="),
			agent(asks("1", runIt, "allow_once allow_once Yes"), "="),
		}},
		{"t3-code", "t3-code", []step{
			agent(asks("0", runIt, "y allow_once Yes", "a allow_always Always", "n reject_once No"),
				"C "+asks("0", runIt, "allow-once allow_once Yes", "allow-always allow_always Always", "reject-once reject_once No")),
			client(chosen("0", "allow-always"), "A "+chosen("0", "a")),
		}},
		{"happy-cli", "happy-cli", []step{
			agent(asks("0", runIt, "y allow_once Yes", "a allow_always Always", "n reject_once No"),
				"C "+asks("0", runIt, "proceed_once allow_once Yes", "a allow_always Always", "cancel reject_once No")),
			client(chosen("0", "cancel"), "A "+chosen("0", "n")),
		}},
		{"hapi: nothing to refuse with", "hapi", []step{
			agent(asks("0", runIt, "y allow_once Yes"), "C "+asks("0", runIt, "y allow_once Yes", "reject reject_once Reject")),
			client(chosen("0", "reject"), "A "+cancelled("0")),
			agent(asks("1", runIt, "reject allow_once Yes"), "C "+asks("1", runIt, "reject allow_once Yes", "reject-2 reject_once Reject")),
			client(chosen("1", "reject"), "="),
			agent(asks("2", runIt, "y allow_once Yes", "n reject_once No"), "="),
			agent(asks("3", runIt, "y allow_once Yes", "n reject_always No"), "="),
		}},

		{"one request per choice", "acpx", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			client(chosen(own("1"), "reject"), asked("2", "Two")),
			client(chosen(own("2"), "allow"), "A "+chosen("0", "b")),
			client(chosen(own("2"), "reject"), ""),
		}},
		{"all refused", "acpx", []step{
			agent(asks("0", runIt, choose[1:]...), tells(`Run it\n\n- Two\n- Three`), asked("1", "Two")),
			client(chosen(own("1"), "z"), asked("2", "Three")),
			client(chosen(own("2"), "reject"), "A "+chosen("0", "n")),
			agent(asks("1", runIt, choose[1:3]...), tells(`Run it\n\n- Two\n- Three`), asked("3", "Two")),
			client(chosen(own("3"), "reject"), asked("4", "Three")),
			client(chosen(own("4"), "reject"), "A "+cancelled("1")),
		}},
		{"one per choice: cancelled, an error", "CodeCompanion.nvim", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			client(cancelled(own("1")), "A "+cancelled("0")),
			agent(asks("1", runIt, choose...), tells(choices), asked("2", "One")),
			client(failed(own("2")), "A "+failed("1")),
			agent(asks("2", runIt, choose...), tells(choices), asked("3", "One")),
			client(result(own("3"), `{}`), "A "+cancelled("2")),
		}},
		{"the agent takes it back", "acpx", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			agent(notification("$/cancel_request", `"requestId":0`), "A "+cancelled("0"), takenBack),
			agent(notification("$/cancel_request", `"requestId":0`), "="),
			client(chosen(own("1"), "allow"), ""),
		}},
		{"the turn is cancelled", "acpx", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			client(notification("session/cancel", `"sessionId":"other"`), "="),
			client(cancel, "=", "A "+cancelled("0"), takenBack),
			client(chosen(own("1"), "allow"), ""),
		}},
		{"the session is closed", "acpx", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			client(`{"jsonrpc":"2.0","id":9,"method":"session/close","params":{"sessionId":"s"}}`, "=", "A "+cancelled("0"), takenBack),
		}},
		{"the same id twice", "acpx", []step{
			agent(asks("0", runIt, choose...), tells(choices), asked("1", "One")),
			agent(asks("0", runIt, choose...), tells(choices), asked("2", "One")),
			client(chosen(own("1"), "allow"), "A "+chosen("0", "a")),
			client(chosen(own("2"), "allow"), "A "+chosen("0", "a")),
		}},
		{"more than ten choices are all asked", "acpx", []step{
			agent(asks("0", runIt, strings.Split(strings.Repeat("x allow_once X|", 11)+"n reject_once N", "|")...), tells(`Run it\n`+strings.Repeat(`\n- X`, 11)), asked("1", "X")),
			client(chosen(own("1"), "reject"), asked("2", "X")), client(chosen(own("2"), "reject"), asked("3", "X")),
			client(chosen(own("3"), "reject"), asked("4", "X")), client(chosen(own("4"), "reject"), asked("5", "X")),
			client(chosen(own("5"), "reject"), asked("6", "X")), client(chosen(own("6"), "reject"), asked("7", "X")),
			client(chosen(own("7"), "reject"), asked("8", "X")), client(chosen(own("8"), "reject"), asked("9", "X")),
			client(chosen(own("9"), "reject"), asked("10", "X")), client(chosen(own("10"), "reject"), asked("11", "X")),
			client(chosen(own("11"), "allow"), "A "+chosen("0", "x")),
		}},
		{"the kind of each option, and the agent's own params", "acpx", []step{
			agent(`{"id":0,"method":"session/request_permission","params":{"sessionId":"s","_meta":{"a":1},"toolCall":{"toolCallId":"t","title":"Approve","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2}},"options":`+
				optionsOf("x allow_always Always", "a allow_once Once", "b allow_once Ask", "n reject_once No")+`}}`,
				tells(`Approve\n\n- Always\n- Once\n- Ask`),
				`C {"jsonrpc":"2.0","id":"acp-plan-proxy/permission-1","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"switch_mode","content":[{"type":"content","content":{"type":"text","text":"the plan"}}],"rawInput":{"b":2},"title":"Approve Always?"},"options":`+
					optionsOf("allow allow_always Always", "reject reject_once Not Always")+`,"_meta":{"a":1}}}`),
		}},
		{"a content that has the question and its choices is not said twice", "acpx", []step{
			agent(asks("0", `"toolCall":{"toolCallId":"t","title":"Which?","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}]}`, "a allow_once One", "b allow_once Two"),
				tells(`Which?\n\n- One\n- Two`),
				asksOne("1", `"toolCall":{"toolCallId":"t","content":[{"type":"content","content":{"type":"text","text":"Which?\n\n- One\n- Two"}}],"title":"Which? One?","kind":"other"}`, "One", "allow", "allow_once", "reject")),
		}},
		{"a client without titles, of kinds that are for once", "avante", []step{
			agent(asks("0", `"toolCall":{"toolCallId":"t","title":"Run it","status":"pending","content":[{"type":"content","content":{"type":"text","text":"rm"}}]}`, "a allow_always One", "b allow_always Two"),
				tells(`rm\n\nRun it\n\n- One\n- Two`),
				asksOne("1", `"toolCall":{"toolCallId":"t","status":"pending","title":"Run it One?","kind":"other","content":[{"type":"content","content":{"type":"text","text":"Run it One?"}},{"type":"content","content":{"type":"text","text":"rm"}}]}`, "One", "allow", "allow_once", "reject")),
			client(chosen(own("1"), "allow"), "A "+chosen("0", "a")),
		}},

		{"one open request", "vscode-acp-client", []step{
			agent(plain("0"), "="),
			agent(asksIn("s2", "1", runIt, "y allow_once Yes"), ""),
			agent(plain(`"acp-plan-proxy/1"`), ""), // of the proxy's own
			client(chosen("1", "y"), ""),           // it has no such request
			client(chosen("0", "y"), "=", held(asksIn("s2", "1", runIt, "y allow_once Yes"))),
			client(cancelled("1"), "=", held(plain(`"acp-plan-proxy/1"`))),
			client(chosen(`"acp-plan-proxy/1"`, "y"), "="),
			agent(plain("2"), "="),
			client(failed("2"), "="),
		}},
		{"the agent takes back the one that is open", "acp-ui", []step{
			agent(plain("0"), "="), agent(plain("1"), ""),
			agent(notification("$/cancel_request", `"requestId":0`), "=", held(plain("1"))),
			client(cancelled("0"), "="),
			client(chosen("1", "y"), "="),
		}},
		{"the agent takes back one that waits", "acp-ui", []step{
			agent(plain("0"), "="), agent(plain("1"), ""),
			agent(notification("$/cancel_request", `"requestId":1`), "A "+cancelled("1")),
			client(chosen("0", "y"), "="),
		}},
		{"a turn is cancelled: what waits in it is, and what waits for it is asked", "acp-ui", []step{
			agent(plain("0"), "="), agent(plain("1"), ""), agent(asksIn("s2", "2", runIt, "y allow_once Yes"), ""),
			client(cancel, "=", "A "+cancelled("1"), held(asksIn("s2", "2", runIt, "y allow_once Yes"))),
			client(cancelled("0"), "="),
			client(chosen("2", "y"), "="),
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTranslator(test.client)
			for _, s := range test.steps {
				if got, want := say(tr, s), strings.Join(s.want, "\n"); got != want {
					t.Fatalf("for %s\ngot:\n%s\nwant:\n%s", s.in, got, want)
				}
			}
		})
	}
}

// TestPass: nothing of the agent's is changed if the user wants so.
func TestPass(t *testing.T) {
	tr := New(Pass)
	tr.Negotiated(mannerOf("acpx"))
	if got := say(tr, agent(asks("0", runIt, "x allow_once X", "y allow_once Y"))); got != "=" || tr.Wants() != [2]*jsonrpc.Filter{} {
		t.Error(got)
	}
	tr.Negotiated(mannerOf("acp-ui"))
	for i := range 2 {
		if got := say(tr, agent(asks(fmt.Sprint(i), runIt, "x allow_once X"))); got != "=" {
			t.Errorf("request %d: %s", i, got)
		}
	}
}

// TestWants: a client that misreads nothing pays nothing, and one that does not answer is
// waited for no more than needed.
func TestWants(t *testing.T) {
	none := [2]*jsonrpc.Filter{}
	for _, name := range []string{"editor", "zed", "toad", "agent-shell", "Agentic.nvim", "vscode-acp", "QtCreator"} {
		if newTranslator(name).Wants() != none {
			t.Errorf("%q: something is wanted", name)
		}
	}
	tr := newTranslator("acpx")
	first := tr.Wants()
	if first[translate.Client] != nil || first != tr.Wants() {
		t.Errorf("before the first request: %+v", first)
	}
	say(tr, agent(asks("0", runIt, "x allow_once X", "y allow_once Y")))
	for side, filter := range tr.Wants() {
		if filter == nil || !tr.Awaits(translate.Client, jsonrpc.IDOf([]byte(own("1")))) || tr.Awaits(translate.Agent, jsonrpc.IDOf([]byte("0"))) {
			t.Errorf("from the %s: %+v", translate.Side(side), filter)
		}
	}
	tr.Negotiated(capabilities.Manner{})
	say(tr, client(chosen(own("1"), "allow")))
	if got := say(tr, client(chosen(own("1"), "allow"))); got != "" || tr.Wants()[translate.Client] == nil || tr.Wants()[translate.Agent] != nil {
		t.Errorf("a late answer, after a second initialize: %s", got)
	}
}

// TestClientGone: the agent gets one answer to what it has asked otherwise than the client
// was, and is asked in the client's place no more.
func TestClientGone(t *testing.T) {
	gone := func(tr *Translator) string {
		var out translate.Out
		out.Reset(translate.Client, nil)
		tr.Gone(translate.Client, &out)
		return leaves(&out)
	}
	tr := newTranslator("acpx")
	say(tr, agent(asks("0", runIt, "x allow_once X", "y allow_once Y")))
	if got, want := gone(tr)+gone(tr), "A "+cancelled("0")+"\n"+takenBack; got != want {
		t.Errorf("asked one by one: %s", got)
	}
	if got := say(tr, agent(asks("1", runIt, "x allow_once X", "y allow_once Y"))); got != "=" {
		t.Errorf("then: %s", got)
	}
	tr = newTranslator("avante")
	say(tr, agent(asks("0", runIt, "x allow_once X")))
	say(tr, agent(asks("1", runIt, "allow_once allow_once X")))
	if got := gone(tr); got != "A "+cancelled("0") {
		t.Errorf("changed: %s", got)
	}
	tr = newTranslator("acp-ui")
	say(tr, agent(asks("0", runIt, "x allow_once X")))
	say(tr, agent(asks("1", runIt, "x allow_once X")))
	if got := gone(tr); got != "A "+cancelled("1") {
		t.Errorf("waiting: %s", got)
	}
}

// TestLimits: what is too much passes as it is, and nothing is kept of what is over.
func TestLimits(t *testing.T) {
	tr := newTranslator("acp-ui")
	ask := func(i int, name string) string {
		return say(tr, agent(asks(fmt.Sprint(i), runIt, "y allow_once "+name)))
	}
	for i, want := range []string{"=", "", "=\nlost memory"} {
		if got := ask(i, strings.Repeat("x", keep.Fixed/2)); got != want {
			t.Errorf("request %d: %.100s", i, got)
		}
	}
	say(tr, client(chosen("0", "y")))
	say(tr, client(chosen("1", "y")))
	for _, name := range []string{"acp-ui", "avante"} { // that never answer what was cancelled
		if tr.requests.Len() != 0 || tr.kept.Used() != keep.SessionCost {
			t.Errorf("%d requests of %d bytes are kept", tr.requests.Len(), tr.kept.Used())
		}
		tr = newTranslator(name)
		for i := range keep.PerSession / asking.RequestCost {
			if got := ask(i, "Yes"); strings.Contains(got, "lost") {
				t.Fatalf("%s, request %d: %s", name, i, got)
			}
			say(tr, client(notification("session/cancel", `"sessionId":"s"`)))
		}
	}
	if tr.requests.Len() == 0 || tr.requests.Has("0") || tr.kept.Used() > keep.PerSession+keep.SessionCost {
		t.Errorf("%d requests are kept of %d bytes", tr.requests.Len(), tr.kept.Used())
	}
	tr = newTranslator("avante")
	for i := range maxCalls + 10 {
		say(tr, agent(fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"%d"}}}`, i)))
	}
	if n := tr.calls.Len(); n != maxCalls {
		t.Errorf("%d tool calls are known", n)
	}
}
