package proxy

import (
	"slices"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
)

// maxLost bounds how many losses the observer sees of one message. A list of a thousand
// items that cannot be read is one loss.
const maxLost = 32

// losses are what is lost in a conversation: for the log, and for the observer with the
// next event. The latter belongs to the conversation's lock.
type losses struct {
	log  *logging.Losses
	kept bool // there is an observer
	lost []translate.Loss
}

func newLosses(o Options) *losses {
	return &losses{log: logging.NewLosses(o.Log), kept: o.Observe != nil}
}

// note notes a loss.
func (l *losses) note(loss translate.Loss) {
	version := loss.Version
	loss.Version = false
	l.keep(loss)
	if version {
		loss.Detail = "lost in translation: " + loss.Detail
	}
	l.log.Note(loss)
}

// keep keeps a loss for the observer, as the log has it.
func (l *losses) keep(loss translate.Loss) {
	if !l.kept || len(l.lost) >= maxLost {
		return
	}
	loss.Name, loss.Detail = logging.Clean(loss.Name), logging.Clean(loss.Detail)
	if !slices.Contains(l.lost, loss) {
		l.lost = append(l.lost, loss)
	}
}

// take returns what was kept since the last time.
func (l *losses) take() []translate.Loss {
	lost := l.lost
	l.lost = nil
	return lost
}
