package play

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An agent is the part of a player that only an agent needs: it matches the client's requests
// to the recorded ones, in any order, and ends cancelled turns.
type agent struct {
	*player
	speed     float64 // how much faster than recorded; 0: without delay
	builtin   []byte  // a built-in recording, which can be repeated; nil for other recordings
	turnCount int     // number of turns in the scripts: that of builtin, and its repetitions
	ended     bool    // the client has closed its side
	draining  bool    // only pending responses and turns are sent
}

// after returns the time of a step: the recorded delay after the last message of its script.
func (a *agent) after(s *step) time.Duration {
	sc := s.script
	if a.speed == 0 {
		return sc.sentAt
	}
	return sc.sentAt + time.Duration(min(float64(max(0, s.time()-sc.recordedTime))/a.speed, math.MaxInt64/4))
}

// awaitRequest waits for a request of the client; see await. Between turns, another request may arrive
// first. During a turn, or while another request is pending, it waits for maxWait only: the client may
// be waiting for that turn or response and never send the request.
func (a *agent) awaitRequest(s *step) (wake time.Duration) {
	sc := s.script
	switch {
	case s.call.currentID != nil:
	case !s.inTurn() && a.skip(sc):
		return 0
	case !s.inTurn() && find(a.active, func(c *call) bool { return c.From == a.them && c.script == sc && c.isPending() }) == nil:
		return never
	default:
		until := a.after(s) + maxWait
		if a.now < until && a.unreached(sc) == nil && !a.ended {
			return until
		}
		a.log.Info("the client has not sent the recorded request; the recording continues without it", "method", s.Method, "session", sc.currentSession)
	}
	a.moveBehind(s.call)
	return 0
}

// awaitCancel waits for the client to cancel the turn. A built-in recording waits for
// maxWait only.
func (a *agent) awaitCancel(s *step) (wake time.Duration) {
	switch until := a.after(s) + maxWait; {
	case !s.inTurn() || a.unreached(s.script) != nil:
	case a.builtin == nil:
		return never
	case a.now < until:
		return until
	}
	return 0
}

// unreached returns the first received request of a script that the script has not reached, or nil.
func (a *agent) unreached(sc *script) *call {
	return find(a.active, func(c *call) bool { return c.From == a.them && c.script == sc && !c.done })
}

// skip moves a script behind its unreached request. It returns false if there is none.
func (a *agent) skip(sc *script) bool {
	c := a.unreached(sc)
	if c != nil {
		a.moveBehind(c)
	}
	return c != nil
}

// moveBehind moves the script of a request behind the request, even if it has not arrived.
func (a *agent) moveBehind(c *call) {
	sc := c.script
	sc.position, sc.undelayedLine, c.done = c.index, 0, true
	if c.currentID == nil {
		return
	}
	sc.countFrom(c.step, max(sc.sentAt, c.lastChange))
	if c.turn == c {
		sc.turn = c
		if c.cancelled {
			a.cancel(c)
		}
	}
}

// receiveRequest processes a request of the client.
func (a *agent) receiveRequest(m *recording.Message) {
	c := a.match(m)
	if c == nil {
		c = a.repeat(m)
	}
	if c == nil {
		expected := a.expected()
		a.log.Warn("the client asks for more than was recorded", "method", m.Method, "session", m.Session, "expected", expected)
		a.refuse(m.ID, jsonrpc.MethodNotFound, fmt.Sprintf("this agent plays a recording, which has no %s here: %s", m.Method, expected))
		return
	}
	a.log.Debug("request", "method", m.Method, "session", m.Session)
	sc := c.script
	a.bind(sc, cmp.Or(m.Session, sc.session))
	a.names.AddDir(sc.session, rawjson.StringAt(c.Params, "cwd"), rawjson.StringAt(m.Params, "cwd"))
	if m.Method == "session/close" || m.Method == "session/delete" {
		a.cancelIn(sc)
	}
	isRepeated := c.currentID != nil
	a.answer(c) // if the client repeats a pending request, this answers the first one
	c.currentID, c.answered, c.lastChange = bytes.Clone(m.ID), false, a.now
	if !isRepeated {
		a.unmatched = slices.DeleteFunc(a.unmatched, func(o *call) bool { return o == c })
	}
	a.active = append(a.active, c)
	for _, other := range a.scripts {
		other.undelayedLine = c.Line
	}
	if isRepeated || c.done || !c.isPrompt() && !a.isNext(c) {
		// The messages around the response were sent, or follow in their order.
		c.done = true
		a.answer(c)
	}
}

// isNext reports whether the script of a request waits for it, or for any request.
func (a *agent) isNext(c *call) bool {
	sc := c.script
	if sc.next() == c.step {
		return true
	}
	isOurs := func(o *call) bool { return o.From == a.us && o.isPending() && o.script == sc }
	return sc.turn == nil && c.turn == nil && find(a.active, isOurs) == nil
}

// match returns the recorded request for a request of the client: the next one with the same method
// and, if the session is known, in the same session.
func (a *agent) match(m *recording.Message) *call {
	if m.Method == "initialize" {
		return a.matchInitialize(string(rawjson.Get(m.Params, "protocolVersion")))
	}
	known := a.scriptOf(m.Session)
	return find(a.unmatched, func(c *call) bool {
		isIn := c.script == known || known == nil && c.script.currentSession == ""
		return c.Method == m.Method && (c.Session == "") == (m.Session == "") && (m.Session == "" || isIn)
	})
}

// scriptOf returns the script of a session of the client, or nil.
func (a *agent) scriptOf(session string) *script {
	if sc := a.sessions[session]; sc != nil && (sc.currentSession == "" || sc.currentSession == session) {
		return sc
	}
	return nil
}

// matchInitialize returns the recorded initialize for a protocol version. If there is none, it returns
// another one, preferably with a result: an agent responds with the version that it supports. A
// recorded request can match several times.
func (a *agent) matchInitialize(version string) (best *call) {
	rank := 0
	for _, c := range a.theirs {
		r := 1
		switch {
		case c.Method != "initialize":
			continue
		case string(rawjson.Get(c.Params, "protocolVersion")) == version:
			r = 5
		case c.reply != nil && !c.reply.IsError:
			r = 3
		}
		if c.currentID == nil { // not matched yet
			r++
		}
		if r > rank {
			best, rank = c, r
		}
	}
	return best
}

// bind maps a recorded session to one of the client.
func (a *agent) bind(sc *script, session string) {
	if session == "" || sc.currentSession != "" {
		return
	}
	if other := a.scriptOf(session); other == nil || other == sc {
		a.sessions[session], sc.currentSession = sc, session
		a.names.Add(sc.session, session)
	}
}

// expected describes the next recorded request.
func (a *agent) expected() string {
	if c := find(a.unmatched, func(c *call) bool { return !c.done }); c != nil {
		return "next in it is " + c.Method
	}
	return "nothing is left of it"
}

// answer sends the recorded response to a request.
func (a *agent) answer(c *call) {
	if c.reply != nil {
		a.send(c.reply)
	}
}

// receiveNotification processes a notification of the client. Only cancellations have an effect.
func (a *agent) receiveNotification(m *recording.Message) {
	switch m.Method {
	case "session/cancel":
		if sc := a.scriptOf(m.Session); sc != nil {
			a.cancelIn(sc)
		}
	case "$/cancel_request":
		id := requestID(m)
		isMeant := func(c *call) bool { return c.From == a.them && c.isPending() && jsonrpc.IDOf(c.currentID) == id }
		switch c := find(a.active, isMeant); {
		case c == nil:
		case c.isPrompt():
			a.cancelIn(c.script)
		default:
			c.answered = true
			a.refuse(c.currentID, jsonrpc.RequestCancelled, "the request was cancelled")
		}
	}
}

// cancelIn cancels the running turn of a session, or the next one.
func (a *agent) cancelIn(sc *script) {
	if sc.turn != nil {
		if !sc.turn.cancelled {
			a.cancel(sc.turn)
		}
		return
	}
	isNext := func(c *call) bool { return c.From == a.them && c.script == sc && !c.done && c.isPrompt() }
	if c := find(a.active, isNext); c != nil {
		c.cancelled = true
	}
}

// cancel cancels the turn of a prompt. The script continues behind the recorded cancellation,
// or else behind the turn.
func (a *agent) cancel(t *call) {
	sc, target := t.script, t.cancellation
	if target == nil {
		target = t.lastOfTurn
	}
	t.cancelled = true
	sc.position = target.index
	sc.countFrom(target, a.now)
	for _, s := range sc.steps[t.index : target.index+1] {
		switch c := s.call; {
		case s.done || s.From != a.us || s.Type != trace.Response || !c.isPending():
		case c.isPrompt() && c.Version < 2: // in version 2 the response precedes the turn
			a.stop(c)
		default:
			a.send(s)
		}
		s.done = true
	}
	if target == t.cancellation {
		return
	}
	sc.turn = nil
	if t.Version < 2 {
		a.stop(t)
		return
	}
	a.answer(t)
	if t.isPending() {
		a.respond(t.currentID, `{}`)
	}
	params := `{"sessionId":` + string(rawjson.AppendQuoted(nil, cmp.Or(sc.currentSession, sc.session))) +
		`,"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}`
	idle := trace.Event{Type: trace.Notification, Method: "session/update", Params: []byte(params)}
	a.out = append(idle.AppendMessage(a.out), '\n')
}

// stop responds to a prompt that was cancelled.
func (a *agent) stop(c *call) {
	if c.isPending() {
		c.answered = true
		a.respond(c.currentID, `{"stopReason":"cancelled"}`)
	}
}

// isAwaited reports whether the client waits for a response or the end of a turn.
func (a *agent) isAwaited() bool {
	return find(a.active, func(c *call) bool { return c.From == a.them && c.isPending() }) != nil ||
		slices.ContainsFunc(a.scripts, func(sc *script) bool { return sc.turn != nil })
}

// end marks the end of the client's side. Pending responses are then sent without delay.
func (a *agent) end(now time.Duration) {
	a.now, a.ended = now, true
	a.draining, a.speed = a.draining || a.speed > 0, 0
}
