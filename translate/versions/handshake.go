package versions

import (
	"strconv"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// How long the proxy waits for the answer to an initialize of its own: from an
// agent that has answered one before, and from one that was started once more.
const (
	againLimit   = 5 * time.Second
	restartLimit = 30 * time.Second
)

// A Handshake finds out whether a client and an agent share a version of the
// protocol, and which one the agent speaks if they do not. It begins with the
// client's initialize request and ends with one [Decision]. It is pure: it says
// what to ask the agent, and the caller tells it what came of that.
//
//	           client's own request
//	                    |
//	    the same version|another version      an error
//	   .----------------+----------------------.
//	   v                v                      v
//	Native     Joined; a version 1     the other version, to the same process
//	           agent is asked once             |
//	           more, so that it      it answers|an error, silence, or its end
//	           learns what the         .-------+-------.
//	           client can do           v               v
//	                                Joined      the other version, to a new process
//	                                                   |
//	                                         it answers|anything else
//	                                           .-------+-------.
//	                                           v               v
//	                                        Joined          Native, with the
//	                                                        agent's first answer
//
// A user who prefers a version has the agent asked for that one first; an agent
// that lacks it goes on as above. An agent that ends without an answer to the
// client's own request is not started again: that is how agents fail to start.
type Handshake struct {
	client  int    // the version that the client asks for, 1 or 2
	rawID   []byte // of the client's request
	params  []byte // of the client's request
	convert func(version int, params []byte) ([]byte, error)

	asking    question
	preferred bool // the agent was asked for another version before the client's own request
	restarted bool
	asked     int // initialize requests of our own so far
	id        jsonrpc.ID
	deadline  time.Time
	refusal   []byte // the agent's first answer to the client's own request, if it was an error
	fallback  []byte // in askOnceMore: the agent's result, which counts if that question fails
}

type question uint8

const (
	askNothing     question = iota
	askPreferred            // the version that the user prefers, before anything else
	askOwn                  // the client's own request
	askOther                // the other version, after an error
	askOtherAfresh          // the other version, of a process that was asked nothing else
	askOnceMore             // version 1, of an agent that has said that it speaks it
)

// A Decision is the state of a handshake.
type Decision uint8

const (
	// Waiting: the agent has been asked and will answer.
	Waiting Decision = iota
	// Native: the two speak for themselves from now on.
	Native
	// Joined: a Bridge goes between the two.
	Joined
)

// A Step is what follows from an event. At most one of Own and Ask is set.
type Step struct {
	Decision Decision
	Own      bool   // the client's own request goes to the agent
	Ask      []byte // this request goes to the agent
	Restart  bool   // the agent is started once more before that
	Pass     bool   // Native: the message that led here goes to the client as it is
	Answer   []byte // Native: otherwise this message goes to the client, if there is one
	Result   []byte // Joined: what the agent has answered, as raw JSON
}

// NewHandshake returns the handshake that a client's initialize request begins.
// version is the version that it asks for. prefer is the version that the user
// prefers, or 0. convert returns the params of an initialize of another version;
// it is not kept beyond the handshake.
func NewHandshake(m *jsonrpc.Message, version, prefer int, convert func(version int, params []byte) ([]byte, error)) *Handshake {
	client := 1
	if version >= 2 {
		client = 2
	}
	h := &Handshake{
		client:  client,
		rawID:   append([]byte(nil), m.ID...),
		params:  append([]byte(nil), m.Params.Of(m.Text)...),
		convert: convert,
	}
	if prefer != 0 && prefer != client {
		h.asking = askPreferred
	}
	return h
}

// Client returns the version that the client speaks, 1 or 2.
func (h *Handshake) Client() int { return h.client }

// Params returns the params of the client's request.
func (h *Handshake) Params() []byte { return h.params }

// Answer returns the response to the client's request, with that result.
func (h *Handshake) Answer(result []byte) []byte { return h.respond("result", result) }

// Failure returns an error response to the client's request.
func (h *Handshake) Failure(why string) []byte {
	failure := rawjson.AppendQuoted([]byte(`{"code":-32603,"message":`), why)
	return h.respond("error", append(failure, '}'))
}

func (h *Handshake) respond(member string, value []byte) []byte {
	text := append([]byte(`{"jsonrpc":"2.0","id":`), h.rawID...)
	text = append(append(append(text, `,"`...), member...), `":`...)
	return append(append(text, value...), '}')
}

func (h *Handshake) otherVersion() int { return 3 - h.client }

// Begin says what the agent is asked first.
func (h *Handshake) Begin(now time.Time) Step {
	if h.asking == askPreferred {
		if step, ok := h.ask(askPreferred, false, now); ok {
			return step
		}
	}
	return h.forwardOwn()
}

func (h *Handshake) forwardOwn() Step {
	h.asking, h.id, h.deadline = askOwn, jsonrpc.IDOf(h.rawID), time.Time{}
	return Step{Own: true}
}

// forwardOwnAfresh sends the client's request to a new process, because the first
// one was asked for another version before, and some agents accept only one
// initialize.
func (h *Handshake) forwardOwnAfresh() Step {
	h.restarted = true
	s := h.forwardOwn()
	s.Restart = true
	return s
}

// ask asks for the version that the client does not speak. It reports false if
// the client's request cannot be said in that version.
func (h *Handshake) ask(q question, restart bool, now time.Time) (Step, bool) {
	version := h.otherVersion()
	params, err := h.convert(version, h.params)
	if err != nil {
		return Step{}, false
	}
	h.asked++
	h.preferred = h.preferred || q == askPreferred
	h.restarted = h.restarted || restart
	id := `"acp-plan-proxy-` + strconv.Itoa(h.asked) + `"`
	h.asking, h.id, h.deadline = q, jsonrpc.IDOf([]byte(id)), now.Add(againLimit)
	switch q {
	case askPreferred:
		h.deadline = time.Time{} // an agent may take its time to start
	case askOtherAfresh:
		h.deadline = now.Add(restartLimit)
	}
	text := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	text = append(append(text, `,"method":"initialize","params":`...), params...)
	return Step{Ask: append(text, '}'), Restart: restart}, true
}

// Awaits reports whether m answers what the agent was asked last.
func (h *Handshake) Awaits(m *jsonrpc.Message) bool {
	return m.IsResponse() && h.asking != askNothing && jsonrpc.IDOf(m.ID) == h.id
}

// AsksForItself reports whether the agent was asked something that the client
// does not know of. Until the answer comes, everything else that the agent says
// has to wait.
func (h *Handshake) AsksForItself() bool { return h.asking != askNothing && h.asking != askOwn }

// Answered takes in the answer that Awaits has found.
func (h *Handshake) Answered(m *jsonrpc.Message, now time.Time) Step {
	if m.Failed() {
		return h.refused(m, now)
	}
	result := m.Result.Of(m.Text)
	spoken := spokenVersion(result, h.client)
	switch {
	case h.asking == askOwn && (spoken == h.client || h.client == 2 && speaksVersion1(h.params)):
		return Step{Decision: Native, Pass: true}
	case h.asking == askOwn && h.client == 2:
		h.fallback = append([]byte(nil), result...)
		if step, ok := h.ask(askOnceMore, false, now); ok {
			return step
		}
		return h.joined(h.fallback)
	case spoken == h.otherVersion():
		return h.joined(result)
	}
	return h.refused(m, now)
}

// refused takes in that the agent has not given the version it was asked for.
func (h *Handshake) refused(m *jsonrpc.Message, now time.Time) Step {
	switch h.asking {
	case askPreferred:
		return h.forwardOwn()
	case askOwn:
		if h.preferred && !h.restarted {
			return h.forwardOwnAfresh()
		}
		h.refusal = append([]byte(nil), m.Span.Of(m.Text)...)
		if !mayBeVersion(m.Error.Of(m.Text)) {
			return Step{Decision: Native, Pass: true}
		}
		if step, ok := h.ask(askOther, false, now); ok {
			return step
		}
		return Step{Decision: Native, Pass: true}
	}
	return h.failed(now)
}

// Ended takes in that the agent's output has ended.
func (h *Handshake) Ended(now time.Time) Step {
	if h.asking == askOwn && h.preferred && !h.restarted {
		return h.forwardOwnAfresh()
	}
	if h.asking == askOwn || h.asking == askOnceMore || h.asking == askPreferred {
		return Step{Decision: Native}
	}
	return h.failed(now)
}

// Next is when Wake is wanted, the zero time if it is not.
func (h *Handshake) Next() time.Time { return h.deadline }

// Wake takes in that the agent has not answered in time.
func (h *Handshake) Wake(now time.Time) Step { return h.failed(now) }

// failed takes in that a question of our own has come to nothing.
func (h *Handshake) failed(now time.Time) Step {
	switch h.asking {
	case askOnceMore:
		return h.joined(h.fallback)
	case askOther:
		if h.restarted {
			break
		}
		if step, ok := h.ask(askOtherAfresh, true, now); ok {
			return step
		}
	}
	h.asking, h.deadline = askNothing, time.Time{}
	return Step{Decision: Native, Answer: h.refusal}
}

func (h *Handshake) joined(result []byte) Step {
	h.asking, h.deadline = askNothing, time.Time{}
	return Step{Decision: Joined, Result: result}
}

// mayBeVersion reports whether an error can mean that the agent does not speak
// the version it was asked for. The SDKs use three codes for that, and some
// agents any other; these two mean something else in every version.
func mayBeVersion(failure []byte) bool {
	const authRequired, cancelled = "-32000", "-32800"
	var c rawjson.Cursor
	c.Reset(failure)
	if c.Kind() != '{' {
		return true
	}
	for more := c.Object(); more; more = c.NextMember() {
		if string(c.Name()) == "code" {
			switch string(c.Value()) {
			case authRequired, cancelled:
				return false
			}
		} else {
			c.Skip()
		}
	}
	return true
}

// speaksVersion1 reports whether a client that asks for version 2 has said what
// it can do in the form of version 1 too. Such a client takes either answer.
func speaksVersion1(params []byte) bool {
	var c rawjson.Cursor
	c.Reset(params)
	if c.Kind() != '{' {
		return false
	}
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "clientCapabilities", "clientInfo":
			return true
		}
		c.Skip()
	}
	return false
}

// spokenVersion returns the version, 1 or 2, of an agent that has answered
// initialize with result. If the members say more than the number, they count
// more: careless agents of version 1 repeat the number that they were asked
// for. asked is the version that the client speaks.
func spokenVersion(result []byte, asked int) int {
	var c rawjson.Cursor
	c.Reset(result)
	if c.Kind() != '{' {
		return asked
	}
	number, one, two := 0, false, false
	for more := c.Object(); more; more = c.NextMember() {
		switch string(c.Name()) {
		case "protocolVersion":
			f, err := strconv.ParseFloat(string(c.Value()), 64)
			if err == nil && f >= 1 {
				number = int(min(f, 2))
			}
		case "agentCapabilities", "agentInfo":
			one = true
			c.Skip()
		case "capabilities", "info":
			two = true
			c.Skip()
		default:
			c.Skip()
		}
	}
	switch {
	case number == 1, asked == 1 && number == 0:
		return 1
	case asked == 2 && one && !two:
		return 1
	case asked == 1 && !two: // the client may know what to make of it
		return 1
	}
	return 2
}
