package proxy

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// Replay writes to out what a client would get if everything that a trace has
// happened again: what the client and the agent said, in that order and at those
// times. Neither an agent nor a clock takes part, so the same trace gives the same
// lines each time. What the proxy said when the trace was made does not count, but it
// tells what the agent was asked, and where the agent was started once more. So of
// the options Bridge only tells whether anybody is joined.
//
// A trace of all messages has what a bridge needs. A trace of plan messages
// alone is translated for the client that the options name, or else for a
// legacy client. The end of the trace counts as the end of the agent.
func Replay(in io.Reader, out io.Writer, o Options) error {
	r := newReplay(out, o)
	defer r.c.losses.Close()
	unreadable := 0
	for e, err := range trace.Events(in) {
		switch {
		case err != nil:
		case e.Type == "":
			unreadable++
		default:
			err = r.event(&e)
		}
		if err != nil {
			return err
		}
	}
	if unreadable > 0 {
		o.Log.Warn("lines of the trace could not be read", "count", unreadable)
	}
	if err := r.release(nil); err != nil {
		return err
	}
	if r.c.agentEnded() {
		r.c.agentNotRestarted()
	}
	return r.flush()
}

// maxAsked bounds how many initialize requests are remembered until they are answered.
const maxAsked = 4096

// A replay is a conversation with both sides of a trace.
type replay struct {
	c          *conversation
	directions [2]*direction // by translate.Side
	start, now time.Time
	line       []byte

	// asking is the raw id of the initialize that the replay has sent the agent and the
	// trace has not shown yet: a question of the proxy, or a request of the client that the
	// trace has twice, as it came and as it left. asked are those that the trace has shown,
	// by their ids there, which may be of another version of this program: the raw ids of
	// the replay, or nil if it has not asked. Then the answer is ignored.
	asking []byte
	asked  map[jsonrpc.ID][]byte

	// first is the id of the client's first initialize, empty before that. If it
	// did not go to the agent as it was, it waits in held for the event behind it,
	// which tells what the agent was asked first.
	first jsonrpc.ID
	held  []byte
}

func newReplay(out io.Writer, o Options) *replay {
	c := newConversation(o)
	begin := time.Unix(0, 0) // any time except zero, which means no time
	r := &replay{c: c, start: begin, now: begin, asked: make(map[jsonrpc.ID][]byte)}
	messages := 0
	c.alarm = alarm{now: func() time.Time { return r.now }} // passTime rings it
	c.restart = func() {}
	c.discovery.joiner = newJoiner("agent", o.Told, func() string {
		messages++
		return "message-" + strconv.Itoa(messages)
	})
	c.outlets[translate.Client] = transport.NewOutlet(out, maxWaiting(o))
	c.outlets[translate.Agent] = transport.NewOutlet(agentOf{r}, maxWaiting(o))
	c.stages.unnegotiated(o.Client.Unnegotiated())
	for _, side := range []translate.Side{translate.Client, translate.Agent} {
		r.directions[side] = newDirection(c, side)
	}
	return r
}

// event plays the next event of the trace.
func (r *replay) event(e *trace.Event) error {
	if err := r.release(e); err != nil {
		return err
	}
	r.passTime(r.start.Add(time.Duration(e.Seconds * float64(time.Second))))
	switch {
	case e.From == trace.Client:
		r.clientSays(e)
	case e.From == trace.Agent:
		r.agentSays(e)
	case isQuestion(e):
		if err := r.question(jsonrpc.IDOf(e.ID)); err != nil {
			return err
		}
	}
	return r.flush()
}

// isQuestion reports whether the proxy that made the trace sends the agent an
// initialize request.
func isQuestion(e *trace.Event) bool {
	return e.From == trace.Proxy && e.To == trace.Agent && e.Type == trace.Request && e.Method == methodInitialize
}

// passTime lets everything happen that is due by then.
func (r *replay) passTime(until time.Time) {
	for !r.c.alarm.at.IsZero() && !r.c.alarm.at.After(until) {
		r.setTime(r.c.alarm.at)
		r.c.wake()
	}
	if until.After(r.now) {
		r.setTime(until)
	}
}

func (r *replay) setTime(now time.Time) {
	r.now = now
	if tell := r.c.options.Replaying; tell != nil {
		tell(now.Sub(r.start))
	}
}

// clientSays says an event's message again. The client's first initialize waits,
// unless it went to the agent as it was.
func (r *replay) clientSays(e *trace.Event) {
	r.line = append(e.AppendMessage(r.line[:0]), '\n')
	first := r.first == "" && e.Type == trace.Request && e.Method == methodInitialize && e.ID != nil
	switch {
	case first && e.To == trace.Proxy:
		r.first, r.held = jsonrpc.IDOf(e.ID), bytes.Clone(r.line)
		return
	case first:
		r.first = jsonrpc.IDOf(e.ID)
		r.prefer(BridgeAuto)
	}
	out := r.rewrite(translate.Client, r.line)
	if e.To == trace.Proxy {
		r.c.outlets[translate.Agent].Send(out)
	}
}

// release says the client's first initialize, if that waits for the next event.
func (r *replay) release(next *trace.Event) error {
	if r.held == nil {
		return nil
	}
	preferred := BridgeAuto
	if next != nil && isQuestion(next) && jsonrpc.IDOf(next.ID) != r.first {
		preferred = Bridge2
		if request, err := capabilities.ReadRequest(next.Params); err == nil && request.Version < 2 {
			preferred = Bridge1
		}
	}
	r.prefer(preferred)
	line := r.held
	r.held = nil
	r.c.outlets[translate.Agent].Send(r.rewrite(translate.Client, line))
	return r.flush()
}

// prefer sets which version the agent is asked for first. The trace tells that and
// not the options, because the agent has answered no other question.
func (r *replay) prefer(version Bridge) {
	if r.joins() {
		r.c.discovery.bridge = version
	}
}

// joins reports whether two of different versions are joined.
func (r *replay) joins() bool {
	bridge := r.c.discovery.bridge
	return bridge != "" && bridge != BridgeOff
}

// agentSays says an event's message again, unless it answers what this replay has not
// asked: it is run with another --bridge.
func (r *replay) agentSays(e *trace.Event) {
	if id := jsonrpc.IDOf(e.ID); e.Type == trace.Response {
		if own, asked := r.asked[id]; asked {
			delete(r.asked, id)
			if e.ID = own; own == nil {
				return
			}
		}
	}
	r.line = append(e.AppendMessage(r.line[:0]), '\n')
	r.c.outlets[translate.Client].Send(r.rewrite(translate.Agent, r.line))
}

// rewrite returns what leaves in the place of a line.
func (r *replay) rewrite(from translate.Side, line []byte) []byte {
	if out, changed := r.directions[from].Rewrite(line, nil); changed {
		return out
	}
	return line
}

// question handles a question of the proxy that made the trace. If the replay
// has no reason to ask it, the agent had ended at this point.
func (r *replay) question(id jsonrpc.ID) error {
	if d := &r.c.discovery; d.underWay() && (d.replaces() || r.asking == nil) && r.c.agentEnded() {
		r.c.agentRestarted()
		if err := r.flush(); err != nil {
			return err
		}
	}
	if len(r.asked) >= maxAsked {
		clear(r.asked)
	}
	r.asked[id] = nil
	// Who joins nobody asks only what the client has asked.
	if r.joins() || id == jsonrpc.IDOf(r.asking) {
		r.asked[id], r.asking = r.asking, nil
	}
	return nil
}

// flush waits until everything has arrived that was sent.
func (r *replay) flush() error {
	if err := r.c.outlets[translate.Agent].Flush(); err != nil {
		return err
	}
	if err := r.c.outlets[translate.Client].Flush(); err != nil {
		return fmt.Errorf("write to the client: %w", err)
	}
	return nil
}

// An agentOf takes what the agent is told. Only questions of the proxy itself
// matter here.
type agentOf struct{ r *replay }

// Write implements [io.Writer]. It is given whole lines.
func (a agentOf) Write(lines []byte) (int, error) {
	if a.r.c.joined.Load() {
		return len(lines), nil
	}
	var c rawjson.Cursor
	var m jsonrpc.Message
	c.Reset(lines)
	if m.Read(&c, lines, nil); m.IsRequest() && string(m.Method) == methodInitialize {
		a.r.asking = bytes.Clone(m.ID)
	}
	return len(lines), nil
}
