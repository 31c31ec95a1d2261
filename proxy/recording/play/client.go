package play

import (
	"bytes"
	"cmp"
	"fmt"
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
func (p *player) hasHeard(s *step) time.Duration {
	t := p.turns[s.call.session]
	if p.isOver(s.call) || t.heard >= s.heard || s.asked && t.asked {
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
	if folder := textOf(m.Params, "cwd"); folder != "" {
		p.names.move(nil, folder, p.folder(folder))
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
	return p.lanes[0].next() == nil && p.deadline() == always
}

// choose answers a question of the agent with the recorded choice of its kind.
func (p *player) choose(m *recording.Message) {
	q, asked := p.chosen(m)
	if q == nil {
		p.log.Info("the recording has no answer to a question of the agent", "method", m.Method)
		p.dismiss(m)
		return
	}
	q.answered = true
	recorded, ok := p.load(q.answer)
	switch {
	case !ok:
	case m.Method == "session/request_permission" && !recorded.IsError:
		p.permit(m, asked, textOf(recorded.Payload, "outcome", "optionId"))
	default:
		p.out = append(rename(p.out, recorded.Append(nil), p.names.of(nil), m.ID, nil), '\n')
	}
}

// chosen returns the recorded question that one of the agent means, and its params: of the
// same method, and about a tool call of the same kind; with the same title, if there is
// such a one.
func (p *player) chosen(m *recording.Message) (best *call, params []byte) {
	kind, title := about(m.Params)
	for _, q := range p.questions {
		if q.answered || q.answer.size == 0 || q.method != m.Method {
			continue
		}
		asked, _ := p.load(q.at)
		askedKind, askedTitle := about(asked.Params)
		path := renameString(nil, rawjson.AppendQuoted(nil, textOf(asked.Params, "path")), p.names.of(nil))
		switch {
		case askedKind != "" && kind != "" && askedKind != kind:
		case m.Method == "fs/read_text_file" && string(rawjson.Unquote(path)) != textOf(m.Params, "path"):
		case askedTitle == title:
			return q, bytes.Clone(asked.Params)
		case best == nil:
			best, params = q, bytes.Clone(asked.Params)
		}
	}
	return best, params
}

// about returns what a question is about.
func about(params []byte) (kind, title string) {
	call := rawjson.Get(params, "toolCall")
	if call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	return textOf(call, "kind"), cmp.Or(textOf(params, "title"), textOf(call, "title"))
}

// permit chooses the option that was chosen of those in the recorded params: the same, or
// one of its kind.
func (p *player) permit(m *recording.Message, asked []byte, chosen string) {
	kinds := make(map[string]string)
	for option := range rawjson.Objects(rawjson.Get(asked, "options"), nil) {
		id, _ := option.Text("optionId")
		kind, _ := option.Text("kind")
		kinds[string(id)] = string(kind)
	}
	wanted, taken := kinds[chosen], ""
	for option := range rawjson.Objects(rawjson.Get(m.Params, "options"), nil) {
		id, _ := option.Text("optionId")
		kind, _ := option.Text("kind")
		alike := wanted != "" && string(kind) == wanted
		if chosen != "" && string(id) == chosen && (wanted == "" || alike) {
			taken = chosen
			break
		}
		if taken == "" && alike {
			taken = string(id)
		}
	}
	if taken == "" {
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
			what = fmt.Sprintf("it got an error, %s: %s", rawjson.Get(c.failure, "code"), textOf(c.failure, "message"))
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
