package keep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A recordingBudget is a Budget that records the names of the evicted entries and shares, in order.
type recordingBudget struct {
	Budget
	evicted []string
}

func (r *recordingBudget) open(name string) *Share {
	return r.Open(0, func() { r.evicted = append(r.evicted, name) })
}

func (r *recordingBudget) add(s *Share, name string, size int) *Entry {
	return s.Add(size-EntryCost, func() { r.evicted = append(r.evicted, name) })
}

// wantEvicted calls EvictExcess and checks the evicted entries and shares.
func (r *recordingBudget) wantEvicted(t *testing.T, want ...string) {
	t.Helper()
	exceeded := r.EvictExcess()
	if !slices.Equal(r.evicted, want) || exceeded != (len(want) > 0) {
		t.Errorf("evicted %q, %t; want %q", r.evicted, exceeded, want)
	}
	r.evicted = nil
	if r.Used() > PerConnection {
		t.Errorf("%d bytes are kept", r.Used())
	}
}

// Beyond the limit of a session, EvictExcess evicts only its least recently grown entry.
func TestEvictEntry(t *testing.T) {
	var r recordingBudget
	a, b := r.open("a"), r.open("b")
	const third = PerSession / 3
	r.add(b, "other", third)
	one, two := r.add(a, "one", third), r.add(a, "two", third)
	r.add(a, "three", third)
	r.wantEvicted(t)
	one.SetSize(0)
	r.add(a, "small", EntryCost)
	r.wantEvicted(t, "one")
	two.SetSize(EntryCost) // an entry that grows is the newest
	r.add(a, "four", third)
	r.wantEvicted(t, "three")
	two.Drop()
	two.SetSize(PerSession)
	r.add(a, "five", third)
	r.wantEvicted(t)
	r.add(a, "too large", PerSession+1)
	r.wantEvicted(t, "small", "four", "five", "too large")
	a.Add(PerSession, func() { r.add(b, "grown", PerSession+1) })
	r.wantEvicted(t, "other", "grown")
	if a.Used() != SessionCost {
		t.Errorf("%d bytes are kept", a.Used())
	}
}

// Beyond the limit of the connection, EvictExcess evicts all entries of the least recently grown
// share.
func TestEvictSession(t *testing.T) {
	var r recordingBudget
	const large = PerSession - 2*EntryCost
	var shares []*Share
	open := func() *Share {
		s := r.open(fmt.Sprint(len(shares)))
		shares = append(shares, s)
		r.add(s, fmt.Sprint(len(shares)-1, " small"), EntryCost)
		r.add(s, fmt.Sprint(len(shares)-1, " large"), large)
		return s
	}
	for r.Used()+PerSession+SessionCost+EntryCost <= PerConnection {
		open()
	}
	r.add(shares[0], "more", EntryCost)
	r.wantEvicted(t)
	last := open()
	r.wantEvicted(t, "1 small", "1 large", "1")
	shares[2].Close()
	shares[2].Close()
	r.add(shares[2], "nothing", PerSession).SetSize(1)
	before := r.Used()
	last.entries.Front().Value.(*Entry).Drop()
	r.wantEvicted(t)
	if r.Used() != before-EntryCost || shares[2].Used() != 0 {
		t.Errorf("%d bytes are kept, %d before", r.Used(), before)
	}
}

// EvictExcess calls onEvict of a share that remains open a second time only after it has called that of
// every other share.
func TestBusySessions(t *testing.T) {
	var r recordingBudget
	// EvictExcess calls onEvict of each of the 1000 busy shares once per pass over the list. A pass
	// makes room for about 31 large shares, so 500 evictions need about 17 passes.
	const mostCalls = 20 * 1000
	calls := 0
	for range 1000 {
		r.Open(0, func() { calls++ })
	}
	s := r.open("s")
	const beyondLimit = 500
	for range PerConnection/PerSession + beyondLimit {
		other := r.Open(0, nil)
		other.Add(PerSession-2*EntryCost, func() {})
		r.EvictExcess()
	}
	if s.Used() != SessionCost || r.Used() > PerConnection || calls > mostCalls {
		t.Errorf("%d bytes are counted, onEvict was called %d times", r.Used(), calls)
	}
}

// Reserved bytes are never evicted, and have a limit of their own.
func TestReserved(t *testing.T) {
	var r recordingBudget
	a, b, c := r.open("a"), r.open("b"), r.Open(10, nil)
	r.add(a, "entry", PerSession)
	if !a.Reserve(MaxReserved-3*SessionCost-10) || b.Reserve(1) {
		t.Error("Reserve refuses bytes within MaxReserved, or accepts bytes beyond it")
	}
	if first, second := r.EvictExcess(), r.EvictExcess(); !first || second {
		t.Errorf("EvictExcess reports refused bytes as %t and then as %t", first, second)
	}
	if r.evicted != nil {
		t.Errorf("%q are evicted for reserved bytes", r.evicted)
	}
	a.Release(1)
	if !c.Reserve(1) || c.Used() != SessionCost+11 {
		t.Errorf("released bytes cannot be reserved again, or %d bytes are counted", c.Used())
	}
	var nilShare *Share
	nilShare.Close()
	nilShare.Release(1)
	b.Close()
	if !nilShare.Reserve(2*PerConnection) || !b.Reserve(2*PerConnection) || nilShare.Add(1, nil) != nil {
		t.Error("a closed share counts bytes")
	}
}

// Eviction deletes a value of a Map. The value counts until then.
func TestMapEviction(t *testing.T) {
	var r recordingBudget
	s := r.Open(0, nil)
	var m Map[int]
	for i := range 3 {
		m.Keep(s, fmt.Sprint(i), i, func() { r.evicted = append(r.evicted, fmt.Sprint(i)) }).SetSize(PerSession / 4)
	}
	m.Keep(s, "1", 4, nil).SetSize(PerSession / 4)
	r.wantEvicted(t)
	m.Put("not counted", 5)
	m.Keep(s, strings.Repeat("x", PerSession/4), 6, nil)
	r.wantEvicted(t, "0")
	if m.Len() != 4 || m.Has("0") || m.Get("1") != 4 {
		t.Errorf("%d values are left", m.Len())
	}
	m.Clear()
	if m.Len() != 0 || s.Used() != SessionCost {
		t.Errorf("%d values are left, %d bytes are kept", m.Len(), s.Used())
	}
}

// Under random operations, the limits hold and the counts match the state.
func TestBudget(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	type session struct {
		share   *Share
		entries []*Entry
	}
	var b Budget
	var sessions []*session
	sizes := make(map[*Entry]int) // expected, in bytes
	open := func() {
		s := new(session)
		s.share = b.Open(0, func() {
			if random.IntN(2) == 0 {
				s.share.Close()
				sessions = slices.DeleteFunc(sessions, func(other *session) bool { return other == s })
			}
		})
		sessions = append(sessions, s)
	}
	for step := range 4000 {
		for len(sessions) < 30 {
			open()
		}
		s := sessions[random.IntN(len(sessions))]
		remove := func(e *Entry) {
			s.entries = slices.DeleteFunc(s.entries, func(other *Entry) bool { return other == e })
		}
		size := random.IntN(4 << 20)
		if len(s.entries) == 0 || random.IntN(2) == 0 {
			var added *Entry
			added = s.share.Add(size, func() { remove(added) })
			s.entries, sizes[added] = append(s.entries, added), EntryCost+size
		} else if e := s.entries[random.IntN(len(s.entries))]; random.IntN(4) == 0 {
			e.Drop()
			remove(e)
		} else {
			sizes[e] += size - (e.size - e.base)
			e.SetSize(size)
		}
		b.EvictExcess()
		all := 0
		for _, s := range sessions {
			sum := SessionCost
			for _, e := range s.entries {
				sum += sizes[e]
			}
			if sum != s.share.Used() || sum > PerSession+SessionCost {
				t.Fatalf("step %d: %d bytes are kept of a session, but %d counted", step, sum, s.share.Used())
			}
			all += sum
		}
		if all != b.Used() || all > PerConnection {
			t.Fatalf("step %d: %d bytes are kept, but %d counted", step, all, b.Used())
		}
	}
}
