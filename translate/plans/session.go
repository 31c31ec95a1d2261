package plans

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
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

// A plan is a live plan: what was last sent of it with its id, and without one if the
// agent's legacy plan is this plan, see sameplan.go.
type plan struct {
	id       string // what the agent calls it
	idTitle  string // the id, if it says something, cut
	sent     [2]sent
	clientID string // what a client of plan operations knows it by
	legacyID bool   // clientID was chosen for the legacy plan, and the id came later

	shown bool      // the client has been shown it
	asked *approval // the latest request that asks about it
	added bool      // the proxy sends it in the agent's place: the agent has sent only its text
	kept  *keep.Entry
}

// A way is how a message says which plan it is about.
type way uint8

const (
	byID     way = iota
	asLegacy     // by no id: it is the one legacy plan of the session
)

// A sent is what was last sent of a plan in one way. Times are counts of live.clock.
type sent struct {
	first   uint64 // when something was first sent so; 0 if nothing was
	updated uint64 // when it was last
	begun   uint64 // when what is now its text was first sent, however much has been added

	title   string    // of a markdown or file plan, cut
	items   bool      // its entries are the agent's own
	entries entryList // as the client shows them; none if it shows the plan otherwise
	text    planText  // of a markdown plan
}

// A planName is what an agent calls a plan.
type planName struct {
	id  string // if the way is byID
	way way
}

var theLegacyPlan = planName{way: asLegacy}

// is reports whether the agent sends the plan in that way.
func (p *plan) is(w way) bool { return p.sent[w].first > 0 }

// now returns what was last sent of the plan, which is what it shows.
func (p *plan) now() *sent {
	if p.sent[asLegacy].updated > p.sent[byID].updated {
		return &p.sent[asLegacy]
	}
	return &p.sent[byID]
}

// name returns what the agent calls the plan.
func (p *plan) name() planName {
	if p.is(byID) {
		return planName{id: p.id}
	}
	return theLegacyPlan
}

// first is when the plan was first sent, in any way.
func (p *plan) first() uint64 {
	if p.is(byID) && p.is(asLegacy) {
		return min(p.sent[byID].first, p.sent[asLegacy].first)
	}
	return p.now().first
}

// count counts what is kept of the plans.
func (s *session) count() {
	for _, p := range s.plans {
		size := 0
		for w := range p.sent {
			t := &p.sent[w]
			size += len(t.entries.text) + len(t.text.raw) + len(t.text.path)
		}
		// One plan alone is not too much, however long it is: it was shown just now.
		p.kept.Count(min(keep.PerSession/2, size))
	}
}

// name returns what a message with that id, nil without one, calls its plan. It does
// not allocate for a plan that is live.
func (s *session) name(id []byte) planName {
	if id == nil {
		return theLegacyPlan
	}
	for _, p := range s.plans {
		if p.is(byID) && p.id == string(id) {
			return p.name()
		}
	}
	return planName{id: string(id)}
}

// find returns the live plan of that name, or nil.
func (s *session) find(n planName) *plan {
	for _, p := range s.plans {
		if p.is(n.way) && (n.way == asLegacy || p.id == n.id) {
			return p
		}
	}
	return nil
}

// sentLast returns what was last sent of the plan that the agent calls n, in that way; nil if
// that is not live.
func (s *session) sentLast(n planName) *sent {
	if p := s.find(n); p != nil {
		return &p.sent[n.way]
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

// freeID returns the id by which the client is to know a plan that the agent calls n. If
// it knows another live plan by that id, a number is added.
func (s *session) freeID(n planName) string {
	id := s.clientID(n)
	free := id
	for n := 2; s.knownAs(free) != nil; n++ {
		free = id + "-" + strconv.Itoa(n)
	}
	return free
}

// clientID returns the id by which the client knows a plan that the agent calls
// n, if that id is free.
func (s *session) clientID(n planName) string {
	if n.way == byID {
		return n.id
	}
	return s.synthetic
}

// add adds a plan that the agent calls n.
func (s *session) add(n planName) *plan {
	p := &plan{clientID: s.freeID(n)}
	p.identify(n)
	s.keep(p)
	return p
}

func (p *plan) identify(n planName) { p.id, p.idTitle = n.id, titleOf(n.id) }

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

func (s *session) order() {
	slices.SortStableFunc(s.plans, func(p, q *plan) int { return cmp.Compare(p.first(), q.first()) })
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
	if p == nil && n.way == byID && n.id == s.synthetic {
		p = s.find(theLegacyPlan)
	}
	return p
}

// set makes c what was last sent of a plan in one way. If a text shows nothing so far, the
// entries stay that were made of a shorter version of it, or of a text with that title.
func (s *session) set(t *sent, c *content) {
	title := cutTitle(c.title)
	keeps := c.unclear && !t.items && (c.goesOn || strings.HasPrefix(title, t.title))
	sameFile := len(c.raw) == 0 && !t.items && title == t.title
	if t.begun == 0 || !c.goesOn && !sameFile {
		t.begun = s.clock
	}
	if t.first == 0 {
		t.first = s.clock
	}
	t.title, t.items, t.updated = strings.Clone(title), c.form == formItems, s.clock
	if !keeps {
		t.entries.copyFrom(&c.entries)
	}
	raw := refill(t.text.raw, c.raw)
	t.text = c.planText
	t.text.raw = raw
}

// duplicate returns the plan to remove because p has the same text, ignoring white space: one
// that the proxy has added. It returns nil if there is none.
func (s *session) duplicate(p *plan) *plan {
	raw := p.now().text.raw
	for _, q := range s.plans {
		if q == p || !q.added && !p.added || len(raw) == 0 || len(q.now().text.raw) == 0 ||
			!sameWords(rawjson.Unquote(raw), rawjson.Unquote(q.now().text.raw)) {
			continue
		}
		kept, gone := p, q
		if !q.added {
			kept, gone = q, p
		}
		if a := gone.asked; a != nil {
			a.plan, kept.asked = s.clientID(kept.name()), a
		}
		return gone
	}
	return nil
}

// makesRoom reports whether a plan shows a text that is out of the way of a list that came
// after it: nothing of the text is done, or all of the list is, and was done last.
func (s *session) makesRoom(text *sent) bool {
	return !text.items && slices.ContainsFunc(s.plans, func(q *plan) bool {
		list := q.now()
		after := !text.entries.begun && list.updated > text.begun || list.done() && list.updated > text.updated
		return list.items && !list.entries.empty() && after
	})
}

// done reports whether no entry is left to do.
func (t *sent) done() bool { return t.entries.open == 0 }
