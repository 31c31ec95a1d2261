package conversation

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// A discovery determines whether a bridge is needed: it executes the steps of a
// [versions.Handshake], and buffers messages of both sides where necessary. The lock of the
// conversation guards it.
type discovery struct {
	c      *Conversation
	joiner joiner
	bridge Bridge // the user's choice

	handshake     *versions.Handshake // nil when none is under way
	used          bool                // there was a handshake; there is never a second
	clientRequest []byte              // the client's initialize, as the stages have written it
	restartWith   []byte              // initialize for the next process; nil unless the current one is ending
	backlog       backlog             // messages of the agent's current process
	orphans       []jsonrpc.ID        // of pending requests of a replaced process
	gate          gate                // holds the client's lines
}

// underWay reports whether a handshake is undecided.
func (d *discovery) underWay() bool { return d.handshake != nil }

// startsWith reports whether a message of the client begins a handshake.
func (d *discovery) startsWith(m *jsonrpc.Message) bool {
	return d.bridge != "" && d.bridge != BridgeOff && !d.used && m.IsRequest() && string(m.Method) == "initialize"
}

// takeOrphanResponse reports whether m is the response to a request of a replaced process, which
// then counts as answered. The next process must not receive m: it may have used the same id.
func (d *discovery) takeOrphanResponse(m *jsonrpc.Message) bool {
	if len(d.orphans) == 0 || !m.IsResponse() {
		return false
	}
	i := slices.Index(d.orphans, jsonrpc.IDOf(m.ID))
	if i >= 0 {
		d.orphans = slices.Delete(d.orphans, i, i+1)
	}
	return i >= 0
}

// nextWake returns the time of the next timer, or the zero time.
func (d *discovery) nextWake() time.Time {
	switch limit := d.handshake.NextWake(); {
	case d.restartWith != nil: // the next process is not running yet
		return time.Time{}
	case d.gate.timerIsNext(limit):
		return d.gate.until
	default:
		return limit
	}
}

// end ends the handshake and releases the client's lines. It returns the buffered messages of
// the agent.
func (d *discovery) end() (buffered [][]byte) {
	buffered = d.backlog.lines
	d.handshake, d.backlog, d.clientRequest = nil, backlog{}, nil
	d.gate.open()
	return buffered
}

// begin begins the handshake with m, the client's initialize, which the stages have written to s. If
// the handshake begins with a request of the proxy, begin empties s.
func (d *discovery) begin(m *jsonrpc.Message, s *slot) {
	request, err := capabilities.ReadRequest(m.Params.Of(m.Text))
	if err != nil {
		return
	}
	now := d.c.alarm.now()
	d.handshake = versions.NewHandshake(m, request, d.bridge.version(), d.joiner.initialize)
	d.used, d.clientRequest = true, bytes.Clone(bytes.TrimSpace(s.replacement()))
	first := d.handshake.Begin(now)
	d.gate.close(now)
	if first.ForwardInitialize {
		d.gate.setLimit(now)
		return
	}
	s.drop()
	d.c.observer.retract()
	d.execute(first)
}

// fromClient receives a message of the client during the handshake, and reports whether to forward
// it. The gate lets only responses pass before the time limit. Any other message ends the handshake
// without a bridge, because the agent can then neither change its version nor be replaced.
func (d *discovery) fromClient(m *jsonrpc.Message) (forward bool) {
	switch {
	case d.restartWith != nil: // a response to a process that is ending
		d.c.observer.input(translate.Client, m.Span.Of(m.Text))
		return false
	case m.IsResponse():
		d.backlog.noteResponse(m)
	default:
		d.c.options.Log.Info("the client did not wait for the answer to initialize; the versions are not joined")
		d.endUnbridged(nil)
	}
	return true
}

// fromAgent receives a message of the agent during the handshake. It reports whether to forward
// the message.
func (d *discovery) fromAgent(m *jsonrpc.Message) (forward bool) {
	text := m.Span.Of(m.Text)
	switch {
	case d.restartWith != nil: // from a process that is ending
		d.c.observer.input(translate.Agent, text)
	case d.handshake.Awaits(m):
		step := d.handshake.HandleResponse(m, d.c.alarm.now())
		if !step.Pass {
			d.c.observer.input(translate.Agent, text)
		}
		d.execute(step)
		return step.Pass
	case m.IsRequest() || !d.handshake.AsksForItself(): // the agent may wait for the response to a request
		if !d.backlog.noteRequest(m) {
			d.c.Lose(translate.Loss{Kind: translate.LossEarlyRequest, Detail: "the response is dropped if the versions are joined", BetweenVersions: true})
		}
		return true
	case !d.backlog.keep(text): // otherwise the message is delivered later, or discarded with its process
		d.c.observer.input(translate.Agent, text)
		d.c.Lose(translate.Loss{Kind: translate.LossEarlyMessage, Detail: "the message is dropped", BetweenVersions: true})
	}
	return false
}

// execute performs a step of the handshake.
func (d *discovery) execute(step versions.Step) {
	ask := step.Ask
	if step.ForwardInitialize {
		ask = d.clientRequest
		d.gate.setLimit(d.c.alarm.now())
	}
	switch {
	case step.Restart:
		d.replace(ask)
	case ask != nil:
		d.c.sendOwnLocked(translate.Agent, ask)
	}
	switch {
	case step.Decision == versions.Joined:
		d.join(step.Result)
	case step.Answer != nil:
		d.c.options.Log.Info("client and agent share no protocol version and cannot be joined")
		d.endUnbridged(step.Answer)
	case step.Decision == versions.Native:
		d.endUnbridged(nil)
	case step.ForwardInitialize && !step.Restart: // messages of the agent are no longer buffered
		lines := d.backlog.lines
		d.backlog.lines = nil
		d.c.receiveLocked(translate.Agent, lines...)
	}
}

// replace ends the agent's process and discards its messages. The next process receives the
// request ask.
func (d *discovery) replace(ask []byte) {
	for _, line := range d.backlog.lines {
		d.c.observer.input(translate.Agent, line)
	}
	for _, r := range d.backlog.early {
		d.orphans = append(d.orphans, jsonrpc.IDOf(r.id))
	}
	d.restartWith, d.backlog = ask, backlog{}
	d.c.kill()
}

// endUnbridged ends the handshake without a bridge, and sends answer to the client unless it is nil.
func (d *discovery) endUnbridged(answer []byte) {
	d.c.receiveLocked(translate.Agent, d.end()...)
	if answer != nil {
		d.c.answerLocked(answer)
	}
}

// join inserts a bridge. result is the agent's initialize result.
func (d *discovery) join(result []byte) {
	c, h := d.c, d.handshake
	bridge, answer := d.joiner.bridge(h.Client(), h.Params(), result)
	for _, r := range d.backlog.early {
		bridge.Adopt(r.id, r.method, r.session)
	}
	c.slot = nil
	c.stages.negotiation.joined = true
	c.answerLocked(h.Answer(answer)) // without the bridge: it has the client's version
	// The selectors translate on the bridge's side of version 1.
	c.stages.Insert(bridge, c.stages.negotiation.selectors, h.Client() == 1)
	c.joined.Store(true)
	c.receiveLocked(translate.Agent, d.end()...)
}

// outputEnded is called at the end of the output of a process.
func (d *discovery) outputEnded() {
	if d.handshake != nil && d.restartWith == nil {
		d.execute(d.handshake.HandleEnd(d.c.alarm.now()))
	}
}
