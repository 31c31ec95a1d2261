package proxy

import (
	"fmt"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// A discovery finds out whether a bridge is needed. It carries out the steps of a
// [versions.Handshake], and has what the two sides say meanwhile wait where that is
// necessary. Like the handshake it is pure: its effects say what is to be done.
type discovery struct {
	joiner joiner
	bridge Bridge // the user's choice

	handshake *versions.Handshake // nil when none is under way
	begun     bool                // there was a handshake; there is never a second
	own       []byte              // the client's initialize as the agent gets it
	again     []byte              // the agent's process is ending; the next one is asked this
	backlog   backlog             // of the agent's process
	orphans   []jsonrpc.ID        // of requests that the client may answer, of a process that has been replaced
	gate      gate                // of the client's lines
}

// underWay reports whether there is a handshake that is not decided.
func (d *discovery) underWay() bool { return d.handshake != nil }

// beginsWith reports whether a message of the client begins a handshake.
func (d *discovery) beginsWith(m *jsonrpc.Message) bool {
	return d.bridge != "" && d.bridge != BridgeOff && !d.begun && m.IsRequest() && string(m.Method) == methodInitialize
}

// begin begins the handshake with the client's initialize. own is that request as the
// agent gets it; the discovery keeps it. Unless the request passes, it goes nowhere now.
func (d *discovery) begin(m *jsonrpc.Message, own []byte, now time.Time) []effect {
	request, err := capabilities.ReadRequest(m.Params.Of(m.Text))
	if err != nil {
		return []effect{pass{}}
	}
	d.handshake = versions.NewHandshake(m, request, d.bridge.version(), d.joiner.initialize)
	d.begun, d.own = true, own
	step := d.handshake.Begin(now)
	d.gate.close(now, step.Own)
	if step.Own {
		return []effect{pass{}}
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
func (d *discovery) clientSpeaks(m *jsonrpc.Message) []effect {
	switch {
	case d.again != nil: // a response to a process that is ending
		return []effect{showDropped{translate.Client, m.Span.Of(m.Text)}}
	case m.IsResponse():
		d.backlog.answered(m)
		return []effect{pass{}}
	}
	e := []effect{say{what: "the client did not wait for the answer to initialize; the two are not joined"}}
	return append(append(e, d.leaveAlone(versions.Step{}, nil)...), pass{})
}

// agentSpeaks handles a message of the agent before the handshake is decided.
func (d *discovery) agentSpeaks(m *jsonrpc.Message, now time.Time) []effect {
	switch {
	case d.again != nil: // said by a process that is ending
		return []effect{showDropped{translate.Agent, m.Span.Of(m.Text)}}
	case d.handshake.Awaits(m):
		return d.follow(d.handshake.Answered(m, now), m, now)
	case d.handshake.AsksForItself():
		return d.backlog.keep(m)
	}
	return d.backlog.asked(m)
}

// follow follows a step of the handshake; m is the agent's message that led
// to it, nil if none did.
func (d *discovery) follow(s versions.Step, m *jsonrpc.Message, now time.Time) (e []effect) {
	if m != nil && !s.Pass {
		e = append(e, showDropped{translate.Agent, m.Span.Of(m.Text)})
	}
	ask := s.Ask
	if s.Own {
		ask = d.own
		d.gate.limit(now)
	}
	switch {
	case s.Restart:
		e = append(e, d.replace(ask)...)
	case ask != nil:
		e = append(e, send{to: translate.Agent, text: ask})
	}
	switch s.Decision {
	case versions.Native:
		e = append(e, d.leaveAlone(s, m)...)
	case versions.Joined:
		e = append(e, d.join(s.Result)...)
	}
	return e
}

// replace forgets what the agent's process has said, and has it end. The next one is
// asked something else.
func (d *discovery) replace(ask []byte) (e []effect) {
	for _, line := range d.backlog.lines {
		e = append(e, showDropped{translate.Agent, line})
	}
	for _, r := range d.backlog.early {
		d.orphans = append(d.orphans, jsonrpc.IDOf(r.id))
	}
	d.again, d.backlog = ask, backlog{}
	return append(e, restart{})
}

// leaveAlone ends the handshake without a bridge: the client and the agent speak
// to each other from now on. m is the agent's message of the step.
func (d *discovery) leaveAlone(s versions.Step, m *jsonrpc.Message) (e []effect) {
	kept := d.backlog.lines
	for _, line := range kept {
		e = append(e, deliver{translate.Agent, line})
	}
	e = append(e, d.end()...)
	switch {
	case s.Agreed != nil:
		e = append(e, sendToClient{s.Agreed})
	case s.Answer != nil:
		e = append(e, say{what: "client and agent share no protocol version and cannot be joined"}, sendToClient{s.Answer})
	case s.Pass && len(kept) == 0:
		e = append(e, pass{})
	case s.Pass: // behind what was kept
		e = append(e, deliver{translate.Agent, m.Span.Of(m.Text)})
	}
	return e
}

// join puts a bridge between the two; result is what the agent has answered.
func (d *discovery) join(result []byte) (e []effect) {
	h := d.handshake
	bridge, answer, err := d.joiner.bridge(h.Client(), h.Params(), result)
	if err != nil {
		e = append(e, say{"client and agent cannot be joined", err})
		return append(e, d.leaveAlone(versions.Step{Answer: h.Failure(err.Error())}, nil)...)
	}
	for _, r := range d.backlog.early {
		bridge.Asked(r.id, r.method, r.session)
	}
	e = append(e,
		join{bridge, fmt.Sprintf("client %d, agent %d", h.Client(), 3-h.Client())},
		sendToClient{h.Answer(answer)},
	)
	for _, line := range d.backlog.lines {
		e = append(e, deliver{translate.Agent, line})
	}
	return append(e, d.end()...)
}

// end ends the handshake, whatever is decided, and lets the client go on.
func (d *discovery) end() []effect {
	d.handshake, d.backlog, d.own = nil, backlog{}, nil
	return d.gate.open()
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
func (d *discovery) wake(now time.Time) []effect {
	if d.gate.opensBefore(d.handshake.Next()) {
		return d.gate.open()
	}
	return d.follow(d.handshake.Wake(now), nil, now)
}

// replaces reports whether the agent's process is ending and another one is to be
// started.
func (d *discovery) replaces() bool { return d.again != nil }

// agentEnded says what follows from the end of the agent's output.
func (d *discovery) agentEnded(now time.Time) []effect {
	if d.handshake == nil || d.again != nil {
		return nil
	}
	return d.follow(d.handshake.Ended(now), nil, now)
}

// agentRestarted asks the agent that has been started once more.
func (d *discovery) agentRestarted() []effect {
	ask := d.again
	d.again = nil
	return []effect{send{to: translate.Agent, text: ask}}
}

// agentNotRestarted says what follows if the agent could not be started once more.
func (d *discovery) agentNotRestarted(now time.Time) []effect {
	d.again = nil
	return d.follow(d.handshake.Ended(now), nil, now)
}
