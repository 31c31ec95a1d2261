package oldagent

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a turn is an open request: the agent answers the prompt when the
// turn is over. In version 2 the agent answers as soon as it has inserted the prompt
// into the conversation, and updates of the state say how the turn goes. A session has
// at most one turn:
//
//	              prompt                     any message of the session,
//	  ┌──────┐  (sent on)   ┌───────────┐    or ackDelay    ┌─────────┐
//	  │ idle │ ───────────> │   sent    │ ────────────────> │ running │ <──┐
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
//
// Some agents answer a prompt before they have said all about it. What comes then
// still belongs to the turn: a user who was told that the turn is over would
// see it go on, and version 2 forbids that for a cancelled turn. If the next
// prompt went out with the answer, late messages would even count as the first
// sign of life of the next turn, and the user would see them below that prompt.
//
//	agent:   chunk 1   result          chunk 2    chunk 3
//	client:  chunk 1                   chunk 2    chunk 3           idle, the next prompt
//	                   └─ lateDelay ─┘
//	                                   └──────────┘└─ lateDelay ─┘  at most maxLate in all
//
// Most agents have said everything, so the bridge waits only where something is
// missing or would go wrong, see [turn.mayGoOn]. Such a turn lingers. These are the
// other orders that the bridge has to get right:
//
//	prompt, cancel, result          cancelled: the prompt was inserted after all
//	prompt, $/cancel, error         the client gets the error, and there was no turn
//	prompt, $/cancel, chunk, error  a turn that was cancelled
//	prompt, close, no answer        the turn is abandoned after closeDelay
//	prompt, its echo, result        the echo inserts it, under the agent's id
//	prompt, the agent ends          an error before the first sign of life, else a turn that failed

const (
	// ackDelay is how long an agent that stays silent has to refuse a prompt.
	// Then it has inserted it.
	ackDelay = 150 * time.Millisecond
	// lateDelay is how long an agent that has answered a prompt may be silent
	// before its turn is over. On a busy machine chunks were seen to come up to
	// 100 ms after an answer, most within 35 ms.
	lateDelay = 100 * time.Millisecond
	// maxLate is how long after an answer its turn is over in any case.
	maxLate = time.Second

	// Beyond these limits a turn ends with its answer: how many turns linger,
	// and how many bytes an answer that is kept has.
	maxLingering = 256
	maxAnswer    = 64 << 10
)

// A turn is what an agent does for a prompt.
type turn struct {
	session   *session
	call      *link.Call // the prompt
	key       *promptKey // of it; nil if it has none
	prompt    []byte     // its content, raw
	echo      echo       // what the agent has repeated of it
	messageID string
	ackAt     time.Time // when it counts as inserted, if the agent says nothing before
	answer    []byte    // the agent's result, if the turn lingers
	endAt     time.Time // when it ends then
	lateUntil time.Time // and at the latest

	inserted  bool // the client knows that the prompt was inserted
	cancelled bool // by session/cancel
	withdrawn bool // by $/cancel_request, before it was inserted
	ended     bool
	concluded bool // the last message or tool call was a message of the agent, as turns end
}

// needsNoTimer reports whether the prompt is not inserted by the clock any more. One
// that was withdrawn is not: the agent may still refuse it.
func (t *turn) needsNoTimer() bool { return t.inserted || t.ended || t.withdrawn }

// isCancelled reports whether the turn was cancelled. A request to close or delete
// the session cancels it too, unless it fails.
func (t *turn) isCancelled() bool { return t.cancelled || t.session.ending != nil }

// mayGoOn reports whether to wait for what the agent says after its answer. That is so
// if the last message or tool call was not a message of the agent, if the turn was
// cancelled, or if a prompt waits.
func (t *turn) mayGoOn() bool {
	return !t.concluded || t.isCancelled() || len(t.session.held) > 0
}

// waitsFrom lets a turn linger from now on.
func (t *turn) waitsFrom(now time.Time) {
	if t.endAt = now.Add(lateDelay); t.endAt.After(t.lateUntil) {
		t.endAt = t.lateUntil
	}
}

// forgetPrompt forgets the content of a prompt. If the agent repeats it, that is
// not recognized.
func (t *turn) forgetPrompt() {
	t.session.unkeep(len(t.prompt))
	t.prompt, t.echo.blocks = nil, nil
}

// A state is what a session is told to be in.
type state string

// The states.
const (
	idle           state = "idle"
	running        state = "running"
	requiresAction state = "requires_action"
)

// turns are the turns of all sessions.
type turns struct {
	link     *link.Link
	sessions *sessions
	replays  *replays
	held     *held
	newID    func() string

	sent      []*turn // in the order in which the clock inserts their prompts; some need no timer
	lingering []*turn // that the agent has answered and that go on for a moment
}

// prompt handles session/prompt.
func (ts *turns) prompt(m *jsonrpc.Message) {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], link.ParamsOf(m))
	if s := ts.sessions.find(m.Session); s != nil {
		if k := s.keys.used(o); k != nil {
			ts.repeated(s, k, m.ID)
			return
		}
	}
	if kind, ok := unsupportedBlock(o); !ok {
		e := invalid("no content that the agent can be given")
		if kind != "" {
			e = invalidOf([]byte(kind), "a content block that the agent cannot be given")
		}
		ts.link.Refuse(translate.Client, m.ID, e)
		return
	}
	s := ts.sessions.reopen(m.Session)
	r := heldRequest{m.ID, link.ParamsOf(m), s.keys.use(o)}
	switch {
	case s.turn == nil:
		ts.start(s, r)
	case !ts.held.hold(&s.held, r):
		ts.reject(s, r.id, r.key, func(id []byte) { ts.refuseTooMany(s, id) })
	}
}

// repeated answers a prompt whose key was used before, now or when the first one
// is answered.
func (ts *turns) repeated(s *session, k *promptKey, id []byte) {
	switch {
	case k.messageID != "":
		ts.answerPrompt(id, k.messageID)
	case !ts.held.hold(&k.repeats, heldRequest{id: id}):
		ts.refuseTooMany(s, id)
	}
}

// refuseTooMany refuses a prompt because too many wait.
func (ts *turns) refuseTooMany(s *session, id []byte) {
	s.lose(ts.link, translate.LossTooManyPrompts, "a prompt was refused because too many wait")
	ts.link.Refuse(translate.Client, id, link.Error{Code: link.InternalError, Message: "too many prompts wait for their turn"})
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

// start sends a prompt on, which begins a turn.
func (ts *turns) start(s *session, r heldRequest) {
	if ts.link.Full(translate.Agent) {
		s.lose(ts.link, translate.LossTooManyRequests, "a prompt was refused")
		ts.refuse(s, r.id, r.key, link.Error{Code: link.InternalError, Message: "too many requests are open"})
		return
	}
	if p := s.replay; p != nil && p.child {
		ts.replays.endChild(p, false) // what comes now belongs to the turn
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], r.text)
	t := &turn{session: s, key: r.key, messageID: ts.newID(), ackAt: ts.link.After(ackDelay)}
	t.call = ts.link.OpenID(translate.Agent, r.id, link.Request{Session: s.id, Answered: ts.promptAnswered, Of: t})
	s.turn = t
	s.turns++
	s.breakMessage()
	ts.sent = append(ts.sent, t)

	promptToV1.ConvertObject(ts.link.AskWith(t.call, "session/prompt"), o)
	ts.link.SendObject(translate.Agent)
	if prompt := o.Get("prompt"); s.keep(len(prompt)) {
		t.prompt = bytes.Clone(prompt)
	} else {
		s.lose(ts.link, translate.LossTooMuchKept, "a prompt counts as taken in at once")
		ts.insertAs(t, prompt)
	}
}

// promptToV1 is the shape of the params of a prompt.
var promptToV1 = words.Shape{
	{Name: "idempotencyKey", Convert: words.Leave}, // see keys.go
	{Name: "prompt", Convert: words.Array(words.BlockToV1)},
}

// spoke notes that the agent has said something of a session: it has inserted the
// prompt. The messages that are returned have waited because they might have repeated
// the prompt. They do not, so they are shown before what was said.
func (ts *turns) spoke(s *session) (shown [][]byte) {
	t := s.turn
	if t == nil {
		return nil
	}
	s.live = true
	repeats, shown := t.echo.interrupted(&s.share)
	if repeats {
		ts.repeatedPrompt(t)
	}
	ts.insert(t)
	return shown
}

// goesOn notes that the agent has said something of the conversation itself. A turn
// that lingers waits for more.
func (ts *turns) goesOn(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		t.waitsFrom(ts.link.Now())
	}
}

// echoes reports whether a chunk of a message of the user is, or may be, what an agent
// repeats of the prompt.
func (ts *turns) echoes(s *session, u *link.Update) bool {
	t := s.turn
	if t == nil || s.replay != nil {
		return false
	}
	v := t.echo.chunk(u, t.prompt, &s.share)
	if v == isEcho {
		ts.repeatedPrompt(t)
	}
	return v != isNoEcho
}

// repeatedPrompt notes that the agent has repeated the prompt, or blocks of it. Before
// the prompt is inserted, the message that repeats it also gives it its id.
func (ts *turns) repeatedPrompt(t *turn) {
	if id := t.echo.id; !t.inserted && t.session.promptIDs.use(id, &t.session.share) {
		t.messageID = id
	}
	t.echo.drop(&t.session.share)
	ts.insert(t)
}

// breakOffEcho drops the chunks that wait, because the turn is over: all of them are
// the beginning of the prompt.
func (ts *turns) breakOffEcho(t *turn) {
	if len(t.echo.waiting) > 0 {
		ts.repeatedPrompt(t)
	}
}

// insert tells the client that a prompt was inserted, if it was not told before.
func (ts *turns) insert(t *turn) {
	if t.inserted {
		return
	}
	ts.insertAs(t, t.prompt)
	if len(t.prompt) > maxEcho {
		t.forgetPrompt()
	}
}

// insertAs tells the client that a prompt with that content was inserted.
func (ts *turns) insertAs(t *turn, prompt []byte) {
	s := t.session
	t.inserted = true
	ts.sessions.confirm(s)
	w := ts.link.UpdateWith([]byte(s.id), "user_message")
	w.StringMember("messageId", []byte(t.messageID))
	w.Name("content")
	w.Raw(prompt)
	ts.link.SendUpdate()

	ts.answerPrompt(t.call.ID, t.messageID)
	if k := t.key; k != nil {
		k.messageID = t.messageID
		for len(k.repeats) > 0 {
			ts.answerPrompt(ts.held.release(&k.repeats, 0).id, t.messageID)
		}
		s.keys.keep(k, &s.share, func(detail string) { s.lose(ts.link, translate.LossTooManyKeys, detail) })
	}
	ts.tellState(s, running)
}

// answerPrompt answers a prompt that was inserted.
func (ts *turns) answerPrompt(id []byte, messageID string) {
	w := ts.link.AnswerWith(id)
	w.Object()
	w.StringMember("messageId", []byte(messageID))
	w.EndObject()
	ts.link.SendObject(translate.Client)
}

// reject answers a prompt that was not inserted with an error, and those that repeat
// it. Its key, if it has one, can be used again.
func (ts *turns) reject(s *session, id []byte, k *promptKey, reject func(id []byte)) {
	reject(id)
	if k == nil {
		return
	}
	s.keys.forget(k)
	for len(k.repeats) > 0 {
		reject(ts.held.release(&k.repeats, 0).id)
	}
}

// refuse is reject with an error of the bridge.
func (ts *turns) refuse(s *session, id []byte, k *promptKey, e link.Error) {
	ts.reject(s, id, k, func(id []byte) { ts.link.Refuse(translate.Client, id, e) })
}

// tellState tells the client what state a session is in.
func (ts *turns) tellState(s *session, to state) {
	s.state = to
	ts.link.UpdateWith([]byte(s.id), "state_update").StringMember("state", []byte(to))
	ts.link.SendUpdate()
}

// tellProgress tells the client whether a turn waits for an answer to a question.
func (ts *turns) tellProgress(s *session) {
	t := s.turn
	if t == nil || !t.inserted || t.isCancelled() {
		return
	}
	to := running
	if s.isAsked(t) {
		to = requiresAction
	}
	if s.state != to {
		ts.tellState(s, to)
	}
}

// promptAnswered handles the agent's answer to a prompt.
func (ts *turns) promptAnswered(c *link.Call, m *jsonrpc.Message) {
	t := c.Asked.Of.(*turn)
	result, refused := link.ResultOf(m), failed(m)
	if refused || t.withdrawn || !t.echo.inside { // else it may go on
		ts.breakOffEcho(t)
	}
	switch {
	case !t.inserted && t.withdrawn && (refused || stoppedBy(result) == "cancelled"):
		ts.refuse(t.session, c.ID, t.key, errCancelled)
		ts.next(t)
	case !t.inserted && refused:
		ts.reject(t.session, c.ID, t.key, func(id []byte) { passError(ts.link, id, t.session.id, m) })
		ts.next(t)
	case refused && (t.isCancelled() || link.ErrorCode(link.ErrorOf(m)) == link.RequestCancelled):
		ts.end(t, turnEnd{stopReason: "cancelled"})
	case refused:
		ts.end(t, turnEnd{stopReason: "error", failure: link.ErrorOf(m)})
	default:
		t.session.live = true
		ts.insert(t)
		ts.endOrLinger(t, result)
	}
}

// endOrLinger ends a turn that the agent has answered, now or a moment later.
func (ts *turns) endOrLinger(t *turn, result []byte) {
	if !t.mayGoOn() || len(ts.lingering) >= maxLingering || len(result) > maxAnswer {
		ts.end(t, endedBy(result))
		return
	}
	t.answer = bytes.Clone(result)
	t.lateUntil = ts.link.After(maxLate)
	t.waitsFrom(ts.link.Now())
	ts.lingering = append(ts.lingering, t)
}

// endLingering ends the turn of a session at once if the agent has answered it.
func (ts *turns) endLingering(s *session) {
	if t := s.turn; t != nil && t.answer != nil {
		ts.end(t, endedBy(t.answer))
	}
}

// A turnEnd is how a turn has ended.
type turnEnd struct {
	stopReason string // "" if the agent gives none
	failure    []byte // the raw error of an "error"
	result     []byte // of the prompt; nil if there is none
}

// endedBy returns the end of a turn whose prompt was answered with that result.
func endedBy(result []byte) turnEnd { return turnEnd{stopReason: stoppedBy(result), result: result} }

// stoppedBy returns the stopReason of a prompt's result.
func stoppedBy(result []byte) string {
	var buf [4]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], result)
	reason, _ := o.Text("stopReason")
	return string(reason)
}

// end tells the client that a turn is over, and begins the next.
func (ts *turns) end(t *turn, end turnEnd) {
	s := t.session
	ts.breakOffEcho(t)
	switch {
	case end.stopReason == "cancelled":
		s.dropQuestions(ts.link, nil)
		s.cancelToolCalls(ts.link)
	case t.isCancelled() && s.state == requiresAction:
		ts.tellState(s, running) // it went on after the questions were dropped
	default:
		s.dropQuestions(ts.link, t)
	}
	s.state = idle
	ts.tellEnd(s, end)
	ts.next(t)
}

// tellEnd tells the client that a session is idle, and why.
func (ts *turns) tellEnd(s *session, end turnEnd) {
	w := ts.link.UpdateWith([]byte(s.id), "state_update")
	w.StringMember("state", []byte(idle))
	if end.stopReason != "" {
		w.StringMember("stopReason", []byte(end.stopReason))
	}
	if end.stopReason == "error" {
		w.Name("error")
		words.WriteError(w, end.failure, noAnswer)
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], end.result)
	trial := ts.link.Trial()
	if usage := o.Get("usage"); usage != nil && words.Usage.Convert(trial, usage) {
		w.Member("usage", trial.Out)
	}
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		w.Member("_meta", meta)
	}
	ts.link.SendUpdate()
}

// next begins the turn of the prompt that has waited longest, or ends the session if
// that has waited for the turn.
func (ts *turns) next(t *turn) {
	s := t.session
	t.ended = true
	s.turn = nil
	t.forgetPrompt()
	if e := s.ending; e != nil && e.whenIdle != nil {
		e.whenIdle()
		return
	}
	if s.reopened && !t.inserted && len(s.held) == 0 && s.replay == nil {
		ts.sessions.end(s) // the agent would not have it
		return
	}
	for s.turn == nil && len(s.held) > 0 {
		ts.start(s, ts.held.release(&s.held, 0))
	}
}

// abandon ends a turn without the agent's answer.
func (ts *turns) abandon(t *turn) {
	ts.link.Forget(translate.Agent, t.call)
	ts.breakOffEcho(t)
	if t.inserted {
		ts.end(t, turnEnd{stopReason: "cancelled"})
		return
	}
	ts.refuse(t.session, t.call.ID, t.key, errCancelled)
	ts.next(t)
}

// lost ends the turn of an agent that has ended itself.
func (ts *turns) lost(t *turn) {
	e := agentEnded(ts.link)
	ts.breakOffEcho(t)
	ts.refuseHeld(t.session, e)
	if !t.inserted {
		ts.refuse(t.session, t.call.ID, t.key, e)
		ts.next(t)
		return
	}
	var failure rawjson.Builder
	e.Write(&failure)
	ts.end(t, turnEnd{stopReason: "error", failure: failure.Out})
}

// lostLingering ends the turns that linger, because the agent has ended.
func (ts *turns) lostLingering() {
	for _, t := range ts.lingering {
		if !t.ended {
			ts.refuseHeld(t.session, agentEnded(ts.link))
			ts.endLingering(t.session)
		}
	}
}

// cancelPrompts handles session/cancel.
func (ts *turns) cancelPrompts(m *jsonrpc.Message) {
	ts.link.Forward()
	s := ts.sessions.find(m.Session)
	if s == nil {
		return
	}
	ts.refuseHeld(s, errCancelled)
	ts.endLingering(s)
	if s.turn != nil {
		s.turn.cancelled = true
	}
	s.dropQuestions(ts.link, nil)
}

// refuseHeld refuses the prompts that wait for their turn.
func (ts *turns) refuseHeld(s *session, e link.Error) {
	for len(s.held) > 0 {
		r := ts.held.release(&s.held, 0)
		ts.refuse(s, r.id, r.key, e)
	}
}

// cancelHeld refuses the prompt with that id if it waits. It reports whether it does.
func (ts *turns) cancelHeld(id jsonrpc.ID) bool {
	for _, s := range ts.sessions.all {
		for _, waiting := range s.waiting() {
			if r, ok := ts.held.releaseID(waiting, id); ok {
				ts.refuse(s, r.id, r.key, errCancelled)
				return true
			}
		}
	}
	return false
}

// waiting returns the lists of prompts that wait: for their turn, or for the answer to
// another one with the same key.
func (s *session) waiting() (lists []*[]heldRequest) {
	lists = append(lists, &s.held)
	if s.turn != nil && s.turn.key != nil {
		lists = append(lists, &s.turn.key.repeats)
	}
	for _, r := range s.held {
		if r.key != nil {
			lists = append(lists, &r.key.repeats)
		}
	}
	return lists
}

// withdraw has the agent cancel a prompt whose request the client has cancelled. Agents
// of version 1 need not know $/cancel_request; all know session/cancel.
func (ts *turns) withdraw(t *turn) {
	if t.inserted || t.withdrawn {
		return
	}
	t.withdrawn, t.cancelled = true, true
	ts.link.TellCancel(t.session.id)
}

// nextInserted returns the turn whose prompt the clock inserts next, nil if there is
// none.
func (ts *turns) nextInserted() *turn {
	for len(ts.sent) > 0 && ts.sent[0].needsNoTimer() {
		ts.sent = ts.sent[1:]
	}
	if len(ts.sent) == 0 {
		return nil
	}
	return ts.sent[0]
}

// nextEnded returns the turn that lingers and ends first, nil if none lingers.
func (ts *turns) nextEnded() *turn {
	ts.lingering = slices.DeleteFunc(ts.lingering, func(t *turn) bool { return t.ended })
	if len(ts.lingering) == 0 {
		return nil
	}
	return slices.MinFunc(ts.lingering, func(x, y *turn) int { return x.endAt.Compare(y.endAt) })
}

// due returns when wake is wanted, the zero time if it is not.
func (ts *turns) due() time.Time {
	var inserted, ended time.Time
	if t := ts.nextInserted(); t != nil {
		inserted = t.ackAt
	}
	if t := ts.nextEnded(); t != nil {
		ended = t.endAt
	}
	return link.Earliest(inserted, ended)
}

// wake inserts the prompt, or ends the turn, that is due first. It reports false if
// nothing is due by then.
func (ts *turns) wake(by time.Time) bool {
	if t := ts.nextInserted(); t != nil && !t.ackAt.After(by) {
		ts.insert(t)
		return true
	}
	if t := ts.nextEnded(); t != nil && !t.endAt.After(by) {
		ts.endLingering(t.session)
		return true
	}
	return false
}

// holds reports whether prompts wait for their turn.
func (ts *turns) holds() bool {
	for _, s := range ts.sessions.all {
		if len(s.held) > 0 {
			return true
		}
	}
	return false
}

// refuseAllHeld is refuseHeld for all sessions.
func (ts *turns) refuseAllHeld(e link.Error) {
	for _, s := range ts.sessions.all {
		ts.refuseHeld(s, e)
	}
}
