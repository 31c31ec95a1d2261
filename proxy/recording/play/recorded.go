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

// A step is a recorded message in a script. The player sends it, or waits for the peer to send
// such a message.
type step struct {
	*recording.Message
	call *call // the request, or the request of the response; nil for a notification
	turn *call // the prompt of the turn to which the message belongs, or nil

	script *script
	index  int  // in script.steps
	done   bool // sent, received or skipped
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

// A call is a recorded request of either side, and the request of the current conversation that
// corresponds to it. The embedded step is the recorded request.
type call struct {
	*step
	reply *step // the recorded response; nil if there is none

	// Of a recorded prompt:
	cancellation *step // the client's cancellation of the turn; nil if there is none
	lastOfTurn   *step // the last step of the turn

	// In the current conversation:
	currentID  []byte        // the id; nil before the request is sent or received
	lastChange time.Duration // when it was sent or received or, later, answered
	answered   bool
	failure    []byte // the error in the response; nil if there was none

	// Of a prompt in the current conversation:
	cancelled bool
	turnOver  bool // the turn has ended, or the prompt began none
}

// isPending reports whether the request of the current conversation waits for its response.
func (c *call) isPending() bool { return c.currentID != nil && !c.answered }

// wasPending reports whether the recorded request waited for its response when at was recorded.
func (c *call) wasPending(at *step) bool {
	return c.Line < at.Line && (c.reply == nil || c.reply.Line > at.Line)
}

func (c *call) isPrompt() bool { return c.Method == "session/prompt" }

// isOver reports whether the turn of a prompt that the client sent has ended.
func (c *call) isOver() bool { return c.answered && c.turnOver }

// A script is a sequence of steps that the player executes in order. An agent has one script for
// each session, and one for requests without a session. A client has a single script.
type script struct {
	session       string // the recorded session id; "" for no session
	steps         []*step
	latestRequest *call // while the script is built: the client's latest request in it

	// In the current conversation:
	position       int           // index of the next step
	turn           *call         // the prompt of the running turn, or nil
	undelayedLine  int           // between turns, steps before this line of the recording are sent without delay
	recordedTime   time.Duration // when the latest message of the script was recorded
	sentAt         time.Duration // when it was sent or received in this conversation
	currentSession string        // the session id in this conversation; "" if not known yet
}

// countFrom counts the delays of the next steps from s, whose message was sent or received at now.
func (sc *script) countFrom(s *step, now time.Duration) { sc.recordedTime, sc.sentAt = s.time(), now }

// next moves the script to the next step that is not done, and returns the step, or nil at the end.
func (sc *script) next() *step {
	for ; sc.position < len(sc.steps); sc.position++ {
		if s := sc.steps[sc.position]; !s.done {
			return s
		}
	}
	return nil
}

// readMessages returns the messages of a recording that a side sent or received.
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

// build builds the scripts from the messages of a recording. It links requests and responses
// first, because the response to session/new names the session to which its request belongs.
func (p *player) build(messages []*recording.Message) {
	b := &builder{player: p}
	var steps []*step
	for _, m := range messages {
		steps = append(steps, b.step(m))
	}
	b.latest = b.script("")
	choose := b.scriptOfClient
	if p.agent != nil {
		choose = b.scriptOfAgent
	}
	for _, s := range steps {
		if s.script = choose(s); s.script != nil {
			s.script.steps = append(s.script.steps, s)
		}
	}
	for _, sc := range p.scripts {
		for i, s := range sc.steps {
			s.script, s.index = sc, i
			if t := s.turn; t != nil && t.script == sc {
				t.lastOfTurn = s
			}
		}
	}
}

// A builder builds the scripts of a player.
type builder struct {
	*player
	latest *script // the script of the client's latest request
}

// step returns the step for a message, and links it to its request and to the prompt of its turn.
func (b *builder) step(m *recording.Message) *step {
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
	case m.From == b.us:
		b.ours = append(b.ours, s.call)
	default:
		b.theirs, b.unmatched = append(b.theirs, s.call), append(b.unmatched, s.call)
	}
	return s
}

// script returns the script of a recorded session, and adds it if there is none.
func (b *builder) script(session string) *script {
	sc := b.sessions[session]
	if sc == nil {
		sc = &script{session: session}
		b.scripts, b.sessions[session] = append(b.scripts, sc), sc
	}
	return sc
}

// scriptOfAgent returns the script for a step of an agent: the script of the session, or else the
// script of the client's latest request, which it updates. It returns nil if an agent does not wait for
// the message, or if scriptOfAgent has inserted the step already.
func (b *builder) scriptOfAgent(s *step) *script {
	c := s.call
	switch {
	case s.From == trace.Agent && s.Type != trace.Response:
		if sc := b.sessions[s.Session]; s.Session != "" && sc != nil {
			return sc
		}
		return b.latest
	case s.Type == trace.Request:
		session := s.Session
		if s.Method == "session/new" && c.reply != nil {
			session = rawjson.StringAt(c.reply.Payload, "sessionId")
		}
		b.latest = b.script(session)
		b.latest.latestRequest = c
		return b.latest
	case s.Type == trace.Notification:
		return b.cancellation(s)
	case c == nil: // the response to an unknown request
		return nil
	case s.From == trace.Client || c.isPrompt() || c.script.latestRequest == c:
		return c.script
	}
	// The client has sent another request since. The response follows its own request directly,
	// so that it does not wait for the other one.
	sc := c.script
	at := slices.Index(sc.steps, c.step) + 1
	for at < len(sc.steps) && sc.steps[at].From == trace.Agent {
		at++
	}
	sc.steps = slices.Insert(sc.steps, at, s)
	return nil
}

// cancellation links a notification of the client to the turn that it cancels, and returns the script of
// that turn. It returns nil if the notification cancels none.
func (b *builder) cancellation(s *step) *script {
	if s.Method == "$/cancel_request" {
		s.turn = find(b.theirs, func(c *call) bool {
			return c.isPrompt() && c.wasPending(s) && jsonrpc.IDOf(c.ID) == requestID(s.Message)
		})
	} else if s.Method != "session/cancel" {
		return nil
	}
	if s.turn == nil {
		return nil
	}
	s.turn.cancellation = s
	return s.turn.script
}

// scriptOfClient returns the script for a step of a client: its requests and notifications, the
// ends of turns, and the responses to requests other than prompts. It returns nil for all other
// messages. A client responds to the agent's requests at once, so its responses are no steps.
func (b *builder) scriptOfClient(s *step) *script {
	isResponse := s.Type == trace.Response
	isSent := s.From == trace.Client && !isResponse && !s.IsText()
	isAwaited := s.Stop != "" || s.From == trace.Agent && isResponse && s.call != nil && !s.call.isPrompt()
	if isSent || isAwaited {
		return b.latest
	}
	return nil
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
