package timeline

import (
	"strings"

	"acp-plan-proxy/proxy/recording/trace"
)

// maxWaiting bounds the messages that are at one proxy of a chain at once.
const maxWaiting = 64

// maxLines bounds the lines of a row. Another one begins a row of its own.
const maxLines = 64

// maxProxies bounds how many proxies of a chain are told apart.
const maxProxies = 256

// isProxy reports whether a component is between the two ends.
func isProxy(c trace.Component) bool {
	rank := c.Rank()
	return rank != trace.ClientRank && rank != trace.AgentRank
}

// isOnlyProxy reports whether a component is a proxy that is alone.
func isOnlyProxy(c trace.Component) bool { return strings.EqualFold(string(c), string(trace.Proxy)) }

// A chain has the messages that are at a proxy of a chain. Messages of several sessions
// overtake each other there.
type chain struct{ waiting map[stop][]*message }

// A stop is a proxy, and the direction in which messages pass it.
type stop struct {
	at       trace.Component
	toClient bool
}

func newChain() chain { return chain{make(map[stop][]*message)} }

// arrives notes that a message has come to a proxy.
func (c *chain) arrives(m *message, s *step) {
	if m.waiting = false; len(m.Lines) >= maxLines {
		return
	}
	at := stop{component(s.To), s.toClient}
	waiting, known := c.waiting[at]
	if !known && len(c.waiting) >= maxProxies {
		return
	}
	if waiting = append(waiting, m); len(waiting) > maxWaiting {
		waiting[0].waiting = false
		waiting = waiting[1:]
	}
	m.waiting = true
	c.waiting[at] = waiting
}

// leaves returns the message that goes on with an event from a proxy: the one with the
// same content or, since proxies change messages, the first one that is alike.
func (c *chain) leaves(s *step) *message {
	at := stop{component(s.From), s.toClient}
	waiting := c.waiting[at]
	best := -1
	for i, m := range waiting {
		switch {
		case s.Type == trace.Response || m.Method != brief(s.Method) || m.Type != s.Type:
		case m.latest == s.content:
			return c.take(at, i)
		case best < 0 && m.Session == s.number && (m.Plan != nil) == s.plan.isPlan():
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	return c.take(at, best)
}

func (c *chain) take(at stop, i int) *message {
	waiting := c.waiting[at]
	m := waiting[i]
	c.waiting[at] = append(waiting[:i:i], waiting[i+1:]...)
	return m
}
