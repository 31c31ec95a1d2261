package proxy

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// A joint is the bridge of a conversation, once discovery has found that one is
// needed. It then stays. What follows from an event is in the [translate.Out] that a
// joint returns, which is valid until the next event.
type joint struct {
	bridge versions.Bridge // nil if the two sides speak for themselves
	out    translate.Out

	// handedOn is closed when the bridge holds no more of what a client has said
	// that has ended; nil before that.
	handedOn chan struct{}
}

func (j *joint) isThere() bool { return j.bridge != nil }

// convert has a message of a side converted.
func (j *joint) convert(side translate.Side, m *jsonrpc.Message, now time.Time) *translate.Out {
	j.out.Reset(side, m)
	if side == translate.Client {
		j.bridge.FromClient(m, now, &j.out)
	} else {
		j.bridge.FromAgent(m, now, &j.out)
	}
	return &j.out
}

// wake has the bridge do what was to be done at next.
func (j *joint) wake(now time.Time) *translate.Out {
	j.out.Reset(translate.Agent, nil)
	j.bridge.Wake(now, &j.out)
	return &j.out
}

// next is when wake is wanted, the zero time if it is not.
func (j *joint) next() time.Time { return j.bridge.Next() }

// agentEnded tells the bridge that the agent has ended.
func (j *joint) agentEnded(now time.Time) *translate.Out {
	j.out.Reset(translate.Agent, nil)
	j.bridge.Gone("agent exited", now, &j.out)
	return &j.out
}

// holds reports whether the bridge holds requests that the agent has yet to get.
func (j *joint) holds() bool {
	holder, ok := j.bridge.(versions.Holder)
	return ok && holder.Holds()
}

// refuseHeld refuses what the bridge holds: the agent can get nothing more.
func (j *joint) refuseHeld(why string, now time.Time) *translate.Out {
	j.out.Reset(translate.Agent, nil)
	j.bridge.(versions.Holder).RefuseHeld(why, now, &j.out)
	return &j.out
}

// heldBack returns a channel that is closed when the bridge holds no more of what
// the client has said, nil if it holds nothing now. The client has ended.
func (j *joint) heldBack() <-chan struct{} {
	if j.handedOn == nil && j.holds() {
		j.handedOn = make(chan struct{})
	}
	return j.handedOn
}

// noteHandedOn closes that channel if it is time.
func (j *joint) noteHandedOn() {
	if j.handedOn != nil && !j.holds() {
		close(j.handedOn)
		j.handedOn = nil
	}
}
