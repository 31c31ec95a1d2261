package versions

import (
	"bytes"
	"strconv"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Time limits for the response to an initialize of the proxy's own: for an agent that has
// answered one before, and for a restarted agent.
const (
	againLimit   = 5 * time.Second
	restartLimit = 30 * time.Second
)

// A Handshake determines whether a client and an agent share a version of the protocol, and
// which one the agent speaks if they do not. It begins with the client's initialize request
// and ends with a [Decision]. It is pure: it returns the requests for the agent, and the
// caller reports the responses.
//
//	           client's own request
//	                    |
//	    the same version|another version      an error
//	   .----------------+----------------------.
//	   v                v                      v
//	Native     Joined; a version 1     the other version, to the same process
//	           agent gets a second             |
//	           initialize with the    a result|an error, silence, or its end
//	           abilities of the        .-------+-------.
//	           client                  v               v
//	                                Joined      the other version, to a new process
//	                                                   |
//	                                           a result|anything else
//	                                           .-------+-------.
//	                                           v               v
//	                                        Joined          Native, with the
//	                                                        agent's first response
//
// If the user prefers a version, the agent is asked for that one first; an agent that lacks it
// is treated as above. An agent that ends without a response to the client's own request is
// not restarted: agents that fail to start end in this way.
type Handshake struct {
	client  capabilities.Version
	both    bool   // the client takes either version
	rawID   []byte // raw id of the client's request
	params  []byte // of the client's request
	convert func(version capabilities.Version, params []byte) []byte

	asking   question
	restarts int
	asked    int // requests of the proxy so far
	id       jsonrpc.ID
	deadline time.Time
	refusal  []byte // the agent's first response to the client's own request, if it was an error
	fallback []byte // the result that counts if the question fails
}

type question uint8

const (
	askNothing     question = iota
	askPreferred            // the version that the user prefers, before anything else
	askOwn                  // the client's own request
	askOther                // the other version, after an error
	askOtherAfresh          // the other version, of a process that was asked nothing else
	askOnceMore             // version 1, of an agent that speaks it
)

// A Decision is the state of a handshake.
type Decision uint8

const (
	// Waiting: the agent has been asked and will answer.
	Waiting Decision = iota
	// Native: the two need no bridge.
	Native
	// Joined: a Bridge joins the two.
	Joined
)

// A Step is the consequence of an event. At most one of Own and Ask is set.
type Step struct {
	Decision Decision
	Own      bool   // send the agent the client's own request
	Ask      []byte // send the agent this request
	Restart  bool   // restart the agent first
	Pass     bool   // Native: forward the current message unchanged
	Answer   []byte // Native: otherwise send the client this message, if any
	Result   []byte // Joined: the agent's raw result
}

// NewHandshake returns the handshake for a client's initialize request; r is its content.
// prefer is the version that the user prefers, or 0. convert returns the params of an
// initialize of the other version; it is not used after the handshake.
func NewHandshake(m *jsonrpc.Message, r capabilities.Request, prefer capabilities.Version, convert func(version capabilities.Version, params []byte) []byte) *Handshake {
	h := &Handshake{
		client:  capabilities.Version(max(1, min(r.Version, 2))),
		both:    r.Both,
		rawID:   bytes.Clone(m.ID),
		params:  bytes.Clone(m.Params.Of(m.Text)),
		convert: convert,
	}
	if prefer != 0 && prefer != h.client {
		h.asking = askPreferred
	}
	return h
}

// Client returns the version that the client speaks.
func (h *Handshake) Client() capabilities.Version { return h.client }

// Params returns the params of the client's request.
func (h *Handshake) Params() []byte { return h.params }

// Answer returns the response to the client's request, with that result.
func (h *Handshake) Answer(result []byte) []byte { return translate.Answer(h.rawID, "result", result) }

// Begin returns the first request for the agent.
func (h *Handshake) Begin(now time.Time) Step {
	if h.asking == askPreferred {
		return h.ask(askPreferred, now)
	}
	return h.forwardOwn()
}

func (h *Handshake) forwardOwn() Step {
	h.asking, h.id, h.deadline = askOwn, jsonrpc.IDOf(h.rawID), time.Time{}
	return Step{Own: true}
}

// forwardOwnAfresh sends the client's request to a new process, because the first one has
// received another initialize, and some agents accept only one.
func (h *Handshake) forwardOwnAfresh() Step {
	h.restarts++
	s := h.forwardOwn()
	s.Restart = true
	return s
}

// ask sends the agent an initialize of the proxy's own.
func (h *Handshake) ask(q question, now time.Time) Step {
	deadline := now.Add(againLimit)
	if q == askPreferred {
		deadline = time.Time{} // an agent may take its time to start
	}
	h.asked++
	restart := q == askOtherAfresh
	if restart {
		h.restarts++
		deadline = now.Add(restartLimit)
	}
	id := strconv.Itoa(1_000_000_000 + h.asked) // no client counts up to it
	h.asking, h.id, h.deadline = q, jsonrpc.IDOf([]byte(id)), deadline
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","id":` + id + `,"method":"initialize"`)
	b.Member("params", h.convert(h.client.Other(), h.params))
	b.EndObject()
	return Step{Ask: b.Out, Restart: restart}
}

// Awaits reports whether m is the response to the last request. A response to a request of
// our own counts even if it has neither a result nor an error.
func (h *Handshake) Awaits(m *jsonrpc.Message) bool {
	isResponse := m.IsResponse() || h.AsksForItself() && m.Method == nil && !m.Ambiguous
	return isResponse && h.asking != askNothing && jsonrpc.IDOf(m.ID) == h.id
}

// AsksForItself reports whether a request of the proxy is pending. Until its response, all
// other messages of the agent wait.
func (h *Handshake) AsksForItself() bool { return h.asking != askNothing && h.asking != askOwn }

// Answered processes the response that Awaits has reported.
func (h *Handshake) Answered(m *jsonrpc.Message, now time.Time) Step {
	if m.Failed() || !m.Result.Present() {
		return h.refused(m, now)
	}
	result := m.Result.Of(m.Text)
	agreed := Spoken(result, h.client) == h.client
	switch {
	case h.asking == askOwn && (agreed || h.both):
		return Step{Decision: Native, Pass: true}
	case h.asking == askOwn && h.client == 2:
		h.fallback = bytes.Clone(result)
		return h.ask(askOnceMore, now)
	case agreed: // but it was asked for another version
		return h.refused(m, now)
	}
	return h.joined(result)
}

// refused processes a response without the requested version.
func (h *Handshake) refused(m *jsonrpc.Message, now time.Time) Step {
	switch h.asking {
	case askPreferred:
		return h.forwardOwn()
	case askOwn:
		if h.asked > 0 && h.restarts == 0 {
			return h.forwardOwnAfresh()
		}
		h.refusal = bytes.Clone(m.Span.Of(m.Text))
		if !mayBeVersion(m.Error.Of(m.Text)) {
			return Step{Decision: Native, Pass: true}
		}
		return h.ask(askOther, now)
	}
	return h.failed(now)
}

// Ended processes the end of the agent's output.
func (h *Handshake) Ended(now time.Time) Step {
	if h.asking == askOwn && h.asked > 0 && h.restarts == 0 {
		return h.forwardOwnAfresh()
	}
	if h.asking == askOwn || h.asking == askOnceMore || h.asking == askPreferred {
		return Step{Decision: Native}
	}
	return h.failed(now)
}

// Next returns the time at which Wake is called, or the zero time.
func (h *Handshake) Next() time.Time { return h.deadline }

// Wake processes the time-out of a request of the proxy.
func (h *Handshake) Wake(now time.Time) Step { return h.failed(now) }

// failed processes the failure of a request of the proxy.
func (h *Handshake) failed(now time.Time) Step {
	if h.asking == askOnceMore {
		return h.joined(h.fallback)
	}
	if h.asking == askOther && h.restarts == 0 {
		return h.ask(askOtherAfresh, now)
	}
	return h.over(Step{Decision: Native, Answer: h.refusal})
}

func (h *Handshake) joined(result []byte) Step { return h.over(Step{Decision: Joined, Result: result}) }

// over ends the handshake.
func (h *Handshake) over(s Step) Step {
	h.asking, h.deadline = askNothing, time.Time{}
	return s
}

// mayBeVersion reports whether an error can be a refusal of the version. The SDKs use three
// codes, and some agents any other; the two codes here have another meaning in every version.
func mayBeVersion(failure []byte) bool {
	const authRequired = -32000
	code := jsonrpc.ErrorCode(failure)
	return code != authRequired && code != jsonrpc.RequestCancelled
}

// Spoken returns the version of the agent with that result of initialize, for a client of a
// version. An unreadable result is forwarded to the client.
func Spoken(result []byte, client capabilities.Version) capabilities.Version {
	a, err := capabilities.ReadAnswer(result)
	switch {
	case err != nil, a.Version == 0 && a.New:
		return client
	case a.Version >= 2:
		return 2
	}
	return 1
}
