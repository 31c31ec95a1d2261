package oldagent

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a turn is an open request: the agent answers the prompt when the
// turn is over. In version 2 the agent answers as soon as it has taken the prompt
// in, and updates of the state say how the turn goes. A session has at most one
// turn:
//
//	              prompt                     any message of the session,
//	  ┌──────┐  (sent on)   ┌───────────┐    or AckDelay    ┌─────────┐
//	  │ idle │ ───────────> │ unanswered│ ────────────────> │ running │ <──┐
//	  └──────┘              └───────────┘  user_message,    └─────────┘    │ the last
//	     ^                     │     │     result, running    │     │      │ question is
//	     │   the agent's error │     │                        │     v      │ answered
//	     │   (passed on)       │     │ the agent's result:    │  ┌─────────────────┐
//	     │<────────────────────┘     │ user_message, result,  │  │ requires_action │
//	     │                           │ running, idle          │  └─────────────────┘
//	     │<──────────────────────────┘                        │     │
//	     │<───────────────────────────────────────────────────┴─────┘
//	        the agent's answer, its end, or a close: idle with a stopReason
//
// A prompt that comes during a turn is held, and sent on when the turn is over.
// session/cancel and a cancelled request withdraw the prompts that are held. They
// do not end the turn; the agent's answer does, and then it was cancelled.

// A turn is what an agent does for a prompt.
type turn struct {
	session   *session
	call      *call      // the prompt
	key       *promptKey // of it; nil if it has none
	prompt    []byte     // its content, raw
	echo      echo       // what the agent has repeated of it
	messageID string
	ackAt     time.Time // when it is taken in, if the agent says nothing before
	answer    []byte    // the agent's result, if the turn does not end with it; see late.go
	endAt     time.Time // when it ends then
	lateUntil time.Time // and at the latest

	acked     bool // the client knows that it was taken in
	cancelled bool // by session/cancel
	withdrawn bool // by $/cancel_request, before it was taken in
	ended     bool
	concluded bool // the last message or tool call was a message of the agent, as turns end
}

// settled reports whether the turn needs no timer to be taken in. A prompt that
// was withdrawn is not taken in by the clock: the agent may still refuse it.
func (t *turn) settled() bool { return t.acked || t.ended || t.withdrawn }

// isCancelled reports whether the turn was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (t *turn) isCancelled() bool { return t.cancelled || t.session.ending != nil }

// A heldRequest is a request of the client that waits: a prompt for its turn, or
// another for the end of its session.
type heldRequest struct {
	id   []byte     // as the client gave it
	text []byte     // the params of a prompt, nil if it repeats another; of another request, the whole message
	key  *promptKey // of a prompt
}

func (h heldRequest) size() int { return len(h.id) + len(h.text) }

// hold adds a copy of a request to those that wait, unless there are too many.
func (b *Bridge) hold(waiting *[]heldRequest, h heldRequest) bool {
	if len(*waiting) >= MaxHeld || b.held >= MaxRequests || b.heldBytes+h.size() > MaxHeldBytes {
		return false
	}
	h.id, h.text = bytes.Clone(h.id), bytes.Clone(h.text)
	*waiting = append(*waiting, h)
	b.held++
	b.heldBytes += h.size()
	return true
}

// unhold takes a request from those that wait.
func (b *Bridge) unhold(waiting *[]heldRequest, i int) heldRequest {
	h := (*waiting)[i]
	*waiting = slices.Delete(*waiting, i, i+1)
	b.held--
	b.heldBytes -= h.size()
	return h
}

// A state is what a session is told to be in.
type state string

// The states.
const (
	idle           state = "idle"
	running        state = "running"
	requiresAction state = "requires_action"
)

// prompt takes in a prompt.
func (b *Bridge) prompt(m *jsonrpc.Message) {
	params := m.Params.Of(m.Text)
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], params)
	if s := b.sessions[string(m.Session)]; s != nil {
		if d, ok := digestOf(o); ok && s.keys.known[d] != nil {
			b.repeated(s, s.keys.known[d], m.ID)
			return
		}
	}
	kind, ok := unsupportedBlock(o)
	switch {
	case ok:
	case kind == "":
		b.refuse(m.ID, invalidParams, "Invalid params: no content that the agent can be given", nil)
		return
	default:
		data := append(rawjson.AppendQuoted([]byte(`{"type":`), kind), '}')
		b.refuse(m.ID, invalidParams, "Invalid params: a content block that the agent cannot be given", data)
		return
	}
	s := b.reopen(m.Session)
	p := heldRequest{m.ID, params, s.keys.use(o)}
	switch {
	case s.turn == nil:
		b.startTurn(s, p)
	case !b.hold(&s.held, p):
		b.rejectPrompt(s, m.ID, p.key, func(id []byte) { b.refuseTooMany(s, id) })
	}
}

// refuseTooMany answers a prompt because too many wait.
func (b *Bridge) refuseTooMany(s *session, id []byte) {
	b.lose([]byte(s.id), translate.LossTooManyPrompts, "a prompt was refused because too many wait")
	b.refuse(id, internalError, "too many prompts wait for their turn", nil)
}

// unsupportedBlock reports whether an agent of version 1 can be given all the
// content of a prompt. If not, it returns the type of the first block that the
// agent cannot be given, "" if the content is missing.
func unsupportedBlock(params rawjson.Object) (kind string, ok bool) {
	var fields [8]rawjson.Field
	var elements [8][]byte
	blocks, isArray := rawjson.ReadArray(elements[:0], params.Get("prompt"))
	var w words.Writer
	for _, block := range blocks {
		w.Reset()
		o, _ := rawjson.ReadObject(fields[:0], block)
		kind, _ := o.Text("type")
		if !words.BlockToV1(&w, block) || slices.ContainsFunc(w.Losses, isBlockLoss) {
			return string(kind), false
		}
	}
	return "", isArray && len(blocks) > 0
}

// isBlockLoss reports whether a block has become text.
func isBlockLoss(l translate.Loss) bool { return l.Kind == translate.LossContentBlock }

// startTurn sends a prompt on.
func (b *Bridge) startTurn(s *session, p heldRequest) {
	if b.asked.Len() >= MaxRequests {
		b.lose([]byte(s.id), translate.LossTooManyRequests, "a prompt was refused")
		b.refusePrompt(s, p.id, p.key, internalError, "too many requests are open")
		return
	}
	if r := s.replay; r != nil && r.child {
		b.endChildReplay(r, false) // what comes now belongs to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], p.text)
	t := &turn{session: s, key: p.key, messageID: b.options.NewID(), ackAt: b.now.Add(AckDelay)}
	t.call = b.asked.Open(p.id, request{answered: b.turnAnswered, session: s.id, turn: t})
	s.turn = t
	s.turns++
	s.breakMessage()
	b.unacked = append(b.unacked, t)

	w := b.begin()
	w.Text(`{"jsonrpc":"2.0","id":`)
	w.Out = strconv.AppendInt(w.Out, t.call.Number, 10)
	w.Text(`,"method":"session/prompt","params":`)
	promptToV1(w, o)
	w.Text("}")
	b.send(toAgent)
	if prompt := o.Get("prompt"); b.keep(s, len(prompt)) {
		t.prompt = bytes.Clone(prompt)
	} else {
		b.lose([]byte(s.id), translate.LossTooMuchKept, "a prompt counts as taken in at once")
		b.takeIn(t, prompt)
	}
}

// promptToV1 writes the params of a prompt.
func promptToV1(w *words.Writer, params rawjson.Object) {
	w.Text("{")
	for _, f := range params {
		switch string(f.Name) {
		case "idempotencyKey": // see keys.go
		case "prompt":
			member(w, "prompt")
			if !words.Array(words.BlockToV1)(w, f.Value) {
				w.Text("[]")
			}
		default:
			field(w, f)
		}
	}
	w.Text("}")
}

// agentSpoke takes in that the agent said something of a session: it has taken
// in the prompt.
func (b *Bridge) agentSpoke(m *jsonrpc.Message) {
	if s := b.sessions[string(m.Session)]; s != nil && s.turn != nil {
		s.live = true
		b.endEcho(s.turn)
		b.acknowledge(s.turn)
	}
}

// acknowledge tells the client that a prompt was taken in, if it was not told
// before.
func (b *Bridge) acknowledge(t *turn) {
	if t.acked {
		return
	}
	b.takeIn(t, t.prompt)
	if len(t.prompt) > maxEcho {
		b.forgetPrompt(t)
	}
}

// forgetPrompt forgets the content of a prompt. If the agent repeats it, that is
// not recognized.
func (b *Bridge) forgetPrompt(t *turn) {
	b.unkeep(t.session, len(t.prompt))
	t.prompt, t.echo.blocks = nil, nil
}

// takeIn tells the client that a prompt with that content was taken in.
func (b *Bridge) takeIn(t *turn, prompt []byte) {
	t.acked = true
	t.session.reopened = false
	delete(b.deleted, t.session.id)
	w := b.beginUpdate(t.session, "user_message")
	member(w, "messageId")
	w.Quoted([]byte(t.messageID))
	member(w, "content")
	w.Out = append(w.Out, prompt...)
	b.sendUpdate(w)

	b.replyPrompt(t.call.ID, t.messageID)
	if t.key != nil {
		b.keyTaken(t.session, t.key, t.messageID)
	}
	b.tellState(t.session, running)
}

// replyPrompt answers a prompt that was taken in.
func (b *Bridge) replyPrompt(id []byte, messageID string) {
	w := b.begin()
	respond(w, id, "result")
	w.Text(`{"messageId":`)
	w.Quoted([]byte(messageID))
	w.Text("}}")
	b.send(toClient)
}

// tellState tells the client what state a session is in.
func (b *Bridge) tellState(s *session, to state) {
	s.state = to
	w := b.beginUpdate(s, "state_update")
	member(w, "state")
	w.Quoted([]byte(to))
	b.sendUpdate(w)
}

// tellProgress tells the client whether a turn waits for an answer to a question.
func (b *Bridge) tellProgress(s *session) {
	t := s.turn
	if t == nil || !t.acked || t.isCancelled() {
		return
	}
	to := running
	if slices.ContainsFunc(s.questions, func(q *question) bool { return q.turn == t }) {
		to = requiresAction
	}
	if s.state != to {
		b.tellState(s, to)
	}
}

// turnAnswered takes in the agent's answer to a prompt.
func (b *Bridge) turnAnswered(c *call, m *jsonrpc.Message) {
	t := c.Asked.turn
	result := m.Result.Of(m.Text)
	failed := m.Failed() || result == nil
	if failed || t.withdrawn || !t.echo.inside { // else it may go on, see late.go
		b.breakOffEcho(t)
	}
	switch {
	case !t.acked && t.withdrawn && (failed || stoppedBy(result) == "cancelled"):
		b.refusePrompt(t.session, c.ID, t.key, requestCancelled, "Request cancelled")
	case !t.acked && failed:
		b.rejectPrompt(t.session, c.ID, t.key, func(id []byte) { b.passError(id, t.session.id, m) })
	case failed && (t.isCancelled() || errorCode(m.Error.Of(m.Text)) == requestCancelled):
		b.endTurn(t, "cancelled", nil, nil)
		return
	case failed:
		b.endTurn(t, "error", m.Error.Of(m.Text), nil)
		return
	default:
		t.session.live = true
		b.acknowledge(t)
		b.answerTurn(t, result)
		return
	}
	b.nextTurn(t)
}

// stoppedBy returns the stopReason of a prompt's result.
func stoppedBy(result []byte) string {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], result)
	reason, _ := o.Text("stopReason")
	return string(reason)
}

// endTurn tells the client that a turn is over, and begins the next. failure is
// the error of a stopReason "error"; result is of a prompt that has one.
func (b *Bridge) endTurn(t *turn, stopReason string, failure, result []byte) {
	s := t.session
	b.breakOffEcho(t)
	switch {
	case stopReason == "cancelled":
		b.dropQuestions(s, nil)
		b.cancelToolCalls(s)
	case t.isCancelled() && s.state == requiresAction:
		b.tellState(s, running) // it went on after the questions were dropped
	default:
		b.dropQuestions(s, t)
	}
	s.state = idle
	w := b.beginUpdate(s, "state_update")
	w.Text(`,"state":"idle"`)
	if stopReason != "" {
		member(w, "stopReason")
		w.Quoted([]byte(stopReason))
	}
	if stopReason == "error" {
		member(w, "error")
		appendError(w, failure, "")
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], result)
	b.inner.Reset()
	if usage := o.Get("usage"); usage != nil && words.Usage.Convert(&b.inner, usage) {
		optional(w, "usage", b.inner.Out)
	}
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		optional(w, "_meta", meta)
	}
	b.sendUpdate(w)
	b.nextTurn(t)
}

// nextTurn begins the turn of the prompt that has waited longest.
func (b *Bridge) nextTurn(t *turn) {
	s := t.session
	t.ended = true
	s.turn = nil
	b.forgetPrompt(t)
	if e := s.ending; e != nil && e.id != nil {
		b.finish(e)
		return
	}
	if s.reopened && !t.acked && len(s.held) == 0 && s.replay == nil {
		b.dropClosed(s) // the agent would not have it
		return
	}
	for s.turn == nil && len(s.held) > 0 {
		b.startTurn(s, b.unhold(&s.held, 0))
	}
}

// turnLost ends the turn of an agent that has ended itself.
func (b *Bridge) turnLost(t *turn) {
	s := t.session
	b.breakOffEcho(t)
	b.withdrawHeld(s, internalError, b.gone)
	if !t.acked {
		b.refusePrompt(s, t.call.ID, t.key, internalError, b.gone)
		b.nextTurn(t)
		return
	}
	failure := append(rawjson.AppendQuoted([]byte(`{"code":-32603,"message":`), b.gone), '}')
	b.endTurn(t, "error", failure, nil)
}

// cancel takes in that the client cancels what a session does.
func (b *Bridge) cancel(m *jsonrpc.Message) {
	b.out.Forward()
	s := b.sessions[string(m.Session)]
	if s == nil {
		return
	}
	b.withdrawHeld(s, requestCancelled, "Request cancelled")
	b.settle(s)
	if s.turn != nil {
		s.turn.cancelled = true
	}
	b.dropQuestions(s, nil)
}

// withdrawHeld refuses the prompts that wait for their turn.
func (b *Bridge) withdrawHeld(s *session, code int, why string) {
	for len(s.held) > 0 {
		h := b.unhold(&s.held, 0)
		b.refusePrompt(s, h.id, h.key, code, why)
	}
}

// cancelHeld refuses the request with that id if it waits.
func (b *Bridge) cancelHeld(id []byte) bool {
	want := jsonrpc.IDOf(id)
	cancel := func(s *session, waiting *[]heldRequest) bool {
		i := slices.IndexFunc(*waiting, func(h heldRequest) bool { return jsonrpc.IDOf(h.id) == want })
		if i >= 0 {
			h := b.unhold(waiting, i)
			b.refusePrompt(s, h.id, h.key, requestCancelled, "Request cancelled")
		}
		return i >= 0
	}
	for _, s := range b.sessions {
		if cancel(s, &s.held) {
			return true
		}
		for _, repeats := range s.waitingRepeats() {
			if cancel(s, repeats) {
				return true
			}
		}
	}
	for _, e := range b.endings {
		if cancel(nil, &e.waiting) {
			return true
		}
	}
	return false
}

// withdraw takes in that the client cancels the request of a prompt that was
// sent on. Agents of version 1 need not know $/cancel_request; all know
// session/cancel.
func (b *Bridge) withdraw(t *turn) {
	if t.acked || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled = true, true
	b.tellCancel(t.session)
}

func (b *Bridge) tellCancel(s *session) {
	w := b.begin()
	w.Text(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":`)
	w.Quoted([]byte(s.id))
	w.Text("}}")
	b.send(toAgent)
}
