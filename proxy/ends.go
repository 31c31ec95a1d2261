package proxy

import (
	"log/slog"

	"acp-plan-proxy/translate"
)

// clientGone notes that the client has ended. It returns what holdsClient returns.
func (c *conversation) clientGone() <-chan struct{} {
	c.mu.Lock()
	defer c.unlock()
	c.discovery.gate.clientGone(c.alarm.now())
	c.makersClientGoneLocked()
	return c.discovery.gate.held
}

// heldBack returns a channel that is closed when the bridge holds no more of what
// the client has said, nil if it holds nothing now. The client has ended.
func (c *conversation) heldBack() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joint.heldBack()
}

// refuseHeld refuses what the bridge still holds: the agent can get nothing more.
func (c *conversation) refuseHeld(why string) {
	c.mu.Lock()
	defer c.unlock()
	if !c.joint.holds() {
		return
	}
	c.losses.note(translate.Loss{Kind: translate.LossNotGiven, Detail: "a request was refused: " + why})
	c.leaveLocked(translate.Agent, nil, c.joint.refuseHeld(why, c.alarm.now()))
}

// agentEnded handles the end of the agent's output. It reports whether the agent is to
// be started once more.
func (c *conversation) agentEnded() bool {
	c.mu.Lock()
	defer c.unlock()
	c.carryOutLocked(c.discovery.agentEnded(c.alarm.now()))
	if c.discovery.replaces() {
		return true
	}
	if c.joint.isThere() {
		c.leaveLocked(translate.Agent, nil, c.joint.agentEnded(c.alarm.now()))
	}
	c.showTextsLocked()
	c.over = true
	c.carryOutLocked(c.discovery.gate.open())
	return false
}

// showTextsLocked shows the client the texts of plans that waited for a better moment.
func (c *conversation) showTextsLocked() {
	texts := c.plans.translator.AgentEnded()
	for _, text := range texts {
		c.sender.send(translate.Client, text, false)
	}
	c.sender.planSent = len(texts) > 0
	c.sender.showSent()
}

// agentRestarted handles that the agent has been started once more.
func (c *conversation) agentRestarted() {
	c.mu.Lock()
	defer c.unlock()
	c.carryOutLocked(c.discovery.agentRestarted())
}

// agentNotRestarted handles that the agent could not be started once more.
func (c *conversation) agentNotRestarted() {
	c.mu.Lock()
	defer c.unlock()
	c.carryOutLocked(c.discovery.agentNotRestarted(c.alarm.now()))
	c.over = true
	c.carryOutLocked(c.discovery.gate.open())
}

// agentFailed notes that the agent will not answer initialize any more, and why. The
// client is told so if it has asked, or else when it does; the channel is closed when
// it has been told.
func (c *conversation) agentFailed(why string) <-chan struct{} {
	c.mu.Lock()
	defer c.unlock()
	c.carryOutLocked(c.opening.fail(why, c.plans.unanswered()))
	c.plans.giveUp()
	told := c.opening.told
	if c.plans.asked {
		c.carryOutLocked(c.opening.noteTold())
	}
	return told
}

// awaitsInitialize reports whether the client still waits for an answer to
// initialize, or has not asked yet.
func (c *conversation) awaitsInitialize() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.plans.asked || len(c.plans.unanswered()) > 0
}

// hasRequested reports whether the client has sent initialize.
func (c *conversation) hasRequested() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plans.asked
}

func (c *conversation) logCounts(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses.log.Close()
	counts := c.plans.counts
	c.options.Log.Info("agent exited", "status", status,
		"forwarded", counts.forwarded, "rewritten", counts.rewritten, "dropped", counts.dropped,
		slog.Attr{Key: "warnings", Value: c.losses.log.Summary()})
}
