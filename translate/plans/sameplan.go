package plans

import (
	"cmp"
	"slices"
)

// A state says how the agent has sent a plan so far. The states are what keeps a
// plan that is sent both ways, as plan and as plan_update, from being shown
// twice: a legacy plan that equals a live items plan is that plan from then on,
// until the two go different ways.
//
//	                        ┌──────────────┐ join ┌──────┐ outrun ┌───────┐
//	      legacy plan ────> │ unidentified │ ───> │      │ ─────> │       │
//	                        └──────────────┘      │ both │        │ ahead │
//	                        ┌──────────────┐ join │      │  agree │       │
//	update with an id ────> │  identified  │ ───> │      │ <───── │       │
//	                        └──────────────┘      └──────┘        └───────┘
//	                               ^               leave │    leave, part │
//	                               └─────────────────────┴────────────────┘
//
// What an agent sends next, a legacy plan or an update with the plan's id,
// moves the plan by these transitions:
//
//	state         what is sent                                  transition
//	unidentified  legacy plan that equals an identified plan    join: the two become that one
//	unidentified  update with a new id, or with that of an
//	              identified plan, that equals this one         join
//	both          legacy plan that says something else          outrun: it changes the plan
//	ahead         legacy plan or update that says the same
//	              as the other way did last                     agree
//	ahead         update that says something else               part: it is two plans again,
//	                                                            each as it was last sent
//	both, ahead   legacy plan that equals another plan          leave, and join that one
//	ahead         update of another plan that equals this one   leave, and join that one
//	both, ahead   legacy plan, where either does not have the
//	              agent's own entries                           leave, and be a plan of its own
//
// Nothing else changes the state. When the legacy plan leaves an identified plan,
// that plan again shows the entries of its latest update.
type state uint8

const (
	unidentified state = iota // sent without an id only
	identified                // sent with its id only
	both                      // sent both ways; it shows what was sent with the id, or the same
	ahead                     // sent both ways; the legacy plan has changed it since
)

// named reports whether the agent has sent the plan with an id.
func (s state) named() bool { return s != unidentified }

// legacy reports whether the agent's legacy plan is this plan.
func (s state) legacy() bool { return s != identified }

// A change is what one message has done to the live plans of a session.
type change struct {
	plan  *plan // the one that the message is about
	gone  *plan // nil or a plan that has become the same as plan
	again *plan // nil or another that shows something new: the message made the two part, or leave

	emptied bool // plan has become empty, and the user wants that to be its removal
}

// say applies c, which the agent has sent for the plan that it calls n. It decides
// which plan that is.
func (s *session) say(n planName, c *content) change {
	if n.given {
		return s.sayWithID(n, c)
	}
	return s.sayLegacy(n, c)
}

func (s *session) sayLegacy(n planName, c *content) (ch change) {
	p := s.find(n)
	joined := p != nil && p.state != unidentified
	if joined && p.says(c) {
		s.set(p, c)
		return change{plan: p}
	}
	q := s.equal(c, p)
	switch {
	case q != nil && joined:
		ch = change{plan: q, again: p.leave()}
		s.join(q, nil)
	case q != nil:
		ch = change{plan: q, gone: p}
		s.join(q, p)
	case joined && p.items && c.form == formItems:
		ch.plan = p
		p.outrun(c)
	case joined:
		ch.again = p.leave()
		ch.plan = s.add(n)
	case p != nil:
		ch.plan = p
	default:
		ch.plan = s.add(n)
	}
	s.set(ch.plan, c)
	return ch
}

func (s *session) sayWithID(n planName, c *content) (ch change) {
	p := s.find(n)
	switch {
	case p == nil || p.state == identified:
		ch = s.sayToLegacy(p, n, c)
		p = ch.plan
	case p.state == ahead && p.says(c):
		p.agree()
	case p.state == ahead:
		ch.again = s.part(p)
	}
	s.set(p, c)
	ch.plan = p
	return ch
}

// sayToLegacy is sayWithID for a plan that is not the legacy plan so far. If it
// has become that, the two join. The plan is nil if it is new.
func (s *session) sayToLegacy(p *plan, n planName, c *content) change {
	q := s.legacyEqual(c)
	if p == nil && q != nil && q.state == unidentified {
		s.identify(q, n)
		return change{plan: q}
	}
	if p == nil {
		p = s.add(n)
	}
	switch {
	case q == nil:
		return change{plan: p}
	case q.state == ahead:
		again := q.leave()
		s.join(p, nil)
		return change{plan: p, again: again}
	}
	s.join(p, q)
	return change{plan: p, gone: q}
}

// equal returns the identified plan other than p that has these entries, or nil.
func (s *session) equal(c *content, p *plan) *plan {
	if !c.comparable() {
		return nil
	}
	for _, q := range s.plans {
		if q != p && q.state == identified && q.items && q.entries.same(c.entries) {
			return q
		}
	}
	return nil
}

// legacyEqual returns the plan that shows the agent's legacy plan if it has
// these entries.
func (s *session) legacyEqual(c *content) *plan {
	if !c.comparable() {
		return nil
	}
	for _, q := range s.plans {
		if (q.state == unidentified || q.state == ahead) && q.items && q.entries.same(c.entries) {
			return q
		}
	}
	return nil
}

// says reports whether p shows what is in c, as far as that is known.
func (p *plan) says(c *content) bool {
	items := p.items && c.form == formItems
	return (items || !c.entries.empty()) && p.entries.same(c.entries)
}

// comparable reports whether a plan with this content can be the same as
// another. Two plans without entries need not be.
func (c *content) comparable() bool { return c.form == formItems && !c.entries.empty() }

// join makes the legacy plan the same as p. If it was a plan of its own until now,
// that is l, which goes. The one plan is where the first of the two was.
func (s *session) join(p, l *plan) {
	p.state, p.legacyFirst, p.legacyID = both, s.clock, false
	if l != nil {
		p.legacyFirst = l.first
		s.delete(l)
		s.order()
	}
}

// identify gives an id to a plan that was sent without one until now.
func (s *session) identify(p *plan, n planName) {
	p.state, p.id, p.idTitle = both, n.id, titleOf(n.id)
	p.first, p.legacyFirst, p.legacyID = s.clock, p.first, true
}

// outrun keeps what was last sent with the id of p, before a legacy plan
// changes p. If c is the same again, the two agree.
func (p *plan) outrun(c *content) {
	switch {
	case p.state == both:
		p.state, p.ownUpdated = ahead, p.updated
		p.own, p.entries = p.entries, p.own
	case p.own.same(c.entries):
		p.agree()
	}
}

func (p *plan) agree() {
	p.state = both
	p.own.reset()
}

// leave makes p a plan that is sent with its id only, as it was last sent with
// it. It returns p if that changes what p shows. p keeps the place and the id
// by which the client knows it.
func (p *plan) leave() (changed *plan) {
	if p.state == ahead {
		p.entries, p.own = p.own, p.entries
		p.own.reset()
		p.updated = p.ownUpdated
		changed = p
	}
	p.state, p.first, p.legacyID = identified, p.place(), false
	return changed
}

// part makes two plans of p: what the legacy plan said last, which is returned
// if the client has to be shown it, and p. The id by which the client knows p
// stays with the plan that had it first.
func (s *session) part(p *plan) (again *plan) {
	p.state = identified
	p.own.reset()
	if p.entries.empty() {
		p.first, p.legacyID = p.place(), false
		return nil // nothing is left of the legacy plan
	}
	l := &plan{state: unidentified, first: p.legacyFirst, updated: p.updated, items: true, shown: true}
	l.entries, p.entries = p.entries, p.own
	p.own = entryList{}
	if p.legacyID {
		l.clientID, p.legacyID = p.clientID, false
		p.clientID = s.freeID(p.id)
	} else {
		l.clientID = s.freeID(s.synthetic)
		again = l
	}
	s.keep(l)
	s.order()
	return again
}

// place is the first update by which the plan was seen, under any name.
func (p *plan) place() uint64 {
	if p.state == both || p.state == ahead {
		return min(p.first, p.legacyFirst)
	}
	return p.first
}

func (s *session) order() {
	slices.SortStableFunc(s.plans, func(p, q *plan) int { return cmp.Compare(p.place(), q.place()) })
}
