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
	bytes   int    // the size when it was last counted

	synthetic string // the id of a legacy plan towards the client, if it is not taken
}

// A plan is what is known of a live plan.
type plan struct {
	state    state
	id       string // what the agent calls it, "" if unidentified
	shownAs  string // the id towards a client of plan operations
	legacyID bool   // shownAs was chosen for the legacy plan, and the id came later

	title   string    // of a markdown or file plan, cut
	items   bool      // its entries are the agent's own
	entries entryList // as the client shows them; none if it shows the plan otherwise
	shown   bool      // the client shows the plan

	// The times below are Translator.clock.
	first       uint64 // when the plan was first sent
	legacyFirst uint64 // when the legacy plan was, that this plan is
	updated     uint64 // when the plan was last sent

	own        entryList // what was last sent with the id, if ahead
	ownUpdated uint64    // when
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
		s = &session{id: string(id), synthetic: t.options.SyntheticID}
		t.sessions[s.id] = s
	}
	s.updated = t.clock
	return s
}

// name returns what a message with those id members calls its plan. The string
// of a plan that is live is used again.
func (s *session) name(ids idMembers, text []byte) planName {
	id, given := ids.value(text)
	for _, p := range s.plans {
		if given && p.state.named() && p.id == string(id) {
			return planName{p.id, true}
		}
	}
	return planName{string(id), given}
}

// find returns the live plan of that name, nil if there is none.
func (s *session) find(n planName) *plan {
	for _, p := range s.plans {
		if n.given && p.state.named() && p.id == n.id || !n.given && p.state.legacy() {
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

// add adds a plan that the agent calls n.
func (s *session) add(n planName) *plan {
	p := &plan{id: n.id, state: unidentified, first: s.updated}
	id := s.synthetic
	if n.given {
		p.state, id = identified, n.id
	}
	p.shownAs = s.unusedID(id)
	s.plans = append(s.plans, p)
	return p
}

// set makes c what p shows. The memory of c.entries is changed for that of p.
func (s *session) set(p *plan, c content) {
	p.title, p.items, p.updated = strings.Clone(cutTitle(c.title)), c.form == formItems, s.updated
	p.entries.take(c.entries)
}

// count counts the bytes of a session after a change.
func (t *Translator) count(s *session) {
	t.bytes -= s.bytes
	s.bytes = s.size()
	t.bytes += s.bytes
}

// uncount takes the bytes of a session off that is no longer kept.
func (t *Translator) uncount(s *session) {
	t.bytes -= s.bytes
	s.bytes = 0
}

// trim keeps the limits after an update of s.
func (t *Translator) trim(s *session) {
	t.count(s)
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
	t.count(s)
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
			t.count(s)
		}
	}
}

func (t *Translator) forgetOldestPlan(s *session) {
	s.delete(slices.MinFunc(s.plans, func(p, q *plan) int { return cmp.Compare(p.updated, q.updated) }))
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
		t.uncount(s)
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
		t.uncount(s)
		earlier.take(s) // of two replays that have not been answered, the first may fail too
		s = earlier
		t.count(s)
	}
	t.replaced[sessionID] = s
}

// Replayed frees what was live before Reset: the session has been replayed.
func (t *Translator) Replayed(sessionID string) {
	if s := t.replaced[sessionID]; s != nil {
		t.uncount(s)
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
		t.count(s)
	}
}

// take adds the plans of a session that came after s, each in the place of the
// plan that it is a later state of.
func (s *session) take(later *session) {
	for _, p := range later.plans {
		outdated := func(q *plan) bool {
			return q.shownAs == p.shownAs || q.state.legacy() && p.state.legacy() || q.state.named() && p.state.named() && q.id == p.id
		}
		i := slices.IndexFunc(s.plans, outdated)
		if i < 0 {
			i = len(s.plans)
		}
		s.plans = slices.Insert(slices.DeleteFunc(s.plans, outdated), i, p)
	}
	s.updated = later.updated
}
