package plans

import "acp-plan-proxy/translate/keep"

// maxEntries is how many entries a plan message can have. A message with more is not
// understood.
const maxEntries = 10_000

// planCost is what a plan counts besides its texts.
const planCost = 32 << 10

// live holds the live plans of all sessions of a connection. Beyond the limits of package
// keep the oldest are forgotten; from then on (lost) a removal of an unknown plan may be
// one of those, and still takes it off the client's screen.
type live struct {
	synthetic string // Options.SyntheticID
	sessions  map[string]*session
	budget    keep.Budget
	clock     uint64 // counts updates, to tell which of two was later
	lost      bool

	waits map[string]bool // sessions with a list that waits until something else follows
}

// open returns the session for an update that comes now.
func (l *live) open(id []byte) *session {
	l.clock++
	if s := l.sessions[string(id)]; s != nil {
		return s
	}
	return l.begin(string(id))
}

func (l *live) begin(id string) *session {
	s := &session{id: id, live: l}
	s.kept = l.budget.Open(len(id), func() {
		l.lost = true
		s.plans = nil
		l.forget(s)
	})
	l.sessions[id] = s
	return s
}

func (l *live) forget(s *session) {
	if s.before != nil {
		s.before.kept.Close()
	}
	if s.kept.Close(); l.sessions[s.id] == s {
		delete(l.sessions, s.id)
		delete(l.waits, s.id)
	}
}

// close forgets a session: the agent has freed it.
func (l *live) close(id string) {
	if s := l.sessions[id]; s != nil {
		l.forget(s)
	}
}

// reset begins a session again, before an agent replays it. What was live is
// kept until replayed, restore or close.
func (l *live) reset(id string) {
	l.restore(id) // of two replays that have not been answered, the first may fail too
	if s := l.sessions[id]; s != nil {
		l.begin(id).before = s
	}
}

// replayed forgets what was live before reset: the session has been replayed.
func (l *live) replayed(id string) {
	if s := l.sessions[id]; s != nil && s.before != nil {
		s.before.kept.Close()
		s.before = nil
	}
}

// restore puts back what was live before reset, because the agent replayed nothing, next
// to what has been sent since. Under each name of a plan, what has been sent since counts.
func (l *live) restore(id string) {
	s := l.sessions[id]
	if s == nil || s.before == nil {
		return
	}
	old := s.before
	l.replayed(id)
	for _, q := range old.plans {
		n := q.name()
		if newer := s.find(n); newer != nil {
			newer.sent[n.way].first = min(newer.sent[n.way].first, q.first())
			continue
		}
		if q.is(asLegacy) && s.find(theLegacyPlan) != nil {
			q.leave()
		}
		if s.knownAs(q.clientID) != nil {
			q.clientID, q.legacyID = s.freeID(n), false
		}
		s.keep(q)
	}
	for digest := range old.told.All() {
		s.told.Keep(s.kept, digest, true, nil)
	}
	s.order()
	s.count()
}
