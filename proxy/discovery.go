package proxy

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// holdLimit is how long the client's lines wait for an agent that does not answer
// initialize. Clients do not say more before the answer, and programs that are
// not agents never answer.
const holdLimit = 5 * time.Second

// goneLimit is the same for the last lines of a client that has gone.
const goneLimit = 2 * time.Second

// maxKept bounds, in bytes, the lines of the agent that are kept while the
// agent owes an answer to the proxy itself.
const maxKept = 1 << 20

// A discovery finds out whether a bridge is needed. Until that is known it
// holds the lines that follow the client's initialize: an agent that turns out
// to speak another version cannot forget lines that it has got.
type discovery struct {
	handshake *versions.Handshake // nil when none is under way
	begun     bool                // there was a handshake; there is never a second
	own       []byte              // the client's initialize as the agent gets it
	again     []byte              // the agent's process is ending; the next one is asked this
	kept      [][]byte            // lines that the agent said before the decision
	keptBytes int                 // of these, and of early
	early     []earlyRequest      // of the agent, that the client has got as they are and not answered
	orphans   []jsonrpc.ID        // of such requests of a process that has been replaced
	rest      []batchMessage      // what came in one batch with the client's initialize
	restSent  bool                // the agent's process has got that too
	held      chan struct{}       // closed when the client's lines may go on; nil if they may
	heldUntil time.Time           // when they go on even without an answer; zero if not before that
	gone      bool                // the client has ended
}

// An earlyRequest is a request that the agent makes before it answers initialize.
type earlyRequest struct {
	id              []byte // raw
	method, session string
}

// askedEarly takes in a message of the agent that goes to the client although the
// agent has not answered initialize. If it is a request and the two are joined
// before the client answers it, the bridge has to know of it.
func (c *conversation) askedEarly(m *reading) {
	if !m.IsRequest() {
		return
	}
	r := earlyRequest{bytes.Clone(m.ID), string(m.Method), string(m.Session)}
	if c.keptBytes += len(r.id) + len(r.method) + len(r.session); c.keptBytes > maxKept {
		c.lose(translate.Loss{Kind: translate.LossEarlyRequest, Detail: "its answer is dropped if the two are joined"})
		return
	}
	c.early = append(c.early, r)
}

// answeredEarly takes in an answer of the client before the handshake is decided.
func (c *conversation) answeredEarly(m *reading) {
	id := jsonrpc.IDOf(m.ID)
	if i := slices.IndexFunc(c.early, func(r earlyRequest) bool { return jsonrpc.IDOf(r.id) == id }); i >= 0 {
		c.early = slices.Delete(c.early, i, i+1)
	}
}

// answersOrphan reports whether the client answers what a process has asked that has
// been replaced. Its successor must not get that: it may have used the same id.
func (c *conversation) answersOrphan(m *reading) bool {
	if len(c.orphans) == 0 || !m.IsResponse() {
		return false
	}
	i := slices.Index(c.orphans, jsonrpc.IDOf(m.ID))
	if i >= 0 {
		c.orphans = slices.Delete(c.orphans, i, i+1)
	}
	return i >= 0
}

// isFirstInitialize reports whether the message begins a handshake.
func (c *conversation) isFirstInitialize(m *reading) bool {
	return c.mayDiscover() && m.IsRequest() && string(m.Method) == methodInitialize
}

// mayDiscover reports whether the client's first initialize may still come, and
// would begin a handshake.
func (c *conversation) mayDiscover() bool {
	return c.Bridge != "" && c.Bridge != BridgeOff && !c.begun
}

// discover begins the handshake with the client's initialize. o is that request
// as the plan translation would send it to the agent.
func (c *conversation) discover(m *reading, o outcome) outcome {
	request, err := capabilities.ReadRequest(m.Params.Of(m.Text))
	if err != nil {
		return o
	}
	c.handshake = versions.NewHandshake(&m.Message, request, c.Bridge.version(), c.joiner.initialize)
	step := c.begin(lineOf(m, o))
	if step.Own {
		return o
	}
	c.show(translate.Client, dropped, m.Span.Of(m.Text), nil)
	return c.follow(step, nil)
}

// begin begins the handshake. own is the client's line as the agent gets it; the
// step says whether that is to be now.
func (c *conversation) begin(own []byte) versions.Step {
	c.begun, c.held, c.own = true, make(chan struct{}), own
	step := c.handshake.Begin(c.now())
	switch {
	case step.Own:
		c.heldUntil = c.now().Add(c.holdLimit())
		c.schedule()
	case c.gone:
		c.heldUntil = c.now().Add(goneLimit)
	}
	return step
}

// An openingBatch is a batch of the client with its first initialize in it. It goes
// to the agent as it is, as every batch does. If the two are joined, that is with
// another process, and the rest of the batch goes to the bridge.
type openingBatch struct {
	initialize jsonrpc.Message
	rest       []batchMessage
}

// A batchMessage is a message of a batch.
type batchMessage struct {
	id   jsonrpc.ID
	text []byte // a copy
}

// openingBatch returns what is in a batch of the client, which is valid JSON, or nil
// if it begins no handshake.
func (c *conversation) openingBatch(line []byte) *openingBatch {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.mayDiscover() || c.failure != "" {
		return nil
	}
	var b openingBatch
	var cursor rawjson.Cursor
	cursor.Reset(line)
	for more := cursor.Array(); more; more = cursor.NextElement() {
		var m jsonrpc.Message
		m.Read(&cursor, line, nil)
		if b.initialize.Method == nil && m.IsRequest() && string(m.Method) == methodInitialize {
			b.initialize = m
		} else {
			b.rest = append(b.rest, batchMessage{jsonrpc.IDOf(m.ID), bytes.Clone(m.Span.Of(line))})
		}
	}
	if b.initialize.Method == nil {
		return nil
	}
	c.begun = true
	return &b
}

// discoverBatch begins the handshake with a batch. own is the line that the plan
// translation lets pass. It reports whether that line leaves now.
func (c *conversation) discoverBatch(b *openingBatch, own []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	request, err := capabilities.ReadRequest(b.initialize.Params.Of(b.initialize.Text))
	if err != nil {
		c.begun = false
		return true
	}
	c.handshake = versions.NewHandshake(&b.initialize, request, c.Bridge.version(), c.joiner.initialize)
	c.handshake.InBatch(len(b.rest) > 0)
	c.rest = b.rest
	step := c.begin(bytes.Clone(bytes.TrimRight(own, "\r\n")))
	if c.restSent = step.Own; !step.Own {
		c.follow(step, nil)
	}
	return step.Own
}

// answersRest reports whether the agent answers something that came in one batch
// with initialize. That waits until it is known whether it counts.
func (c *conversation) answersRest(m *reading) bool {
	if !c.restSent || !m.IsResponse() {
		return false
	}
	id := jsonrpc.IDOf(m.ID)
	return slices.ContainsFunc(c.rest, func(b batchMessage) bool { return b.id == id })
}

// holdLimit returns how long the client's lines wait for an agent that does not
// answer the client's own initialize.
func (c *conversation) holdLimit() time.Duration {
	if c.gone {
		return goneLimit
	}
	return holdLimit
}

// spokeAhead takes in a message that goes to the agent before the agent has
// answered initialize: the message has waited long enough. After it the agent can
// neither be asked for another version nor be replaced, so the two are left alone.
// Responses do not count.
func (c *conversation) spokeAhead(m *reading) {
	if m.IsResponse() {
		c.answeredEarly(m)
		return
	}
	c.Log.Info("the client did not wait for the answer to initialize; the two are not joined")
	c.leaveAlone(versions.Step{}, nil)
	c.schedule()
}

// lineOf returns what leaves in the place of a message, without a terminator.
func lineOf(m *reading, o outcome) []byte {
	if o.with == nil {
		return bytes.Clone(m.Span.Of(m.Text))
	}
	return appendOutcome(nil, m.Text, m.Start, m.End, o, "")
}

// follow carries out a step of the handshake; m is the agent's message that led
// to it, nil if none did.
func (c *conversation) follow(s versions.Step, m *reading) outcome {
	o := settled
	if m != nil && !s.Pass {
		c.show(translate.Agent, dropped, m.Span.Of(m.Text), nil)
	}
	ask := s.Ask
	if s.Own {
		ask = c.own
		if c.held != nil { // else they go on already
			c.heldUntil = c.now().Add(c.holdLimit())
		}
	}
	if s.Own || s.Restart {
		c.restSent = s.Own
	}
	switch {
	case s.Restart:
		for _, line := range c.kept {
			c.show(translate.Agent, dropped, line, nil)
		}
		for _, r := range c.early {
			c.orphans = append(c.orphans, jsonrpc.IDOf(r.id))
		}
		c.again, c.kept, c.early, c.keptBytes = ask, nil, nil, 0
		c.restart()
	case ask != nil:
		c.send(translate.Agent, ask)
	}
	switch s.Decision {
	case versions.Native:
		o = c.leaveAlone(s, m)
	case versions.Joined:
		c.join(s.Result)
	}
	c.showOwn()
	c.schedule()
	return o
}

// leaveAlone ends the handshake without a bridge: the client and the agent speak
// to each other from now on.
func (c *conversation) leaveAlone(s versions.Step, m *reading) outcome {
	c.handshake = nil
	if !c.restSent {
		for _, b := range c.rest {
			c.send(translate.Agent, b.text)
		}
	}
	kept := c.kept
	for _, line := range kept {
		c.sendLate(line)
	}
	c.endDiscovery()
	switch {
	case s.Agreed != nil:
		c.sendToClient(s.Agreed)
	case s.Answer != nil:
		c.Log.Info("client and agent share no protocol version and cannot be joined")
		c.sendToClient(s.Answer)
	case s.Pass && len(kept) == 0:
		return c.toClient(m)
	case s.Pass: // behind what was kept
		c.sendLate(m.Span.Of(m.Text))
	}
	return settled
}

// sendLate sends the client something that the agent said. It leaves outside
// the order of the agent's lines.
func (c *conversation) sendLate(message []byte) {
	c.sendToClient(message)
	c.showConverted(translate.Agent, message)
}

// join puts a bridge between the two; result is what the agent has answered.
func (c *conversation) join(result []byte) {
	h := c.handshake
	bridge, answer, err := c.joiner.bridge(h.Client(), h.Params(), result)
	if err != nil {
		c.Log.Warn("client and agent cannot be joined", "error", err)
		c.leaveAlone(versions.Step{Answer: h.Failure(err.Error())}, nil)
		return
	}
	c.handshake, c.bridge = nil, bridge
	c.joined = fmt.Sprintf("client %d, agent %d", h.Client(), 3-h.Client())
	c.sendToClient(h.Answer(answer))
	c.showOwn()
	for _, r := range c.early {
		bridge.Asked(r.id, r.method, r.session)
	}
	for _, line := range c.kept {
		c.throughBridgeLate(translate.Agent, line)
	}
	for _, b := range c.rest {
		c.throughBridgeLate(translate.Client, b.text)
	}
	c.endDiscovery()
}

// throughBridgeLate takes in a message that has waited for the bridge.
func (c *conversation) throughBridgeLate(side translate.Side, message []byte) {
	var m reading
	c.cursor.Reset(message)
	m.read(&c.cursor, message)
	c.throughBridge(side, &m)
}

// keep keeps a line of the agent until the handshake is decided.
func (c *conversation) keep(m *reading) outcome {
	line := bytes.Clone(m.Span.Of(m.Text))
	if c.keptBytes += len(line); c.keptBytes > maxKept {
		c.lose(translate.Loss{Kind: translate.LossEarlyMessage, Detail: "dropped"})
		return dropped
	}
	c.kept = append(c.kept, line)
	return settled
}

// endDiscovery lets the client go on.
func (c *conversation) endDiscovery() {
	c.kept, c.early, c.rest, c.own = nil, nil, nil, nil
	c.release()
}

// release lets the client's lines go on, whatever is decided. The caller holds
// the lock.
func (c *conversation) release() {
	if c.held != nil {
		close(c.held)
		c.held, c.heldUntil = nil, time.Time{}
	}
}

// holdsClient returns a channel that is closed when the client's lines may go
// on, nil if they may now.
func (c *conversation) holdsClient() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held
}

// awaitsRelease reports whether the client's lines go on before the handshake
// gives a question up.
func (c *conversation) awaitsRelease() bool {
	limit := c.handshake.Next()
	return limit.IsZero() || c.gone && c.held != nil && c.heldUntil.Before(limit)
}

// clientGone takes in that the client has ended. The lines that it said last wait
// for an agent that answers initialize, but not long for one that does not. It
// returns what holdsClient returns.
func (c *conversation) clientGone() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone && c.held != nil {
		if limit := c.now().Add(goneLimit); c.heldUntil.IsZero() || limit.Before(c.heldUntil) {
			c.heldUntil = limit
		}
	}
	c.gone = true
	c.schedule()
	return c.held
}

// agentEnded takes in that the agent's output has ended. It reports whether the
// agent is to be started once more.
func (c *conversation) agentEnded() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	if c.handshake != nil && c.again == nil {
		c.follow(c.handshake.Ended(c.now()), nil)
	}
	if c.again != nil {
		return true
	}
	if c.bridge != nil {
		c.out.Reset(translate.Agent, nil)
		c.bridge.Gone("agent exited", c.now(), &c.out)
		c.carryOut(translate.Agent, nil)
	}
	c.over = true
	c.release()
	return false
}

// agentRestarted takes in that the agent has been started once more.
func (c *conversation) agentRestarted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	c.send(translate.Agent, c.again)
	c.again = nil
	c.showOwn()
	c.schedule()
}

// agentNotRestarted takes in that the agent could not be started once more.
func (c *conversation) agentNotRestarted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.setFilters()
	c.again = nil
	c.follow(c.handshake.Ended(c.now()), nil)
	c.over = true
	c.release()
}
