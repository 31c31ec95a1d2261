package conversation

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// ClientClosed processes the end of the client's input. The returned channel is closed when the
// client's last lines are released; it is nil if they are not held.
func (c *Conversation) ClientClosed() <-chan struct{} {
	c.mu.Lock()
	defer c.finishAndUnlock()
	c.discovery.gate.clientGone(c.alarm.now())
	c.stages.PeerClosed(translate.Client, c.alarm.now())
	return c.discovery.gate.held
}

// Queued returns a channel that is closed when no stage queues requests of the client, or nil if
// none does. Call it after the end of the client's input.
func (c *Conversation) Queued() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queueEmpty == nil && c.stages.HasQueued() {
		c.queueEmpty = make(chan struct{})
	}
	return c.queueEmpty
}

// RefuseQueued refuses the queued requests, because the agent receives no further request.
func (c *Conversation) RefuseQueued(why string) {
	c.mu.Lock()
	defer c.finishAndUnlock()
	if c.stages.HasQueued() {
		c.Lose(translate.Loss{Kind: translate.LossNotGiven, Detail: "a request was refused: " + why})
		c.stages.RefuseQueued(why, c.alarm.now())
	}
}

// AgentEnded processes the end of the agent's output. If restart is true, the caller must start the
// agent again and call AgentRestarted or AgentNotRestarted.
func (c *Conversation) AgentEnded() (restart bool) {
	c.mu.Lock()
	defer c.finishAndUnlock()
	c.discovery.outputEnded()
	if c.discovery.restartWith != nil {
		return true
	}
	c.endAgentLocked()
	return false
}

// endAgentLocked reports the end of the agent's last process to the stages, and releases the client's
// lines.
func (c *Conversation) endAgentLocked() {
	c.stages.PeerClosed(translate.Agent, c.alarm.now())
	c.agentEnded = true
	c.discovery.gate.open()
}

// AgentRestarted sends initialize to the second process of the agent.
func (c *Conversation) AgentRestarted() {
	c.mu.Lock()
	defer c.finishAndUnlock()
	ask := c.discovery.restartWith
	c.discovery.restartWith = nil
	c.sendOwnLocked(translate.Agent, ask)
}

// AgentNotRestarted processes the end of the agent's output if there is no second process.
func (c *Conversation) AgentNotRestarted() {
	c.mu.Lock()
	defer c.finishAndUnlock()
	c.discovery.restartWith = nil
	c.discovery.outputEnded()
	c.endAgentLocked()
}

// AgentFailed records why the agent will not answer initialize. A pending or future initialize of
// the client gets an error response. The returned channel is closed when one has been sent.
func (c *Conversation) AgentFailed(why string) <-chan struct{} {
	c.mu.Lock()
	defer c.finishAndUnlock()
	for _, id := range c.stages.negotiation.fail(why) {
		c.sendOwnLocked(translate.Client, errorResponse(id, jsonrpc.InternalError, why))
	}
	c.failureSent = make(chan struct{})
	return c.failureSent
}

// InitializeState reports whether the client has sent initialize, and whether the response is
// pending.
func (c *Conversation) InitializeState() (sent, pending bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &c.stages.negotiation
	return n.initializeSent, n.awaited.Len() > 0
}

// Discovering reports whether a handshake is under way, so that the agent's process may be
// replaced.
func (c *Conversation) Discovering() bool { return c.discovering.Load() }

// LogCounts logs the agent's exit status, the numbers of plan messages and the repeated losses.
func (c *Conversation) LogCounts(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.losses.Close()
	counts := c.stages.counts
	c.options.Log.Info("agent exited", "status", status,
		"forwarded", counts.forwarded, "rewritten", counts.rewritten, "dropped", counts.dropped)
}
