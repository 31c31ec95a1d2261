package proxy

import (
	"log/slog"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// A discovery finds out whether a bridge is needed. It carries out the steps of a
// [versions.Handshake], and has what the two sides say meanwhile wait where that is
// necessary. Like the handshake it says in an outcome what is to be done.
type discovery struct {
	joiner joiner
	bridge Bridge // the user's choice
	log    *slog.Logger

	handshake *versions.Handshake // nil when none is under way
	begun     bool                // there was a handshake; there is never a second
	own       []byte              // the client's initialize as the agent gets it
	again     []byte              // the agent's process is ending; the next one is asked this
	backlog   backlog             // of the agent's process
	orphans   []jsonrpc.ID        // of requests that the client may answer, of a process that has been replaced
	gate      gate                // of the client's lines
}

// An outcome is what follows from an event of a handshake, in this order.
type outcome struct {
	dropped [][]byte // this goes nowhere, which the side has said that led to it
	lost    translate.Loss
	restart bool            // the agent's process ends, and another one is started
	ask     []byte          // the agent gets this request
	bridge  versions.Bridge // goes between the two
	waited  [][]byte        // what the agent has said before goes its way
	answer  []byte          // the client gets this in its version; with a bridge, before what has waited
	passes  bool            // the message that led to this goes on, through the stages
}

var passes = outcome{passes: true}

// underWay reports whether there is a handshake that is not decided.
func (d *discovery) underWay() bool { return d.handshake != nil }

// beginsWith reports whether a message of the client begins a handshake.
func (d *discovery) beginsWith(m *jsonrpc.Message) bool {
	return d.bridge != "" && d.bridge != BridgeOff && !d.begun && m.IsRequest() && string(m.Method) == methodInitialize
}

// begin begins the handshake with the client's initialize. own is that request as the
// agent gets it; the discovery keeps it. Unless the request passes, it goes nowhere now.
func (d *discovery) begin(m *jsonrpc.Message, own []byte, now time.Time) outcome {
	request, err := capabilities.ReadRequest(m.Params.Of(m.Text))
	if err != nil {
		return passes
	}
	d.handshake = versions.NewHandshake(m, request, d.bridge.version(), d.joiner.initialize)
	d.begun, d.own = true, own
	step := d.handshake.Begin(now)
	d.gate.close(now, step.Own)
	if step.Own {
		return passes
	}
	return d.follow(step, nil, now)
}

// answersOrphan reports whether the client answers what a process has asked that has
// been replaced. Its successor must not get that: it may have used the same id.
func (d *discovery) answersOrphan(m *jsonrpc.Message) bool {
	if len(d.orphans) == 0 || !m.IsResponse() {
		return false
	}
	i := slices.Index(d.orphans, jsonrpc.IDOf(m.ID))
	if i >= 0 {
		d.orphans = slices.Delete(d.orphans, i, i+1)
	}
	return i >= 0
}

// clientSpeaks handles a message that goes to the agent before the agent has answered
// initialize: the message has waited long enough, or is a response, which does not
// wait. After another message the agent can neither be asked for another version nor
// be replaced, so the two are left alone.
func (d *discovery) clientSpeaks(m *jsonrpc.Message) outcome {
	switch {
	case d.again != nil: // a response to a process that is ending
		return outcome{dropped: [][]byte{m.Span.Of(m.Text)}}
	case m.IsResponse():
		d.backlog.answered(m)
		return passes
	}
	d.log.Info("the client did not wait for the answer to initialize; the two are not joined")
	var o outcome
	d.leaveAlone(&o, versions.Step{Pass: true})
	return o
}

// agentSpeaks handles a message of the agent before the handshake is decided.
func (d *discovery) agentSpeaks(m *jsonrpc.Message, now time.Time) outcome {
	text := m.Span.Of(m.Text)
	switch {
	case d.again != nil: // said by a process that is ending
		return outcome{dropped: [][]byte{text}}
	case d.handshake.Awaits(m):
		return d.follow(d.handshake.Answered(m, now), text, now)
	case !d.handshake.AsksForItself():
		o := passes
		if !d.backlog.asked(m) {
			o.lost = translate.Loss{Kind: translate.LossEarlyRequest, Detail: "its answer is dropped if the two are joined", Version: true}
		}
		return o
	case !d.backlog.keep(text):
		return outcome{dropped: [][]byte{text}, lost: translate.Loss{Kind: translate.LossEarlyMessage, Detail: "dropped", Version: true}}
	}
	return outcome{}
}

// follow follows a step of the handshake; said is the agent's message that led to it, nil
// if none did.
func (d *discovery) follow(s versions.Step, said []byte, now time.Time) (o outcome) {
	if said != nil && !s.Pass {
		o.dropped = append(o.dropped, said)
	}
	o.ask = s.Ask
	if s.Own {
		o.ask = d.own
		d.gate.limit(now)
	}
	switch {
	case s.Restart:
		d.replace(&o)
	case s.Own: // from now on what the agent says does not wait
		o.waited, d.backlog.lines = d.backlog.lines, nil
	}
	switch s.Decision {
	case versions.Native:
		d.leaveAlone(&o, s)
	case versions.Joined:
		d.join(&o, s.Result)
	}
	return o
}

// replace forgets what the agent's process has said, and has it end. The next one is
// asked in its place.
func (d *discovery) replace(o *outcome) {
	o.restart = true
	o.dropped = append(o.dropped, d.backlog.lines...)
	for _, r := range d.backlog.early {
		d.orphans = append(d.orphans, jsonrpc.IDOf(r.id))
	}
	d.again, o.ask, d.backlog = o.ask, nil, backlog{}
}

// leaveAlone ends the handshake without a bridge: the client and the agent speak
// to each other from now on.
func (d *discovery) leaveAlone(o *outcome, s versions.Step) {
	o.waited, o.answer, o.passes = d.backlog.lines, s.Agreed, s.Pass
	d.end()
	if s.Answer != nil {
		d.log.Info("client and agent share no protocol version and cannot be joined")
		o.answer = s.Answer
	}
}

// join puts a bridge between the two; result is what the agent has answered.
func (d *discovery) join(o *outcome, result []byte) {
	h := d.handshake
	bridge, answer, err := d.joiner.bridge(h.Client(), h.Params(), result)
	if err != nil {
		d.log.Warn("client and agent cannot be joined", "error", err)
		d.leaveAlone(o, versions.Step{Answer: h.Failure(err.Error())})
		return
	}
	for _, r := range d.backlog.early {
		bridge.Asked(r.id, r.method, r.session)
	}
	o.bridge, o.answer, o.waited = bridge, h.Answer(answer), d.backlog.lines
	d.end()
}

// end ends the handshake, whatever is decided, and lets the client go on.
func (d *discovery) end() {
	d.handshake, d.backlog, d.own = nil, backlog{}, nil
	d.gate.open()
}

// next is when wake is wanted, the zero time if it is not.
func (d *discovery) next() time.Time {
	switch limit := d.handshake.Next(); {
	case d.again != nil: // the agent is asked later
		return time.Time{}
	case d.gate.opensBefore(limit):
		return d.gate.until
	default:
		return limit
	}
}

// wake says what follows when the time of next has come.
func (d *discovery) wake(now time.Time) (o outcome) {
	if d.gate.opensBefore(d.handshake.Next()) {
		d.gate.open()
		return o
	}
	return d.follow(d.handshake.Wake(now), nil, now)
}

// replaces reports whether the agent's process is ending and another one is to be
// started.
func (d *discovery) replaces() bool { return d.again != nil }

// agentEnded says what follows from the end of the agent's output.
func (d *discovery) agentEnded(now time.Time) (o outcome) {
	if d.handshake == nil || d.again != nil {
		return o
	}
	return d.follow(d.handshake.Ended(now), nil, now)
}

// agentRestarted asks the agent that has been started once more.
func (d *discovery) agentRestarted() outcome {
	ask := d.again
	d.again = nil
	return outcome{ask: ask}
}

// agentNotRestarted says what follows if the agent could not be started once more.
func (d *discovery) agentNotRestarted(now time.Time) outcome {
	d.again = nil
	return d.agentEnded(now)
}
