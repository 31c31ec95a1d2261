package play

import (
	"io"
	"math"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A step is a recorded message: one that the player sends, or one of the peer that it waits
// for.
type step struct {
	*recording.Message
	call *call // the request, also of a response; nil for notifications
	turn *call // the prompt of the running turn

	// For a message that the client sends during a turn: the recorded state of the turn.
	received int  // messages of the turn so far
	pending  bool // a request of the agent was pending

	script *script
	index  int  // in the script
	done   bool // sent, received, or skipped
}

// time returns the time since the start of the recording, 0 if it is not plausible.
func (s *step) time() time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(0 <= s.Seconds && s.Seconds < year) {
		return 0
	}
	return time.Duration(math.Round(s.Seconds*1e6)) * time.Microsecond
}

// inTurn reports whether the step belongs to the running turn.
func (s *step) inTurn() bool { return s.turn != nil && s.turn == s.script.turn }

// A call is a recorded request of either side.
type call struct {
	*step
	reply *step // the response, nil if there is none

	// Of a prompt:
	canceled *step // the client's cancellation of the turn, nil if there is none
	last     *step // of the turn

	// In the current conversation.
	now      []byte        // the id, nil before the request is sent or received
	since    time.Duration // when it was sent or, later, answered
	answered bool
	failure  []byte // the error, nil if there was none

	// Of a prompt in the current conversation:
	cancelled bool
	over      bool          // the turn has ended
	messages  int           // of the agent
	latest    time.Duration // when the last of them was received
	asks      bool          // a request of the agent is pending
}

// isPending reports whether the request waits for its response.
func (c *call) isPending() bool { return c.now != nil && !c.answered }

// wasPending reports whether the recorded request waited for its response at a step.
func (c *call) wasPending(at *step) bool {
	return c.Line < at.Line && (c.reply == nil || c.reply.Line > at.Line)
}

func (c *call) isPrompt() bool { return c.Method == "session/prompt" }

// isOver reports whether the turn of a prompt that the client sent has ended.
func (c *call) isOver() bool { return c.answered && c.over }

// A script is a sequence of steps: an agent has one for each session and one for requests
// without a session, a client has one in all.
type script struct {
	session string // recorded id, empty if there is none
	steps   []*step
	latest  *call // recorded request

	// In the current conversation.
	at         int           // index of the next step
	turn       *call         // the prompt of the running turn
	hurry      int           // steps recorded before this line are sent without delay
	time, sent time.Duration // of the last message: in the recording, and now
	name       string        // the session's id
}

// next returns the next step, nil at the end.
func (q *script) next() *step {
	for ; q.at < len(q.steps); q.at++ {
		if s := q.steps[q.at]; !s.done {
			return s
		}
	}
	return nil
}

// readMessages returns the messages that our side sent or received.
func readMessages(in io.Reader, us trace.Component) (all []*recording.Message, err error) {
	for m, err := range recording.Messages(in, us) {
		if err != nil {
			return nil, err
		}
		if m.Type != "" {
			all = append(all, &m)
		}
	}
	if all == nil {
		return nil, recording.ErrForeign
	}
	return all, nil
}

// read appends the messages of a recording to the scripts.
func (p *player) read(all []*recording.Message) {
	var steps []*step
	r := &reader{player: p, received: make(map[*call]int)}
	for _, m := range all {
		steps = append(steps, r.step(m))
	}
	r.latest = r.script("")
	for _, s := range steps {
		choose := r.scriptOfClient
		if p.agent != nil {
			choose = r.scriptOfAgent
		}
		if s.script = choose(s); s.script != nil {
			s.script.steps = append(s.script.steps, s)
		}
	}
	for _, q := range p.scripts {
		for i, s := range q.steps {
			s.script, s.index = q, i
			if t := s.turn; t != nil && t.script == q {
				t.last = s
			}
		}
	}
}

// A reader builds the scripts of a player from messages.
type reader struct {
	*player
	latest   *script       // of the latest request
	received map[*call]int // by prompt: messages of the agent
}

// step returns the step of a message.
func (r *reader) step(m *recording.Message) *step {
	s := &step{Message: m}
	if m.Request != nil {
		if m.Request.Note == nil {
			m.Request.Note = &call{step: s}
		}
		s.call = m.Request.Note.(*call)
	}
	if m.Turn != nil {
		s.turn = m.Turn.Prompt.Note.(*call)
	}
	switch {
	case s.call == nil:
	case m.Type == trace.Response:
		s.call.reply = s
	case m.From == r.us:
		r.ours = append(r.ours, s.call)
	default:
		r.theirs, r.unused = append(r.theirs, s.call), append(r.unused, s.call)
	}
	return s
}

// script returns the script of a session.
func (r *reader) script(session string) *script {
	q := r.sessions[session]
	if q == nil {
		q = &script{session: session}
		r.scripts, r.sessions[session] = append(r.scripts, q), q
	}
	return q
}

// scriptOfAgent returns the script for a message that an agent sent or waited for: its
// session's, or else that of the latest request. It returns nil if the agent did not wait
// for the message, or the script already contains it.
func (r *reader) scriptOfAgent(s *step) *script {
	c := s.call
	switch {
	case s.From == trace.Agent && s.Type != trace.Response:
		if q := r.sessions[s.Session]; s.Session != "" && q != nil {
			return q
		}
		return r.latest
	case s.Type == trace.Request:
		session := s.Session
		if s.Method == "session/new" && c.reply != nil {
			session = recording.TextOf(c.reply.Payload, "sessionId")
		}
		r.latest = r.script(session)
		r.latest.latest = c
		return r.latest
	case s.Type == trace.Notification:
		return r.cancellation(s)
	case c == nil: // the response to an unknown request
		return nil
	case s.From == trace.Client || c.isPrompt() || c.script.latest == c:
		return c.script
	}
	// With several pending requests, each response waits for its own request only.
	q := c.script
	at := slices.Index(q.steps, c.step) + 1
	for at < len(q.steps) && q.steps[at].From == trace.Agent {
		at++
	}
	q.steps = slices.Insert(q.steps, at, s)
	return nil
}

// cancellation returns the script of the turn that a notification of the client cancels.
func (r *reader) cancellation(s *step) *script {
	if s.Method == "$/cancel_request" {
		s.turn = find(r.theirs, func(c *call) bool {
			return c.isPrompt() && c.wasPending(s) && jsonrpc.IDOf(c.ID) == requestID(s.Message)
		})
	} else if s.Method != "session/cancel" {
		return nil
	}
	if s.turn == nil {
		return nil
	}
	s.turn.canceled = s
	return s.turn.script
}

// scriptOfClient returns the script for a message that a client sent or waited for, nil for
// others. The responses of a client do not wait for anything.
func (r *reader) scriptOfClient(s *step) *script {
	t, isResponse := s.turn, s.Type == trace.Response
	if s.From == trace.Agent {
		if !isResponse {
			r.received[t]++
		}
		if s.Stop == "" && (!isResponse || s.call == nil || s.call.isPrompt()) {
			return nil
		}
	} else if isResponse || s.IsText() {
		return nil
	} else if t != nil && t != s.call {
		s.received = r.received[t]
		s.pending = find(r.theirs, func(q *call) bool { return q.turn == t && q.wasPending(s) }) != nil
	}
	return r.latest
}

// find returns the first matching call, or nil.
func find(calls []*call, is func(*call) bool) *call {
	if i := slices.IndexFunc(calls, is); i >= 0 {
		return calls[i]
	}
	return nil
}

// requestID returns the id of the request that a notification cancels.
func requestID(m *recording.Message) jsonrpc.ID {
	return jsonrpc.IDOf(rawjson.Get(m.Params, "requestId"))
}
