package plans

import "acp-plan-proxy/translate/keep"

// maxEntries limits the entries of a plan message. A message with more is not interpreted.
const maxEntries = 10_000

// planCost is the number of bytes that a plan counts besides its id, its entries, its text and its path.
const planCost = 32 << 10

// livePlans holds the live plans of all sessions of a connection. Beyond the limits of package keep,
// plans are evicted. From then on, the removal of an unknown plan clears the client's screen, too,
// because the plan may be an evicted one.
type livePlans struct {
	synthetic string // the id of legacy plans
	sessions  keep.Map[*session]
	budget    keep.Budget
	clock     uint64 // logical time: the number of messages about plans

	hasEvicted bool // a plan was evicted

	// unsentLists holds the sessions whose list is sent before their next message that does not
	// concern plans.
	unsentLists map[string]*session
}

// open returns the session with that id, which it creates if necessary. It advances the clock.
func (l *livePlans) open(id []byte) *session {
	l.clock++
	if sess := l.sessions.Find(id); sess != nil {
		return sess
	}
	sess := &session{id: string(id), live: l}
	sess.share = l.budget.Open(len(id), func() {
		l.hasEvicted = true
		l.close(sess.id)
	})
	l.sessions.Put(sess.id, sess)
	return sess
}

// close removes a session that is closed, evicted, or about to be replayed.
func (l *livePlans) close(id string) {
	if sess := l.sessions.Get(id); sess != nil {
		sess.share.Close()
		l.sessions.Delete(id)
		delete(l.unsentLists, id)
	}
}
