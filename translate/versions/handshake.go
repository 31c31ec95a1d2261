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

// Time limits for the response to an initialize of the proxy's own.
const (
	repeatLimit  = 5 * time.Second  // of an agent that has answered an initialize before
	restartLimit = 30 * time.Second // of a restarted agent
)

// A Handshake determines whether a client and an agent share a version of the protocol, and
// if they do not, the version of the agent. It begins with the client's initialize request
// and ends with the [Decision] Native or Joined. It is pure: it returns the requests for the
// agent, and the caller reports the responses.
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
// If the user prefers a version, the proxy first asks the agent for that version. An agent that
// refuses then receives the client's own request, as above, if necessary after a restart. An agent
// whose first request was the client's own, and which ends without a response, is not restarted:
// agents that fail to start end in this way.
type Handshake struct {
	client    capabilities.Version
	takesBoth bool   // the client takes either version
	rawID     []byte // raw id of the client's request
	params    []byte // of the client's request
	convert   func(version capabilities.Version, params []byte) []byte

	attempt  attempt
	restarts int
	requests int        // requests of the proxy so far
	id       jsonrpc.ID // of the pending request
	deadline time.Time  // of the response to it; zero for none
	refusal  []byte     // the agent's first response to the client's own request, if it was an error
	fallback []byte     // the agent's result, if the request for version 1 fails
}

// An attempt is the initialize request whose response the handshake awaits.
type attempt uint8

const (
	askNothing        attempt = iota
	askPreferred              // the version that the user prefers, before any other request
	askAsClient               // the client's request
	askOther                  // the other version, after an error
	askOtherRestarted         // the other version, as the only request to a new process
	askVersion1               // version 1, from an agent that has answered with version 1
)

// A Decision is the state of a handshake.
type Decision uint8

const (
	// Waiting: a request to the agent is pending.
	Waiting Decision = iota
	// Native: there is no Bridge. The peers share a version, or the handshake has failed.
	Native
	// Joined: a Bridge joins the peers.
	Joined
)

// A Step has the state of the handshake after an event, and the actions of the caller. At most one
// of ForwardInitialize and Ask is set.
type Step struct {
	Decision          Decision
	ForwardInitialize bool   // send the agent the client's request
	Ask               []byte // send the agent this request
	Restart           bool   // restart the agent first
	Pass              bool   // Native: forward the current message unchanged
	Answer            []byte // Native: otherwise send the client this message, if any
	Result            []byte // Joined: the agent's raw result
}

// NewHandshake returns the handshake for a client's initialize request; r is its content.
// prefer is the version that the user prefers, or 0. convert returns the params of an
// initialize of the other version; it is not used after the handshake.
func NewHandshake(m *jsonrpc.Message, r capabilities.Request, prefer capabilities.Version, convert func(version capabilities.Version, params []byte) []byte) *Handshake {
	h := &Handshake{
		client:    capabilities.VersionOf(r.Version),
		takesBoth: r.IsHybrid,
		rawID:     bytes.Clone(m.ID),
		params:    bytes.Clone(m.Params.Of(m.Text)),
		convert:   convert,
	}
	if prefer != 0 && prefer != h.client {
		h.attempt = askPreferred
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
	if h.attempt == askPreferred {
		return h.ask(askPreferred, now)
	}
	return h.forwardInitialize()
}

func (h *Handshake) forwardInitialize() Step {
	h.attempt, h.id, h.deadline = askAsClient, jsonrpc.IDOf(h.rawID), time.Time{}
	return Step{ForwardInitialize: true}
}

// restartWithOwn sends the client's request to a new process, because the first one has
// received another initialize, and some agents accept only one.
func (h *Handshake) restartWithOwn() Step {
	h.restarts++
	s := h.forwardInitialize()
	s.Restart = true
	return s
}

// ask sends the agent an initialize of the proxy's own.
func (h *Handshake) ask(a attempt, now time.Time) Step {
	deadline := now.Add(repeatLimit)
	if a == askPreferred {
		deadline = time.Time{} // an agent may take its time to start
	}
	h.requests++
	restart := a == askOtherRestarted
	if restart {
		h.restarts++
		deadline = now.Add(restartLimit)
	}
	id := strconv.Itoa(1_000_000_000 + h.requests) // no client counts up to it
	h.attempt, h.id, h.deadline = a, jsonrpc.IDOf([]byte(id)), deadline
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","id":` + id + `,"method":"initialize"`)
	b.Member("params", h.convert(h.client.Other(), h.params))
	b.EndObject()
	return Step{Ask: b.Out, Restart: restart}
}

// Awaits reports whether m is the response to the pending request. A response to a request of
// the proxy counts even if it has neither a result nor an error.
func (h *Handshake) Awaits(m *jsonrpc.Message) bool {
	isResponse := m.IsResponse() || h.AsksForItself() && m.Method == nil && !m.Ambiguous
	return isResponse && h.attempt != askNothing && jsonrpc.IDOf(m.ID) == h.id
}

// AsksForItself reports whether a request of the proxy is pending. Until its response, all
// other messages of the agent wait.
func (h *Handshake) AsksForItself() bool { return h.attempt != askNothing && h.attempt != askAsClient }

// HandleResponse processes a response for which Awaits has returned true.
func (h *Handshake) HandleResponse(m *jsonrpc.Message, now time.Time) Step {
	if m.Failed() || !m.Result.Present() {
		return h.handleRefusal(m, now)
	}
	result := m.Result.Of(m.Text)
	agreed := AgentVersion(result, h.client) == h.client
	switch {
	case h.attempt == askAsClient && (agreed || h.takesBoth):
		return Step{Decision: Native, Pass: true}
	case h.attempt == askAsClient && h.client == 2:
		h.fallback = bytes.Clone(result)
		return h.ask(askVersion1, now)
	case agreed: // the agent was asked for another version
		return h.handleRefusal(m, now)
	}
	return h.join(result)
}

// handleRefusal processes an error, or a result with another version than the requested one.
func (h *Handshake) handleRefusal(m *jsonrpc.Message, now time.Time) Step {
	switch h.attempt {
	case askPreferred:
		return h.forwardInitialize()
	case askAsClient:
		if h.requests > 0 && h.restarts == 0 {
			return h.restartWithOwn()
		}
		h.refusal = bytes.Clone(m.Span.Of(m.Text))
		if !mayBeVersion(m.Error.Of(m.Text)) {
			return Step{Decision: Native, Pass: true}
		}
		return h.ask(askOther, now)
	}
	return h.handleFailure(now)
}

// HandleEnd processes the end of the agent's output.
func (h *Handshake) HandleEnd(now time.Time) Step {
	if h.attempt == askAsClient && h.requests > 0 && h.restarts == 0 {
		return h.restartWithOwn()
	}
	if h.attempt == askAsClient || h.attempt == askVersion1 || h.attempt == askPreferred {
		return Step{Decision: Native}
	}
	return h.handleFailure(now)
}

// NextWake returns the time at which Wake is called, or the zero time.
func (h *Handshake) NextWake() time.Time { return h.deadline }

// Wake processes the time-out of a request of the proxy.
func (h *Handshake) Wake(now time.Time) Step { return h.handleFailure(now) }

// handleFailure processes the failure of a request of the proxy: a refusal, a time-out, or the end
// of the agent.
func (h *Handshake) handleFailure(now time.Time) Step {
	if h.attempt == askVersion1 {
		return h.join(h.fallback)
	}
	if h.attempt == askOther && h.restarts == 0 {
		return h.ask(askOtherRestarted, now)
	}
	return h.finish(Step{Decision: Native, Answer: h.refusal})
}

func (h *Handshake) join(result []byte) Step { return h.finish(Step{Decision: Joined, Result: result}) }

// finish ends the handshake.
func (h *Handshake) finish(s Step) Step {
	h.attempt, h.deadline = askNothing, time.Time{}
	return s
}

// mayBeVersion reports whether an error can be a refusal of the version. The SDKs use three
// codes for it, and some agents use any other code except the two below, which have another meaning
// in every version.
func mayBeVersion(failure []byte) bool {
	const authRequired = -32000
	code := jsonrpc.ErrorCode(failure)
	return code != authRequired && code != jsonrpc.RequestCancelled
}

// AgentVersion returns the version that an agent speaks, given its raw result of initialize. For an
// unreadable result, it returns the client's version: the result is then forwarded to the client.
func AgentVersion(result []byte, client capabilities.Version) capabilities.Version {
	r, err := capabilities.ReadResult(result)
	switch {
	case err != nil, r.Version == 0 && r.HasVersion2:
		return client
	case r.Version >= 2:
		return 2
	}
	return 1
}
