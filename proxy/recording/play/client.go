package play

import (
	"fmt"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// free returns when a client goes on to a step, as far as is known now. It prompts when
// the turn before is over. In the middle of a turn it has heard as much, or the agent has
// been quiet for a while: nobody knows how much an agent will say.
func (p *player) free(s *step) time.Duration {
	t := s.turn
	switch {
	case t == s.call && t != nil:
		before := func(c *call) bool { return c.now != nil && c.prompts() && c.Session == s.Session && !c.isOver() }
		if find(p.ours, before) != nil {
			return always
		}
	case t == nil:
	case t.isOver() && s.Method == "session/cancel":
		p.log.Info("the turn is over before the client cancels it", "session", s.Session)
		s.done = true
	case !t.isOver() && t.known < s.heard && !(s.asked && t.asks):
		return t.latest + min(patience, p.timeout/2)
	}
	return 0
}

// agentSays handles requests and notifications.
func (p *player) agentSays(m *recording.Message) {
	t := new(call)
	if m.Turn != nil {
		t = m.Turn.Prompt.Note.(*call)
	}
	t.known++
	t.latest = p.now
	t.over = t.over || m.Stop != ""
	if m.Type == trace.Request {
		t.asks = true
		p.speak(p.now) // it may have cancelled the turn instead
		t.asks = false
		p.choose(m)
	}
}

// deadline returns when the client gives up: by then what it has asked first must have
// been answered, and a turn must be over.
func (p *player) deadline() time.Duration {
	until := always
	if p.us == trace.Client {
		for _, c := range p.ours {
			if c.open() || c.answered && c.prompts() && !c.over {
				until = min(until, c.since+p.timeout)
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
	return p.gaveUp || p.lanes[0].next() == nil && p.deadline() == always
}

// choose answers a question of the agent with the recorded choice of its kind.
func (p *player) choose(m *recording.Message) {
	q := p.chosen(m)
	if q == nil {
		p.log.Info("the recording has no answer to a question of the agent", "method", m.Method)
		p.dismiss(m)
		return
	}
	q.answered = true
	if m.Method != "session/request_permission" || q.reply.IsError {
		p.out = append(append(p.out, withIDs(p.names.Apply("", q.reply.Append(nil)), m.ID, nil)...), '\n')
	} else if id := option(m.Params, q.Params, recording.TextOf(q.reply.Payload, "outcome", "optionId")); id != "" {
		p.answer(m.ID, false, `{"outcome":{"outcome":"selected","optionId":`+string(rawjson.AppendQuoted(nil, id))+`}}`)
	} else {
		p.dismiss(m)
	}
}

// chosen returns the recorded question that one of the agent means: of the same method, and
// about a tool call of the same kind; with the same title, if there is such a one.
func (p *player) chosen(m *recording.Message) (best *call) {
	kind, title := about(m.Params)
	for _, q := range p.theirs {
		if q.answered || q.reply == nil || q.Method != m.Method {
			continue
		}
		askedKind, askedTitle := about(q.Params)
		path := p.names.Apply("", rawjson.AppendQuoted(nil, recording.TextOf(q.Params, "path")))
		switch {
		case askedKind != "" && kind != "" && askedKind != kind:
		case m.Method == "fs/read_text_file" && string(rawjson.Unquote(path)) != recording.TextOf(m.Params, "path"):
		case askedTitle == title:
			return q
		case best == nil:
			best = q
		}
	}
	return best
}

// about returns what a question is about.
func about(params []byte) (kind, title string) {
	title, call := recording.Permitted(params)
	return recording.TextOf(call, "kind"), title
}

// option returns the option of a request that was chosen in the recorded one: the same,
// or else the first of its kind.
func option(request, recorded []byte, chosen string) (alike string) {
	kinds := make(map[string]string)
	for o := range rawjson.Objects(rawjson.Get(recorded, "options"), nil) {
		kinds[o.String("optionId")] = o.String("kind")
	}
	kind := kinds[chosen]
	for o := range rawjson.Objects(rawjson.Get(request, "options"), nil) {
		id, isAlike := o.String("optionId"), kind != "" && o.String("kind") == kind
		if id == chosen && (kind == "" || isAlike) {
			return id
		}
		if alike == "" && isAlike {
			alike = id
		}
	}
	return alike
}

// dismiss answers a question with nothing.
func (p *player) dismiss(m *recording.Message) {
	switch m.Method {
	case "session/request_permission":
		p.answer(m.ID, false, `{"outcome":{"outcome":"cancelled"}}`)
	case "elicitation/create":
		p.answer(m.ID, false, `{"action":"cancel"}`)
	default:
		p.refuse(m.ID, -32601, "the recording that this client plays has no answer to "+m.Method)
	}
}

// differences returns which requests of the recording were answered otherwise, and of how
// many.
func (p *player) differences() (all []string, recorded int) {
	for _, c := range p.ours {
		if c.reply == nil {
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
		case c.failure != nil && !c.reply.IsError:
			what = fmt.Sprintf("it got an error, %s: %s", rawjson.Get(c.failure, "code"), recording.TextOf(c.failure, "message"))
		case p.gaveUp && c.prompts() && !c.over:
			what = p.without("its turn did not end")
		}
		if what != "" {
			all = append(all, fmt.Sprintf("#%d %s: %s", c.Line, c.Method, what))
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
