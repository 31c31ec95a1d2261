package view

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/terminal"
)

func TestText(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"demo", "testdata/demo.jsonl", `
     #       time  session  message                  done  result
     1      0.000           initialize                     forwarded
     2      0.100           answer: initialize             forwarded · after 0.100 s
     3      0.200           session/new                    forwarded
     4      0.300           answer: session/new            forwarded · after 0.100 s
                   S1       is demo
     5      0.400  S1       ┌ prompt                       forwarded
     6      0.500  S1       │ plan                   0/3   forwarded
     7      0.600  S1       │ plan                   1/3   forwarded
     8      0.700  S1       │ plan docs, items       0/2   rewritten → plan, 5 entries
    10      0.800  S1       │ plan review, items     0/2   rewritten → plan, 7 entries
    12      0.900  S1       │ plan docs, removed           rewritten → plan, 5 entries
    14      1.000  S1       │ plan design, markdown  3/5   rewritten → plan, 8 entries
    16      1.100  S1       │ plan notes, file             rewritten → plan, 10 entries
    18      1.200  S1       │ plan design, removed         rewritten → plan, 7 entries
    20      1.300  S1       │ plan docs, removed           dropped: the client has nothing to show for it
    21      1.400  S1       │ plan                   3/3   rewritten → plan, 2 entries
    23      1.500  S1       └ turn ended: end_turn         forwarded · after 1.100 s
Not allowed by the protocol:
    #8  agent, not-announced: plan_update needs clientCapabilities.plan, which the client has not announced
   #10  agent, schema: params.update.plan.entries[0].status is "cancelled": it must be pending, in_progress or completed (and 2 more)
   #10  agent, not-announced: plan_update needs clientCapabilities.plan, which the client has not announced
   #12  agent, not-announced: plan_removed needs clientCapabilities.plan, which the client has not announced
   #14  agent, not-announced: plan_update needs clientCapabilities.plan, which the client has not announced
   #16  agent, not-announced: plan_update needs clientCapabilities.plan, which the client has not announced
   #18  agent, not-announced: plan_removed needs clientCapabilities.plan, which the client has not announced
   #20  agent, not-announced: plan_removed needs clientCapabilities.plan, which the client has not announced
   #20  agent, unknown-plan: docs is not a live plan; live: review, notes
9 findings
`},
		{"bridge", "testdata/bridge.jsonl", `
     #       time  session  message                                                                   done  result
     1      0.010           initialize: offers fs                                                           forwarded
     2      0.210           answer: failed: unsupported protocol version                                    dropped
     3      0.210           initialize: offers nothing                                                      added by the proxy for #2
     4      0.230           answer: initialize                                                              rewritten · after 0.220 s
     6      0.300           session/new                                                                     rewritten
     8      0.340           answer: session/new                                                             rewritten · after 0.040 s
                   S1       is s-7f3a
    10      2.100  S1       ┌ prompt: The cache misses too often. Make it larger.                           rewritten
    12      2.140  S1       │ answer: accepted                                                              dropped
    13      2.150  S1       │ user_message: The cache misses too often. Make it larger.                     dropped
    14      2.160  S1       │ state_update: running                                                         dropped
    15      2.900  S1       │ agent_thought_chunk: Where is the size set?                                   forwarded
    16      3.400  S1       │ plan p, items                                                           0/3   rewritten → plan, 3 entries
    18      3.800  S1       │ tool: Read cache.go · completed                                               rewritten → tool_call: Read cache.go
    20      4.200  S1       │ plan p, items                                                           1/3   rewritten → plan, 3 entries
    22      4.600  S1       │ agent_message_chunk: The size is fixed. I will make it an option.             forwarded
    23      5.200  S1       │ tool: Edit cache.go · pending                                                 rewritten → tool_call: Edit cache.go
    25      5.220  S1       │ state_update: requires_action                                                 dropped
    26      5.240  S1       │ asks: Edit cache.go                                                           rewritten
    28      7.900  S1       │ answer: Allow                                                                 rewritten · after 2.660 s
    30      7.920  S1       │ state_update: running                                                         dropped
    31      8.300  S1       │ tool: Edit cache.go · completed                                               forwarded
    32      8.400  S1       │ weather_update                                                                dropped: version 1 does not define this update
    33      9.100  S1       │ plan p, items                                                           3/3   rewritten → plan, 3 entries
    35      9.300  S1       │ agent_message_chunk: The cache holds 1000 entries now, and the tests …        forwarded
    36      9.350  S1       └ turn ended: end_turn                                                          rewritten → answer: session/prompt · after 7.250 s
    38     12.000  S1       ┌ prompt: Thanks! Commit it.                                                    rewritten
    40     12.040  S1       │ answer: accepted                                                              dropped
    41     12.050  S1       │ state_update: running                                                         dropped
    42     12.500  S1       │ agent_message_chunk: One moment.                                              forwarded
    43     12.500  S1       └ turn ended: error: agent exited                                               added by the proxy for #38 · after 0.500 s
Lost in translation:
    #6  files of the client: the agent works on the disk and does not see unsaved changes
   #32  session update weather_update: dropped: version 1 does not define this update
Not allowed by the protocol:
   #32  agent, schema: version 2 has no session update weather_update
1 error · 2 lost · 1 finding
`},
		{"nothing", os.DevNull, "\nNo messages.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (Recording{File: tt.file}).Text(&out, false, 0); err != nil {
				t.Fatal(err)
			}
			if got := "\n" + unpadded(out.String()); got != tt.want {
				t.Errorf("got%s", got)
			}
		})
	}
}

// TestTextWidth: no line of a message is longer than the terminal is wide.
func TestTextWidth(t *testing.T) {
	for _, file := range []string{"testdata/demo.jsonl", "testdata/bridge.jsonl"} {
		for _, width := range []int{80, 100, 140} {
			var out bytes.Buffer
			if err := (Recording{File: file}).Text(&out, false, width); err != nil {
				t.Fatal(err)
			}
			widest := 0
			for line := range strings.Lines(unpadded(out.String())) {
				widest = max(widest, utf8.RuneCountInString(line)-1)
			}
			if widest > width {
				t.Errorf("%s in %d columns has a line of %d:\n%s", file, width, widest, out.String())
			}
		}
	}
}

// TestMessage: a message is printed as recorded; printable spells out control characters.
func TestMessage(t *testing.T) {
	r := Recording{File: recordLines(t,
		`{"type":"notification","ts":1,"from":"Agent","to":"Client","method":"(not a message)","params":"\u001b[2J"}`,
		`{"type":"request","ts":1,"from":"Client","to":"Agent","id":7,"method":"m","params":{"a": 1.0, "b":"\u00e9\u202e"}}`)}
	for _, tt := range []struct {
		number    int
		printable bool
		want      string
	}{
		{1, false, "\x1b[2J\n"}, {1, true, "⟨U+001B⟩[2J\n"}, {2, true, `{"jsonrpc":"2.0","id":7,"method":"m","params":{"a": 1.0, "b":"\u00e9\u202e"}}` + "\n"},
		{3, false, r.File + " has no message 3"},
	} {
		var out bytes.Buffer
		if err := r.Message(&out, tt.number, tt.printable); err != nil {
			out.WriteString(err.Error())
		}
		if out.String() != tt.want {
			t.Errorf("%d: %q", tt.number, out.String())
		}
	}
}

// unpadded takes away blanks at the ends of lines.
func unpadded(text string) string { return regexp.MustCompile(` +\n`).ReplaceAllString(text, "\n") }

// TestTextEnds checks the last lines of the output.
func TestTextEnds(t *testing.T) {
	event := func(kind, from, to, rest string) string {
		return `{"type":"` + kind + `","ts":1,"from":"` + from + `","to":"` + to + `",` + rest + "}\n"
	}
	update := func(from, to, kind string) string {
		return event("notification", from, to, `"method":"session/update","session":"s","params":{"sessionId":"s","update":{"sessionUpdate":"`+kind+`","plan":{"planId":"p","type":"markdown"}}}`)
	}
	lines := strings.SplitAfter(string(readFile(t, "testdata/demo.jsonl")), "\n")
	cut := strings.Join(lines[:8], "") // between the two events of a message, which the proxy did not drop
	const (
		chunk = "agent_message_chunk"
		first = `     8      0.700  S1       │ plan docs, items   0/2   `
		rest  = "Not answered:\n    #5  session/prompt\n1 unanswered\n"
	)
	tests := []struct{ name, text, want string }{
		{"the recording ends between two events of a message", cut, first + "unknown: the recording ends here\n" + rest},
		{"the recording ends within the second event of a message", cut + lines[8][:100], first + "unknown: the next line could not be read\n" + rest + "Lines that could not be read: 1.\n"},
		{"the recording continues after an incomplete event", cut + lines[8][:100] + "\n" + lines[6], first + "unknown: the next line could not be read\n" +
			"    10      0.600  S1       │ plan               1/3   forwarded\n" + rest + "Lines that could not be read: 1.\n"},
		{"a dropped message", cut + lines[6], first + "dropped: the client has nothing to show for it\n     9      0.600  S1       │ plan               1/3   forwarded\n" + rest},
		{"a message of the proxy", strings.Join(lines[:6], "") + strings.Replace(lines[8], `,"of":8`, "", 1), "     7      0.700  S1       │ plan               1/5   added by the proxy\n" + rest},
		// A forwarded prompt, to an agent that responds at the end of the turn, for a client
		// that gets a response at its start.
		{"a prompt with two responses", event("request", "Client", "Agent", `"id":1,"method":"initialize","params":{}`) +
			event("response", "Proxy", "Client", `"id":1,"is_error":false,"payload":{"protocolVersion":2,"info":{},"capabilities":{}}`) +
			event("request", "Client", "Agent", `"id":2,"method":"session/prompt","session":"s","params":{"sessionId":"s","prompt":[]}`) +
			event("response", "Proxy", "Client", `"id":2,"is_error":false,"payload":{"messageId":"m"}`) +
			event("response", "Agent", "Proxy", `"id":2,"is_error":false,"payload":{"stopReason":"end_turn"}`) +
			event("notification", "Proxy", "Client", `"method":"session/update","session":"s","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}`),
			`     3      1.000  S1       ┌ prompt                      forwarded
     4      1.000  S1       │ answer: accepted            added by the proxy for #3 · after 0.000 s
     5      1.000  S1       └ turn ended: end_turn        rewritten → state_update: idle: end_turn · after 0.000 s
`},
		{"requests, responses and notifications", update("Agent", "Client", chunk) +
			event("request", "Client", "Proxy", `"id":1,"method":"initialize","params":{}`) + event("request", "Proxy", "Agent", `"id":1,"method":"initialize","params":{}`) +
			event("response", "Agent", "Client", `"id":1,"is_error":false,"payload":{}`) + event("response", "Agent", "Client", `"id":2,"is_error":true,"payload":{}`) +
			event("notification", "Proxy", "Client", `"method":"_\u001b","params":{}`), `     1      1.000  S1       agent_message_chunk        forwarded
     2      1.000           initialize                 rewritten
     4      1.000           answer: initialize         forwarded · after 0.000 s
     5      1.000           answer: failed             forwarded
     6      1.000           _⟨U+001B⟩                  added by the proxy for #5
`},
		{"errors", event("notification", "Agent", "Client", `"method":"session/update","session":"s","params":{"update":{"sessionUpdate":"tool_call","title":"Read","toolCallId":"t","status":"failed","rawOutput":"no file"}}`) +
			event("response", "Agent", "Client", `"id":1,"is_error":true,"payload":{"message":"no"}`) +
			event("response", "Agent", "Client", `"id":2,"is_error":true,"payload":{"message":"a \u001blong error that has more to say than there is room for in its column"}`), `     1      1.000  S1       tool: Read · failed: no file                                                    forwarded
     2      1.000           answer: failed: no                                                              forwarded
     3      1.000           answer: failed: a ⟨U+001B⟩long error that has more to say than there is…        forwarded · a ⟨U+001B⟩long error that has more to say than there is room for in its column
`},
		{"a line that is no event", "text\n" + update("Agent", "Client", chunk), "     2      1.000  S1       agent_message_chunk        forwarded\nLines that could not be read: 1.\n"},
		{"losses", event("notification", "Agent", "Proxy", `"method":"m","lost":[{"kind":"notice","detail":"shown\u001b"},{"kind":"command","name":"x"}]`) +
			event("notification", "Agent", "Client", `"method":"m","lost":[{"kind":"notice","detail":"other words"},{"kind":"command","name":"y"}]`),
			"Lost in translation:\n    #1  notice: shown⟨U+001B⟩ (2 times)\n    #1  command x\n    #2  command y\n4 lost\n"},
		{"a plan that leaves as two", update("Agent", "Proxy", "plan_update") + update("Proxy", "Client", "plan") + update("Proxy", "Client", "plan"),
			"rewritten → plan, 0 entries and 1 more\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (Recording{File: recordLines(t, strings.TrimSuffix(tt.text, "\n"))}).Text(&out, false, 0); err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`Not allowed by the protocol:\n(?: .*\n)*| · \d+ findings?|(?m:^)\d+ findings?\n|Not judged: .*\n|No errors, .*\n`).ReplaceAllString(out.String(), "")
			if messages, _, _ := strings.Cut(out.String(), "Not allowed"); !strings.HasSuffix(got, tt.want) && !strings.HasSuffix(messages, tt.want) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestTextFindings has more findings than Text prints.
func TestTextFindings(t *testing.T) {
	lines := []string{
		`{"type":"request","ts":0,"protocol":"acp","from":"Client","to":"Agent","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		`{"type":"response","ts":0,"from":"Agent","to":"Client","id":1,"is_error":false,"payload":{"protocolVersion":1}}`,
	}
	for range 22 {
		lines = append(lines, `{"type":"notification","ts":1,"protocol":"acp","from":"Agent","to":"Client","method":"x\u001b","params":{}}`)
	}
	var out bytes.Buffer
	if err := (Recording{File: recordLines(t, lines...)}).Text(&out, false, 0); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "Not allowed by the protocol:\n")
	if want := "   #22  agent, schema: version 1 has no method x⟨U+001B⟩\n        and 2 more\n22 findings\nNot judged: the recording has no messages other than initialize and updates: only the schema was applied\n"; strings.Count(got, "\n") != 23 || !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s", got)
	}
}

// TestTextTimes checks that every time fits into its column.
func TestTextTimes(t *testing.T) {
	for seconds, want := range map[string]string{"0": "0.000", "1.2345": "1.234", "3661.99": "3661.990", "1e300": "999999.000", "-1e300": "0.000"} {
		path := recordLines(t, `{"type":"notification","ts":`+seconds+`,"from":"Agent","to":"Client","method":"m"}`)
		var out bytes.Buffer
		if err := (Recording{File: path}).Text(&out, false, 0); err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("\n     1 %10s           m ", want); !strings.Contains(out.String(), line) {
			t.Errorf("%s: %q is not in\n%s", seconds, line, out.String())
		}
	}
}

// TestTextHostile checks that a recording cannot act on a terminal.
func TestTextHostile(t *testing.T) {
	var out bytes.Buffer
	if err := (Recording{File: hostileRecording(t)}).Text(&out, false, 0); err != nil {
		t.Fatal(err)
	}
	for _, r := range out.String() {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Errorf("%U is printed", r)
		}
	}
	if !strings.Contains(out.String(), "⟨U+001B⟩") || !strings.Contains(out.String(), "Lines that could not be read") {
		t.Errorf("printed:\n%s", out.String())
	}
	out.Reset()
	if err := (Recording{File: "testdata/demo.jsonl"}).Text(&out, true, 0); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), terminal.Painter(true).Paint(terminal.Cyan, "rewritten")[:12]) {
		t.Errorf("no colours:\n%s", out.String())
	}
	foreign := recordLines(t, "text", "", "{}", `{"type":"assistant","message":{}}`)
	for _, r := range []Recording{{File: filepath.Join(t.TempDir(), "missing")}, {File: foreign}} {
		if err := r.Text(&out, false, 0); err == nil || r.HTML(&out) == nil || r.Message(&out, 1, false) == nil {
			t.Errorf("no error for %v", r)
		}
	}
}

// Sessions that no line names take no memory without end.
func TestTextSessions(t *testing.T) {
	p := newPrinter(&bytes.Buffer{}, false, 0)
	for i := range 1 << 16 {
		p.add(timeline.Changes{Sessions: []timeline.Session{{Number: i + 1, ID: "s"}}})
	}
	if len(p.sessions) > maxUnnamed || p.sessions[1<<16] != "s" {
		t.Errorf("%d sessions are kept", len(p.sessions))
	}
}
