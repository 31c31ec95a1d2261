package logging

import (
	"log/slog"
	"sync"

	"acp-plan-proxy/translate"
)

// maxNames limits the number of distinct names in losses, because peers choose the names.
const maxNames = 32

// Losses logs the first loss of each kind in a connection, and counts the others. It is safe for
// concurrent use.
type Losses struct {
	log *slog.Logger

	mu        sync.Mutex
	kinds     []string // with the names of losses, in the order of their first losses
	counts    map[string]int
	nameCount int // number of kinds with a name
}

// NewLosses returns Losses that log to log.
func NewLosses(log *slog.Logger) *Losses {
	return &Losses{log: log, counts: make(map[string]int)}
}

// Note counts a loss and, if it is the first of its Kind and Name, logs it as a warning with the
// attributes. Beyond 32 names, a loss with a new name counts as one without a name.
func (l *Losses) Note(loss translate.Loss, attrs ...any) {
	kind := string(loss.Kind)
	l.mu.Lock()
	defer l.mu.Unlock()
	if loss.Name != "" {
		switch named := Clean(kind + " " + loss.Name); {
		case l.counts[named] > 0:
			kind = named
		case l.nameCount < maxNames:
			l.nameCount++
			kind = named
		}
	}
	if l.counts[kind]++; l.counts[kind] > 1 {
		return
	}
	l.kinds = append(l.kinds, kind)
	if loss.Session != "" {
		attrs = append(attrs, "session", loss.Session)
	}
	l.log.Warn(loss.Detail, append(attrs, "kind", kind)...)
}

// Close logs the counts of the kinds that occurred more than once.
func (l *Losses) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	var counts []any
	for _, kind := range l.kinds {
		if n := l.counts[kind]; n > 1 {
			counts = append(counts, slog.Int(kind, n))
		}
	}
	if counts != nil {
		l.log.Warn("these warnings occurred more than once", slog.Group("count", counts...))
	}
}
