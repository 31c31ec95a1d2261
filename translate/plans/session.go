package plans

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate/keep"
)

// A session holds the live plans of one session, in the order in which they
// were first sent.
type session struct {
	id        string
	synthetic string // the id of a legacy plan towards the client, if it is free
	plans     []*plan
	before    []*plan // what was live before a replay that has not been answered
	updated   uint64  // live.clock at the last update

	card [sha256.Size]byte // the digest of what a client with a card for each plan got last

	told, toldBefore [][sha256.Size]byte // digests of texts, the oldest first; also before the replay

	// Counted by live.settle, in plans and before.
	bytes int
	alive int // plans that have not faded
	names int // plans that have, and digests of texts
}

// A plan is what is known of a live plan.
type plan struct {
	state    state
	id       string // what the agent calls it, "" if unidentified
	clientID string // what a client of plan operations knows it by
	legacyID bool   // clientID was chosen for the legacy plan, and the id came later

	title   string    // of a markdown or file plan, cut
	items   bool      // its entries are the agent's own
	entries entryList // as the client shows them; none if it shows the plan otherwise
	shown   bool      // the client has been shown it
	text    planText  // of a markdown plan
	asked   *Approval // who has asked about it last
	faded   bool      // all of these were forgotten

	// Times are counts of live.clock.
	first       uint64 // when the plan was first sent
	legacyFirst uint64 // when the legacy plan that this plan now is was first sent
	updated     uint64 // when the plan was last sent
	begun       uint64 // when what is now its text was first sent, however much has been added

	own        entryList // what was last sent with the id, if ahead
	ownUpdated uint64    // when
}

// A planName is what an agent calls a plan: an id, or nothing at all, as in a
// legacy plan.
type planName struct {
	id    string
	given bool
}

// size is what counts of a plan.
func (p *plan) size() int {
	cost := planCost
	if p.faded {
		cost = nameCost
	}
	return cost + len(p.id) + len(p.entries.text) + len(p.text.raw) + len(p.text.path) + len(p.own.text)
}

// count counts what live.settle wants to know.
func (s *session) count() {
	s.bytes, s.alive, s.names = 0, 0, len(s.told)+len(s.toldBefore)
	for _, plans := range [...][]*plan{s.plans, s.before} {
		for _, p := range plans {
			s.bytes += p.size()
			if p.faded {
				s.names++
			} else {
				s.alive++
			}
		}
	}
	if s.alive+s.names > 0 {
		const digestCost = 64
		s.bytes += keep.SessionCost + len(s.id) + digestCost*(len(s.told)+len(s.toldBefore))
	}
}

// kept returns the bytes of the plans that have not faded.
func (s *session) kept() (bytes int) {
	for _, p := range s.plans {
		if !p.faded {
			bytes += p.size()
		}
	}
	return bytes
}

// name returns what a message with those id members calls its plan. It does
// not allocate for a plan that is live.
func (s *session) name(ids *idFields, text []byte) planName {
	id, given := ids.value(text)
	for _, p := range s.plans {
		if given && p.state.named() && p.id == string(id) {
			return planName{p.id, true}
		}
	}
	return planName{string(id), given}
}

// find returns the live plan of that name, or nil.
func (s *session) find(n planName) *plan { return find(s.plans, n) }

func find(plans []*plan, n planName) *plan {
	for _, p := range plans {
		if n.given && p.state.named() && p.id == n.id || !n.given && p.state.legacy() {
			return p
		}
	}
	return nil
}

// knownAs returns the live plan that a client of plan operations knows by that
// id, or nil.
func (s *session) knownAs(clientID string) *plan {
	for _, p := range s.plans {
		if p.clientID == clientID {
			return p
		}
	}
	return nil
}

// freeID returns id, or id with a number added if the client knows a live plan
// by it.
func (s *session) freeID(id string) string {
	free := id
	for n := 2; s.knownAs(free) != nil; n++ {
		free = id + "-" + strconv.Itoa(n)
	}
	return free
}

// clientID returns the id by which the client knows a plan that the agent calls
// n, if that id is free.
func (s *session) clientID(n planName) string {
	if n.given {
		return n.id
	}
	return s.synthetic
}

// add adds a plan that the agent calls n.
func (s *session) add(n planName) *plan {
	p := &plan{id: n.id, state: unidentified, first: s.updated, clientID: s.freeID(s.clientID(n))}
	if n.given {
		p.state = identified
	}
	s.plans = append(s.plans, p)
	return p
}

func (s *session) delete(p *plan) {
	s.plans = slices.DeleteFunc(s.plans, func(q *plan) bool { return q == p })
}

// remove removes the plan of that name and returns it, or nil.
// What was live before a replay does not come back either.
func (s *session) remove(n planName) *plan {
	if p := s.meant(s.before, n); p != nil {
		s.before = slices.DeleteFunc(s.before, func(q *plan) bool { return q == p })
	}
	p := s.meant(s.plans, n)
	if p != nil {
		s.delete(p)
	}
	return p
}

// meant returns the plan that a removal means, or nil. An agent
// may also call a legacy plan by the synthetic id.
func (s *session) meant(plans []*plan, n planName) *plan {
	p := find(plans, n)
	if p == nil && n.given && n.id == s.synthetic {
		p = find(plans, planName{})
	}
	return p
}

// set makes c what p shows. The entries move from c to p. If a text shows
// nothing so far, p keeps the entries that it has from a shorter version of
// that text, or of one with that title.
func (s *session) set(p *plan, c *content) {
	title := cutTitle(c.title)
	keeps := c.unclear && !p.items && (c.source.goesOn || strings.HasPrefix(title, p.title))
	sameFile := len(c.source.raw) == 0 && !p.items && title == p.title
	if p.begun == 0 || !c.source.goesOn && !sameFile {
		p.begun = s.updated
	}
	p.title, p.items, p.updated = strings.Clone(title), c.form == formItems, s.updated
	if !keeps {
		p.entries.moveFrom(c.entries)
	}
	p.text.set(c.source)
	p.faded = false
}

// makesRoom reports whether p is a text that is out of the way of a list that came after
// it: nothing of the text is done, or all of the list is, and was done last.
func (s *session) makesRoom(p *plan) bool {
	return !p.items && slices.ContainsFunc(s.plans, func(q *plan) bool {
		after := !p.entries.begun && q.updated > p.begun || q.done() && q.updated > p.updated
		return q.items && !q.entries.empty() && after
	})
}

// fade forgets what p shows.
func (p *plan) fade() {
	if p.state == ahead {
		p.state = both
	}
	p.title, p.items, p.faded = "", false, true
	p.entries, p.text, p.own = entryList{}, planText{}, entryList{}
}

func fade(plans []*plan) {
	for _, p := range plans {
		p.fade()
	}
}

// missedLess reports whether p should fade before q.
func (p *plan) missedLess(q *plan) bool {
	if done := p.done(); done != q.done() {
		return done
	}
	return p.updated < q.updated
}

func (s *session) missedLess(other *session) bool {
	if done := s.done(); done != other.done() {
		return done
	}
	return s.updated < other.updated
}

// done reports whether no entry is left to do.
func (p *plan) done() bool { return p.entries.open == 0 }

func (s *session) done() bool {
	return !slices.ContainsFunc(s.plans, func(p *plan) bool { return !p.done() })
}

// forgetName forgets the faded plan that was updated longest ago or, without one, which
// text was told first. It reports whether it was a plan.
func (s *session) forgetName() bool {
	var oldest *plan
	for _, plans := range [...][]*plan{s.before, s.plans} {
		for _, p := range plans {
			if p.faded && (oldest == nil || p.updated < oldest.updated) {
				oldest = p
			}
		}
	}
	switch isOldest := func(p *plan) bool { return p == oldest }; {
	case oldest != nil:
		s.plans, s.before = slices.DeleteFunc(s.plans, isOldest), slices.DeleteFunc(s.before, isOldest)
	case len(s.toldBefore) > 0:
		s.toldBefore = s.toldBefore[1:]
	default:
		s.told = s.told[1:]
	}
	return oldest != nil
}

// putBack adds what was live before a replay to what has been sent since. Under
// each name of a plan, what has been sent since counts.
func (s *session) putBack() {
	s.told, s.toldBefore = append(s.toldBefore, s.told...), nil
	for _, q := range s.before {
		if s.outdated(q) {
			continue
		}
		if s.knownAs(q.clientID) != nil {
			q.clientID, q.legacyID = s.freeID(s.clientID(planName{q.id, q.state.named()})), false
		}
		s.plans = append(s.plans, q)
	}
	s.before = nil
	s.order()
}

// outdated reports whether nothing of q is to be put back. If only one of the
// two names of q has been sent since, q becomes what the other name said last.
func (s *session) outdated(q *plan) bool {
	var newer, newerLegacy *plan
	if q.state.named() {
		newer = s.find(planName{q.id, true})
	}
	if q.state.legacy() {
		newerLegacy = s.find(planName{})
	}
	if newer != nil {
		newer.first = min(newer.first, q.place())
	} else if newerLegacy != nil && q.state == unidentified {
		newerLegacy.first = min(newerLegacy.first, q.first)
	}
	switch {
	case newer == nil && newerLegacy == nil:
		return false
	case q.state == unidentified || q.state == identified || newer != nil && newerLegacy != nil:
		return true
	case newer == nil:
		q.leave()
		return false
	case q.state == ahead && !q.entries.same(&newer.entries):
		q.state, q.id, q.first, q.legacyID = unidentified, "", q.legacyFirst, false
		q.own.reset()
		return false
	case newer.state == identified:
		newer.state, newer.legacyFirst = both, q.legacyFirst
	}
	return true
}
