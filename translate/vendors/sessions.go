package vendors

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// What is kept is bounded. Past a limit a plan may not be shown; the traffic goes
// on.
const (
	maxSessions = 256
	maxCalls    = 64        // tool calls with todos that are open, of a session
	maxTodos    = 256 << 10 // bytes of a list of todos
	maxMemory   = 16 << 20  // bytes that all sessions keep: inputs of open calls, todos, and texts
	maxKept     = 16 << 20  // bytes of makers' requests that wait for the client
	maxOpen     = 256       // how many of them wait, and prompts for the agent
	maxID       = 1 << 10   // bytes of an id, of whatever
)

// A session is what is known of a session.
type session struct {
	id    string
	calls map[string]*todoCall // tool calls with todos that are not over, by id
	todos []todo               // as they were said last
	shown []byte               // the same as entries of a plan; nil if there were none
	from  source               // the best source of todos so far
	plan  string               // the id of the text of a maker's plan that is shown; "" if none is
	texts map[string][]byte    // of markdown plans, by id, see deltas.go; nil if one is too long
	size  int                  // bytes of these, see keeps
}

// A source is where todos come from. What comes from a better one counts: the agent
// says the same list in several ways.
type source uint8

// The sources, the best last.
const (
	fromToolCalls source = iota
	fromRequests         // of the agent's maker
	fromPlans            // of the protocol
)

// sessions are the sessions of a connection.
type sessions struct {
	all       map[string]*session
	order     []*session            // the oldest first
	last      string                // the session that was prompted last
	running   map[jsonrpc.ID]string // the sessions of prompts that the agent has not answered
	openCalls int                   // in all of them
	size      int                   // of all of them
	ofCall    []callOf              // which session a tool call that a request may name belongs to
}

// session returns a session, a new one if nothing is known of it. One whose id is too
// long is new each time.
func (t *Translator) session(id []byte) *session {
	s := &t.sessions
	if found := s.all[string(id)]; found != nil {
		return found
	}
	if len(id) > maxID {
		return &session{id: string(id)}
	}
	if s.all == nil {
		s.all = make(map[string]*session)
	}
	if len(s.order) >= maxSessions {
		t.lose(s.order[0].id, translate.LossTooManySessions, "forgot the todos of the oldest")
		s.forget(s.order[0].id)
	}
	made := &session{id: string(id)}
	s.all[made.id] = made
	s.order = append(s.order, made)
	return made
}

// keeps notes that a session keeps n bytes more, or fewer. It reports false, and notes
// nothing, if that is too much.
func (ss *sessions) keeps(s *session, n int) bool {
	switch {
	case ss.all[s.id] != s: // it is not kept itself
		return true
	case n > 0 && ss.size+n > maxMemory:
		return false
	}
	s.size += n
	ss.size += n
	return true
}

// forget forgets a session.
func (ss *sessions) forget(id string) {
	found := ss.all[id]
	if found == nil {
		return
	}
	ss.openCalls -= len(found.calls)
	ss.size -= found.size
	delete(ss.all, id)
	ss.order = slices.DeleteFunc(ss.order, func(o *session) bool { return o == found })
}

// promptBegins notes a prompt.
func (ss *sessions) promptBegins(id, session []byte) {
	if id == nil || session == nil || len(session) > maxID {
		return
	}
	ss.last = string(session)
	if ss.running == nil {
		ss.running = make(map[jsonrpc.ID]string)
	}
	if len(ss.running) < maxOpen {
		ss.running[jsonrpc.IDOf(id)] = ss.last
	}
}

// promptEnds notes that the agent has answered a request, which may be a prompt. A tool
// call that is open then will not be completed any more.
func (ss *sessions) promptEnds(id []byte) {
	prompt := jsonrpc.IDOf(id)
	session, ok := ss.running[prompt]
	if !ok {
		return
	}
	delete(ss.running, prompt)
	if s := ss.all[session]; s != nil {
		for id, c := range s.calls {
			ss.endCall(s, []byte(id), c)
		}
	}
}

// only returns the only session with a running prompt, or "".
func (ss *sessions) only() (session string) {
	for _, running := range ss.running {
		if session != "" && running != session {
			return ""
		}
		session = running
	}
	return session
}

// several reports whether there are several sessions with a running prompt.
func (ss *sessions) several() bool { return len(ss.running) > 1 && ss.only() == "" }

// Forget forgets what a session has said, because the agent will repeat it or the session
// is over. The returned function takes that back, if the agent has refused it.
func (t *Translator) Forget(id []byte) (restore func()) {
	s := &t.sessions
	before := s.all[string(id)]
	s.forget(string(id))
	return func() {
		if before != nil && s.all != nil {
			s.forget(before.id)
			s.all[before.id] = before
			s.order = append(s.order, before)
			s.openCalls += len(before.calls)
			s.size += before.size
		}
	}
}

func (t *Translator) lose(session string, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
