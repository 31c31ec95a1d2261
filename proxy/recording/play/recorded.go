package play

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A step is a message of the recording: our end says it again, or waits for it from the
// other end.
type step struct {
	*recording.Message
	call *call // that it asks or answers; otherwise nil
	turn *call // the prompt whose turn was under way

	// Of a client in the middle of a turn, what it knew:
	heard int  // messages of the turn
	asked bool // a question of the agent was open

	lane  *lane
	index int
	done  bool // or left out
}

// time returns when it was said, since the recording began. A time that a recording cannot
// have counts as none.
func (s *step) time() time.Duration {
	const year = 365 * 24 * 60 * 60
	if !(0 <= s.Seconds && s.Seconds < year) {
		return 0
	}
	return time.Duration(math.Round(s.Seconds*1e6)) * time.Microsecond
}

// inTurn reports whether it belongs to the turn that is under way.
func (s *step) inTurn() bool { return s.turn != nil && s.turn == s.lane.turn }

// A call is a request of the recording, of either end.
type call struct {
	*step
	reply *step // nil if it was not answered

	// Of a prompt, its turn:
	canceled *step // where the client cancels it, nil if it does not
	last     *step

	// What has become of it in this conversation.
	now      []byte        // its id, nil while it is not asked
	since    time.Duration // when it was asked or, later, answered
	answered bool
	failure  []byte // the error, nil if there was none

	// Of a prompt, its turn:
	cancelled bool
	over      bool
	known     int           // messages of the agent
	latest    time.Duration // when the last of them came
	asks      bool          // a question waits for its answer
}

// open reports whether it waits for an answer.
func (c *call) open() bool { return c.now != nil && !c.answered }

// waits reports whether it waited for its answer when something was said.
func (c *call) waits(s *step) bool {
	return c.Line < s.Line && (c.reply == nil || c.reply.Line > s.Line)
}

// prompts reports whether it is a prompt.
func (c *call) prompts() bool { return c.Method == "session/prompt" }

// isOver reports whether the turn of a client's prompt is over.
func (c *call) isOver() bool { return c.answered && c.over }

// A lane is what our end did one after the other, and what it waited for: an agent in a
// session, a client in all of them.
type lane struct {
	session string // empty for what belongs to none
	steps   []*step
	latest  *call // request

	// What has become of it.
	at         int           // the step that is next
	turn       *call         // its prompt
	hurries    int           // what was recorded before this line is said at once
	time, live time.Duration // of what was said last, in the recording and now
	called     string        // what the client calls the session
}

// next returns the next step, nil if there is none.
func (l *lane) next() *step {
	for ; l.at < len(l.steps); l.at++ {
		if s := l.steps[l.at]; !s.done {
			return s
		}
	}
	return nil
}

// readMessages returns the messages that our end has said or got.
func readMessages(in io.Reader, us trace.Component) (all []*recording.Message, err error) {
	lines := trace.NewLines(in)
	for number := 1; err == nil; number++ {
		var line []byte
		line, err = lines.Next()
		for _, m := range recording.Parse(bytes.Clone(line), us) {
			m.Line = number
			all = append(all, &m)
		}
	}
	if err != io.EOF {
		return nil, fmt.Errorf("read recording: %w", err)
	}
	return all, nil
}

// read reads the messages of a recording.
func (p *player) read(all []*recording.Message) {
	var follower recording.Follower
	var steps []*step
	for _, m := range all {
		follower.Follow(m)
		steps = append(steps, p.step(m))
	}
	r := &reading{player: p, heard: make(map[*call]int)}
	r.latest = r.lane("")
	for _, s := range steps {
		laneOf := r.ofClient
		if p.us == trace.Agent {
			laneOf = r.ofAgent
		}
		if s.lane = laneOf(s); s.lane != nil {
			s.lane.steps = append(s.lane.steps, s)
		}
	}
	for _, l := range p.lanes {
		for i, s := range l.steps {
			s.lane, s.index = l, i
			if t := s.turn; t != nil && t.lane == l {
				t.last = s
			}
		}
	}
}

// step returns the step of a message.
func (p *player) step(m *recording.Message) *step {
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
	case m.From == p.us:
		p.ours = append(p.ours, s.call)
	default:
		p.theirs = append(p.theirs, s.call)
	}
	return s
}

// A reading is a recording that is being read.
type reading struct {
	*player
	latest *lane         // of the latest request
	heard  map[*call]int // messages of its turn
}

// lane returns the lane of a session.
func (r *reading) lane(session string) *lane {
	l := r.sessions[session]
	if l == nil {
		l = &lane{session: session}
		r.lanes, r.sessions[session] = append(r.lanes, l), l
	}
	return l
}

// ofAgent returns the lane of what an agent said, or waited for: its session's, or else
// that of the latest request. It is nil if nobody waited for it, or the lane has it by now.
func (r *reading) ofAgent(s *step) *lane {
	c := s.call
	switch {
	case s.From == trace.Agent && s.Type != trace.Response:
		if l := r.sessions[s.Session]; s.Session != "" && l != nil {
			return l
		}
		return r.latest
	case s.Type == trace.Request:
		session := s.Session
		if s.Method == "session/new" && c.reply != nil {
			session = recording.TextOf(c.reply.Payload, "sessionId")
		}
		r.latest = r.lane(session)
		r.latest.latest = c
		return r.latest
	case s.Type == trace.Notification:
		return r.cancel(s)
	case c == nil: // an answer to nothing
		return nil
	case s.From == trace.Client || c.prompts() || c.lane.latest == c:
		return c.lane
	}
	// Of requests that were under way at once each waits only for itself.
	l := c.lane
	at := slices.Index(l.steps, c.step) + 1
	for at < len(l.steps) && l.steps[at].From == trace.Agent {
		at++
	}
	l.steps = slices.Insert(l.steps, at, s)
	return nil
}

// cancel returns the lane of the turn that a notification of the client cancels.
func (r *reading) cancel(s *step) *lane {
	if s.Method == "$/cancel_request" {
		s.turn = find(r.theirs, func(c *call) bool { return c.prompts() && c.waits(s) && jsonrpc.IDOf(c.ID) == requestID(s.Message) })
	} else if s.Method != "session/cancel" {
		return nil
	}
	if s.turn == nil {
		return nil
	}
	s.turn.canceled = s
	return s.turn.lane
}

// find returns the first call of a kind, or nil.
func find(calls []*call, is func(*call) bool) *call {
	if i := slices.IndexFunc(calls, is); i >= 0 {
		return calls[i]
	}
	return nil
}

// requestID returns the id of the request that a message cancels.
func requestID(m *recording.Message) jsonrpc.ID {
	return jsonrpc.IDOf(rawjson.Get(m.Params, "requestId"))
}

// ofClient returns the lane of what a client said, or waited for; nil if it did not. Its
// answers to questions wait for nothing.
func (r *reading) ofClient(s *step) *lane {
	t, answers := s.turn, s.Type == trace.Response
	if s.From == trace.Agent {
		if !answers {
			r.heard[t]++
		}
		if s.Stop == "" && (!answers || s.call == nil || s.call.prompts()) {
			return nil
		}
	} else if answers || s.IsText() {
		return nil
	} else if t != nil && t != s.call {
		s.heard, s.asked = r.heard[t], find(r.theirs, func(q *call) bool { return q.turn == t && q.waits(s) }) != nil
	}
	return r.latest
}
