package logging

import (
	"log/slog"
	"sync"

	"acp-plan-proxy/translate"
)

// maxNames bounds how many names that peers have chosen are told apart. What has
// no name needs no bound: translate has the list of the kinds.
const maxNames = 32

// Losses says the first loss of each kind, as a warning, and counts the rest.
// One Losses is for one connection. It may be used by several goroutines at
// once.
type Losses struct {
	log *slog.Logger

	mu    sync.Mutex
	kinds []string // in the order of their first losses
	count map[string]int
	names int // how many of the kinds have a name that a peer has chosen
}

// NewLosses returns Losses that are said in log.
func NewLosses(log *slog.Logger) *Losses {
	return &Losses{log: log, count: make(map[string]int)}
}

// Note takes note of a loss. A loss whose Kind and Name were noted before is only
// counted. Past 32 names a Name does not count any more. What else is to be said of
// the loss follows as attributes.
func (l *Losses) Note(loss translate.Loss, attrs ...any) {
	kind := loss.Kind.String()
	l.mu.Lock()
	defer l.mu.Unlock()
	if loss.Name != "" {
		kind = l.named(kind, Clean(kind+" "+loss.Name))
	}
	if l.count[kind] == 0 {
		l.kinds = append(l.kinds, kind)
		l.say(kind, loss, attrs)
	}
	l.count[kind]++
}

// named returns the kind with a name, or without it if there are too many names.
// The caller has locked mu.
func (l *Losses) named(kind, name string) string {
	switch {
	case l.count[name] > 0:
		return name
	case l.names >= maxNames:
		return kind
	}
	l.names++
	return name
}

func (l *Losses) say(kind string, loss translate.Loss, attrs []any) {
	if loss.Session != "" {
		attrs = append(attrs, "session", loss.Session)
	}
	l.log.Warn(loss.Detail, append(attrs, "kind", kind)...)
}

// Summary returns how often each kind was noted, as a group of the kinds and their
// counts. Without any kinds it is an empty group, which a log leaves out.
func (l *Losses) Summary() slog.Value { return l.counted(1) }

// Close warns of each kind that was noted more than once, if there is any, and
// says how often it was noted.
func (l *Losses) Close() {
	if counts := l.counted(2); len(counts.Group()) > 0 {
		l.log.Warn("these warnings came more than once", slog.Attr{Key: "count", Value: counts})
	}
}

// counted returns the kinds that were noted at least that often.
func (l *Losses) counted(least int) slog.Value {
	l.mu.Lock()
	defer l.mu.Unlock()
	var counts []slog.Attr
	for _, kind := range l.kinds {
		if n := l.count[kind]; n >= least {
			counts = append(counts, slog.Int(kind, n))
		}
	}
	return slog.GroupValue(counts...)
}
