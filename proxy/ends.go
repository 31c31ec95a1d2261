package proxy

import (
	"log/slog"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// clientGone handles the end of the client's input. It returns the channel of holdsClient.
func (c *conversation) clientGone() <-chan struct{} {
	c.mu.Lock()
	defer c.unlock()
	c.discovery.gate.clientGone(c.alarm.now())
	c.concernsLocked(c.stages.Gone(translate.Client, c.alarm.now()))
	c.observer.show()
	return c.discovery.gate.held
}

// heldBack returns a channel that is closed when no stage holds requests of the client, or
// nil if none holds any now. It is called after the end of the client's input.
func (c *conversation) heldBack() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handedOn == nil && c.stages.Holds() {
		c.handedOn = make(chan struct{})
	}
	return c.handedOn
}

// refuseHeld refuses the requests that the stages hold, when the agent's input has closed.
func (c *conversation) refuseHeld(why string) {
	c.mu.Lock()
	defer c.unlock()
	if c.stages.Holds() {
		c.Lose(translate.Loss{Kind: translate.LossNotGiven, Detail: "a request was refused: " + why})
		c.concernsLocked(c.stages.RefuseHeld(why, c.alarm.now()))
	}
}

// agentEnded handles the end of the agent's output. It reports whether to start the agent
// again.
func (c *conversation) agentEnded() bool {
	c.mu.Lock()
	defer c.unlock()
	c.outputEndedLocked()
	if c.discovery.replaces() {
		return true
	}
	c.concernsLocked(c.stages.Gone(translate.Agent, c.alarm.now()))
	c.observer.show()
	c.over = true
	c.discovery.gate.open()
	return false
}

// agentRestarted is called after the second start of the agent.
func (c *conversation) agentRestarted() {
	c.mu.Lock()
	defer c.unlock()
	ask := c.discovery.again
	c.discovery.again = nil
	c.sayLocked(translate.Agent, ask, false)
}

// agentNotRestarted is called if the second start fails.
func (c *conversation) agentNotRestarted() {
	c.mu.Lock()
	defer c.unlock()
	c.discovery.again = nil
	c.outputEndedLocked()
	c.over = true
	c.discovery.gate.open()
}

// agentFailed records why the agent will not answer initialize. A pending or future
// initialize of the client gets an error response. The channel is closed when it is sent.
func (c *conversation) agentFailed(why string) <-chan struct{} {
	c.mu.Lock()
	defer c.unlock()
	for _, id := range c.stages.negotiation.fail(why) {
		c.sayLocked(translate.Client, errorResponse(id, jsonrpc.InternalError, why), false)
	}
	c.told = make(chan struct{})
	return c.told
}

// initialize reports whether the client has sent initialize, and whether the response is
// pending.
func (c *conversation) initialize() (asked, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &c.stages.negotiation
	return n.asked, n.awaited.Len() > 0
}

func (c *conversation) logCounts(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses.Close()
	counts := c.stages.counts
	c.options.Log.Info("agent exited", "status", status,
		"forwarded", counts.forwarded, "rewritten", counts.rewritten, "dropped", counts.dropped,
		slog.Attr{Key: "warnings", Value: c.losses.Summary()})
}
