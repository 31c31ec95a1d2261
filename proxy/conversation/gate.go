package conversation

import "time"

// holdLimit limits how long the client's lines wait for the initialize response. A program that is
// not an agent never responds.
const holdLimit = 5 * time.Second

// goneLimit limits how long the client's last lines wait after the end of its input.
const goneLimit = 2 * time.Second

// A gate holds the client's lines after its initialize, because an agent of another version
// must not receive them.
type gate struct {
	held  chan struct{} // closed when the lines are released; nil if they are not held
	until time.Time     // the time limit; zero for none
	gone  bool          // the client's input has ended
}

// close holds the lines from now on, for a limited time if the client's input has ended.
func (g *gate) close(now time.Time) {
	g.held = make(chan struct{})
	if g.gone {
		g.setLimit(now)
	}
}

// setLimit sets the time limit of held lines, if there are any.
func (g *gate) setLimit(now time.Time) {
	switch {
	case g.held == nil:
	case g.gone:
		g.until = now.Add(goneLimit)
	default:
		g.until = now.Add(holdLimit)
	}
}

// clientGone shortens the time limit of held lines to goneLimit.
func (g *gate) clientGone(now time.Time) {
	if limit := now.Add(goneLimit); !g.gone && g.held != nil && (g.until.IsZero() || limit.Before(g.until)) {
		g.until = limit
	}
	g.gone = true
}

// open releases the lines.
func (g *gate) open() {
	if g.held != nil {
		close(g.held)
	}
	g.held, g.until = nil, time.Time{}
}

// timerIsNext reports whether the gate's timer is the next one, given the time limit of the agent's
// response, or the zero time for none. Before the end of the client's input, a limit is always next.
func (g *gate) timerIsNext(limit time.Time) bool {
	return limit.IsZero() || g.gone && g.held != nil && g.until.Before(limit)
}
