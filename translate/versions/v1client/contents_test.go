package v1client

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/shapes"
)

// A kit has two sessions, s and o, of a Bridge that receives no messages.
type kit struct {
	*testing.T
	*Bridge
	out  translate.Out
	now  time.Time
	s, o *session
}

// newKit returns a kit for a client with or without the convention for terminals.
func newKit(t *testing.T, convention bool) *kit {
	k := &kit{T: t, now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)}
	k.Bridge = New(Options{Client: shapes.V1Client{TerminalOutput: convention}})
	k.s, k.o = k.session([]byte("s")), k.session([]byte("o"))
	k.after(0)
	return k
}

// after lets the time pass, and begins another message.
func (k *kit) after(d time.Duration) {
	k.now = k.now.Add(d)
	k.out.Reset(translate.Agent, nil)
	k.link.Begin(k.now, &k.out, nil)
}

// wants checks the output since the last call, in the form of summarize, and the losses.
func (k *kit) wants(want ...string) {
	k.Helper()
	var got []string
	for _, l := range k.out.Outputs() {
		got = append(got, summarize(string(k.out.Text(l))))
	}
	for _, l := range k.out.Losses() {
		got = append(got, "lost "+string(l.Kind))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		k.Errorf("output (-want +got):\n%s", diff)
	}
	k.after(0)
}

// due checks the time until the first delayed content is sent, 0 if none is delayed.
func (k *kit) due(want time.Duration) {
	k.Helper()
	next := k.NextWake()
	if got := next.Sub(k.now); next.IsZero() != (want == 0) || want > 0 && got != want {
		k.Errorf("the next content is due at %v, want in %v", next, want)
	}
}

// summarize returns the session, the tool call and the texts of an update. It abbreviates a long text
// to the letter in its middle and the number of these letters.
func summarize(line string) string {
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

func (k *kit) add(s *session, id, text string) {
	s.toolCall([]byte(id)).addContent([]byte(textItem(text)), nil)
}

func TestContentsAreCollected(t *testing.T) {
	k := newKit(t, false)
	k.add(k.s, "t", "a")
	k.wants("s tool_call t a")
	k.due(0)

	// The first addition sets the time; all of them are sent together.
	k.add(k.s, "t", "b")
	k.due(contentDelay)
	k.after(60 * time.Millisecond)
	k.add(k.s, "t", "c")
	k.add(k.o, "t", "x")
	k.wants("o tool_call t x")
	k.due(40 * time.Millisecond)
	k.after(39 * time.Millisecond)
	k.timers.Fire(k.now, func() {})
	k.wants()
	k.after(time.Millisecond)
	k.timers.Fire(k.now, func() {})
	k.wants("s tool_call_update t a b c")
	k.due(0)

	// The delay grows with the content that was sent last.
	k.add(k.s, "t", strings.Repeat("d", 128<<10))
	k.due(contentDelay)
	k.s.flush(anyContent)
	k.wants("s tool_call_update t a b c 131072×d")
	k.add(k.s, "t", "D")
	k.due(3 * contentDelay)
	k.add(k.o, "t", "y")
	k.due(contentDelay)
	k.after(contentDelay)
	k.timers.Fire(k.now, func() {})
	k.wants("o tool_call_update t x y")
	k.due(2 * contentDelay)

	// Each tool call has a delay of its own.
	k.add(k.s, "u", "e")
	k.add(k.s, "u", "f")
	k.after(contentDelay)
	k.timers.Fire(k.now, func() {})
	k.wants("s tool_call_update u e f")
	k.due(contentDelay)

	// Delayed content is sent in the order of its calls.
	k.add(k.s, "u", "g")
	k.s.flush(anyContent)
	k.wants("s tool_call_update t a b c 131072×d D", "s tool_call_update u e f g")
	k.due(0)
}

func TestSmallContentsAreSentFirst(t *testing.T) {
	k := newKit(t, false)
	for _, id := range []string{"large", "small", "terminal"} {
		k.add(k.s, id, "a")
	}
	k.s.toolCall([]byte("terminal")).addContent([]byte(`{"type":"terminal","terminalId":"x"}`), nil)
	k.s.flush(anyContent)
	k.after(0)
	k.add(k.s, "large", strings.Repeat("b", smallContent))
	k.prints(strings.Repeat("c", smallContent))
	k.s.flush(smallContent)
	k.wants("s tool_call_update large a 2048×b", "s tool_call_update terminal a 2048×c")

	// Content that was large when it was last sent remains delayed.
	k.add(k.s, "large", "d")
	k.add(k.s, "small", "d")
	k.prints("c")
	k.s.flush(smallContent)
	k.wants("s tool_call_update small a d")
	k.due(contentDelay)
	k.after(time.Hour)
	k.timers.Fire(k.now, func() {})
	k.wants("s tool_call_update large a 2048×b d", "s tool_call_update terminal a 2049×c")
}

// Beyond the limit, the least recently grown tool call is evicted, after its delayed content is sent.
func TestOldestToolCallIsEvicted(t *testing.T) {
	k := newKit(t, false)
	k.add(k.s, "first", "a")
	k.add(k.s, "first", "b")
	k.add(k.s, "second", "c")
	const large = maxContent / 2
	for i := range keep.PerSession/large - 1 {
		k.add(k.s, fmt.Sprint(i), strings.Repeat("x", large))
	}
	k.after(0)
	if k.budget.EvictExcess() {
		t.Fatal("a tool call is evicted below the limit")
	}
	k.add(k.s, "first", "d")
	k.add(k.s, "second", "e")
	k.add(k.s, "0", "f") // a growing call is not the oldest
	k.s.flush(anyContent)
	k.add(k.s, "last", strings.Repeat("x", large))
	k.after(0)
	k.budget.EvictExcess()
	kept := func(id string) bool { return len(k.s.toolCall([]byte(id)).items) > 0 }
	if kept("1") || !kept("0") || !kept("first") || !kept("last") {
		t.Error("a tool call other than the oldest is evicted")
	}
	c := k.s.toolCall([]byte("second"))
	k.add(k.s, "second", "g")
	for range keep.PerSession / maxContent {
		k.s.toolCall(fmt.Append(nil, "more", k.s.toolCalls.Len())).entry.SetSize(maxContent)
	}
	k.after(0)
	k.budget.EvictExcess()
	k.wants("s tool_call_update second c e g")
	k.add(k.s, "second", "h")
	k.s.flush(anyContent)
	k.wants("s tool_call_update second […] h")
	if !c.truncated {
		t.Error("an evicted tool call is not marked as truncated")
	}
}

// sum returns the cost of tool calls and terminals.
func (s *session) sum() (sum int) {
	for _, c := range s.toolCalls.All() {
		sum += keep.EntryCost + callCost + len(c.id) + len(c.title) + len(c.delayedMeta) + c.size()
	}
	for _, x := range s.terminals.All() {
		sum += keep.EntryCost + terminalCost + len(x.id) + len(x.command) + len(x.cwd) + len(x.exit) + len(x.output.text)
	}
	return sum
}
