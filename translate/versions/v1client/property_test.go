package v1client

import (
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

// TestRandomConversations sends messages of both sides in random order, with members of wrong
// types here and there. Each output line is valid, and the state is consistent.
func TestRandomConversations(t *testing.T) {
	lines := slices.Concat(slices.Collect(maps.Values(vocabulary()))...)
	slices.Sort(lines)
	bridgetest.PlayRandom(t, lines, func(seed uint64) *bridgetest.Peer {
		p := newPeer(Options{Client: clients[seed%2]}).Peer
		p.Judge = bridgetest.NewJudge(t, 1)
		p.Judge.Selects = isJudged
		return p
	})
}

// isJudged reports whether a line of a random conversation is judged: requests and notifications to
// the client, except those about plans, which package plans converts later.
func isJudged(to translate.Side, text string) bool {
	return to == translate.Client && strings.Contains(text, `"method"`) && !strings.Contains(text, `"plan`)
}

// TestCutCharacters cuts random texts anywhere in UTF-16, as agents in JavaScript do.
// The bridge sends nothing of the same text as a whole message, and of a longer one only the rest.
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
