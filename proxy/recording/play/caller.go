package play

import (
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A caller is the client of a recording. It is told what the agent says and what time
// it is, and says what the client said then. It does no input or output of its own, but
// reads the recording.
type caller struct {
	*script
	log     *slog.Logger
	timeout time.Duration // how long a request waits for its answer, and a turn for its end

	// folder takes the place of a recorded working directory.
	folder func(recorded string) string

	now     time.Duration
	next    int
	gaveUp  bool // the agent has not answered in time, or has refused to begin
	out     []byte
	last    int // the id of the latest request
	open    map[jsonrpc.ID]*step
	turns   map[string]*liveTurn // by what the recording calls the session
	called  map[string]string    // the recording's names of sessions, by the agent's
	names   names
	version int
	err     error
}

// A stepState is what has become of a step.
type stepState struct {
	id       []byte
	since    time.Duration
	asked    bool
	answered bool
	failure  []byte // the error, nil if there was none
}

// A liveTurn is the latest turn of a session.
type liveTurn struct {
	prompt *step
	heard  int
	latest time.Duration // when it was begun, or heard of last
	asked  bool          // a question waits for its answer
	idle   bool
}

func newCaller(s *script, folder func(string) string, timeout time.Duration, log *slog.Logger) *caller {
	return &caller{
		script: s, log: log, folder: folder, timeout: timeout,
		open: make(map[jsonrpc.ID]*step), turns: make(map[string]*liveTurn), called: make(map[string]string),
	}
}

// isOver reports whether a turn is over. A turn of version 2 ends with a state.
func (c *caller) isOver(t *liveTurn) bool {
	switch {
	case t == nil:
		return true
	case !t.prompt.live.answered:
		return false
	}
	return t.idle || t.prompt.live.failure != nil || c.version < 2
}

// speak says what the client says next, as far as the agent has given cause to, and
// returns when to look again.
func (c *caller) speak(now time.Duration) (again time.Duration) {
	c.now = now
	again = c.deadline()
	if c.gaveUp = c.gaveUp || again <= now; c.gaveUp {
		return always
	}
	for c.next < len(c.steps) && c.err == nil {
		s := c.steps[c.next]
		if from := c.mayFollow(s); from > now {
			return min(again, from)
		}
		c.next++
		if s.method == methodCancel && s.within != nil && c.isOver(c.turns[s.session]) {
			c.log.Info("the turn is over before the client cancels it", "line", s.line)
			continue
		}
		c.say(s)
	}
	return c.deadline()
}

// deadline returns when the client gives up: by then what it has asked first must have
// been answered, and a turn must be over.
func (c *caller) deadline() time.Duration {
	until := always
	for _, s := range c.open {
		until = min(until, s.live.since+c.timeout)
	}
	for _, t := range c.turns {
		if !c.isOver(t) {
			until = min(until, t.prompt.live.since+c.timeout)
		}
	}
	return until
}

// mayFollow returns when the client says the step, as far as is known now: it has every
// answer that it had then, and the turn before a prompt is over. Of a turn that is under
// way it has heard as much, or the agent has been quiet for a while: nobody knows how
// much an agent will say.
func (c *caller) mayFollow(s *step) time.Duration {
	for _, earlier := range c.open {
		if earlier.answer.present() && earlier.answer.key() < s.at.key() {
			return always
		}
	}
	t := c.turns[s.session]
	switch {
	case s.method == methodPrompt && !c.isOver(t):
		return always
	case s.method == methodPrompt, s.within == nil, t == nil, t.prompt != s.within, c.isOver(t),
		t.heard >= s.heard, s.asked && t.asked:
		return c.now
	}
	return t.latest + min(patience, c.timeout/2)
}

// say says a step.
func (c *caller) say(s *step) {
	m, ok, err := c.source.one(s.at)
	if err != nil || !ok {
		c.fail(err)
		return
	}
	if folder := string(textOf(m.params, "cwd")); folder != "" {
		c.names.move(nil, folder, c.folder(folder))
	}
	if s.id != "" {
		c.last++
		s.live.id, s.live.asked, s.live.since = strconv.AppendInt(nil, int64(c.last), 10), true, c.now
		c.open[jsonrpc.IDOf(s.live.id)] = s
	}
	if s.method == methodPrompt {
		c.turns[s.session] = &liveTurn{prompt: s, latest: c.now}
	}
	c.out = rename(c.out, m.append(nil), c.names.of(nil), s.live.id, c.requestID)
	c.out = append(c.out, '\n')
}

// requestID returns what a request of the recording is called now.
func (c *caller) requestID(raw []byte) []byte {
	id := jsonrpc.IDOf(raw)
	for _, s := range slices.Backward(c.steps[:c.next]) {
		if s.id == id {
			return s.live.id
		}
	}
	return nil
}

func (c *caller) fail(err error) {
	if c.err == nil && err != nil {
		c.err = err
	}
}

// hear handles a line of the agent.
func (c *caller) hear(line []byte, now time.Duration) {
	c.now = now
	var listener parser
	for _, m := range slices.Clone(listener.parse(line, 0)) {
		switch m.kind {
		case answer:
			c.answered(&m)
			continue
		case request, notification:
			t := c.turns[c.nameOf(m.session)]
			if t == nil || m.session == nil {
				t = new(liveTurn)
			}
			t.heard++
			t.latest = now
			t.idle = t.idle || isIdle(&m)
			if m.kind == request {
				t.asked = true
				c.speak(now) // it may have cancelled the turn instead
				t.asked = false
				c.answer(&m)
			}
		}
	}
}

// nameOf returns what the recording calls a session.
func (c *caller) nameOf(session []byte) string {
	if name, ok := c.called[string(session)]; ok {
		return name
	}
	return string(session)
}

// answered handles the answer to a request.
func (c *caller) answered(m *message) {
	id := jsonrpc.IDOf(m.id)
	s := c.open[id]
	if s == nil {
		return
	}
	delete(c.open, id)
	s.live.answered = true
	if m.failed {
		s.live.failure = slices.Clone(m.result)
		c.gaveUp = c.gaveUp || s.method == methodInitialize && !s.failed
		return
	}
	switch s.method {
	case methodInitialize:
		c.version = versionOf(m.result)
	case methodPrompt:
		// Some agents of version 2 say the end of a turn as in version 1.
		if t := c.turns[s.session]; t != nil && t.prompt == s && rawjson.Get(m.result, "stopReason") != nil {
			t.idle = true
		}
	}
	session := textOf(m.result, "sessionId")
	if session == nil || !s.answer.present() {
		return
	}
	recorded, ok, err := c.source.one(s.answer)
	if err != nil {
		c.fail(err)
	}
	if was := textOf(recorded.result, "sessionId"); ok && was != nil {
		c.called[string(session)] = string(was)
		c.names.call(string(was), string(session))
	}
}

// answer answers a question of the agent with the recorded choice of its kind.
func (c *caller) answer(m *message) {
	q := c.choose(m)
	if q == nil {
		c.log.Info("the recording has no answer to a question of the agent", "method", string(m.method))
		c.dismiss(m)
		return
	}
	q.used = true
	recorded, ok, err := c.source.one(q.answer)
	if err != nil || !ok {
		c.fail(err)
		return
	}
	if string(m.method) == "session/request_permission" && !recorded.failed {
		c.permit(m, q, recorded.result)
		return
	}
	c.out = rename(c.out, recorded.append(nil), c.names.of(nil), m.id, nil)
	c.out = append(c.out, '\n')
}

// choose returns the recorded question that one of the agent means: of the same
// method, and about a tool call of the same kind; with the same title, if there is such
// a one.
func (c *caller) choose(m *message) (best *chosen) {
	now := describe(m)
	for _, q := range c.choices {
		switch {
		case q.used || !q.answer.present() || q.method != now.method:
		case q.kind != "" && now.kind != "" && q.kind != now.kind:
		case now.method == "fs/read_text_file" && string(c.renamed(q.path)) != now.path:
		case q.title == now.title:
			return q
		case best == nil:
			best = q
		}
	}
	return best
}

// renamed returns a text of the recording as the client says it now.
func (c *caller) renamed(text string) []byte {
	return rawjson.Unquote(renameString(nil, rawjson.AppendQuoted(nil, text), c.names.of(nil)))
}

// permit chooses the option that was chosen then: the same, or one of its kind.
func (c *caller) permit(m *message, q *chosen, result []byte) {
	wanted := textOf(result, "outcome", "optionId")
	question, ok, err := c.source.one(q.question)
	if wanted == nil || err != nil || !ok {
		c.fail(err)
		c.dismiss(m)
		return
	}
	wantedKind := ""
	for option := range rawjson.Objects(rawjson.Get(question.params, "options"), nil) {
		if id, _ := option.Text("optionId"); string(id) == string(wanted) {
			kind, _ := option.Text("kind")
			wantedKind = string(kind)
		}
	}
	var chosen []byte
	for option := range rawjson.Objects(rawjson.Get(m.params, "options"), nil) {
		id, _ := option.Text("optionId")
		kind, _ := option.Text("kind")
		same := string(id) == string(wanted) && (wantedKind == "" || string(kind) == wantedKind)
		if same || chosen == nil && wantedKind != "" && string(kind) == wantedKind {
			chosen = slices.Clone(id)
		}
		if same {
			break
		}
	}
	if chosen == nil {
		c.dismiss(m)
		return
	}
	c.result(m.id, `{"outcome":{"outcome":"selected","optionId":`+string(rawjson.AppendQuoted(nil, chosen))+`}}`)
}

// dismiss answers a question with nothing.
func (c *caller) dismiss(m *message) {
	switch string(m.method) {
	case "session/request_permission":
		c.result(m.id, `{"outcome":{"outcome":"cancelled"}}`)
	case "elicitation/create":
		c.result(m.id, `{"action":"cancel"}`)
	default:
		c.out = append(append(append(c.out, `{"jsonrpc":"2.0","id":`...), m.id...), `,"error":{"code":-32601,"message":`...)
		c.out = rawjson.AppendQuoted(c.out, "the recording that this client plays has no answer to "+string(m.method))
		c.out = append(c.out, "}}\n"...)
	}
}

func (c *caller) result(id []byte, result string) {
	c.out = append(append(append(c.out, `{"jsonrpc":"2.0","id":`...), id...), `,"result":`...)
	c.out = append(append(c.out, result...), "}\n"...)
}

// over reports whether the client has said everything and has all answers, or has given
// up.
func (c *caller) over() bool {
	if c.gaveUp {
		return true
	}
	if c.next < len(c.steps) || len(c.open) > 0 {
		return false
	}
	for _, t := range c.turns {
		if !c.isOver(t) {
			return false
		}
	}
	return true
}

// differences returns which requests of the recording were answered otherwise, and how
// many.
func (c *caller) differences() (all []string) {
	asked := 0
	for _, s := range c.steps {
		what := ""
		if s.id == "" || !s.answer.present() {
			continue
		}
		asked++
		t := c.turns[s.session]
		switch {
		case !s.live.asked && c.gaveUp:
			what = "it was not asked, because of the one before"
		case !s.live.asked:
			what = "it was not asked, because the agent had ended"
		case !s.live.answered:
			what = c.without("it got no answer")
		case s.live.failure != nil && !s.failed:
			what = fmt.Sprintf("it got an error, %s: %s", rawjson.Get(s.live.failure, "code"), textOf(s.live.failure, "message"))
		case c.gaveUp && t != nil && t.prompt == s && !c.isOver(t):
			what = c.without("its turn did not end")
		}
		if what != "" {
			all = append(all, fmt.Sprintf("%s (line %d of the recording): %s", s.method, s.line, what))
		}
	}
	if len(all) > 0 {
		all = append(all, fmt.Sprintf("requests: %d answered as recorded, %d not", asked-len(all), len(all)))
	}
	return all
}

// without says what has not happened, and by when.
func (c *caller) without(what string) string {
	if c.gaveUp {
		return fmt.Sprintf("%s within %v (see --timeout)", what, c.timeout)
	}
	return what
}
