package oldclient

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
)

// A kit is the tool calls of two sessions, s and o, without a Bridge.
type kit struct {
	*testing.T
	contents contents
	link     link.Link
	out      translate.Out
	now      time.Time
	kept     int
	s, o     toolCalls
}

// newKit returns a kit for a client that knows the convention for terminals, or does
// not.
func newKit(t *testing.T, convention bool) *kit {
	k := &kit{T: t, now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	k.contents.link = &k.link
	for id, tools := range map[string]*toolCalls{"s": &k.s, "o": &k.o} {
		shown := &terminals{link: &k.link, session: []byte(id), convention: convention, kept: tally{&k.kept}}
		*tools = toolCalls{contents: &k.contents, session: []byte(id), terminals: shown, kept: tally{&k.kept}}
	}
	k.after(0)
	return k
}

// after begins another message or timer, so much later.
func (k *kit) after(d time.Duration) {
	k.now = k.now.Add(d)
	k.out.Reset(translate.Agent, nil)
	k.link.Begin(k.now, &k.out, nil)
}

// wants checks what leaves since the last call, by what tellsApart says of it, and
// what is lost.
func (k *kit) wants(want ...string) {
	k.Helper()
	var got []string
	for _, l := range k.out.Leaves() {
		got = append(got, tellsApart(string(k.out.Text(l))))
	}
	for _, l := range k.out.Losses() {
		got = append(got, "lost "+l.Kind.String())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		k.Errorf("what leaves: (-want +got)\n%s", diff)
	}
	k.after(0)
}

// due checks how long the first content waits still; 0 if none waits.
func (k *kit) due(want time.Duration) {
	k.Helper()
	next := k.contents.next()
	if got := next.Sub(k.now); next.IsZero() != (want == 0) || want > 0 && got != want {
		k.Errorf("the next is due at %v, want in %v", next, want)
	}
}

// tellsApart returns the session, the tool call and the texts of an update. A long
// text is the letter in its middle and how often that comes.
func tellsApart(line string) string {
	between := func(s, before string) string {
		_, s, _ = strings.Cut(s, before)
		s, _, _ = strings.Cut(s, `"`)
		return s
	}
	said := between(line, `"sessionId":"`) + " " + between(line, `"sessionUpdate":"`) + " " + between(line, `"toolCallId":"`)
	for _, part := range strings.Split(line, `"text","text":"`)[1:] {
		text, _, _ := strings.Cut(part, `"`)
		if middle := text[len(text)/2:][:1]; len(text) > 50 {
			text = fmt.Sprintf("%d×%s", strings.Count(text, middle), middle)
		}
		said += " " + text
	}
	return said
}

func (k *kit) add(t *toolCalls, id, text string) { t.add([]byte(id), []byte(textItem(text)), nil) }

// ends has a tool call end that the client knows.
func (k *kit) ends(t *toolCalls, id string) {
	c := t.get([]byte(id))
	c.done = true
	k.contents.keepDone(t, c)
}

func TestContentsAreCollected(t *testing.T) {
	k := newKit(t, false)
	k.add(&k.s, "t", "a")
	k.wants("s tool_call t a")
	k.due(0)

	// The first addition says when, and all of them leave at once.
	k.add(&k.s, "t", "b")
	k.due(collectContent)
	k.after(60 * time.Millisecond)
	k.add(&k.s, "t", "c")
	k.add(&k.o, "t", "x")
	k.wants("o tool_call t x")
	k.due(40 * time.Millisecond)
	k.after(39 * time.Millisecond)
	k.contents.flushDue()
	k.wants()
	k.after(time.Millisecond)
	k.contents.flushDue()
	k.wants("s tool_call_update t a b c")
	k.due(0)

	// The more it is, the longer.
	k.add(&k.s, "t", strings.Repeat("d", 128<<10))
	k.due(3 * collectContent)
	k.add(&k.o, "t", "y")
	k.due(collectContent)
	k.after(collectContent)
	k.contents.flushDue()
	k.wants("o tool_call_update t x y")
	k.due(2 * collectContent)

	// Each tool call waits for itself.
	k.add(&k.s, "u", "e")
	k.add(&k.s, "u", "f")
	k.after(collectContent)
	k.contents.flushDue()
	k.wants("s tool_call_update u e f")
	k.due(collectContent)

	// What is asked for leaves in the order in which it was collected.
	k.add(&k.s, "u", "g")
	k.s.flush()
	k.wants("s tool_call_update t a b c 131072×d", "s tool_call_update u e f g")
	k.due(0)
}

func TestSmallContentsLeaveFirst(t *testing.T) {
	k := newKit(t, false)
	for _, id := range []string{"large", "small", "terminal"} {
		k.add(&k.s, id, "a")
	}
	k.s.add([]byte("terminal"), []byte(`{"type":"terminal","terminalId":"x"}`), nil)
	k.s.flush()
	k.after(0)
	k.add(&k.s, "large", strings.Repeat("b", smallContent))
	k.add(&k.s, "small", "b")
	x := k.s.terminals.get([]byte("x"))
	x.write([]byte(strings.Repeat("c", smallContent)))
	k.s.terminalChanged(x, false)
	k.s.flushSmall()
	k.wants("s tool_call_update small a b")
	k.due(collectContent)
	k.after(time.Hour)
	k.contents.flushDue()
	k.wants("s tool_call_update large a 2048×b", "s tool_call_update terminal a 2048×c")
}

func TestContentIsBounded(t *testing.T) {
	k := newKit(t, false)
	quarter := maxContent/4 - itemCost - len(textItem(""))
	for _, letter := range []string{"a", "b", "c", "d"} {
		k.add(&k.s, "t", strings.Repeat(letter, quarter))
	}
	k.s.flush()
	all := fmt.Sprintf("s tool_call_update t %[1]d×a %[1]d×b %[1]d×c %[1]d×d", quarter)
	k.wants(fmt.Sprintf("s tool_call t %d×a", quarter), all)

	// A byte more drops a quarter more than necessary.
	k.add(&k.s, "t", "e")
	k.s.flush()
	k.wants(fmt.Sprintf("s tool_call_update t […] %[1]d×c %[1]d×d e", quarter), "lost too much content of a tool call")
	if c := k.s.get([]byte("t")); !c.cut || c.size != k.s.size || c.size > maxContent*3/4 {
		t.Errorf("%d bytes are kept, %d counted", c.size, k.s.size)
	}

	// The last item is never dropped.
	k.add(&k.s, "t", strings.Repeat("f", 2*maxContent))
	k.s.flush()
	k.wants(fmt.Sprintf("s tool_call_update t […] %d×f", 2*maxContent), "lost too much content of a tool call")
}

func TestEndedToolCallsAreForgotten(t *testing.T) {
	k := newKit(t, false)
	third := maxDone / 3
	add := func(tools *toolCalls, id string) {
		k.add(tools, id, "a")
		k.add(tools, id, strings.Repeat("b", third))
	}
	// A tool call that goes on, one that shows a terminal, and two that have ended.
	add(&k.s, "goes on")
	add(&k.s, "terminal")
	k.s.add([]byte("terminal"), []byte(`{"type":"terminal","terminalId":"x"}`), nil)
	k.s.flush()
	k.ends(&k.s, "terminal")
	add(&k.o, "first")
	k.ends(&k.o, "first")
	k.ends(&k.o, "first")
	k.after(0)
	add(&k.s, "second")
	k.ends(&k.s, "second")
	k.after(0)

	// The first of them leaves what was collected, and is forgotten.
	add(&k.s, "third")
	k.ends(&k.s, "third")
	k.wants("s tool_call third a", fmt.Sprintf("o tool_call_update first a %d×b", third))
	for id, tools := range map[string]*toolCalls{"goes on": &k.s, "terminal": &k.s, "first": &k.o, "second": &k.s, "third": &k.s} {
		if c := tools.get([]byte(id)); (len(c.items) == 0) != (id == "first") {
			t.Errorf("of %q, %d items are kept", id, len(c.items))
		}
	}
	if k.contents.doneSize > maxDone {
		t.Errorf("%d bytes are kept", k.contents.doneSize)
	}

	// What is added takes its place, and that is said.
	k.add(&k.o, "first", "c")
	k.o.flush()
	k.wants("o tool_call_update first […] c", "lost too much content of tool calls")

	k.contents.close(&k.s)
	if n := len(k.contents.done); n != 1 || k.contents.doneSize != k.contents.done[0].call.counted {
		t.Errorf("%d tool calls and %d bytes are kept of other sessions", n, k.contents.doneSize)
	}
}

// What is counted is what is kept, whatever happens.
func TestTally(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	k := newKit(t, false)
	text := strings.Repeat("x", maxContent/10)
	for range 5000 {
		k.after(10 * time.Millisecond)
		tools := []*toolCalls{&k.s, &k.o}[random.IntN(2)]
		id := []byte(fmt.Sprint(random.IntN(8)))
		switch random.IntN(40) {
		case 0:
			tools.forget()
		case 1:
			tools.terminals.forget()
		case 2:
			tools.forgetContents()
		case 3:
			tools.terminals.forgetOutputs()
		case 4, 5:
			k.ends(tools, string(id))
		case 6, 7:
			tools.get(id).keep(nil)
		case 8:
			k.contents.flushDue()
		case 9:
			tools.entitle(tools.get(id), id)
			tools.count(tools.get(id))
		case 10:
			k.add(tools, fmt.Sprint(1000+random.IntN(2*maxToolCalls)), "y")
		case 11, 12, 13, 14:
			tools.add(id, []byte(`{"type":"terminal","terminalId":"`+string(id)+`"}`), []byte(`{"m":1}`))
		case 15, 16, 17:
			x := tools.terminals.get(id)
			tools.terminals.write(x, []byte(`"`+strings.Repeat("QUJD", random.IntN(30_000))+`"`))
			tools.terminalChanged(x, random.IntN(2) == 0)
		case 18, 19:
			x := tools.terminals.get(fmt.Append(nil, random.IntN(2*maxTerminals)))
			tools.terminals.replace(x, []byte(`"QUJD"`))
		default:
			k.add(tools, string(id), text[:random.IntN(len(text))])
		}
		done := 0
		for _, d := range k.contents.done {
			done += d.call.counted
		}
		if sum := k.sum(); sum != k.kept || done != k.contents.doneSize {
			t.Fatalf("%d bytes are kept, but %d counted; %d of what has ended, but %d counted", sum, k.kept, done, k.contents.doneSize)
		}
	}
	for _, tools := range []*toolCalls{&k.s, &k.o} {
		tools.forget()
		tools.terminals.forget()
	}
	if k.due(0); k.kept != 0 || len(k.contents.waiting) > 0 {
		t.Errorf("%d bytes are counted of nothing, and %d sessions wait", k.kept, len(k.contents.waiting))
	}
}

// Of too many, the oldest is forgotten, with what is kept of it.
func TestOldestAreForgotten(t *testing.T) {
	k := newKit(t, false)
	for i := range maxToolCalls + 1 {
		k.s.add(fmt.Append(nil, i), []byte(textItem("a")), []byte(`{"m":1}`))
	}
	for i := range maxTerminals + 1 {
		x := k.s.terminals.get(fmt.Append(nil, i))
		k.s.terminals.write(x, []byte(`"QUJD"`))
	}
	calls, shown := k.s.all.Len(), k.s.terminals.all.Len()
	if k.s.all.Has("0") || k.s.terminals.all.Has("0") || calls != maxToolCalls || shown != maxTerminals || k.sum() != k.kept {
		t.Errorf("%d tool calls and %d terminals are kept with %d bytes, of which %d are counted", calls, shown, k.sum(), k.kept)
	}
}

// sum counts what is kept.
func (k *kit) sum() (sum int) {
	for _, t := range []*toolCalls{&k.s, &k.o} {
		for _, c := range t.all.All() {
			sum += callCost + len(c.id) + len(c.title) + len(c.added)
			for _, i := range c.items {
				sum += len(i.json) + itemCost
			}
		}
		for _, x := range t.terminals.all.All() {
			sum += terminalCost + len(x.id) + len(x.output)
		}
	}
	return sum
}
