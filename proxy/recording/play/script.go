package play

import (
	"errors"
	"strings"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A script is what the client of a recording did, in order.
type script struct {
	source  *source
	steps   []*step
	choices []*chosen
}

// A step is a request or a notification of the client.
type step struct {
	at      place
	line    int // of the recording, from 1
	method  string
	session string
	id      jsonrpc.ID // empty for a notification
	answer  place      // the recorded answer to a request
	failed  bool       // it was an error

	// In the middle of a turn: its prompt, how much the agent had said of it, and
	// whether it had a question that was not answered.
	within *step
	heard  int
	asked  bool

	live stepState
}

// A chosen is a question of the agent and what the client answered.
type chosen struct {
	question, answer    place
	method, kind, title string
	path                string
	used                bool
}

// openScript reads a recording.
func openScript(s *source) (*script, error) {
	x := &scripting{
		script: &script{source: s}, open: make(map[jsonrpc.ID]*step),
		questions: make(map[jsonrpc.ID]*chosen), turns: make(map[string]*turnHeard),
	}
	lines := 0
	err := s.scan(func(found []message) {
		for i := range found {
			m := &found[i]
			lines++
			if x.sides.tell(m); m.client {
				x.clientSaid(m)
			} else {
				x.agentSaid(m)
			}
		}
	})
	switch {
	case err != nil:
		return nil, err
	case lines == 0:
		return nil, errors.New("it has no message of the protocol in it")
	case !x.asks:
		return nil, errors.New("it has no request of a client in it; a recording to play is made with --trace-all")
	}
	return x.script, nil
}

// A scripting is a script that is being read.
type scripting struct {
	*script
	sides     sides
	open      map[jsonrpc.ID]*step
	questions map[jsonrpc.ID]*chosen
	turns     map[string]*turnHeard
	asks      bool
}

// A turnHeard is how much was heard of the turn that is under way in a session.
type turnHeard struct {
	prompt *step
	heard  int
	asked  map[jsonrpc.ID]bool
}

func (x *scripting) clientSaid(m *message) {
	if m.kind == answer {
		id := jsonrpc.IDOf(m.id)
		if q := x.questions[id]; q != nil {
			q.answer = m.at
			delete(x.questions, id)
			for _, t := range x.turns {
				delete(t.asked, id)
			}
		}
		return
	}
	if m.kind == text {
		return
	}
	s := &step{at: m.at, line: m.at.line, method: strings.Clone(string(m.method)), session: string(m.session)}
	t := x.turns[s.session]
	if s.session != "" && t != nil && t.prompt != nil {
		s.within, s.heard, s.asked = t.prompt, t.heard, len(t.asked) > 0
	}
	x.steps = append(x.steps, s)
	if m.kind != request {
		return
	}
	x.asks = true
	s.id = jsonrpc.IDOf(m.id)
	x.open[s.id] = s
	if s.method == methodPrompt {
		x.turns[s.session] = &turnHeard{prompt: s, asked: make(map[jsonrpc.ID]bool)}
	}
}

func (x *scripting) agentSaid(m *message) {
	t := x.turns[string(m.session)]
	switch id := jsonrpc.IDOf(m.id); m.kind {
	case answer:
		s := x.open[id]
		if s == nil {
			return
		}
		delete(x.open, id)
		s.answer, s.failed = m.at, m.failed
		if t := x.turns[s.session]; t != nil && t.prompt == s && (m.failed || rawjson.Get(m.result, "stopReason") != nil) {
			delete(x.turns, s.session)
		}
		return
	case request:
		q := describe(m)
		q.question = m.at
		x.choices = append(x.choices, q)
		x.questions[id] = q
		if t != nil {
			t.asked[id] = true
		}
	}
	if t != nil {
		t.heard++
		if isIdle(m) {
			delete(x.turns, string(m.session))
		}
	}
}

// describe returns what tells questions of one method apart.
func describe(m *message) *chosen {
	call := rawjson.Get(m.params, "toolCall")
	if call == nil {
		call = rawjson.Get(m.params, "subject", "toolCall")
	}
	c := &chosen{method: string(m.method), kind: string(textOf(call, "kind")), title: string(textOf(m.params, "title")), path: string(textOf(m.params, "path"))}
	if c.title == "" {
		c.title = string(textOf(call, "title"))
	}
	return c
}
