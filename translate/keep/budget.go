package keep

import "container/list"

// Limits in bytes.
const (
	PerSession    = 2 << 20  // entries of a session, or those that belong to no session
	PerConnection = 64 << 20 // everything that one translation retains for a connection

	// Reserve refuses bytes beyond MaxReserved; the rest of PerConnection remains for entries. The
	// cost of a share counts as reserved, but Open never refuses it.
	MaxReserved = PerConnection / 4 * 3
)

// Bytes that each session and each entry count in addition to their contents.
const (
	SessionCost = 2 << 10
	EntryCost   = 128
)

// A Budget counts the bytes that one translation retains for a connection. The zero value is ready
// for use.
type Budget struct {
	used, reserved int
	shares         list.List // of *Share, least recently opened or grown (by entries) first
	oversized      []*Share  // shares that exceeded PerSession
	exceeded       bool      // something was evicted or refused since EvictExcess last returned
}

// A Share counts the bytes of one session, or of state that belongs to no session. A closed
// or nil Share counts nothing.
type Share struct {
	budget    *Budget
	element   *list.Element
	evictable int       // bytes of entries
	reserved  int       // SessionCost, the session's id, and the bytes of Reserve
	entries   list.List // of *Entry, least recently grown first
	onEvict   func()    // may be nil
}

// An Entry is state that can be evicted. A nil Entry counts nothing.
type Entry struct {
	share   *Share // nil after Drop or eviction
	element *list.Element
	base    int // EntryCost and the bytes of Add
	size    int // all counted bytes, including base
	onEvict func()
}

// Open returns a share for a session with an id of that length. EvictExcess calls onEvict, unless
// it is nil, after evicting all entries of the share because of PerConnection. onEvict may close the
// share; a share that remains open counts as the most recently grown.
func (b *Budget) Open(idLength int, onEvict func()) *Share {
	s := &Share{budget: b, onEvict: onEvict}
	s.element = b.shares.PushBack(s)
	s.reserve(SessionCost + idLength)
	return s
}

// Close releases all bytes of the share, without evicting its entries.
func (s *Share) Close() {
	if !s.isOpen() {
		return
	}
	s.budget.used -= s.Used()
	s.budget.reserved -= s.reserved
	s.budget.shares.Remove(s.element)
	*s = Share{}
}

// Reserve counts n bytes until Release. They are not evicted while the share is open. Reserve
// counts nothing and reports false if the reserved bytes would exceed MaxReserved.
func (s *Share) Reserve(n int) bool {
	if !s.isOpen() {
		return true
	}
	if s.budget.reserved+n > MaxReserved {
		s.budget.exceeded = true
		return false
	}
	s.reserve(n)
	return true
}

// Hold returns a text after counting its bytes with Reserve, or "" if they do not fit.
func (s *Share) Hold(text string) string {
	if s.Reserve(len(text)) {
		return text
	}
	return ""
}

// Release releases n bytes counted by Reserve.
func (s *Share) Release(n int) {
	if s.isOpen() {
		s.reserve(-n)
	}
}

func (s *Share) reserve(n int) {
	s.reserved += n
	s.budget.reserved += n
	s.budget.used += n
}

// grow counts n more bytes of entries. n may be negative.
func (s *Share) grow(n int) {
	if s.evictable <= PerSession && s.evictable+n > PerSession {
		s.budget.oversized = append(s.budget.oversized, s)
	}
	s.evictable += n
	s.budget.used += n
}

// Add adds an entry of n bytes. EvictExcess calls onEvict, which must not be nil, after evicting
// the entry.
func (s *Share) Add(n int, onEvict func()) *Entry {
	if !s.isOpen() {
		return nil
	}
	e := &Entry{share: s, base: EntryCost + n, onEvict: onEvict}
	e.element = s.entries.PushBack(e)
	e.SetSize(0)
	return e
}

// SetSize sets the number of bytes that the entry counts in addition to the n bytes of Add.
// An entry that grows becomes the most recently grown.
func (e *Entry) SetSize(n int) {
	if !e.isOpen() {
		return
	}
	growth := e.base + n - e.size
	if growth > 0 {
		e.share.entries.MoveToBack(e.element)
		e.share.budget.shares.MoveToBack(e.share.element)
	}
	e.size += growth
	e.share.grow(growth)
}

// isOpen reports whether the bytes of the entry are counted.
func (e *Entry) isOpen() bool { return e != nil && e.share.isOpen() }

// isOpen reports whether the bytes of the share are counted: it is neither nil nor closed.
func (s *Share) isOpen() bool { return s != nil && s.budget != nil }

// Drop releases the bytes of the entry and removes it from its share, without calling onEvict.
func (e *Entry) Drop() {
	if !e.isOpen() {
		return
	}
	e.share.entries.Remove(e.element)
	e.share.grow(-e.size)
	e.share = nil
}

// EvictExcess evicts entries beyond the limits. It may evict any entry, so call it between
// messages. It reports whether it evicted an entry or called onEvict of a share, or Reserve refused
// bytes since the last call.
func (b *Budget) EvictExcess() (exceeded bool) {
	for i := 0; i < len(b.oversized); i++ { // an onEvict may append a share
		for s := b.oversized[i]; s.evictable > PerSession && s.evict(); {
		}
	}
	b.oversized = b.oversized[:0]
	for n := b.shares.Len(); n > 0 && b.shares.Len() > 0 && b.used > PerConnection; n-- {
		s := b.shares.Front().Value.(*Share)
		b.shares.MoveToBack(s.element) // a share that remains open must not be the first again
		for s.evict() {
		}
		if s.onEvict != nil {
			s.onEvict()
			b.exceeded = true
		}
	}
	exceeded, b.exceeded = b.exceeded, false
	return exceeded
}

// evict evicts the least recently grown entry. It reports false if there is none.
func (s *Share) evict() bool {
	first := s.entries.Front()
	if first == nil {
		return false
	}
	e := first.Value.(*Entry)
	e.Drop()
	s.budget.exceeded = true
	e.onEvict()
	return true
}

// Used returns the number of bytes counted in the connection, for tests of the limits.
func (b *Budget) Used() int { return b.used }

// Used returns the number of bytes counted in the share.
func (s *Share) Used() int { return s.evictable + s.reserved }
