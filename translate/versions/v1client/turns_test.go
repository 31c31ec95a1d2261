package v1client

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A script applies events to the turns of a session, and records the answers to prompts. An event
// that concerns a prompt names it by its number, from 1. The events are:
//
//	P     the client sends a prompt
//	X     the client cancels the session's prompts
//	Z     the client requests to close the session
//	N     the oldest such request fails
//	O     the session is closed
//	I1    the agent responds to prompt 1 with a result
//	F1    the agent responds to prompt 1 with an error
//	E1    the agent echoes prompt 1
//	R     the agent reports running
//	W     the agent sends an update that belongs to a turn
//	.end  the agent reports idle with the stop reason "end"; a single dot has no reason
//	_     the agent sends nothing for a while
type script struct {
	turns
	prompts  []*prompt
	echoes   map[int]uint64
	answered []string // "I1=1 end": the event I1 answers prompt 1 with the stop reason "end"
}

func (s *script) play(event string) {
	n := int(event[len(event)-1] - '1')
	switch event[0] {
	case 'P':
		s.prompts = append(s.prompts, s.onPrompt(nil))
	case 'X':
		s.onCancel()
	case 'Z':
		s.onClosing()
	case 'N':
		s.revertClosing(s.closingsAt[0])
	case 'O':
		s.record(event, s.onClosed())
	case 'I':
		s.record(event, s.onInsertion(s.prompts[n], s.echoes[n]))
	case 'F':
		s.onRefusal(s.prompts[n])
	case 'E':
		if s.echoes == nil {
			s.echoes = make(map[int]uint64)
		}
		s.echoes[n] = s.tick()
	case 'R':
		s.onRunning()
	case 'W':
		s.onUpdate()
	case '_':
		if s.awaitsSilence() {
			s.record(event, s.endBySilence())
		}
	case '.':
		end := `{}`
		if reason := event[1:]; reason != "" {
			end = `{"stopReason":"` + reason + `"}`
		}
		s.record(event, s.onIdle([]byte(end)))
	}
}

func (s *script) record(event string, answered []*prompt) {
	for _, p := range answered {
		s.answered = append(s.answered, fmt.Sprintf("%s=%d %s", event, slices.Index(s.prompts, p)+1, strings.Trim(string(s.lastEnd.stopReason()), `"`)))
	}
}

// TestTurnOrders checks which event answers each prompt, for the orders in turns.go and others.
func TestTurnOrders(t *testing.T) {
	for _, c := range []struct{ name, events, want string }{
		{"the end of a turn answers its prompt", "P I1 R W .end", ".end=1 end"},
		{"an error answers the prompt", "P R F1 .end", ""},
		{"one end answers all prompts that were inserted before it", "P P R I2 I1 W .end", ".end=1 end, .end=2 end"},
		{"a turn that ends before the prompt is inserted does not answer it", "R P .end I1 R .two", ".two=1 two"},
		{"the end of unrequested work answers no prompt", "R W .end P I1 R .two", ".two=1 two"},
		{"a repeated running changes nothing", "P I1 R R W .end", ".end=1 end"},
		{"a result after the turn answers the prompt", "P R W .end I1", "I1=1 end"},
		{"an echo before the end inserts the prompt", "R P E1 W .end I1", "I1=1 end"},
		{"an echo after the turn of another prompt waits for its own turn", "P R I1 P .end E2 I2 R .two", ".end=1 end, .two=2 two"},
		{"a turn that has answered one prompt does not answer a later result", "P P R I1 .end I2 R .two", ".end=1 end, .two=2 two"},
		{"an idle after work, without running, ends a turn", "P I1 R .end P I2 W .end", ".end=1 end, .end=2 end"},
		{"an idle with a new reason, without running, ends a turn", "P I1 R .end P I2 .refusal", ".end=1 end, .refusal=2 refusal"},
		{"a repeated idle answers no prompt", "P I1 R .end P I2 .end R W .two", ".end=1 end, .two=2 two"},
		{"a repeated idle without a reason answers no prompt", "P I1 R .end P I2 . . R .two", ".end=1 end, .two=2 two"},
		{"an agent that never reports running or work: an idle with a reason ends the turn", "P I1 .end P I2 .end", ".end=1 end, .end=2 end"},
		{"an agent that never reports running: an idle after work ends the turn", "P I1 . W .", ".=1 "},
		{"an agent that never reports running: a late result answers the prompt", "P .end I1 .two", "I1=1 end"},
		{"silence after an idle without a reason ends a turn that failed at once", "P I1 . _", "_=1 "},
		{"silence after a repeated reason ends a turn that failed at once", "P I1 R .end P I2 .end _", ".end=1 end, _=2 end"},
		{"silence ends a turn that failed at once, also before the result", "P E1 . I1 _", "_=1 "},
		{"silence does not answer a prompt that was inserted after the idle", "P . I1 _ R .end", ".end=1 end"},
		{"silence answers only the prompt that was inserted before the idle", "P I1 P . I2 _ R .end", "_=1 , .end=2 end"},
		{"silence after work that follows the idle ends no turn", "P I1 . W _ R .end", ".end=1 end"},
		{"silence after running that follows the idle ends no turn", "P I1 . R _ .end", ".end=1 end"},
		{"an idle without a reason after a cancel ends the turn", "P I1 X .", ".=1 "},
		{"an idle after a cancel answers no prompt that was sent after the cancel", "P I1 X P I2 . R .end", ".=1 , .end=2 end"},
		{"a cancelled turn that ended before the cancel does not answer the prompt", "R .end P .cancelled X I1 R .cancelled", ".cancelled=1 cancelled"},
		{"a cancelled turn that ended before a request to close does not answer the prompt", "R .end P .cancelled Z I1 R .cancelled", ".cancelled=1 cancelled"},
		{"a repeated cancel after a cancelled turn needs no other turn", "R .end P X .cancelled X I1", "I1=1 end"},
		{"a repeated request to close after a cancelled turn needs no other turn", "R .end P Z .cancelled Z I1", "I1=1 end"},
		{"a cancelled turn of an earlier prompt does not answer the next one", "P I1 R X .end P I2 .cancelled R W .two", ".end=1 end, .two=2 two"},
		{"a turn that the agent cancels itself answers its prompt", "P I1 R .end P I2 W .cancelled", ".end=1 end, .cancelled=2 cancelled"},
		{"a result after a cancelled turn answers the cancelled prompt", "R .end P X .cancelled I1", "I1=1 end"},
		{"a cancelled prompt that runs is answered at the end of its turn", "P X I1 R .cancelled", ".cancelled=1 cancelled"},
		{"an agent that never reports running: a result after a cancelled idle answers the prompt", "P X .cancelled I1", "I1=1 cancelled"},
		{"a turn that was cancelled before the prompt does not answer it", "R .cancelled P X I1 R .end", ".end=1 end"},
		{"a prompt that was not cancelled waits for its turn", "R .end P .cancelled I1 R .end", ".end=1 end"},
		{"a failed request to close does not cancel the prompt", "R .end P Z N .cancelled I1 R .end", ".end=1 end"},
		{"a failed request to close before a cancelled turn does not cancel the prompt, a later one does", "R .end P Z .cancelled Z N I1 R .cancelled", ".cancelled=1 cancelled"},
		{"a request to close cancels the prompt", "R .end P Z .cancelled I1", "I1=1 end"},
		{"the turn of a cancelled and answered prompt does not answer a later echo", "R .one P X .cancelled I1 P R .end E2 I2 R .two", "I1=1 one, .two=2 two"},
		{"the turn of a cancelled and answered prompt affects one later echo only", "R .one P X .cancelled I1 P R .end E2 I2 R .two P R .three E3 I3", "I1=1 one, .two=2 two, I3=3 three"},
		{"the turn of a cancelled and answered prompt answers a later result without an echo", "R .one P X .cancelled I1 P R .end I2", "I1=1 one, I2=2 end"},
		{"a late turn without a pending prompt affects no later echo", "R .one P X .cancelled I1 R W .late P R W .end E2 I2", "I1=1 one, I2=2 end"},
		{"a turn that answers a prompt is later than all late turns", "R .one P X .cancelled I1 P I2 R .two P R .three E3 I3", "I1=1 one, .two=2 two, I3=3 three"},
		{"silence ends a turn that was taken for a late one", "R .one P X .cancelled I1 P R .end E2 I2 _", "I1=1 one, _=2 end"},
		{"a result during another turn waits for the end of that turn", "P R .end R I1 .two", ".two=1 two"},
		{"a turn that has answered a late result answers no other one", "P P R .end I1 I2 R .two", "I1=1 end, .two=2 two"},
		{"an agent that never reports idle: the end of the session answers the prompt, a cancel does not", "P I1 R W X W R W Z O", "O=1 "},
		{"an agent that never reports idle: an error answers the prompt", "P R W X W F1 P I2 O", "O=2 "},
		{"the end of the session answers an inserted prompt", "P I1 O", "O=1 "},
		{"the end of the session answers inserted and cancelled prompts", "P I1 P X P Z P O", "O=1 , O=2 , O=3 "},
		{"the agent answers a prompt that was sent after a request to close", "P Z P O I2", "O=1 , I2=2 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s script
			for event := range strings.FieldsSeq(c.events) {
				s.play(event)
			}
			if got := strings.Join(s.answered, ", "); got != c.want {
				t.Errorf("%s: answered %q, want %q", c.events, got, c.want)
			}
		})
	}
}

// TestTurnOrdersOfLegalAgents combines the orders of a legal agent, in which n is the number of the
// prompt. Each prompt is answered once the agent has ended its turn and has sent nothing for a while.
func TestTurnOrdersOfLegalAgents(t *testing.T) {
	orders := []string{
		"I R W .end", "I R E W .end", "R W .end I", "R E W .end I", "R W .end E I", "R W I .end", "I R .",
		"X .cancelled I", "X .cancelled I R W .late", "X .cancelled E I R W .late", "I X .cancelled", "I R W X .cancelled", "X I R .cancelled",
	}
	for i := range len(orders) * len(orders) * len(orders) * len(orders) {
		var s script
		var events []string
		for n := range 4 {
			order := orders[i%len(orders)]
			i /= len(orders)
			for event := range strings.FieldsSeq("P " + order + " _") {
				if event == "I" || event == "E" {
					event += fmt.Sprint(n + 1)
				}
				events = append(events, event)
				s.play(event)
			}
			if len(s.pending) > 0 {
				t.Fatalf("%v: prompt %d is pending; answered %q", events, n+1, s.answered)
			}
		}
	}
}

// TestTurnOrdersOfAnyAgent applies events in random order. No prompt is answered twice, or before
// the agent has responded to it or the session is closed. After a turn has run and ended, no inserted
// prompt is pending.
func TestTurnOrdersOfAnyAgent(t *testing.T) {
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		var s script
		var events []string
		answered := make(map[*prompt]bool)
		play := func(event string) {
			events = append(events, event)
			before := len(s.answered)
			s.play(event)
			for _, answer := range s.answered[before:] {
				var n int
				fmt.Sscanf(answer, event+"=%d", &n)
				p := s.prompts[n-1]
				if answered[p] || !p.agentAnswered && event != "O" {
					t.Fatalf("%v: prompt %d is answered twice or too early: %q", events, n, s.answered)
				}
				answered[p] = true
			}
		}
		respond := func() { // the agent responds to a prompt, if there is one without a response
			for i, p := range s.prompts {
				if !p.agentAnswered && random.IntN(2) == 0 {
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
			case n == 4 && len(s.closingsAt) == 0:
				play("Z")
			case n == 4:
				play([]string{"Z", "N", "N", "O"}[random.IntN(4)])
			case n > 4:
				respond()
			}
		}
		play("R")
		play(".end")
		for i, p := range s.prompts {
			if isPending := slices.Contains(s.pending, p); isPending != (!p.agentAnswered && !answered[p]) {
				t.Fatalf("%v: prompt %d is pending: %t, the agent has responded: %t", events, i+1, isPending, p.agentAnswered)
			}
		}
	}
}
