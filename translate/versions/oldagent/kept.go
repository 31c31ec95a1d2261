package oldagent

// All of what is kept of sessions is counted and bounded in all.

const (
	// maxKept is how large everything together can be that is kept of sessions:
	// ids, titles, directories, options, keys, and the prompts of turns.
	maxKept = 64 << 20
	// entrySize is what a small thing that is kept counts, besides its texts.
	entrySize = 64
)

// A budget counts the bytes that are kept of all sessions.
type budget struct{ kept int }

func (b *budget) fits(n int) bool { return b.kept+n <= maxKept }

// keep reports whether n more bytes can be kept, and counts them.
func (b *budget) keep(n int) bool {
	fits := b.fits(n)
	if fits {
		b.kept += n
	}
	return fits
}

// unkeep notes that n bytes are kept no longer.
func (b *budget) unkeep(n int) { b.kept -= n }

// A share is the part of a budget that a session has. A session that is forgotten has
// none: what is still kept of it serves an answer that is being written.
type share struct {
	of   *budget
	kept int // in bytes
}

func (s *share) fits(n int) bool { return s.of == nil || s.of.fits(n) }

func (s *share) keep(n int) bool {
	if s.of == nil {
		return true
	}
	fits := s.of.keep(n)
	if fits {
		s.kept += n
	}
	return fits
}

func (s *share) unkeep(n int) {
	if s.of != nil {
		s.of.unkeep(n)
		s.kept -= n
	}
}
