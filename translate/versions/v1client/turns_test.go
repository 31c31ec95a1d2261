package v1client

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A stage plays what happens in a session, and notes which prompts are answered.
//
//	P        the client sends a prompt; the first is 1
//	X        it cancels its prompt
//	Z, N, O  it asks to close the session; that fails; the session is closed
//	I1, F1   the agent's result for the first prompt, its error
//	E1       its echo
//	R, W     the agent runs, and sends an update of a turn
//	.end     it is idle, because of end; "." alone gives no reason
//	_        silence for a while
type stage struct {
	turns
	prompts  []*prompt
	echoes   map[int]uint64
	closes   [][]*prompt
	answered []string // "I1=1 end": at I1, the first prompt is answered with end
}

func (s *stage) play(event string) {
	n := int(event[len(event)-1] - '1')
	switch event[0] {
	case 'P':
		s.prompts = append(s.prompts, s.prompted(nil))
	case 'X':
		s.cancel()
	case 'Z':
		s.closes = append(s.closes, s.closing())
	case 'N':
		notClosed(s.closes[0])
		s.closes = s.closes[1:]
	case 'O':
		s.note(event, s.close())
	case 'I':
		s.inserted(s.prompts[n], s.echoes[n])
		s.note(event, s.late(s.prompts[n]))
	case 'F':
		s.refused(s.prompts[n])
	case 'E':
		if s.echoes == nil {
			s.echoes = make(map[int]uint64)
		}
		s.echoes[n] = s.tick()
	case 'R':
		s.running()
	case 'W':
		s.updated()
	case '_':
		if s.doubtful() {
			s.note(event, s.silent())
		}
	case '.':
		end := `{}`
		if reason := event[1:]; reason != "" {
			end = `{"stopReason":"` + reason + `"}`
		}
		s.note(event, s.idle([]byte(end)))
	}
}

func (s *stage) note(event string, answered []*prompt) {
	for _, p := range answered {
		s.answered = append(s.answered, fmt.Sprintf("%s=%d %s", event, slices.Index(s.prompts, p)+1, strings.Trim(string(s.last.stopReason()), `"`)))
	}
}

// TestTurnOrders has the orders that are drawn in turns.go, and others, with the answers.
func TestTurnOrders(t *testing.T) {
	for _, c := range []struct{ name, events, want string }{
		{"a prompt is answered at the end of its turn", "P I1 R W .end", ".end=1 end"},
		{"an error is the answer", "P R F1 .end", ""},
		{"one end answers all that were inserted before", "P P R I2 I1 W .end", ".end=1 end, .end=2 end"},
		{"a turn that ends before the prompt is inserted does not answer it", "R P .end I1 R .two", ".two=1 two"},
		{"work that nobody asked for ends without an answer", "R W .end P I1 R .two", ".two=1 two"},
		{"running can be said again", "P I1 R R W .end", ".end=1 end"},
		{"a result that comes after the turn", "P R W .end I1", "I1=1 end"},
		{"a prompt that was inserted when its echo came", "R P E1 W .end I1", "I1=1 end"},
		{"an echo after the turn of another prompt", "P R I1 P .end E2 I2 R .two", ".end=1 end, .two=2 two"},
		{"a turn that answers one prompt is not that of another", "P P R I1 .end I2 R .two", ".end=1 end, .two=2 two"},
		{"an idle without running, after work", "P I1 R .end P I2 W .end", ".end=1 end, .end=2 end"},
		{"an idle without running, with a new reason", "P I1 R .end P I2 .refusal", ".end=1 end, .refusal=2 refusal"},
		{"an idle that is said again answers nothing", "P I1 R .end P I2 .end R W .two", ".end=1 end, .two=2 two"},
		{"an idle that is said again without a reason", "P I1 R .end P I2 . . R .two", ".end=1 end, .two=2 two"},
		{"no running ever, and no work", "P I1 .end P I2 .end", ".end=1 end, .end=2 end"},
		{"no running ever, work and no reason", "P I1 . W .", ".=1 "},
		{"no running ever, before the prompt is inserted", "P .end I1 .two", "I1=1 end"},
		{"a turn that fails at once, and silence", "P I1 . _", "_=1 "},
		{"a turn that fails at once, with the reason of the one before", "P I1 R .end P I2 .end _", ".end=1 end, _=2 end"},
		{"a turn that fails at once, echoed before and inserted behind it", "P E1 . I1 _", "_=1 "},
		{"an idle before the prompt is inserted, and silence", "P . I1 _ R .end", ".end=1 end"},
		{"a prompt that is inserted behind the idle is not answered by silence", "P I1 P . I2 _ R .end", "_=1 , .end=2 end"},
		{"an idle that something follows is not the end", "P I1 . W _ R .end", ".end=1 end"},
		{"nor one that running follows", "P I1 . R _ .end", ".end=1 end"},
		{"an idle without a reason behind a cancel", "P I1 X .", ".=1 "},
		{"it answers what was cancelled, and no prompt behind that", "P I1 X P I2 . R .end", ".=1 , .end=2 end"},
		{"an idle that was cancelled before the prompt was", "R .end P .cancelled X I1 R .cancelled", ".cancelled=1 cancelled"},
		{"the same, and a request to close", "R .end P .cancelled Z I1 R .cancelled", ".cancelled=1 cancelled"},
		{"a cancel that is said again is confirmed already", "R .end P X .cancelled X I1", "I1=1 end"},
		{"so is a request to close", "R .end P Z .cancelled Z I1", "I1=1 end"},
		{"an idle that confirms the cancel of an earlier prompt", "P I1 R X .end P I2 .cancelled R W .two", ".end=1 end, .two=2 two"},
		{"a turn that the agent has cancelled by itself", "P I1 R .end P I2 W .cancelled", ".end=1 end, .cancelled=2 cancelled"},
		{"a prompt that is cancelled before it is inserted", "R .end P X .cancelled I1", "I1=1 end"},
		{"a prompt that is cancelled, by an agent that runs it", "P X I1 R .cancelled", ".cancelled=1 cancelled"},
		{"an agent that never says running, and cancels", "P X .cancelled I1", "I1=1 cancelled"},
		{"a turn was cancelled before the prompt was sent", "R .cancelled P X I1 R .end", ".end=1 end"},
		{"a prompt that was not cancelled waits for its turn", "R .end P .cancelled I1 R .end", ".end=1 end"},
		{"a request to close that failed does not cancel", "R .end P Z N .cancelled I1 R .end", ".end=1 end"},
		{"a request to close cancels", "R .end P Z .cancelled I1", "I1=1 end"},
		{"a cancelled prompt that runs after all excuses a later echo", "R .one P X .cancelled I1 P R .end E2 I2 R .two", "I1=1 one, .two=2 two"},
		{"it excuses one later echo and no more", "R .one P X .cancelled I1 P R .end E2 I2 R .two P R .three E3 I3", "I1=1 one, .two=2 two, I3=3 three"},
		{"it does not excuse a result without an echo", "R .one P X .cancelled I1 P R .end I2", "I1=1 one, I2=2 end"},
		{"a result while another turn runs waits for its end", "P R .end R I1 .two", ".two=1 two"},
		{"a turn that answered a late result is over for the others", "P P R .end I1 I2 R .two", "I1=1 end, .two=2 two"},
		{"an agent that never says idle: a cancel answers nothing, the end of the session does", "P I1 R W X W R W Z O", "O=1 "},
		{"an agent that never says idle, and its error", "P R W X W F1 P I2 O", "O=2 "},
		{"an ended session answers what the agent has inserted", "P I1 O", "O=1 "},
		{"an ended session answers what the agent has inserted or forgotten", "P I1 P X P Z P O", "O=1 , O=2 , O=3 "},
		{"what was sent after a request to close is answered by the agent", "P Z P O I2", "O=1 , I2=2 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s stage
			for event := range strings.FieldsSeq(c.events) {
				s.play(event)
			}
			if got := strings.Join(s.answered, ", "); got != c.want {
				t.Errorf("%s: answered %q, want %q", c.events, got, c.want)
			}
		})
	}
}

// TestTurnOrdersOfAnyAgent has events in any order. No prompt is answered twice, or before
// the agent has answered it, and a turn that runs and ends leaves none waiting that was
// inserted.
func TestTurnOrdersOfAnyAgent(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var s stage
		var events []string
		play := func(event string) {
			events = append(events, event)
			s.play(event)
		}
		answers := func() { // the agent answers a prompt that it has not answered
			for i, p := range s.prompts {
				if !p.answered && random.IntN(2) == 0 {
					play(fmt.Sprintf("%c%d", "IIIF"[random.IntN(4)], i+1))
					return
				}
			}
		}
		for range 40 {
			switch n := random.IntN(8); {
			case n == 0 && len(s.prompts) < 9:
				play("P")
			case n == 1 && len(s.prompts) > 0:
				play(fmt.Sprint("E", 1+random.IntN(len(s.prompts))))
			case n == 2:
				play([]string{"X", "R", "R", "W"}[random.IntN(4)])
			case n == 3:
				play([]string{".", ".end", ".two", ".cancelled", "_"}[random.IntN(5)])
			case n > 4:
				answers()
			}
		}
		play("R")
		play(".end")
		answered := make(map[string]bool)
		for _, a := range s.answered {
			_, prompt, _ := strings.Cut(a, "=")
			prompt = prompt[:1]
			if answered[prompt] {
				t.Fatalf("%v: prompt %s is answered twice: %q", events, prompt, s.answered)
			}
			answered[prompt] = true
		}
		for i, p := range s.prompts {
			if waits := slices.Contains(s.waiting, p); waits != !p.answered {
				t.Fatalf("%v: prompt %d waits: %t, the agent has answered it: %t", events, i+1, waits, p.answered)
			}
		}
	}
}
