package plans

import "acp-plan-proxy/translate/keep"

// maxEntries limits the entries of a plan message. A message with more is not interpreted.
const maxEntries = 10_000

// planCost is the memory of a plan without its texts.
const planCost = 32 << 10

// live holds the live plans of all sessions of a connection. Beyond the limits of package
// keep, those that have not grown for the longest time are evicted. After an eviction (lost), the removal of an unknown plan may
// mean an evicted one, so it still clears the client's screen.
type live struct {
	synthetic string // the id of legacy plans
	sessions  keep.Map[*session]
	budget    keep.Budget
	clock     uint64 // counts updates
	lost      bool

	// waiting holds the sessions whose list is sent before their next message that does not
	// concern plans.
	waiting map[string]*session
}

// open returns the session of an update, a new one if it has no live plans.
func (l *live) open(id []byte) *session {
	l.clock++
	if sess := l.sessions.Find(id); sess != nil {
		return sess
	}
	sess := &session{id: string(id), live: l}
	sess.share = l.budget.Open(len(id), func() {
		l.lost = true
		l.close(sess.id)
	})
	l.sessions.Put(sess.id, sess)
	return sess
}

// close frees a session: it is closed, or the agent is about to replay it.
func (l *live) close(id string) {
	if sess := l.sessions.Get(id); sess != nil {
		sess.share.Close()
		l.sessions.Delete(id)
		delete(l.waiting, id)
	}
}
