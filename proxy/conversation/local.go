package conversation

import (
	"bytes"
	"strconv"
	"time"

	"acp-plan-proxy/translate"
)

// A Local is the proxy between a client and an agent in the same process. The caller passes
// the lines; nothing happens between two calls. A Local is not safe for concurrent use.
type Local struct {
	c          *Conversation
	directions [2]*direction   // by the sender's translate.Side
	reached    [2]bytes.Buffer // by the receiver's
}

// NewLocal returns a Local that has not seen any message. Its messages for the same lines
// are always the same: no clock or random number takes part.
func NewLocal(o Options) *Local {
	l := new(Local)
	l.c = New(o, &l.reached[translate.Client], &l.reached[translate.Agent], "agent", func() {})
	start, messages := time.Now(), 0
	l.c.alarm = alarm{now: func() time.Time { return start }}
	l.c.discovery.joiner = newJoiner("agent", o.Announcement, func() string {
		messages++
		return "message-" + strconv.Itoa(messages)
	})
	for side := range l.directions {
		l.directions[side] = newDirection(l.c, translate.Side(side))
	}
	return l
}

// Pass takes a line of one side, with its newline, and returns the lines that reach the
// client and the agent because of it.
func (l *Local) Pass(from translate.Side, line []byte) (toClient, toAgent []byte) {
	out, changed := l.directions[from].Rewrite(line)
	if !changed {
		out = line
	}
	l.c.outlets[from.Other()].Send(out)
	return l.take()
}

// AgentEnded ends the output of the agent. It returns the last lines for both sides, and
// whether the proxy starts the agent once more; toAgent is then for the new agent.
func (l *Local) AgentEnded() (toClient, toAgent []byte, again bool) {
	if again = l.c.AgentEnded(); again {
		l.c.AgentRestarted()
	}
	toClient, toAgent = l.take()
	return toClient, toAgent, again
}

// Close logs the losses of the conversation.
func (l *Local) Close() { l.c.losses.Close() }

// take returns what has reached the two sides since the last call.
func (l *Local) take() (toClient, toAgent []byte) {
	for side := range l.reached {
		l.c.outlets[side].Flush()
	}
	toClient, toAgent = bytes.Clone(l.reached[translate.Client].Bytes()), bytes.Clone(l.reached[translate.Agent].Bytes())
	for side := range l.reached {
		l.reached[side].Reset()
	}
	return toClient, toAgent
}
