package keep

// How many bytes a translation keeps: of entries in each session, and of all in the
// connection. Of entries the oldest goes if there are more; anything else is kept only if it
// fits.
const (
	PerSession    = 2 << 20
	PerConnection = 64 << 20

	// Fixed is how much may stay, which is less: sessions that are busy stay, too.
	Fixed = PerConnection / 4 * 3
)

// What a session counts, and what an entry of it does, besides their texts.
const (
	SessionCost = 2 << 10
	EntryCost   = 128
)

// A Budget counts what is kept of a connection. The zero value is ready.
type Budget struct {
	used, fixed int
	shares      list[*Share] // the one that got an entry last is last
	over        []*Share     // that had more than a session may
	passed      bool         // something went, or did not fit
}

// A Share is what is kept of a session, or of something that a connection has once. That
// of a session which is over, a nil one too, counts nothing.
type Share struct {
	of          *Budget
	at          node[*Share]
	goes, fixed int          // bytes of entries, and of what stays
	entries     list[*Entry] // the one that grew last is last
	gone        func()
}

// An Entry is something that goes when too much is kept. A nil one counts nothing.
type Entry struct {
	of         *Share // nil if it counts no more
	at         node[*Entry]
	base, size int
	gone       func()
}

// Open begins to count a session, whose id has so many bytes. If too much is kept of the
// connection, all entries go of the session that got one longest ago. Then gone is
// called, if it is not nil: it may close the share. A share that stays open counts as one
// that has just got an entry.
func (b *Budget) Open(id int, gone func()) *Share {
	s := &Share{of: b, gone: gone}
	s.at.of = s
	b.shares.push(&s.at)
	s.fix(SessionCost + id)
	return s
}

// Close counts nothing of the session any more. Nothing of it goes by itself.
func (s *Share) Close() {
	if !s.counts() {
		return
	}
	s.of.used -= s.Used()
	s.of.fixed -= s.fixed
	s.of.shares.remove(&s.at)
	*s = Share{}
}

// Fix counts n bytes that stay until they are freed. It reports false, and counts
// nothing, if they do not fit beside all others that stay.
func (s *Share) Fix(n int) bool {
	if !s.counts() {
		return true
	}
	if s.of.fixed+n > Fixed {
		s.of.passed = true
		return false
	}
	s.fix(n)
	return true
}

// Free counts n bytes no more that were fixed.
func (s *Share) Free(n int) {
	if s.counts() {
		s.fix(-n)
	}
}

func (s *Share) fix(n int) {
	s.fixed += n
	s.of.fixed += n
	s.of.used += n
}

// grow counts n bytes of entries.
func (s *Share) grow(n int) {
	if s.goes <= PerSession && s.goes+n > PerSession {
		s.of.over = append(s.of.over, s)
	}
	s.goes += n
	s.of.used += n
}

// Add adds an entry of n bytes as the newest. When it goes by itself, gone is called.
func (s *Share) Add(n int, gone func()) *Entry {
	if !s.counts() {
		return nil
	}
	e := &Entry{of: s, base: EntryCost + n, gone: gone}
	e.at.of = e
	s.entries.push(&e.at)
	e.Count(0)
	return e
}

// Count says how many bytes the entry has besides those that it was added with. One that
// has more than before is the newest.
func (e *Entry) Count(n int) {
	if !e.counts() {
		return
	}
	by := e.base + n - e.size
	if by > 0 {
		e.of.entries.toEnd(&e.at)
		e.of.of.shares.toEnd(&e.of.at)
	}
	e.size += by
	e.of.grow(by)
}

func (e *Entry) counts() bool { return e != nil && e.of.counts() }

func (s *Share) counts() bool { return s != nil && s.of != nil }

// Drop counts the entry no more.
func (e *Entry) Drop() {
	if !e.counts() {
		return
	}
	e.of.entries.remove(&e.at)
	e.of.grow(-e.size)
	e.of = nil
}

// Settle has the oldest go if too much is kept. It is called between messages, so nothing
// goes that somebody is at work on. It reports whether anything went, or did not fit,
// since it was called last.
func (b *Budget) Settle() (passed bool) {
	if len(b.over) == 0 && b.used <= PerConnection && !b.passed {
		return false
	}
	return b.settle()
}

func (b *Budget) settle() (passed bool) {
	for _, s := range b.over {
		for s.goes > PerSession && s.forget() {
		}
	}
	b.over = b.over[:0]
	for n := b.shares.len; n > 0 && b.shares.first != nil && b.used > PerConnection; n-- {
		s := b.shares.first.of
		b.shares.toEnd(&s.at) // so the next call does not begin with a session that stays
		for s.forget() {
		}
		if s.gone != nil {
			s.gone()
			b.passed = true
		}
	}
	passed, b.passed = b.passed, false
	return passed
}

// forget has the oldest entry go. It reports false if there is none.
func (s *Share) forget() bool {
	if s.entries.first == nil {
		return false
	}
	e := s.entries.first.of
	e.Drop()
	s.of.passed = true
	e.gone()
	return true
}

// Used returns how many bytes are kept of the connection.
func (b *Budget) Used() int { return b.used }

// Used returns how many bytes are kept of the session.
func (s *Share) Used() int { return s.goes + s.fixed }
