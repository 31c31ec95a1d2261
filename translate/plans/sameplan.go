package plans

// Some agents send each state of a plan twice, as plan and as plan_update. So a legacy plan
// with the entries of a live items plan is that plan from then on, until the two go different
// ways. A plan keeps what was last sent of it in each way, and shows what came last:
//
//	what is sent                                     what it does
//	legacy plan that equals what its plan shows      it changes that plan
//	legacy plan that equals another items plan       leaves its plan, and is that one
//	another legacy plan                              changes its plan; or leaves it, and is a plan of
//	                                                 its own, where either has not the agent's own
//	                                                 entries
//	update that equals what the legacy plan          the legacy plan leaves its plan, and is the
//	shows, if that is no other plan by now, or has   one of that id
//	changed that plan
//	update of the plan that the legacy plan has      changes the plan; it is two plans again, each as
//	changed, with other entries                      it was last sent
//
// A plan that the legacy plan leaves shows again what was last sent with its id.

// A change is what one message has done to the live plans of a session.
type change struct {
	plan  *plan // the one that the message is about; nil if a removal names no live plan
	gone  *plan // nil or a plan that has become the same as plan
	again *plan // nil or another that shows something new: the message made the two part, or leave
}

// say applies c, which the agent has sent for the plan that it calls n. It decides
// which plan that is.
func (s *session) say(n planName, c *content) (ch change) {
	if n.way == asLegacy {
		ch = s.sayLegacy(c)
	} else {
		ch = s.sayWithID(n, c)
	}
	s.set(&ch.plan.sent[n.way], c)
	return ch
}

func (s *session) sayLegacy(c *content) (ch change) {
	p := s.find(theLegacyPlan)
	isOther := p != nil && p.is(byID)
	if isOther && p.now().says(c) {
		return change{plan: p}
	}
	q := s.equal(c, p)
	switch {
	case isOther && (q != nil || !p.now().items || c.form != formItems):
		ch.again = p.leave()
	case q != nil && p != nil:
		ch.gone = p
		s.join(q, p)
	case p != nil:
		q = p
	}
	if ch.plan = q; q == nil {
		ch.plan = s.add(theLegacyPlan)
	}
	return ch
}

func (s *session) sayWithID(n planName, c *content) (ch change) {
	p := s.find(n)
	if p != nil && p.is(asLegacy) {
		if !p.sent[asLegacy].says(c) && p.isAhead() {
			ch.again = s.part(p)
		}
		ch.plan = p
		return ch
	}
	l := s.find(theLegacyPlan)
	same := l != nil && c.comparable() && l.sent[asLegacy].equals(c) && (!l.is(byID) || l.isAhead())
	if same && p == nil && !l.is(byID) {
		l.identify(n)
		l.legacyID = true
		return change{plan: l}
	}
	if p == nil {
		p = s.add(n)
	}
	ch.plan = p
	switch {
	case same && l.is(byID):
		p.sent[asLegacy] = l.sent[asLegacy]
		p.sent[asLegacy].first = s.clock
		ch.again = l.leave()
	case same:
		ch.gone = l
		s.join(p, l)
	}
	return ch
}

// equal returns the plan other than p that is sent with its id only and has these entries,
// or nil.
func (s *session) equal(c *content, p *plan) *plan {
	if !c.comparable() {
		return nil
	}
	for _, q := range s.plans {
		if q != p && !q.is(asLegacy) && q.sent[byID].equals(c) {
			return q
		}
	}
	return nil
}

// equals reports whether the agent's own entries are the same in both.
func (t *sent) equals(c *content) bool {
	return t.items && c.form == formItems && t.entries.same(&c.entries)
}

// says reports whether t is what is in c, as far as that is known.
func (t *sent) says(c *content) bool {
	return t.equals(c) || !c.entries.empty() && t.entries.same(&c.entries)
}

// comparable reports whether a plan with this content can be the same as
// another. Two plans without entries need not be.
func (c *content) comparable() bool { return c.form == formItems && !c.entries.empty() }

// join makes the legacy plan, which was a plan of its own, the same as p. The one plan is
// where the first of the two was.
func (s *session) join(p, legacy *plan) {
	p.sent[asLegacy] = legacy.sent[asLegacy]
	s.delete(legacy)
	s.order()
}

// isAhead reports whether the legacy plan has changed what was last sent with the id of p.
func (p *plan) isAhead() bool {
	l := p.now()
	return l == &p.sent[asLegacy] && !l.entries.same(&p.sent[byID].entries)
}

// leave makes p a plan that is sent with its id only. It returns p if that changes what p
// shows. p keeps the place and the id by which the client knows it.
func (p *plan) leave() (changed *plan) {
	if p.isAhead() {
		changed = p
	}
	p.sent[byID].first = p.first()
	p.sent[asLegacy], p.legacyID = sent{}, false
	return changed
}

// part makes two plans of p: the legacy plan, which is returned if the client has to be
// shown it, and p. The id by which the client knows p stays with the plan that had it first.
func (s *session) part(p *plan) (again *plan) {
	l := &plan{shown: true}
	l.sent[asLegacy] = p.sent[asLegacy]
	if l.now().entries.empty() {
		p.leave()
		return nil // nothing is left of the legacy plan
	}
	p.sent[asLegacy] = sent{}
	if p.legacyID {
		l.clientID, p.legacyID = p.clientID, false
		p.clientID = s.freeID(p.name())
	} else {
		l.clientID = s.freeID(theLegacyPlan)
		again = l
	}
	s.keep(l)
	s.order()
	return again
}
