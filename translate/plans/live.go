package plans

import (
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
)

// MaxEntries is how many entries a plan message can have. A message with more is not
// understood.
const MaxEntries = 10_000

// What a plan counts, besides its texts: one whose entries are known, and one of which
// nothing is known but its names, which may be a quarter of all.
const (
	planCost = 32 << 10
	nameCost = 4 << 10
	maxNames = keep.PerConnection / 4 / nameCost
)

// live holds the live plans of all sessions of a connection, and keeps them
// within the limits.
//
// What passes a limit is forgotten in two steps. A plan fades first: its entries
// are forgotten, and its names stay, so that a later removal by the agent still
// takes it off the client's screen. Plans with all entries completed fade
// before others, and then those that were updated longest ago. When too many
// plans have faded, the names of the oldest are forgotten too; from then on
// (lost) a removal of an unknown plan may be one of those.
type live struct {
	synthetic string              // Options.SyntheticID
	sessions  map[string]*session // with a plan that has not faded
	faded     map[string]*session // the others
	clock     uint64              // counts updates, to tell which of two was later
	lost      bool

	// The sums of what the sessions have, see settle.
	bytes int
	names int // of faded plans, and digests of texts
}

func newLive(synthetic string) live {
	return live{synthetic: synthetic, sessions: make(map[string]*session), faded: make(map[string]*session)}
}

// find returns the session, nil if nothing is kept of it.
func (l *live) find(id string) *session {
	if s := l.sessions[id]; s != nil {
		return s
	}
	return l.faded[id]
}

// open returns the session for an update that comes now. Each open is followed
// by settle.
func (l *live) open(id []byte) *session {
	l.clock++
	s := l.sessions[string(id)]
	if s == nil {
		s = l.faded[string(id)]
	}
	if s == nil {
		s = &session{id: string(id), synthetic: l.synthetic}
	}
	s.updated = l.clock
	return s
}

// settle is called when the plans of s have changed: it counts them, keeps s or
// forgets it if it has none, and keeps the limits. What was live before a replay goes
// first, then other plans of s, then other sessions, then names. What the limits cost is
// noted in r. It is the only place that counts.
func (l *live) settle(s *session, r *Result) {
	l.count(s)
	for l.bytes > keep.PerConnection && l.fadeReplaced() {
	}
	passed := false
	for s.bytes > keep.PerSession && l.fadePlan(s) || l.bytes > keep.PerConnection && (l.fadeSession(s) || l.fadePlan(s)) {
		passed = true
	}
	for s.bytes-s.kept() > keep.PerSession && s.names > 0 {
		passed = true
		l.forgetName(s)
	}
	for (l.names > maxNames || l.bytes-s.kept() > keep.PerConnection) && l.forgetNames() {
		passed = true
	}
	if passed {
		r.lose(translate.LossMemory, "too much is kept of plans: the oldest were forgotten")
	}
}

// count counts what s has, and moves s to where it belongs.
func (l *live) count(s *session) {
	l.bytes -= s.bytes
	l.names -= s.names
	from := l.home(s)
	s.count()
	if to := l.home(s); to != from {
		if from != nil {
			delete(*from, s.id)
		}
		if to != nil {
			(*to)[s.id] = s
		}
	}
	l.bytes += s.bytes
	l.names += s.names
}

// home returns the map in which a session with these counts is kept, nil if it
// is not kept.
func (l *live) home(s *session) *map[string]*session {
	switch {
	case s.alive > 0:
		return &l.sessions
	case s.names > 0:
		return &l.faded
	}
	return nil
}

// fadeReplaced takes the session that was updated longest ago, of those in which
// something was live before a replay, and lets that fade. It reports false if there is
// none.
func (l *live) fadeReplaced() bool {
	var oldest *session
	for _, s := range l.sessions {
		replaced := slices.ContainsFunc(s.before, func(p *plan) bool { return !p.faded })
		if replaced && (oldest == nil || s.updated < oldest.updated) {
			oldest = s
		}
	}
	if oldest == nil {
		return false
	}
	fade(oldest.before)
	l.count(oldest)
	return true
}

// fadeSession takes the session that is missed least, other than s, and lets
// its plans fade. It reports false if s is the only session.
func (l *live) fadeSession(s *session) bool {
	var least *session
	for _, other := range l.sessions {
		if other != s && (least == nil || other.missedLess(least)) {
			least = other
		}
	}
	if least == nil {
		return false
	}
	fade(least.plans)
	fade(least.before)
	l.count(least)
	return true
}

// fadePlan is fadeSession for the plans of s, other than the one that was just
// updated.
func (l *live) fadePlan(s *session) bool {
	var least *plan
	for _, plans := range [...][]*plan{s.before, s.plans} {
		for _, p := range plans {
			if !p.faded && p.updated != s.updated && (least == nil || p.missedLess(least)) {
				least = p
			}
		}
	}
	if least == nil {
		return false
	}
	least.fade()
	l.count(s)
	return true
}

// forgetNames forgets the faded plan that was updated longest ago, in the
// session that was. It reports false if none has faded.
func (l *live) forgetNames() bool {
	var oldest *session
	for _, sessions := range [...]map[string]*session{l.faded, l.sessions} {
		for _, s := range sessions {
			if s.names > 0 && (oldest == nil || s.updated < oldest.updated) {
				oldest = s
			}
		}
	}
	if oldest == nil {
		return false
	}
	l.forgetName(oldest)
	return true
}

// forgetName forgets a name of a session that has some.
func (l *live) forgetName(s *session) {
	l.lost = s.forgetName() || l.lost
	l.count(s)
}

// close forgets a session: the agent has freed it.
func (l *live) close(id string) {
	if s := l.find(id); s != nil {
		s.plans, s.before, s.told, s.toldBefore = nil, nil, nil, nil
		l.count(s)
	}
}

// reset begins a session again, before an agent replays it. What was live is
// kept until replayed, restore or close.
func (l *live) reset(id string) {
	if s := l.find(id); s != nil {
		s.putBack() // of two replays that have not been answered, the first may fail too
		s.plans, s.before = nil, s.plans
		s.told, s.toldBefore, s.card = nil, s.told, [sha256.Size]byte{}
		l.count(s)
	}
}

// replayed forgets what was live before reset: the session has been replayed.
func (l *live) replayed(id string) {
	if s := l.find(id); s != nil {
		s.before, s.toldBefore = nil, nil
		l.count(s)
	}
}

// restore puts back what was live before reset, because the agent replayed
// nothing. It keeps what has been updated since.
func (l *live) restore(id string) {
	if s := l.find(id); s != nil {
		s.putBack()
		l.count(s)
	}
}
