package oldclient

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
)

// TestRandomConversations says what both sides may say in any order, with
// members of wrong types here and there. Whatever comes: each line that leaves
// is valid in the version of its receiver, and each request of the client has
// exactly one answer.
func TestRandomConversations(t *testing.T) {
	lines := slices.Concat(slices.Collect(maps.Values(vocabulary()))...)
	slices.Sort(lines)
	bridgetest.PlayRandom(t, lines, func(seed uint64) *bridgetest.Peer {
		p := newPeer(Options{Client: clients[seed%2]}).Peer
		p.Judge = bridgetest.NewJudge(t, 1)
		p.Judge.Of = isJudged
		return p
	})
}

// isJudged reports whether a line of a random conversation is what the bridge says
// to the client by itself. Plans are the business of the plan translation.
func isJudged(to translate.Side, text string) bool {
	return to == translate.Client && strings.Contains(text, `"method"`) && !strings.Contains(text, `"plan`)
}

// A turn is a small model of what an agent of version 2 does with prompts: it
// inserts them, in any order, works, and becomes idle.
type turn struct {
	random *rand.Rand
	peer   *peer
	asked  int   // how many prompts the client has sent
	held   []int // prompts that are not inserted, by the agent's number
	echoed map[int]bool
	active bool
	due    map[int]bool // the client's ids of inserted prompts that the next idle must answer
	got    map[int]int  // answers by the client's id
	log    []string
}

// TestTurns plays random turns against the model: each prompt is answered
// exactly once, not before its turn has ended, and with that end.
func TestTurns(t *testing.T) {
	for seed := range uint64(2000) {
		m := &turn{random: rand.New(rand.NewPCG(seed, 1)), peer: newPeer(Options{}), echoed: make(map[int]bool), due: make(map[int]bool),
			got: make(map[int]int)}
		for range 40 {
			if err := m.move(); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(m.log, "\n"))
			}
		}
		lines, _, err := m.peer.Do(gone("x"))
		if err == nil {
			err = m.take(lines)
		}
		for id := 1; id <= m.asked && err == nil; id++ {
			if m.got[id] != 1 {
				err = fmt.Errorf("prompt %d has %d answers", id, m.got[id])
			}
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, strings.Join(m.log, "\n"))
		}
	}
}

// move is one thing that happens.
func (m *turn) move() error {
	switch n := m.random.IntN(10); {
	case n < 3:
		m.asked++
		m.held = append(m.held, m.asked)
		return m.say(client(fmt.Sprintf(`{"id":%d,"method":"session/prompt","params":{"sessionId":"s","prompt":[%s]}}`, m.asked, block("hi"))), false)
	case n < 4 && len(m.held) > 0:
		p := m.held[m.random.IntN(len(m.held))]
		m.echoed[p] = true
		return m.say(agent(echo(fmt.Sprint("m", p))), false)
	case n < 7 && len(m.held) > 0:
		return m.insert()
	case n < 8:
		m.active = true
		return m.say(agent(state("running")), false)
	case n < 9:
		return m.say(agent(hello), false)
	}
	return m.idle()
}

// insert tells that the agent has inserted a prompt, which it does while it
// works.
func (m *turn) insert() error {
	if !m.active {
		m.active = true
		if err := m.say(agent(state("running")), false); err != nil {
			return err
		}
	}
	i := m.random.IntN(len(m.held))
	p := m.held[i]
	m.held = append(m.held[:i], m.held[i+1:]...)
	if m.random.IntN(8) == 0 {
		return m.say(agent(fmt.Sprintf(`{"id":%d,"error":{"code":-32800,"message":"x"}}`, p)), true)
	}
	m.due[p] = true
	return m.say(agent(fmt.Sprintf(`{"id":%d,"result":{"messageId":"m%d"}}`, p, p)), m.echoed[p])
}

// idle ends the turn.
func (m *turn) idle() error {
	if !m.active {
		return nil
	}
	m.active = false
	if err := m.say(agent(idle("end_turn")), true); err != nil {
		return err
	}
	for p := range m.due {
		if m.got[p] != 1 {
			return fmt.Errorf("prompt %d was inserted and has %d answers at the end of the turn", p, m.got[p])
		}
	}
	clear(m.due)
	return nil
}

// say sends a line. Answers may only come if the turn ends or a prompt fails.
func (m *turn) say(s step, mayAnswer bool) error {
	m.log = append(m.log, s.Message)
	before := len(m.got)
	lines, _, err := m.peer.Do(s)
	if err == nil {
		err = m.take(lines)
	}
	if err == nil && len(m.got) != before && !mayAnswer {
		err = fmt.Errorf("%s is answered too early", s.Message)
	}
	return err
}

// take counts answers.
func (m *turn) take(lines []string) error {
	for _, line := range lines {
		var answer struct {
			ID     int
			Method *string
		}
		to, text := bridgetest.Left(line)
		if to != translate.Client || json.Unmarshal([]byte(text), &answer) != nil || answer.Method != nil {
			continue
		}
		m.log = append(m.log, line)
		if m.got[answer.ID]++; m.got[answer.ID] > 1 {
			return fmt.Errorf("prompt %d is answered twice", answer.ID)
		}
	}
	return nil
}

// TestCutCharacters cuts random texts anywhere in UTF-16, as agents in JavaScript do.
// The whole message shows nothing more, and more than it shows the rest alone.
func TestCutCharacters(t *testing.T) {
	letters := []rune("aé中😀🎉")
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 2))
		var text []rune
		for range 1 + random.IntN(12) {
			text = append(text, letters[random.IntN(len(letters))])
		}
		p := newPeer(Options{})
		tell := func(update string) []string {
			lines, _ := p.Must(t, agent(update))
			return lines
		}
		units := utf16.Encode(text)
		for len(units) > 0 {
			n := 1 + random.IntN(len(units))
			var spelled strings.Builder
			for _, u := range units[:n] {
				fmt.Fprintf(&spelled, `\u%04x`, u)
			}
			tell(chunk("agent_message", "m", spelled.String()))
			units = units[n:]
		}
		for _, rest := range []string{"", "!"} {
			whole := `{"sessionUpdate":"agent_message","messageId":"m","content":[` + block(string(text)+rest) + `]}`
			var want []string
			if rest != "" {
				want = []string{toC(full(`{"sessionUpdate":"agent_message_chunk","messageId":"m","content":` + block(rest) + `}`))}
			}
			if got := tell(whole); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %q shows %q", seed, string(text)+rest, got)
			}
		}
	}
}
