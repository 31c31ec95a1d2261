package keep

import "container/list"

// Limits in bytes.
const (
	PerSession    = 2 << 20  // entries of a session
	PerConnection = 64 << 20 // everything that a translation retains for a connection

	// MaxReserved limits the bytes that Reserve counts, so that the rest remains for entries.
	MaxReserved = PerConnection / 4 * 3
)

// Overhead in bytes.
const (
	SessionCost = 2 << 10
	EntryCost   = 128
)

// A Budget counts the bytes that one translation retains for a connection. The zero value is ready for use.
type Budget struct {
	used, reserved int
	shares         list.List // of *Share, least recently grown first
	over           []*Share  // shares that exceeded PerSession
	exceeded       bool      // an entry was evicted, or bytes did not fit
}

// A Share counts the bytes of one session, or of state that a connection has once. A closed
// or nil Share counts nothing.
type Share struct {
	of        *Budget
	at        *list.Element
	evictable int       // bytes of entries
	reserved  int       // bytes that are not evicted while the share is open
	entries   list.List // of *Entry, least recently grown first
	onEvict   func()
}

// An Entry is state that can be evicted. A nil Entry counts nothing.
type Entry struct {
	of         *Share // nil after Drop
	at         *list.Element
	base, size int
	onEvict    func()
}

// Open returns a share for a session with an id of that length. When EvictExcess evicts all entries
// of the share because of PerConnection, it calls onEvict, if that is not nil. onEvict may close the
// share; a share that remains open counts as the most recently grown.
func (b *Budget) Open(idLength int, onEvict func()) *Share {
	s := &Share{of: b, onEvict: onEvict}
	s.at = b.shares.PushBack(s)
	s.reserve(SessionCost + idLength)
	return s
}

// Close releases all bytes of the share, without evicting its entries.
func (s *Share) Close() {
	if !s.counts() {
		return
	}
	s.of.used -= s.Used()
	s.of.reserved -= s.reserved
	s.of.shares.Remove(s.at)
	*s = Share{}
}

// Reserve counts n bytes until Release. They are not evicted while the share is open. Reserve
// counts nothing and reports false if the reserved bytes would exceed MaxReserved.
func (s *Share) Reserve(n int) bool {
	if !s.counts() {
		return true
	}
	if s.of.reserved+n > MaxReserved {
		s.of.exceeded = true
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
	if s.counts() {
		s.reserve(-n)
	}
}

func (s *Share) reserve(n int) {
	s.reserved += n
	s.of.reserved += n
	s.of.used += n
}

// grow counts n more bytes of entries.
func (s *Share) grow(n int) {
	if s.evictable <= PerSession && s.evictable+n > PerSession {
		s.of.over = append(s.of.over, s)
	}
	s.evictable += n
	s.of.used += n
}

// Add adds an entry of n bytes. On eviction, it calls onEvict.
func (s *Share) Add(n int, onEvict func()) *Entry {
	if !s.counts() {
		return nil
	}
	e := &Entry{of: s, base: EntryCost + n, onEvict: onEvict}
	e.at = s.entries.PushBack(e)
	e.SetSize(0)
	return e
}

// SetSize sets the number of bytes that the entry counts in addition to the size given to Add.
// An entry that grows becomes the most recently grown.
func (e *Entry) SetSize(n int) {
	if !e.counts() {
		return
	}
	growth := e.base + n - e.size
	if growth > 0 {
		e.of.entries.MoveToBack(e.at)
		e.of.of.shares.MoveToBack(e.of.at)
	}
	e.size += growth
	e.of.grow(growth)
}

func (e *Entry) counts() bool { return e != nil && e.of.counts() }

func (s *Share) counts() bool { return s != nil && s.of != nil }

// Drop releases the bytes of the entry.
func (e *Entry) Drop() {
	if !e.counts() {
		return
	}
	e.of.entries.Remove(e.at)
	e.of.grow(-e.size)
	e.of = nil
}

// EvictExcess evicts entries beyond the limits. It may evict any entry, so call it between
// messages. It reports whether an entry was evicted, or bytes did not fit, since the
// last call.
func (b *Budget) EvictExcess() (exceeded bool) {
	if len(b.over) == 0 && b.used <= PerConnection && !b.exceeded {
		return false
	}
	return b.evictExcess()
}

func (b *Budget) evictExcess() (exceeded bool) {
	for _, s := range b.over {
		for s.evictable > PerSession && s.evict() {
		}
	}
	b.over = b.over[:0]
	for n := b.shares.Len(); n > 0 && b.shares.Len() > 0 && b.used > PerConnection; n-- {
		s := b.shares.Front().Value.(*Share)
		b.shares.MoveToBack(s.at) // a share that remains open must not be the first again
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
	s.of.exceeded = true
	e.onEvict()
	return true
}

// Used returns the number of bytes counted in the connection.
func (b *Budget) Used() int { return b.used }

// Used returns the number of bytes counted in the share.
func (s *Share) Used() int { return s.evictable + s.reserved }
