package conversation

import (
	"bytes"
	"strconv"
	"time"

	"acp-plan-proxy/translate"
)

// A Local is the proxy between a client and an agent in the same process. It passes the messages
// for each side to a function, before the call that causes them returns. A Local is not safe for
// concurrent use.
type Local struct {
	c          *Conversation
	directions [2]*direction   // by the sender's translate.Side
	output     [2]bytes.Buffer // by the receiver's translate.Side
	deliver    func(to translate.Side, lines []byte)
}

// NewLocal returns a Local that passes its output to deliver. Its output for the same lines is
// always the same: it uses no clock and no random numbers.
func NewLocal(o Options, deliver func(to translate.Side, lines []byte)) *Local {
	l := &Local{deliver: deliver}
	l.c = New(o, &l.output[translate.Client], &l.output[translate.Agent], "agent", func() {})
	start, messageCount := time.Now(), 0
	l.c.alarm = alarm{now: func() time.Time { return start }}
	l.c.discovery.joiner = newJoiner("agent", o.Announcement, l.c.stages.negotiation.selectors.Options, func() string {
		messageCount++
		return "message-" + strconv.Itoa(messageCount)
	})
	for side := range l.directions {
		l.directions[side] = newDirection(l.c, translate.Side(side))
	}
	return l
}

// Pass translates a line from a side, with its newline.
func (l *Local) Pass(from translate.Side, line []byte) {
	out, changed := l.directions[from].Rewrite(line)
	if !changed {
		out = line
	}
	l.c.outlets[from.Other()].Send(out)
	l.flush()
}

// AgentEnded processes the end of the agent's output. If restart is true, the agent is started
// again: the lines that AgentEnded delivers for it are the first lines of the second process.
func (l *Local) AgentEnded() (restart bool) {
	if restart = l.c.AgentEnded(); restart {
		l.c.AgentRestarted()
	}
	l.flush()
	return restart
}

// flush delivers the output.
func (l *Local) flush() {
	for side := range l.output {
		l.c.outlets[side].Flush()
		l.deliver(translate.Side(side), bytes.Clone(l.output[side].Bytes()))
		l.output[side].Reset()
	}
}

// Close logs the losses of the conversation.
func (l *Local) Close() { l.c.losses.Close() }
