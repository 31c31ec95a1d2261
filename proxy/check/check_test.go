package check

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/settings"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
)

const (
	resultOfVersion1 = `"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"old","version":"1.2"},"authMethods":[{"id":"key","name":"A key"}]}`
	resultOfVersion2 = `"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"new","version":"2.0"},"authMethods":[{"methodId":"web","type":"agent","name":"The web"}]}`
	invalid          = `"error":{"code":-32602,"message":"Invalid params"}`
	twice            = `"error":{"code":-32600,"message":"initialize may be requested once"}`
	signInFirst      = `"error":{"code":-32000,"message":"Sign in first"}`
)

// scripted is an agent for initialize requests. Its arguments:
//
//	1:ANSWER, 2:ANSWER  the response to a request for that version; by default none
//	again:ANSWER        the response to every request but the first
//	text:, stderr:TEXT  a line that it writes first
//	exit:VERSION        it exits at the request for that version
//	stays               it runs on when its stdin closes
func scripted() {
	replies := make(map[string]string)
	for _, arg := range os.Args[1:] {
		name, text, _ := strings.Cut(arg, ":")
		replies[name] = text
	}
	if text, ok := replies["text"]; ok {
		fmt.Println(text)
	}
	if err, ok := replies["stderr"]; ok {
		fmt.Fprintln(os.Stderr, err)
	}
	in := bufio.NewScanner(os.Stdin)
	for asked := 0; in.Scan(); asked++ {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ ProtocolVersion int }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.Method != "initialize" {
			fmt.Printf("got %s\n", in.Bytes()) // a stray line, which fails the test
			continue
		}
		version := fmt.Sprint(m.Params.ProtocolVersion)
		if replies["exit"] == version {
			os.Exit(4)
		}
		answer := replies[version]
		if again, ok := replies["again"]; ok && asked > 0 {
			answer = again
		}
		if answer != "" {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", m.ID, answer)
		}
	}
	if _, ok := replies["stays"]; ok {
		<-time.After(time.Minute)
	}
}

// talking writes without an end.
func talking() {
	for {
		if _, err := io.WriteString(os.Stdout, strings.Repeat("talk ", 1000)); err != nil {
			return
		}
	}
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"scripted": scripted, "talking": talking})
}

// patient has limits that no test reaches, for agents that answer.
var patient = Limits{time.Minute, time.Minute, time.Minute, time.Minute}

// connections finds the editors in a report.
var connections = regexp.MustCompile(`"editors":\{"1":\{"connection":("[a-z ]*").*?"2":\{"connection":("[a-z ]*").*?\}\}\}`)

func options() conversation.Options {
	return conversation.Options{Log: slog.New(slog.DiscardHandler), Vendors: vendors.Auto, Plans: plans.Options{
		SyntheticID: "main", Markdown: plans.MarkdownBoth, Files: plans.FilesRead,
	}}
}

func TestRun(t *testing.T) {
	const v1, v2 = "1:" + resultOfVersion1, "2:" + resultOfVersion2
	brief := Limits{Next: 10 * time.Millisecond, First: 10 * time.Millisecond, All: 40 * time.Millisecond, Exit: 40 * time.Millisecond}
	for name, test := range map[string]struct {
		agent  string
		args   []string
		limits Limits
		want   string // the report, without start_ms, of the editors the connections of two
	}{
		"both versions": {args: []string{v1, v2}, want: `{"agent":{"name":"new","version":"2.0"},"versions":[1,2],"refuses":{},` +
			`"plan_operations":true,"vendor":null,"sign_in":["key","web"],"stray":[],"ends":true,"editors":{"1":"as it is","2":"as it is"}}`},
		"version 1": {args: []string{v1, "2:" + resultOfVersion1}, want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],` +
			`"refuses":{"2":"it answers with version 1"},"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":[],"ends":true,` +
			`"editors":{"1":"as it is","2":"joined"}}`},
		"version 1, an error for version 2, and for a second initialize": {args: []string{v1, "2:" + invalid, "again:" + twice},
			want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],"refuses":{"2":"error -32602: Invalid params"},` +
				`"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":[],"ends":true,"editors":{"1":"as it is","2":"joined"}}`},
		"both versions, and the second response repeats the first": {args: []string{v1, v2, "again:" + resultOfVersion2},
			want: `{"agent":{"name":"new","version":"2.0"},"versions":[1,2],"refuses":{},` +
				`"plan_operations":true,"vendor":null,"sign_in":["key","web"],"stray":[],"ends":true,"editors":{"1":"as it is","2":"as it is"}}`},
		"version 2": {args: []string{v2, "1:" + invalid}, want: `{"agent":{"name":"new","version":"2.0"},"versions":[2],` +
			`"refuses":{"1":"error -32602: Invalid params"},"plan_operations":true,"vendor":null,"sign_in":["web"],"stray":[],"ends":true,` +
			`"editors":{"1":"joined","2":"as it is"}}`},
		"ends when it is asked for version 2": {args: []string{v1, "exit:2"}, want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],` +
			`"refuses":{"2":"it ends without an answer"},"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":[],"ends":true,` +
			`"editors":{"1":"as it is","2":"cannot connect"},"error":"a version 2 editor cannot connect: it ends without an answer"}`},
		"requires a sign-in first": {args: []string{"1:" + signInFirst, "2:" + signInFirst}, want: `{"agent":{"name":"","version":""},"versions":[],` +
			`"refuses":{"1":"error -32000: Sign in first","2":"error -32000: Sign in first"},"plan_operations":false,"vendor":null,"sign_in":[],` +
			`"stray":[],"ends":true,"editors":{"1":"cannot connect","2":"cannot connect"},` +
			`"error":"a version 1 editor cannot connect: error -32000: Sign in first"}`},
		"the name of a vendor's agent": {args: []string{`1:"result":{"protocolVersion":1,"agentCapabilities":{"plan":{}},"agentInfo":{"name":"OpenCode"}}`,
			`2:"result":{"protocolVersion":1}`}, want: `{"agent":{"name":"OpenCode","version":""},"versions":[1],` +
			`"refuses":{"2":"it answers with version 1"},"plan_operations":true,"vendor":"opencode","sign_in":[],"stray":[],"ends":true,` +
			`"editors":{"1":"as it is","2":"joined"}}`},
		"stray lines": {args: []string{v1, "2:" + invalid, "text:Welcome \x1b[1m!\n\n{\"level\":\"info\"}\n$ {\"jsonrpc\":\"2.0\",\"method\":\"_tell\"}"},
			want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],"refuses":{"2":"error -32602: Invalid params"},` +
				`"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":["Welcome ⟨U+001B⟩[1m!","{\"level\":\"info\"}","$"],"ends":true,` +
				`"editors":{"1":"as it is","2":"joined"}}`},
		"stray lines of both its processes": {args: []string{v1, "2:" + invalid, "again:" + twice, "text:Welcome\nWelcome"},
			want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],"refuses":{"2":"error -32602: Invalid params"},` +
				`"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":["Welcome","Welcome"],"ends":true,` +
				`"editors":{"1":"as it is","2":"joined"}}`},
		"results that are not of initialize": {args: []string{`1:"result":[]`, `2:"result":7`}, want: `{"agent":{"name":"","version":""},"versions":[],` +
			`"refuses":{"1":"its answer is no result of initialize","2":"its answer is no result of initialize"},"plan_operations":false,` +
			`"vendor":null,"sign_in":[],"stray":[],"ends":true,"editors":{"1":"cannot connect","2":"cannot connect"},` +
			`"error":"a version 1 editor cannot connect: its answer is no result of initialize"}`},
		"an error that is not an object": {args: []string{v1, `2:"error":"no"`}, want: `{"agent":{"name":"old","version":"1.2"},"versions":[1],` +
			`"refuses":{"2":"error: \"no\""},"plan_operations":false,"vendor":null,"sign_in":["key"],"stray":[],"ends":true,` +
			`"editors":{"1":"as it is","2":"joined"}}`},
		"does not exit": {args: []string{v1, v2, "stays"}, limits: Limits{time.Minute, time.Minute, time.Minute, 40 * time.Millisecond},
			want: `{"agent":{"name":"new","version":"2.0"},"versions":[1,2],"refuses":{},` +
				`"plan_operations":true,"vendor":null,"sign_in":["key","web"],"stray":[],"ends":false,"editors":{"1":"as it is","2":"as it is"}}`},
		"ends when it is asked for version 1": {args: []string{"stderr:No key.", "exit:1", "2:" + invalid}, want: `{"agent":{"name":"","version":""},"versions":[],` +
			`"refuses":{"1":"it ends without an answer","2":"error -32602: Invalid params"},"plan_operations":false,"vendor":null,"sign_in":[],` +
			`"stray":[],"ends":true,"editors":{"1":"cannot connect","2":"cannot connect"},` +
			`"error":"a version 1 editor cannot connect: it ends without an answer"}`},
		"does not answer": {args: []string{"stays"}, limits: brief, want: `{"agent":{"name":"","version":""},"versions":[],` +
			`"refuses":{"1":"no answer","2":"no answer"},"plan_operations":false,"vendor":null,"sign_in":[],"stray":[],"ends":false,` +
			`"editors":{"1":"cannot connect","2":"cannot connect"},"error":"agent \"scripted\" has not answered initialize within 40ms"}`},
		"writes without an end": {agent: "talking", want: `{"agent":{"name":"","version":""},"versions":[],` +
			`"refuses":{"1":"it ends without an answer","2":"it ends without an answer"},"plan_operations":false,"vendor":null,"sign_in":[],` +
			`"stray":["` + strings.Repeat("talk ", 39) + `ta…"],"ends":false,"editors":{"1":"cannot connect","2":"cannot connect"},` +
			`"error":"agent \"talking\" writes to stdout without an end, and does not answer initialize"}`,
			limits: Limits{time.Minute, time.Minute, time.Minute, 40 * time.Millisecond}},
		"is not found": {agent: "no-such-agent", want: `{"agent":{"name":"","version":""},"versions":[],"refuses":{},"plan_operations":false,` +
			`"vendor":null,"sign_in":[],"stray":[],"ends":false,"editors":{"1":"cannot connect","2":"cannot connect"},"error":"agent \"no-such-agent\" not found: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program, limits := "scripted", patient
			if test.agent != "" {
				program = test.agent
			}
			if test.limits.All != 0 {
				limits = test.limits
			}
			r, err := Run(context.Background(), append([]string{program}, test.args...), "test", "1", limits, options())
			if err != nil {
				t.Fatal(err)
			}
			if answered := strings.Contains(test.want, "error -") || strings.Contains(test.want, "its answer") || len(r.Versions) > 0; answered != (r.StartMS != nil) {
				t.Errorf("start_ms is %v", r.StartMS)
			}
			var out strings.Builder
			if err := r.JSON(&out); err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(out.String(), `"start_ms":`)
			before, _, _ := strings.Cut(out.String(), `"start_ms":`)
			_, rest, _ = strings.Cut(rest, ",")
			got := connections.ReplaceAllString(strings.TrimSuffix(before+rest, "\n"), `"editors":{"1":$1,"2":$2}`)
			if strings.HasSuffix(test.want, " ") {
				got = got[:min(len(got), len(test.want))]
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An interrupt ends an agent that has not answered at once.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := Run(ctx, []string{"scripted", "stays"}, "test", "1", patient, options()); err != nil || r.Works() || r.Ends {
		t.Errorf("%+v, %v", r, err)
	}
}

// The start of a second process does not count: it may be faster.
func TestStart(t *testing.T) {
	answered := func(version int, after time.Duration) *probe {
		p := &probe{version: version, done: make(chan struct{}), result: []byte(`{"protocolVersion":1}`), delay: after}
		close(p.done)
		return p
	}
	c := &agentCheck{args: []string{"agent"}, options: options()}
	c.probes = [...]*probe{1: answered(1, time.Second), 2: answered(2, 2*time.Second)}
	if r, err := c.report(nil, true); err != nil || r.StartMS == nil || *r.StartMS != 2000 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestEditors checks the plans and questions that editors show without the proxy and with it.
func TestEditors(t *testing.T) {
	const nothing = "none | none, none | none"
	tests := []struct {
		agent string // its name and the versions that it speaks
		want  map[string]string
	}{
		{"opencode 1", map[string]string{
			"1":             "as it is: none | todos, none | none",
			"1+plan":        "as it is: none | todos, none | none",
			"2":             "joined: none | todos, none | none",
			"codecompanion": "as it is: none; this editor has no plan panel | none; this editor has no plan panel, none | none",
		}},
		{"cursor 1", map[string]string{
			"1":      "as it is: none | todos and plans to approve, none | permission requests",
			"2":      "joined: none | todos and plans to approve, none | permission requests",
			"zed":    "as it is: none | todos and plans to approve, none | forms",
			"avante": "as it is: none | todos and plans to approve, none, and the turn hangs | permission requests",
		}},
		{"grok 1", map[string]string{
			"1":      "as it is: lists | lists and plans to approve, none | permission requests",
			"1+plan": "as it is: lists | lists and plans to approve, none | permission requests",
		}},
		{"any 1", map[string]string{
			"1":             "as it is: lists, if the agent sends them | lists, lists with ids and texts, if the agent sends them, none, as the editor has no forms | permission requests with --forms=ask, otherwise none",
			"1+plan":        "as it is: lists, lists with ids and texts, if the agent sends them | lists, lists with ids and texts, if the agent sends them, none, as the editor has no forms | permission requests with --forms=ask, otherwise none",
			"2":             "joined: none | lists, lists with ids and texts, if the agent sends them, none | permission requests with --forms=ask, otherwise none",
			"zed":           "as it is: lists, if the agent sends them | lists, lists with ids and texts, if the agent sends them, forms | forms",
			"codecompanion": "as it is: none; this editor has no plan panel | texts as messages, if the agent sends them; this editor has no plan panel, none, as the editor has no forms | permission requests with --forms=ask, otherwise none",
		}},
		{"any 2", map[string]string{
			"1":   "joined: none | lists, lists with ids and texts, if the agent sends them, none | permission requests with --forms=ask, otherwise none",
			"2":   "as it is: lists with ids and texts, if the agent sends them | lists, lists with ids and texts, if the agent sends them, none, as the editor has no forms | permission requests with --forms=ask, otherwise none",
			"zed": "joined: none | lists, lists with ids and texts, if the agent sends them, none | forms",
		}},
		{"any", map[string]string{"1": "cannot connect: " + nothing, "2": "cannot connect: " + nothing, "acpx": "cannot connect: " + nothing}},
	}
	for _, tt := range tests {
		name, speaks, _ := strings.Cut(tt.agent, " ")
		c := &agentCheck{args: []string{name}, options: options(), hello: [3]string{1: "{}", 2: `{"protocolVersion":2}`}}
		for version, result := range map[int]string{
			1: `{"protocolVersion":1,"agentInfo":{"name":"` + name + `"}}`,
			2: `{"protocolVersion":2,"info":{"name":"` + name + `"},"capabilities":{}}`,
		} {
			p := &probe{version: version, done: make(chan struct{}), failure: []byte(`{"code":-32602,"message":"Invalid params"}`)}
			if strings.Contains(speaks, fmt.Sprint(version)) {
				p.result, p.failure = []byte(result), nil
			}
			close(p.done)
			c.probes[version] = p
		}
		for _, e := range editors() {
			g, err := c.watch(e, vendors.Known(name))
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%s: %s | %s, %s | %s", g.Connection, g.Plans.Without, g.Plans.With, g.Questions.Without, g.Questions.With)
			if want, ok := tt.want[e.name]; ok && got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", tt.agent, e.name, got, want)
			}
			delete(tt.want, e.name)
		}
		for name := range tt.want {
			t.Errorf("%s: there is no editor %s", tt.agent, name)
		}
	}
	var known []string
	for _, e := range editors()[3:] {
		known = append(known, e.name)
	}
	if diff := cmp.Diff(settings.Editors(), known); diff != "" {
		t.Errorf("the editors of settings (-), and of check (+):\n%s", diff)
	}
}
