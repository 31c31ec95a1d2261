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
	*live
	id     string
	kept   *keep.Share
	plans  []*plan
	before *session // what was live before a replay that has not been answered

	card [sha256.Size]byte // the digest of what a client with a card for each plan got last
	told keep.Map[bool]    // texts, by their digests
}

// A plan is what is known of a live plan.
type plan struct {
	state    state
	id       string // what the agent calls it, "" if unidentified
	clientID string // what a client of plan operations knows it by
	legacyID bool   // clientID was chosen for the legacy plan, and the id came later

	title   string    // of a markdown or file plan, cut
	idTitle string    // the id, if it says something, cut
	items   bool      // its entries are the agent's own
	entries entryList // as the client shows them; none if it shows the plan otherwise
	shown   bool      // the client has been shown it
	text    planText  // of a markdown plan
	asked   *approval // who has asked about it last
	kept    *keep.Entry

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

// count counts what is kept of the plans.
func (s *session) count() {
	for _, p := range s.plans {
		// One plan alone is not too much, however long it is: it was shown just now.
		p.kept.Count(min(keep.PerSession/2, len(p.entries.text)+len(p.text.raw)+len(p.text.path)+len(p.own.text)))
	}
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
func (s *session) find(n planName) *plan {
	for _, p := range s.plans {
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
	p := &plan{id: n.id, idTitle: titleOf(n.id), state: unidentified, first: s.clock, clientID: s.freeID(s.clientID(n))}
	if n.given {
		p.state = identified
	}
	s.keep(p)
	return p
}

func (s *session) keep(p *plan) {
	s.plans = append(s.plans, p)
	p.kept = s.kept.Add(planCost+len(p.id), func() {
		s.lost = true
		s.delete(p)
	})
}

func (s *session) delete(p *plan) {
	p.kept.Drop()
	s.plans = slices.DeleteFunc(s.plans, func(q *plan) bool { return q == p })
}

// remove removes the plan of that name and returns it, or nil.
// What was live before a replay does not come back either.
func (s *session) remove(n planName) *plan {
	if s.before != nil {
		s.before.remove(n)
	}
	p := s.meant(n)
	if p != nil {
		s.delete(p)
	}
	return p
}

// meant returns the plan that a removal means, or nil. An agent
// may also call a legacy plan by the synthetic id.
func (s *session) meant(n planName) *plan {
	p := s.find(n)
	if p == nil && n.given && n.id == s.synthetic {
		p = s.find(planName{})
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
		p.begun = s.clock
	}
	p.title, p.items, p.updated = strings.Clone(title), c.form == formItems, s.clock
	if !keeps {
		p.entries.moveFrom(c.entries)
	}
	p.text.set(c.source)
}

// makesRoom reports whether p is a text that is out of the way of a list that came after
// it: nothing of the text is done, or all of the list is, and was done last.
func (s *session) makesRoom(p *plan) bool {
	return !p.items && slices.ContainsFunc(s.plans, func(q *plan) bool {
		after := !p.entries.begun && q.updated > p.begun || q.done() && q.updated > p.updated
		return q.items && !q.entries.empty() && after
	})
}

// done reports whether no entry is left to do.
func (p *plan) done() bool { return p.entries.open == 0 }
