package plans

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// The limits on what a Translator keeps. They are far beyond what agents do;
// they are there so that a broken agent cannot make the proxy grow.
const (
	MaxSessions = 256      // sessions with plans
	MaxPlans    = 64       // live plans in a session
	MaxEntries  = 10_000   // entries in a plan message; one with more is not understood
	MaxBytes    = 64 << 20 // of entries and ids of all live plans, but for the one updated last
)

// A session holds the live plans of one session, in the order in which they
// first appeared. It is kept while there are any.
type session struct {
	id      string
	plans   []*plan
	updated uint64 // Translator.clock at the last update
}

// A plan is what is known of a live plan.
type plan struct {
	id        string // what the agent calls it, if named
	named     bool   // the agent has sent it with an id
	anonymous bool   // the agent's legacy plan, and messages without an id, are this plan
	shownAs   string // the id towards a client of plan operations

	title   string    // of a markdown or file plan, cut
	items   bool      // its entries are the agent's own
	entries entryList // as the client shows them; none if it shows the plan otherwise
	own     entryList // what was last sent with the id, where entries came without one since
	ahead   bool      // own holds that
	shown   bool      // the client shows the plan
	updated uint64    // Translator.clock at the last update
}

// A planName is what an agent calls a plan: an id or, if none is given, nothing
// at all, as in a legacy plan.
type planName struct {
	id    string
	given bool
}

// size is what counts for MaxBytes.
func (s *session) size() int {
	n := len(s.id)
	for _, p := range s.plans {
		n += p.size()
	}
	return n
}

func (p *plan) size() int { return len(p.id) + len(p.entries.text) + len(p.own.text) }

// session returns the session, which it begins to keep if it is new.
func (t *Translator) session(id []byte) *session {
	s := t.sessions[string(id)]
	if s == nil {
		s = &session{id: string(id)}
		t.sessions[s.id] = s
		t.bytes += s.size()
	}
	s.updated = t.clock
	return s
}

// name returns what a message with those id members calls its plan. The string
// of a plan that is live is used again.
func (s *session) name(ids idMembers, text []byte) planName {
	id, given := ids.value(text)
	for _, p := range s.plans {
		if given && p.named && p.id == string(id) {
			return planName{p.id, true}
		}
	}
	return planName{string(id), given}
}

// find returns the live plan of that name, nil if there is none.
func (s *session) find(n planName) *plan {
	for _, p := range s.plans {
		if n.given && p.named && p.id == n.id || !n.given && p.anonymous {
			return p
		}
	}
	return nil
}

// shownAs returns the live plan that has that id towards a client of plan
// operations, nil if there is none.
func (s *session) shownAs(id string) *plan {
	for _, p := range s.plans {
		if p.shownAs == id {
			return p
		}
	}
	return nil
}

// place returns the plan that an update is about, which is a new one if need
// be. Some agents send each state of a plan as plan and as plan_update; so a
// plan that is sent in one way while another with the same entries is live that
// was sent only in the other way, is the same from then on. If both had been
// live, twin is the one that is no longer. If the plan without an id was taken
// for another one until now, that is back at what was sent with its id, and is
// returned as reverted.
func (t *Translator) place(s *session, n planName, c content) (p, twin, reverted *plan) {
	p = s.find(n)
	if q := t.otherwiseSent(s, p, n, c); q != nil && q.named && n.given {
		t.bytes -= q.size()
		q.entries.set(&q.own)
		q.anonymous = false
		q.forgetOwn()
		t.bytes += q.size()
		p, _, _ = t.place(s, n, content{})
		p.anonymous = true
		return p, nil, q
	} else if q != nil {
		switch {
		case p == nil:
			p = q
		case p.named && p.anonymous: // the legacy plan has been another one until now
			t.bytes -= p.size()
			p.anonymous = false
			p.forgetOwn()
			t.bytes += p.size()
			p = q
		case n.given:
			twin = q
		default:
			p, twin = q, p // the one with a name stays
		}
		if twin != nil {
			t.bytes -= twin.size()
			s.merge(p, twin)
		}
		if !p.named {
			p.id, p.named = n.id, true
			t.bytes += len(n.id)
		}
		p.anonymous = true
		return p, twin, nil
	}
	if p == nil {
		p = &plan{id: n.id, named: n.given, anonymous: !n.given, shownAs: s.unusedID(t.shownID(n))}
		s.plans = append(s.plans, p)
		t.bytes += p.size()
	}
	return p, nil, nil
}

func (p *plan) forgetOwn() {
	p.own.reset()
	p.ahead = false
}

// otherwiseSent returns the live plan, other than p, that has the entries just
// rendered and was sent them only in the way in which a message that calls its
// plan n is not.
func (t *Translator) otherwiseSent(s *session, p *plan, n planName, c content) *plan {
	if c.form != formItems || len(t.rendered.contents) == 0 {
		return nil
	}
	if p != nil && p.named && p.anonymous && (n.given || p.entries.same(&t.rendered)) {
		return nil
	}
	for _, q := range s.plans {
		otherWay := q.named != n.given || q.ahead && n.given
		if q != p && otherWay && q.items && q.entries.same(&t.rendered) {
			return q
		}
	}
	return nil
}

// merge deletes twin. If it was there first, p takes its place.
func (s *session) merge(p, twin *plan) {
	i, j := slices.Index(s.plans, twin), slices.Index(s.plans, p)
	if i < j {
		s.plans[i], s.plans[j] = p, twin
	}
	s.delete(twin)
}

func (s *session) delete(p *plan) {
	s.plans = slices.DeleteFunc(s.plans, func(q *plan) bool { return q == p })
}

// unusedID returns id, or that with a number behind it, such that no live plan
// is shown under it.
func (s *session) unusedID(id string) string {
	unused := id
	for n := 2; s.shownAs(unused) != nil; n++ {
		unused = id + "-" + strconv.Itoa(n)
	}
	return unused
}

// store makes what was rendered the content of p, which the message called n.
func (t *Translator) store(p *plan, n planName, c content) {
	t.bytes -= p.size()
	switch {
	case n.given:
		p.forgetOwn()
	case p.named && p.items && !p.ahead:
		p.own.set(&p.entries)
		p.ahead = true
	}
	p.title, p.items, p.updated = strings.Clone(cutTitle(c.title)), c.form == formItems, t.clock
	p.entries.take(&t.rendered)
	if cap(t.rendered.text) > maxScratch {
		t.rendered = entryList{}
	}
	t.bytes += p.size()
	t.result.Entries = len(p.entries.contents)
}

func (t *Translator) forget(s *session, p *plan) {
	t.bytes -= p.size()
	s.delete(p)
}

// trim keeps the limits after an update of s.
func (t *Translator) trim(s *session) {
	if len(s.plans) == 0 {
		t.end(s.id)
		return
	}
	for len(t.sessions) > MaxSessions {
		t.result.warn("more than %d sessions with plans; the plans of the oldest are forgotten", MaxSessions)
		t.forgetOldestSession(s)
	}
	for len(s.plans) > MaxPlans {
		t.result.warn("more than %d plans in a session; the oldest is forgotten", MaxPlans)
		t.forgetOldestPlan(s)
	}
	for id := range t.replaced {
		if t.bytes > MaxBytes {
			t.Replayed(id)
		}
	}
	for warned := false; t.bytes > MaxBytes && (len(t.sessions) > 1 || len(s.plans) > 1); warned = true {
		if !warned {
			t.result.warn("more than %d MiB of plans; the oldest are forgotten", MaxBytes>>20)
		}
		if len(t.sessions) > 1 {
			t.forgetOldestSession(s)
		} else {
			t.forgetOldestPlan(s)
		}
	}
}

func (t *Translator) forgetOldestPlan(s *session) {
	t.forget(s, slices.MinFunc(s.plans, func(p, q *plan) int { return cmp.Compare(p.updated, q.updated) }))
}

func (t *Translator) forgetOldestSession(except *session) {
	var oldest *session
	for _, s := range t.sessions {
		if s != except && (oldest == nil || s.updated < oldest.updated) {
			oldest = s
		}
	}
	t.Close(oldest.id)
}

// Close frees what is kept of a session.
func (t *Translator) Close(sessionID string) {
	t.Replayed(sessionID)
	t.end(sessionID)
}

// end forgets a session, but for what Restore would put back.
func (t *Translator) end(sessionID string) {
	if s := t.sessions[sessionID]; s != nil {
		t.bytes -= s.size()
		delete(t.sessions, sessionID)
	}
}

// Reset begins a session anew, before an agent replays it. What was live is
// kept until [Translator.Replayed], [Translator.Restore] or [Translator.Close].
func (t *Translator) Reset(sessionID string) {
	s := t.sessions[sessionID]
	if s == nil {
		return
	}
	delete(t.sessions, sessionID)
	if earlier := t.replaced[sessionID]; earlier != nil {
		t.bytes -= earlier.size() + s.size()
		earlier.take(s) // of two replays that have not been answered, the first may fail too
		s = earlier
		t.bytes += s.size()
	}
	t.replaced[sessionID] = s
}

// Replayed frees what was live before Reset: the session has been replayed.
func (t *Translator) Replayed(sessionID string) {
	if s := t.replaced[sessionID]; s != nil {
		t.bytes -= s.size()
		delete(t.replaced, sessionID)
	}
}

// Restore puts back what was live before Reset, beside what has been updated
// since: the replay did not take place.
func (t *Translator) Restore(sessionID string) {
	s := t.replaced[sessionID]
	if s == nil {
		return
	}
	t.Replayed(sessionID)
	if since := t.sessions[sessionID]; since != nil {
		t.end(sessionID)
		s.take(since)
	}
	if len(s.plans) > 0 {
		t.sessions[sessionID] = s
		t.bytes += s.size()
	}
}

// take adds the plans of a session that came after s, each in the place of the
// plan that it is a later state of.
func (s *session) take(later *session) {
	for _, p := range later.plans {
		outdated := func(q *plan) bool {
			return q.shownAs == p.shownAs || q.anonymous && p.anonymous || q.named && p.named && q.id == p.id
		}
		i := slices.IndexFunc(s.plans, outdated)
		if i < 0 {
			i = len(s.plans)
		}
		s.plans = slices.Insert(slices.DeleteFunc(s.plans, outdated), i, p)
	}
	s.updated = later.updated
}
