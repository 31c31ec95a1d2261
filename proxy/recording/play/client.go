package play

import (
	"fmt"
	"slices"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// A liveTurn is the latest turn of a session with the agent of this conversation.
type liveTurn struct {
	prompt *call
	begun  time.Duration
	heard  int
	latest time.Duration // when it was begun, or heard of last
	asked  bool          // a question waits for its answer
	idle   bool
}

// isIdle reports whether no turn is under way in a session. A turn of version 2 ends with
// a state.
func (p *player) isIdle(session string) bool {
	t := p.turns[session]
	switch {
	case t == nil:
		return true
	case !t.prompt.answered:
		return false
	}
	return t.idle || t.prompt.failure != nil || p.version < 2
}

// isOver reports whether the turn of a prompt is over.
func (p *player) isOver(prompt *call) bool {
	t := p.turns[prompt.session]
	return t == nil || t.prompt != prompt || p.isIdle(prompt.session)
}

// hasHeard returns when the client goes on in the middle of a turn, as far as is known
// now: it has heard as much, or the agent has been quiet for a while. Nobody knows how
// much an agent will say.
func (p *player) hasHeard(c *cue) time.Duration {
	t := p.turns[c.call.session]
	if p.isOver(c.call) || t.heard >= c.heard || c.asked && t.asked {
		return p.now
	}
	return t.latest + min(patience, p.timeout/2)
}

// agentSays handles what is no answer.
func (p *player) agentSays(m *recording.Message) {
	session, ok := p.called[m.Session]
	if !ok {
		session = m.Session
	}
	t := p.turns[session]
	if t == nil {
		t = new(liveTurn)
	}
	t.heard++
	t.latest = p.now
	t.idle = t.idle || recording.Idle(m) != ""
	if m.Type == trace.Request {
		t.asked = true
		p.speak(p.now) // it may have cancelled the turn instead
		t.asked = false
		p.choose(m)
	}
}

// agentAnswers handles the answer to a request.
func (p *player) agentAnswers(m *recording.Message, c *call) {
	t := p.turns[c.session]
	switch {
	case c.method == "initialize" && m.IsError:
		p.gaveUp = p.gaveUp || !c.failed
	case c.method == "initialize":
		p.version = recording.VersionOf(m.Payload, 0)
	case t != nil && t.prompt == c && rawjson.Get(m.Payload, "stopReason") != nil:
		t.idle = true // some agents of version 2 say the end of a turn as in version 1
	}
}

// moves notes what takes the place of a recorded working directory.
func (p *player) moves(m *recording.Message) {
	if folder, ok := rawjson.TextOf(rawjson.Get(m.Params, "cwd")); ok && len(folder) > 0 {
		p.names.move(nil, string(folder), p.folder(string(folder)))
	}
}

// deadline returns when the client gives up: by then what it has asked first must have
// been answered, and a turn must be over.
func (p *player) deadline() time.Duration {
	until := always
	if p.us == trace.Client {
		for _, c := range p.asked {
			until = min(until, c.since+p.timeout)
		}
		for session, t := range p.turns {
			if !p.isIdle(session) {
				until = min(until, t.begun+p.timeout)
			}
		}
	}
	return until
}

// givesUp reports whether the client has given up: the agent has not answered in time, or
// has refused to begin.
func (p *player) givesUp() bool {
	p.gaveUp = p.gaveUp || p.deadline() <= p.now
	return p.gaveUp
}

// isDone reports whether nothing more is to be said: a client has said everything and has
// all answers; an agent stays until its client has closed its side.
func (p *player) isDone() bool {
	if p.us == trace.Agent {
		return p.ended
	}
	last := p.lanes[0].last()
	return p.lanes[0].at == last.index && last.next == len(last.lines) && p.deadline() == always
}

// A choice is a question of the recorded agent, and what it is about.
type choice struct {
	*call
	kind, title, path string
	used              bool
}

// describe returns what tells questions of one method apart.
func describe(m *recording.Message, c *call) *choice {
	text := func(object []byte, name string) string {
		said, _ := rawjson.TextOf(rawjson.Get(object, name))
		return string(said)
	}
	about := rawjson.Get(m.Params, "toolCall")
	if about == nil {
		about = rawjson.Get(m.Params, "subject", "toolCall")
	}
	q := &choice{call: c, kind: text(about, "kind"), title: text(m.Params, "title"), path: text(m.Params, "path")}
	if q.title == "" {
		q.title = text(about, "title")
	}
	return q
}

// choose answers a question of the agent with the recorded choice of its kind.
func (p *player) choose(m *recording.Message) {
	q := p.chosen(m)
	if q == nil {
		p.log.Info("the recording has no answer to a question of the agent", "method", m.Method)
		p.dismiss(m)
		return
	}
	q.used = true
	recorded, ok := p.load(q.answer)
	switch {
	case !ok:
	case m.Method == "session/request_permission" && !recorded.IsError:
		p.permit(m, q, recorded.Payload)
	default:
		p.out = append(rename(p.out, recorded.Append(nil), p.names.of(nil), m.ID, nil), '\n')
	}
}

// chosen returns the recorded question that one of the agent means: of the same method,
// and about a tool call of the same kind; with the same title, if there is such a one.
func (p *player) chosen(m *recording.Message) (best *choice) {
	now := describe(m, nil)
	for _, q := range p.choices {
		path := rawjson.Unquote(renameString(nil, rawjson.AppendQuoted(nil, q.path), p.names.of(nil)))
		switch {
		case q.used || q.answer.size == 0 || q.method != m.Method:
		case q.kind != "" && now.kind != "" && q.kind != now.kind:
		case m.Method == "fs/read_text_file" && string(path) != now.path:
		case q.title == now.title:
			return q
		case best == nil:
			best = q
		}
	}
	return best
}

// permit chooses the option that was chosen then: the same, or one of its kind.
func (p *player) permit(m *recording.Message, q *choice, result []byte) {
	wanted, _ := rawjson.TextOf(rawjson.Get(result, "outcome", "optionId"))
	question, _ := p.load(q.at)
	var wantedKind, taken []byte
	for option := range rawjson.Objects(rawjson.Get(question.Params, "options"), nil) {
		if id, _ := option.Text("optionId"); wanted != nil && string(id) == string(wanted) {
			kind, _ := option.Text("kind")
			wantedKind = slices.Clone(kind)
		}
	}
	for option := range rawjson.Objects(rawjson.Get(m.Params, "options"), nil) {
		id, _ := option.Text("optionId")
		kind, _ := option.Text("kind")
		alike := len(wantedKind) > 0 && string(kind) == string(wantedKind)
		same := wanted != nil && string(id) == string(wanted) && (len(wantedKind) == 0 || alike)
		if same || taken == nil && alike {
			taken = slices.Clone(id)
		}
		if same {
			break
		}
	}
	if taken == nil {
		p.dismiss(m)
		return
	}
	p.result(m.ID, `{"outcome":{"outcome":"selected","optionId":`+string(rawjson.AppendQuoted(nil, taken))+`}}`)
}

// dismiss answers a question with nothing.
func (p *player) dismiss(m *recording.Message) {
	switch m.Method {
	case "session/request_permission":
		p.result(m.ID, `{"outcome":{"outcome":"cancelled"}}`)
	case "elicitation/create":
		p.result(m.ID, `{"action":"cancel"}`)
	default:
		p.refuse(m.ID, -32601, "the recording that this client plays has no answer to "+m.Method)
	}
}

// differences returns which requests of the recording were answered otherwise, and of how
// many.
func (p *player) differences() (all []string, recorded int) {
	for _, c := range p.calls {
		if c.answer.size == 0 {
			continue
		}
		recorded++
		what := ""
		switch {
		case c.now == nil && p.gaveUp:
			what = "it was not asked, because of the one before"
		case c.now == nil:
			what = "it was not asked, because the agent had ended"
		case !c.answered:
			what = p.without("it got no answer")
		case c.failure != nil && !c.failed:
			code, message := rawjson.Get(c.failure, "code"), rawjson.Get(c.failure, "message")
			said, _ := rawjson.TextOf(message)
			what = fmt.Sprintf("it got an error, %s: %s", code, said)
		case p.gaveUp && !p.isOver(c):
			what = p.without("its turn did not end")
		}
		if what != "" {
			all = append(all, fmt.Sprintf("#%d %s: %s", c.line, c.method, what))
		}
	}
	return all, recorded
}

// without says what has not happened, and by when.
func (p *player) without(what string) string {
	if p.gaveUp {
		return fmt.Sprintf("%s within %v (see --timeout)", what, p.timeout)
	}
	return what
}
