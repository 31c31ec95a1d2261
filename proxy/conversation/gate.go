package conversation

import "time"

// holdLimit limits the wait of the client's lines for the initialize response. A program
// that is not an agent never responds.
const holdLimit = 5 * time.Second

// goneLimit is the limit for the last lines of a client that has gone.
const goneLimit = 2 * time.Second

// A gate holds the client's lines after its initialize, because an agent of another version
// must not receive them.
type gate struct {
	held  chan struct{} // closed when the lines may go on; nil if they may
	until time.Time     // when they go on even without an answer; zero if not before that
	gone  bool          // the client has ended
}

// close holds the lines from now on. Without a limit only open lets them go on; for a
// client that has gone there is always one.
func (g *gate) close(now time.Time, limited bool) {
	g.held = make(chan struct{})
	if limited || g.gone {
		g.limit(now)
	}
}

// limit lets the lines, if they are held, wait no longer than an agent gets to answer.
func (g *gate) limit(now time.Time) {
	switch {
	case g.held == nil:
	case g.gone:
		g.until = now.Add(goneLimit)
	default:
		g.until = now.Add(holdLimit)
	}
}

// clientGone notes that the client has ended. Its last lines wait for an agent that
// answers initialize, at most goneLimit.
func (g *gate) clientGone(now time.Time) {
	if limit := now.Add(goneLimit); !g.gone && g.held != nil && (g.until.IsZero() || limit.Before(g.until)) {
		g.until = limit
	}
	g.gone = true
}

// open lets the lines go on.
func (g *gate) open() {
	if g.held != nil {
		close(g.held)
	}
	g.held, g.until = nil, time.Time{}
}

// opensBefore reports whether the lines go on before an agent's time to answer is
// over, which is limited unless limit is zero.
func (g *gate) opensBefore(limit time.Time) bool {
	return limit.IsZero() || g.gone && g.held != nil && g.until.Before(limit)
}
