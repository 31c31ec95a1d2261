package play

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

// TestAnyOrder plays to clients that send the recorded requests in any order, respond to
// requests of the agent, or cancel turns. The agent answers each request once and sends each
// message once.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 0))
		lines, requests := randomRecording(random)
		p := testPlayer(t, trace.Agent, recorded(t, lines))
		p.agent.speed = float64(random.IntN(2))
		now := time.Duration(0)
		pending, sent := make(map[string]bool), make(map[string]bool)
		runUntil := func(until time.Duration) {
			for again := time.Duration(0); again <= until; now = max(now, min(again, until)) {
				again = p.run(now)
				out := p.out
				p.out = nil
				for line := range strings.Lines(string(out)) {
					m := recording.Parse([]byte(line), "")
					switch key := string(m.ID) + string(m.Params); {
					case m.Type == trace.Response && !pending[string(m.ID)]:
						t.Fatalf("seed %d: %s responds to no request, or again\n%s", seed, line, lines)
					case m.Type == trace.Response:
						delete(pending, string(m.ID))
					case sent[key]:
						t.Fatalf("seed %d: twice: %s\n%s", seed, line, lines)
					default:
						sent[key] = true
					}
					if m.Type == trace.Request {
						p.receive(fmt.Appendf(nil, `{"id":%s,"result":{"outcome":{}}}`, m.ID), now)
						again = now
					}
				}
			}
			now = until
		}
		for i, request := range requests {
			id := fmt.Sprint(100 + i)
			pending[id] = true
			p.receive([]byte(strings.Replace(request, "ID", id, 1)), now)
			if _, session, prompts := strings.Cut(request, `"session/prompt","params":{"sessionId":"`); prompts && random.IntN(4) == 0 {
				p.receive([]byte(`{"method":"session/cancel","params":{"sessionId":"`+session[:2]+`"}}`), now)
			}
			runUntil(now + time.Duration(random.IntN(3))*time.Second)
		}
		for range requests {
			runUntil(now + time.Minute)
			for _, session := range []string{"s1", "s2"} { // the turn may wait for its cancellation
				p.receive([]byte(`{"method":"session/cancel","params":{"sessionId":"`+session+`"}}`), now)
			}
		}
		runUntil(now + time.Hour)
		if len(pending) > 0 {
			t.Fatalf("seed %d: %v were not answered\n%s\nasked:\n%s", seed, pending, lines, strings.Join(requests, "\n"))
		}
	}
}

// randomRecording returns a recording of two sessions, and its requests in another order.
func randomRecording(random *rand.Rand) (lines string, requests []string) {
	var out strings.Builder
	ms, id, update := 0, 0, 0
	say := func(sender, text string) {
		ms += random.IntN(500)
		fmt.Fprintf(&out, "%s %d %s\n", sender, ms, text)
	}
	ask := func(method, params string) string {
		id++
		say("c", fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, id, method, params))
		requests = append(requests, fmt.Sprintf(`{"id":ID,"method":%q,"params":%s}`, method, params))
		return fmt.Sprint(id)
	}
	answer := func(id, result string) { say("a", `{"id":`+id+`,"result":`+result+`}`) }
	updates := func(session string) {
		for range random.IntN(3) {
			update++
			say("a", fmt.Sprintf(`{"method":"session/update","params":{"sessionId":%q,"update":%d}}`, session, update))
		}
	}
	for _, session := range []string{"s1", "s2"} {
		answer(ask("session/new", "{}"), fmt.Sprintf(`{"sessionId":%q}`, session))
		updates(session)
	}
	for range 2 + random.IntN(5) {
		session := []string{"s1", "s2"}[random.IntN(2)]
		params := fmt.Sprintf(`{"sessionId":%q}`, session)
		switch random.IntN(4) {
		case 0:
			answer(ask("session/set_mode", params), "{}")
		case 1:
			answer(ask("session/list", "{}"), "[]")
		default:
			prompt := ask("session/prompt", params)
			updates(session)
			switch random.IntN(4) {
			case 0:
				say("a", fmt.Sprintf(`{"id":%d,"method":"session/request_permission","params":{"sessionId":%q,"n":%d}}`, 1000+id, session, id))
				say("c", fmt.Sprintf(`{"id":%d,"result":{"outcome":{}}}`, 1000+id))
			case 1:
				answer(ask("session/set_mode", params), "{}")
			case 2:
				say("c", `{"method":"session/cancel","params":`+params+`}`)
			}
			updates(session)
			answer(prompt, `{"stopReason":"end_turn"}`)
		}
		updates(session)
	}
	random.Shuffle(len(requests)-2, func(i, j int) {
		requests[2+i], requests[2+j] = requests[2+j], requests[2+i]
	})
	return out.String(), requests
}
