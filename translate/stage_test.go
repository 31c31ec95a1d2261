package translate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A fake is a stage with a script of its output for each method: "=" forwards the message, "C:x"
// and "A:x" send a message with the method x, "own:x" sends the client a message as the stage's
// own, "lost:x" adds a loss, "plan" marks a plan. A fake forwards other methods.
type fake struct {
	script map[string]string
	wants  *scan.Filter // of both sides
	seen   []string
	next   time.Time
}

func (f *fake) Wants() [2]*scan.Filter                   { return [2]*scan.Filter{f.wants, f.wants} }
func (f *fake) Awaits(Side, jsonrpc.ID) bool             { return false }
func (f *fake) NextWake() time.Time                      { return f.next }
func (f *fake) Wake(_ time.Time, out *Out)               { f.say("wake", out) }
func (f *fake) PeerClosed(s Side, _ time.Time, out *Out) { f.say("gone "+s.String(), out) }

// A fake with a script for "refuse" queues requests.
func (f *fake) HasQueued() bool                              { return f.script["refuse"] != "" }
func (f *fake) RefuseQueued(_ string, _ time.Time, out *Out) { f.say("refuse", out) }

// A fake is a SimpleStage, too.
func (f *fake) FromClient(m *jsonrpc.Message, out *Out) bool { return f.decides(m, out) }
func (f *fake) FromAgent(m *jsonrpc.Message, out *Out) bool  { return f.decides(m, out) }
func (f *fake) ClientClosed(out *Out)                        { f.say("gone client", out) }

func (f *fake) decides(m *jsonrpc.Message, out *Out) bool {
	_, ok := f.script[string(m.Method)]
	f.say(string(m.Method), out)
	return ok
}

func (f *fake) Receive(side Side, m *jsonrpc.Message, _ time.Time, out *Out) {
	method := string(m.Method)
	f.seen = append(f.seen, method)
	if !f.decides(m, out) {
		out.Forward()
	}
}

func (f *fake) say(what string, out *Out) {
	for word := range strings.FieldsSeq(f.script[what]) {
		switch side, method, _ := strings.Cut(word, ":"); side {
		case "=":
			out.Forward()
		case "plan":
			out.MarkPlan()
		case "lost":
			out.Lose(Loss{Detail: method})
		case "own":
			out.Send(Client, message(method))
			out.MarkOwn()
		default:
			out.Send(map[string]Side{"C": Client, "A": Agent}[side], message(method))
		}
	}
}

func message(method string) []byte { return []byte(`{"method":"` + method + `"}`) }

// recordingSink records the output of a chain.
type recordingSink struct {
	output []string
	plan   bool
}

func (e *recordingSink) MarkPlan() { e.plan = true }

func (e *recordingSink) Deliver(l Output, text []byte) {
	method, _ := rawjson.TextOf(rawjson.Get(text, "method"))
	word := l.To.String() + " " + string(method)
	if l.Same {
		word += " same"
	}
	if l.IsOwn {
		word += " own"
	}
	e.output = append(e.output, word)
}

func (e *recordingSink) Lose(l Loss) { e.output = append(e.output, "lost "+l.Detail) }

// TestChain sends messages through a chain of two stages.
func TestChain(t *testing.T) {
	everything := &scan.Filter{All: true}
	type script = map[string]string
	for _, tt := range []struct {
		name   string
		a, b   script // a is next to the client
		from   Side
		method string
		want   string
	}{
		{"two stages that forward", nil, nil, Client, "m", "agent m same"},
		{"another message in place of the input", script{"m": "A:x"}, nil, Client, "m", "agent x"},
		{"the next stage receives the sent message", script{"m": "A:x"}, script{"x": "A:y"}, Client, "m", "agent y"},
		{"a message to the client passes the stage on the client's side", script{"x": "A:z"}, script{"m": "C:x"}, Agent, "m", "agent z"},
		{"a dropped message", script{"m": ""}, nil, Client, "m", ""},
		{"a message of the stage itself before the input", script{"m": "own:x ="}, nil, Agent, "m", "client x own, client m same"},
		{"the translation of a stage's own message is its own, too", script{"x": "C:y"}, script{"m": "= own:x"}, Agent, "m", "client m same, client y own"},
		{"a response of the second stage", nil, script{"m": "C:x"}, Client, "m", "client x"},
		{"messages of both stages in order", script{"m": "C:1 = C:2"}, script{"m": "C:3 ="}, Client, "m", "client 1, agent m same, client 2, client 3"},
		{"messages between the stages in both directions", script{"m": "A:x", "y": "A:z C:w"}, script{"x": "C:y A:v"}, Client, "m", "agent v, agent z, client w"},
		{"losses follow the messages", script{"m": "lost:a A:x"}, script{"x": "lost:b ="}, Client, "m", "agent x, lost b, lost a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e recordingSink
			c := NewChain(&e, &fake{script: tt.a, wants: everything}, &fake{script: tt.b, wants: everything})
			m := jsonrpc.MessageOf(message(tt.method))
			for range 2 { // a message must not affect the next one
				e.output = nil
				c.Receive(tt.from, &m, time.Time{})
				if got := strings.Join(e.output, ", "); got != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// TestFilters: a message of a stage is read only for the stages whose filter matches it.
func TestFilters(t *testing.T) {
	var e recordingSink
	far := &fake{script: map[string]string{"m": "C:x C:y"}, wants: &scan.Filter{All: true}}
	none, some := &fake{}, &fake{wants: &scan.Filter{Methods: []string{"y"}}}
	c := NewChain(&e, none, some, far)
	c.Send(message("m"), time.Time{})
	if len(none.seen) > 0 || !slices.Equal(some.seen, []string{"y"}) || len(far.seen) != 1 {
		t.Errorf("seen: %v, %v and %v", none.seen, some.seen, far.seen)
	}
	wants := c.Wants()
	if !wants[Agent].All || wants != c.Wants() {
		t.Error("the filters are not those of all stages, or not the same")
	}
	far.wants = nil
	c.Changed()
	if wants = c.Wants(); wants[Client].All || !slices.Equal(wants[Client].Methods, []string{"y"}) {
		t.Errorf("it wants %+v", wants[Client])
	}
}

// TestTimedStage calls the timed stage of a chain, in front of another stage and behind it, and
// ends the agent.
func TestTimedStage(t *testing.T) {
	all := &scan.Filter{All: true}
	for _, behind := range []bool{false, true} {
		var e recordingSink
		timed := &fake{wants: all, next: time.Unix(1, 0), script: map[string]string{
			"wake": "plan C:w A:w", "refuse": "A:r", "gone agent": "C:g A:g", "w": "C:v",
		}}
		other := &fake{wants: all, script: map[string]string{"gone agent": "C:w", "w": "C:x A:y"}}
		c := NewChain(&e, other)
		if c.IsTimed() || c.HasQueued() || !c.NextWake().IsZero() {
			t.Error("a chain without a timed stage has one")
		}
		c.Insert(timed, other, behind)
		if !c.IsTimed() || !c.HasQueued() || !c.NextWake().Equal(time.Unix(1, 0)) {
			t.Errorf("timed %t, has queued %t, next %v", c.IsTimed(), c.HasQueued(), c.NextWake())
		}
		c.Wake(time.Unix(1, 0))
		if !e.plan {
			t.Error("the mark of a plan is lost")
		}
		c.RefuseQueued("", time.Time{})
		c.PeerClosed(Agent, time.Time{})
		want := "client w, agent y, client x, agent r, client v, client g"
		if behind {
			want = "client x, agent w, agent y, agent r, client g, client w"
		}
		if got := strings.Join(e.output, ", "); got != want {
			t.Errorf("behind %t:\ngot  %s\nwant %s", behind, got, want)
		}
	}
}

// TestSimpleStage: the messages that a SimpleStage sends are its own.
func TestSimpleStage(t *testing.T) {
	var e recordingSink
	words := &fake{script: map[string]string{"m": "plan C:x A:y =", "gone client": "A:g"}, wants: &scan.Filter{All: true}}
	c := NewChain(&e, StageOf(words))
	for _, side := range []Side{Client, Agent} {
		for _, method := range []string{"m", "n"} {
			m := jsonrpc.MessageOf(message(method))
			e.plan = false
			if c.Receive(side, &m, time.Time{}); e.plan != (method == "m") {
				t.Errorf("%s concerns a plan: %t", method, e.plan)
			}
		}
		c.PeerClosed(side, time.Time{})
	}
	want := "client x own, agent y own, agent m same, agent n same, agent g own, client x own, agent y own, client m same, client n same"
	if got := strings.Join(e.output, ", "); got != want || c.IsTimed() {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
