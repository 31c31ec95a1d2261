package proxy

import (
	"log/slog"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
)

// An effect is one thing that follows from an event. Discovery, the refusals and the
// opening decide; they know no outlet, no observer and no process. They return
// effects, and the conversation carries these out in their order. A text is a message
// without a terminator.
type effect interface{ isEffect() }

// All effects there are.
type (
	// pass: the message that led to this goes on, through the stages. Without it, what
	// the message leads to is among the effects.
	pass struct{}

	// send: a side gets a message as it is.
	send struct {
		to      translate.Side
		text    []byte
		answers bool // the side has caused it
	}

	// sendToClient: the client gets a message of its own version through the stages, as
	// if the agent had said it.
	sendToClient struct{ text []byte }

	// deliver: a message that a side has said before goes its way now.
	deliver struct {
		from translate.Side
		text []byte
	}

	// showDropped: the observer sees that a message goes nowhere, and what was lost
	// until something else is seen.
	showDropped struct {
		from translate.Side
		text []byte
	}

	// restart: the agent's process ends, and another one is started.
	restart struct{}

	// join: a bridge goes between the two.
	join struct {
		bridge   versions.Bridge
		versions string // for the log
	}

	// release: who waits for the channel goes on.
	release struct{ held chan struct{} }

	// lose: something was lost.
	lose struct{ loss translate.Loss }

	// say: the log has a sentence, as a warning if there is an error.
	say struct {
		what string
		err  error
	}
)

// in says it in a log.
func (s say) in(log *slog.Logger) {
	if s.err != nil {
		log.Warn(s.what, "error", s.err)
	} else {
		log.Info(s.what)
	}
}

func (pass) isEffect()         {}
func (send) isEffect()         {}
func (sendToClient) isEffect() {}
func (deliver) isEffect()      {}
func (showDropped) isEffect()  {}
func (restart) isEffect()      {}
func (join) isEffect()         {}
func (release) isEffect()      {}
func (lose) isEffect()         {}
func (say) isEffect()          {}

// passes reports whether the message that led to effects goes on.
func passes(effects []effect) bool { return slices.Contains(effects, effect(pass{})) }
