package conversation

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// stubDirection returns a direction that drops or rewrites a message by its method. It replaces only the
// params.
func stubDirection() *direction {
	d := newDirection(newTestConversation(nil), translate.Agent)
	d.handle = func(m *jsonrpc.Message, s *slot) {
		put := func(params string) {
			s.put(translate.Output{}, []byte(string(m.Text[m.Start:m.Params.Start])+params+string(m.Text[m.Params.End:m.End])))
		}
		method := string(m.Method)
		if m.Ambiguous || !m.Params.Present() {
			method = ""
		}
		switch method {
		case "drop":
		case "rewrite":
			put("NEW")
		case "twice":
			put("ONE")
			put(string(m.Params.Of(m.Text)))
		default:
			s.put(translate.Output{Same: true}, m.Span.Of(m.Text))
		}
	}
	return d
}

func rewriteByStub(line string) string {
	if replacement, ok := stubDirection().Rewrite([]byte(line)); ok {
		return string(replacement)
	}
	return line
}

func TestRewriteOneMessage(t *testing.T) {
	for _, line := range []string{ // lines that are not messages
		"\n", " \r\n", "null\n", "\x00\n", "[]\n", `[{"method":"drop","params":{}}]` + "\n", ` [ {"method":"rewrite","params":{}}, 5 ] `, "[{]\n",
	} {
		if got := rewriteByStub(line); got != line {
			t.Errorf("%q becomes %q", line, got)
		}
	}
	for line, want := range map[string]string{
		`{"method":"rewrite","params":{}}` + "\n":                                      `{"method":"rewrite","params":NEW}` + "\n",
		"\t{ \"x\" : 1.0 ,\"params\" : [ 1 ] , \"method\":\"re\\u0077rite\" } \r\n":    "\t{ \"x\" : 1.0 ,\"params\" : NEW , \"method\":\"re\\u0077rite\" } \r\n",
		`{"method":"rewrite","params":{}}`:                                             `{"method":"rewrite","params":NEW}`,
		`{"method":"twice","params":{"a":1}}` + "\r\n":                                 `{"method":"twice","params":ONE}` + "\r\n" + `{"method":"twice","params":{"a":1}}` + "\r\n",
		`{"method":"twice","params":0}`:                                                `{"method":"twice","params":ONE}` + "\n" + `{"method":"twice","params":0}`,
		`{"method":"drop","params":{}}` + "\n":                                         ``,
		`{"method":"drop","params":{}}`:                                                ``,
		`{"method":"keep","params":{}}` + "\n":                                         `{"method":"keep","params":{}}` + "\n",
		`{"method":"rewrite","method":"rewrite","params":{}}`:                          `{"method":"rewrite","method":"rewrite","params":{}}`,
		`{"method":"rewrite","params":{},"params":{}}`:                                 `{"method":"rewrite","params":{},"params":{}}`,
		`{"method":"rewrite","params":{"sessionId":"a","sessionId":"a"}}`:              `{"method":"rewrite","params":{"sessionId":"a","sessionId":"a"}}`,
		`{"method":"rewrite","params":{"update":1,"update":1}}`:                        `{"method":"rewrite","params":{"update":1,"update":1}}`,
		`{"method":"rewrite","params":{},"result":1}`:                                  `{"method":"rewrite","params":{},"result":1}`,
		`{"method":"rewrite","params":{},"error":null}`:                                `{"method":"rewrite","params":{},"error":null}`,
		`{"method":"rewrite","params":{}`:                                              `{"method":"rewrite","params":{}`,
		`{"method":"rewrite","params":{}}x`:                                            `{"method":"rewrite","params":{}}x`,
		`{"method":"rewrite","params":{},}`:                                            `{"method":"rewrite","params":{},}`,
		`{"method":"rewrite","params":{"a":01}}`:                                       `{"method":"rewrite","params":{"a":01}}`,
		"{\"method\":\"rewrite\",\"params\":{\"\xff\":\"\xfe\"},\"\xff\":\"\\ud800\"}": "{\"method\":\"rewrite\",\"params\":NEW,\"\xff\":\"\\ud800\"}",
	} {
		if got := rewriteByStub(line); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// A burst of small updates beside a large plan expands to a multiple of its size. Its output is
// written while it is read, with a bridge and without.
func TestOutputOfBurstIsBounded(t *testing.T) {
	const (
		messages, large = 100, 300 << 10 // the output has 30 MB
		maxWrite        = 3 << 20        // ten messages
	)
	big := itemsPlan("big", strings.Repeat("x", large))
	burst := strings.Repeat(planLine("s", itemsPlan("small", "a")), messages)
	relayBurst := func(t *testing.T, c *Conversation) {
		updates, longest := 0, 0
		dst := writerFunc(func(b []byte) (int, error) {
			updates, longest = updates+bytes.Count(b, []byte(`"[small] a`)), max(longest, len(b))
			return len(b), nil
		})
		c.outlets[translate.Client] = transport.NewOutlet(dst, 4<<20)
		if err := c.Relay(translate.Agent, strings.NewReader(planLine("s", big)+burst)); err != nil || updates != messages || longest > maxWrite {
			t.Errorf("of %d updates %d leave, %d bytes at once: %v", messages, updates, longest, err)
		}
	}
	t.Run("as it is", func(t *testing.T) {
		r := newRig(t)
		r.negotiate(`{}`, 1)
		relayBurst(t, r.c)
	})
	t.Run("through a bridge", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := newConnection(t, BridgeAuto)
			c.join(1)
			relayBurst(t, c.c)
		})
	})
}

const chunkLine = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"7940c00e","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Step 0."}}}}` + "\n"

func TestEvents(t *testing.T) {
	r := newRig(t)
	dropped, forwarded := planLine("s", removal("none")), planLine("s", legacyPlan("a"))
	r.negotiate(`{}`, 1)
	r.fromAgent(chunkLine)
	r.fromAgent(dropped)
	r.fromAgent(forwarded)
	out := r.fromAgent(planLine("t", itemsPlan("p", "a")))
	r.fromAgent("[1, " + strings.TrimSpace(planLine("u", itemsPlan("p", "b"))) + "]\n")
	type seen struct{ action, in, out string }
	var got []seen
	for _, e := range r.events {
		got = append(got, seen{string(e.Action), string(e.In) + "\n", string(e.Out) + "\n"})
	}
	want := []seen{
		{"drop", dropped, "\n"},
		{"forward", forwarded, forwarded},
		{"rewrite", planLine("t", itemsPlan("p", "a")), out},
	}
	if len(got) != len(want) {
		t.Fatalf("%d events: %q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d\ngot  %q\nwant %q", i, got[i], want[i])
		}
	}
}

func BenchmarkReadPlan(b *testing.B) {
	entries := strings.Repeat(entry("Read the config and implement the parser")+",", 9) + entry("Ship")
	line := []byte(planLine("7940c00e-5c82-438f-af02-2707c192250f", `{"sessionUpdate":"plan","entries":[`+entries+`]}`))
	for _, bench := range []struct {
		name, capabilities string
		configure          func(*Options)
	}{
		{"forward", `{}`, nil},
		{"rewrite", `{"plan":{}}`, nil},
		{"forward, with the stage vendors", `{}`, withVendors},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c := newTestConversation(bench.configure)
			r := rig{t: b, c: c, agent: newDirection(c, translate.Agent), client: newDirection(c, translate.Client)}
			r.negotiate(bench.capabilities, 1)
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				r.agent.Rewrite(line)
			}
		})
	}
}

// strayRig returns a rig that removes text outside of messages.
func strayRig(t testing.TB, configure ...func(*Options)) *rig {
	return newRig(t, append(configure, func(o *Options) { o.Stray = StrayLog })...)
}

// relayed relays the agent's output src, and returns the result.
func (r *rig) relayed(src io.Reader) string {
	r.t.Helper()
	var out bytes.Buffer
	r.c.outlets[translate.Client] = transport.NewOutlet(&out, 64<<20)
	if err := r.agent.relay(src); err != nil {
		r.t.Fatal(err)
	}
	return out.String()
}

// The removal of text does not depend on the sizes of reads.
func TestStrayInPieces(t *testing.T) {
	item, shown := planLine("s", itemsPlan("p", "a")), planLine("s", legacyPlan("a"))
	for in, want := range map[string]string{
		"Welcome\n" + chunkLine: chunkLine,
		"\n\r\n \t\nx\n\n":      "\n\r\n \t\n\n",
		"\ufeff" + chunkLine + "\x1b[0m" + item + "$ " + item + item:   chunkLine + shown + shown + shown,
		"42\n" + chunkLine + "[DEBUG] sent " + chunkLine + "[1]\n[]\n": chunkLine,
		"> [" + strings.TrimSpace(item) + ",{}]\n":                     "",
		"> [" + strings.TrimSpace(item) + "]\r\n":                      "",
		" {broken\n{broken\n [ {\n" + " [ \n{\x00":                     " {broken\n{broken\n [ {\n{\x00",
		"a last line":                         "",
		"$ " + strings.TrimSpace(item):        strings.TrimSpace(shown),
		"\x1b[0m" + chunkLine[:9]:             "",
		"Loading… " + chunkLine + " " + item:  chunkLine + " " + shown,
		" \ufeff\t " + chunkLine + "[" + "\n": chunkLine,
	} {
		for _, all := range []bool{false, true} {
			for size := 1; size <= len(in); size += 1 + size/4 {
				r := strayRig(t, func(o *Options) { o.ObserveAll = all })
				r.negotiate(`{}`, 1)
				src := &pieces{text: in, size: size}
				if got := r.relayed(src); got != want {
					t.Fatalf("%q in pieces of %d\ngot  %q\nwant %q", in, size, got, want)
				}
			}
		}
	}
}

// pieces reads a text, at most size bytes at a time.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(p.size, len(b))], p.text)
	p.text = p.text[n:]
	return n, nil
}

// Text longer than --max-message is dropped without being buffered. An object still streams, and so
// does a message behind text.
func TestStrayLongerThanTheLimit(t *testing.T) {
	const limit, long = 1 << 20, 64 << 20
	for head, want := range map[string]int{"": 0, "[": 0, "\x1b[0m{\"a\":\"": 0, "DEBUG {\"jsonrpc\":\"": 0, "\x1b[0m{\"jsonrpc\":\"": long + 16, "[{": long + 2, "\n{": long + 2} {
		for _, end := range []string{"", "\n" + chunkLine} {
			r := strayRig(t, func(o *Options) { o.MaxMessage = limit })
			src := io.MultiReader(strings.NewReader(head), io.LimitReader(endlessText{}, long), strings.NewReader(end))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var n counter
			r.c.outlets[translate.Client] = transport.NewOutlet(&n, limit)
			if err := r.agent.relay(src); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			want := want + len(end)
			if want == len(end) {
				want = len(strings.TrimPrefix(end, "\n"))
			}
			if int(n) != want {
				t.Errorf("%q…%.1q: %d bytes arrive, want %d", head, end, n, want)
			}
			if all := after.TotalAlloc - before.TotalAlloc; all > 4*limit {
				t.Errorf("%q: %d bytes in buffers", head, all)
			}
			if warnings := strings.Count(r.log.String(), "no message and longer than --max-message"); warnings != 1 && want < long || len(r.log.String()) > 1<<11 {
				t.Errorf("%q: the log says %s", head, r.log)
			}
		}
	}
}

// endlessText is an endless text.
type endlessText struct{}

func (endlessText) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	return len(b), nil
}

type counter int

func (n *counter) Write(b []byte) (int, error) { *n += counter(len(b)); return len(b), nil }

// Text without a line end, such as "password: ", delays no other output.
func TestStrayWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := strayRig(t)
		src, agent := io.Pipe()
		var out bytes.Buffer
		outlet := transport.NewOutlet(&out, 1<<20)
		r.c.outlets[translate.Client] = outlet
		done := make(chan error)
		go func() { done <- r.agent.relay(src) }()
		io.WriteString(agent, chunkLine+"password: ")
		synctest.Wait()
		outlet.Send([]byte("{}\n"))
		synctest.Wait()
		if want := chunkLine + "{}\n"; out.String() != want {
			t.Errorf("got %q, want %q", &out, want)
		}
		agent.Close()
		if err := <-done; err != nil || out.String() != chunkLine+"{}\n" {
			t.Errorf("at the end: %q, %v", &out, err)
		}
	})
}

// The observer receives removed text as dropped, and the message after it as usual.
func TestStrayEvents(t *testing.T) {
	r := strayRig(t, func(o *Options) { o.ObserveAll = true })
	r.negotiate(`{}`, 1)
	r.events = nil
	r.fromAgent("[INFO] x\n")
	r.fromAgent("$ " + chunkLine)
	out := r.fromAgent("\x1b[0m" + planLine("s", itemsPlan("p", "a")))
	r.checkLost("agent <nil> <nil> | stray line", "agent <nil> <nil> | text in front of a message", "agent session/update <nil>",
		"agent <nil> <nil> | text in front of a message", "agent session/update <nil>")
	if e := r.events; string(e[0].In) != "[INFO] x\n" || string(e[1].In) != "$ " || string(e[4].Out)+"\n" != out {
		t.Errorf("%+v", e)
	}
}
