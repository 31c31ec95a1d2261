package oldclient

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
)

// An audience hears user messages and knows what became of each update.
type audience struct {
	*testing.T
	echoes
	events []string
	at     uint64
	held   []string // texts of updates, in the order in which they came
}

func newAudience(t *testing.T) *audience {
	return &audience{T: t, echoes: echoes{kept: new(keep.Budget).Open(0, nil)}}
}

// says hears a chunk of a user message. It reports whether the client gets it now.
func (l *audience) says(id, text string) bool {
	l.events = append(l.events, id+" says "+text)
	line := full(chunk("user_message", id, text))
	l.at++
	heard := l.hear(link.ReadHeld([]byte(line)), []byte(id), l.at)
	l.freed(heard.released)
	if heard.kept && slices.ContainsFunc(l.echoes.held, func(h heldUpdate) bool { return string(h.text) == line }) {
		l.held = append(l.held, line)
	}
	return !heard.kept
}

// freed notes texts that are sent now. Each was held, and they are in order.
func (l *audience) freed(texts [][]byte) {
	last := -1
	for _, text := range texts {
		i := slices.Index(l.held, string(text))
		if i < 0 || i < last {
			l.Fatalf("%q: %s is sent, and was not held, or not behind what is sent before it", l.events, text)
		}
		l.held = slices.Delete(l.held, i, i+1)
		last = i
	}
}

// check compares what is held and counted with what should be.
func (l *audience) check() {
	texts, size := 0, 0
	for _, e := range l.awaited {
		texts += len(e.text)
	}
	for _, h := range l.echoes.held {
		size += h.size
		if !slices.Contains(l.held, string(h.text)) || len(h.message.of) == 0 {
			l.Fatalf("%q: %s is held for nothing", l.events, h.text)
		}
	}
	for id, m := range l.messages {
		if m.id != id || !slices.ContainsFunc(l.echoes.held, func(h heldUpdate) bool { return h.message == m }) {
			l.Fatalf("%q: of the message %s nothing is held", l.events, id)
		}
	}
	known := 0
	for id := range l.known.All() {
		known += keep.EntryCost + len(id)
	}
	if counted := l.kept.Used() - keep.SessionCost; counted != texts+size+known {
		l.Fatalf("%q: %d bytes are counted, %d, %d and %d are kept", l.events, counted, texts, size, known)
	}
}

// TestEchoes has messages that may be echoes, and when that is decided.
func TestEchoes(t *testing.T) {
	l := newAudience(t)
	hi := l.await([][]byte{[]byte(block("hi there"))})
	if l.says("m1", "hi") || l.says("m2", "hi") {
		t.Error("what may be the echo is sent")
	}
	if !l.says("m3", "no") {
		t.Error("what says something else is held")
	}
	if first := l.named([]byte("m2")); first != 2 || !l.isKnown([]byte("m2")) || l.isKnown([]byte("m1")) {
		t.Errorf("the echo came at %d", first)
	}
	if freed := l.found(hi); len(freed) != 1 || !strings.Contains(string(freed[0]), `"m1"`) {
		t.Errorf("%q are sent", freed)
	}
	if !l.says("m1", " there") {
		t.Error("a message is held after the echo was found")
	}

	late := l.await([][]byte{[]byte(block("again"))})
	late.unnamed = true
	if l.says("m4", "aga") || l.says("m4", "in") || !l.isKnown([]byte("m4")) || len(l.awaited) > 0 {
		t.Error("a message that says all of a prompt that is not named is no echo")
	}
	two := l.await([][]byte{[]byte(block("one, two"))})
	l.says("m6", "one")
	l.says("m7", "one, two")
	if id, _ := l.first(two); string(id) != "m7" {
		t.Errorf("the echo is %q, not the message that says all of the prompt", id)
	}
	l.freed(l.foundAny(two))
	if other := l.await([][]byte{[]byte(block("x"))}); other.unknown || !l.says("m5", "y") {
		t.Error("a message that is no echo is held")
	}
}

// TestEchoesInAnyOrder has prompts and messages in any order. What is held is sent once
// or dropped, in order and counted.
func TestEchoesInAnyOrder(t *testing.T) {
	words := []string{"a", "ab", "b"}
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 0))
		l := newAudience(t)
		id := func() string { return fmt.Sprint("m", random.IntN(4)) }
		drop := func(id string) { // what is held of an echo
			l.held = slices.DeleteFunc(l.held, func(text string) bool { return strings.Contains(text, `"`+id+`"`) })
		}
		for range 30 {
			switch n := random.IntN(6); {
			case n == 0:
				l.await([][]byte{[]byte(block(words[random.IntN(3)] + words[random.IntN(3)]))}).unnamed = random.IntN(2) == 0
			case n < 4:
				if m := id(); !l.isKnown([]byte(m)) {
					l.says(m, words[random.IntN(3)])
					if l.isKnown([]byte(m)) {
						drop(m)
					}
				}
			case len(l.awaited) == 0:
			case n == 4:
				e, m := l.awaited[random.IntN(len(l.awaited))], id()
				l.events = append(l.events, m+" is named")
				l.named([]byte(m))
				drop(m)
				l.freed(l.found(e))
			default:
				e := l.awaited[random.IntN(len(l.awaited))]
				l.events = append(l.events, "a turn ends")
				if m, ok := l.first(e); ok {
					drop(string(m))
				}
				l.freed(l.foundAny(e))
			}
			l.check()
		}
		for len(l.awaited) > 0 {
			l.freed(l.found(l.awaited[0]))
		}
		l.check()
		if len(l.held) > 0 || len(l.echoes.held) > 0 {
			t.Fatalf("%q: %q are held still", l.events, l.held)
		}
	}
}
