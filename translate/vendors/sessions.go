package vendors

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// What is kept is bounded. Past a limit a plan may not be shown; the traffic goes
// on.
const (
	maxSessions = 256
	maxCalls    = 64        // tool calls with todos that are open, of a session
	maxNoted    = 256       // tool calls whose session is known
	maxTodos    = 256 << 10 // bytes of a list of todos
	maxMemory   = 16 << 20  // bytes that all sessions keep: inputs of open calls, todos, and texts
	maxKept     = 16 << 20  // bytes of vendors' requests that wait for the client
	maxOpen     = 256       // how many of them wait, and prompts for the agent
	maxID       = 1 << 10   // bytes of an id, of whatever
)

// A session is what is known of a session.
type session struct {
	id     string
	calls  map[string]*todoCall // tool calls with todos that are not over, by id
	todos  []todo               // as they were said last
	shown  []byte               // the same as entries of a plan; nil if there were none
	unsure bool                 // the client may not have got these
	from   source               // the best source of todos so far
	plan   *vendorPlan          // the vendor's plan whose text is shown; nil if none is
	over   bool                 // it has begun again, or has ended
	texts  map[string][]byte    // of markdown plans, by id, see deltas.go; nil if one is too long
	size   int                  // bytes of these, see keeps
}

// A vendorPlan is a vendor's plan with a text.
type vendorPlan struct {
	id       string
	size     int  // bytes of the text as JSON
	approved bool // by the user
}

// showsApproved reports whether the text of an approved plan of a vendor is shown.
func (s *session) showsApproved() bool { return s.plan != nil && s.plan.approved }

// A source is where todos come from. What comes from a better one counts: the agent
// says the same list in several ways.
type source uint8

// The sources, the best last.
const (
	fromToolCalls source = iota
	fromRequests         // of the agent's vendor
	fromPlans            // of the protocol
)

// sessions are the sessions of a connection.
type sessions struct {
	all       keep.Map[*session]
	began     bool                  // there was a session
	last      string                // the session that was used last
	several   bool                  // another one was used before
	running   map[jsonrpc.ID]prompt // that the agent has not answered
	clock     int                   // counts prompts and tool calls with todos
	openCalls int                   // in all of them
	size      int                   // of all of them
	noted     []notedCall           // the oldest first
}

// A prompt is one that the agent has not answered.
type prompt struct {
	session string
	began   int // by the clock
}

// A notedCall is a tool call that a request may be about.
type notedCall struct {
	id, session string
	status      bool // one was said
}

// session returns a session, a new one if nothing is known of it. One whose id is too
// long is new each time.
func (t *Translator) session(id []byte) *session {
	s := &t.sessions
	if found := s.all.Find(id); found != nil {
		return found
	}
	if len(id) > maxID {
		return &session{id: string(id)}
	}
	if s.all.Len() >= maxSessions {
		oldest, _ := s.all.Oldest()
		t.lose(oldest, translate.LossTooManySessions, "forgot the todos of the oldest")
		s.forget(oldest)
	}
	made := &session{id: string(id)}
	s.all.Put(made.id, made)
	s.began = true
	return made
}

// keeps notes that a session keeps n bytes more, or fewer. It reports false, and notes
// nothing, if that is too much.
func (ss *sessions) keeps(s *session, n int) bool {
	switch {
	case ss.all.Get(s.id) != s: // it is not kept itself
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
	found := ss.all.Get(id)
	if found == nil {
		return
	}
	ss.openCalls -= len(found.calls)
	ss.size -= found.size
	ss.all.Delete(id)
}

// use notes that a session is used.
func (ss *sessions) use(id []byte) {
	if ss.last != string(id) {
		ss.several = ss.last != ""
		ss.last = string(id)
	}
}

// promptBegins notes a prompt.
func (ss *sessions) promptBegins(id, session []byte) {
	if id == nil || session == nil || len(session) > maxID {
		return
	}
	ss.use(session)
	if ss.running == nil {
		ss.running = make(map[jsonrpc.ID]prompt)
	}
	if len(ss.running) < maxOpen {
		ss.clock++
		ss.running[jsonrpc.IDOf(id)] = prompt{ss.last, ss.clock}
	}
}

// promptEnds notes that the agent has answered a request, which may be a prompt. A tool
// call that was open when the prompt began will not be completed any more.
func (ss *sessions) promptEnds(id []byte) {
	ended := jsonrpc.IDOf(id)
	p, ok := ss.running[ended]
	if !ok {
		return
	}
	delete(ss.running, ended)
	if s := ss.all.Get(p.session); s != nil {
		for id, c := range s.calls {
			if c.began < p.began {
				ss.endCall(s, []byte(id), c)
			}
		}
	}
}

// of returns the session of a request that names none: that of its tool call, or the only
// one with a running prompt, or the one that was used last.
func (ss *sessions) of(call string) string {
	if noted := ss.find(call); noted != nil {
		return noted.session
	}
	only := ""
	for _, p := range ss.running {
		if only != "" && p.session != only {
			return ss.last
		}
		only = p.session
	}
	return or(only, ss.last)
}

// note notes a tool call, and whether its status was said.
func (ss *sessions) note(id, session []byte, status bool) {
	if noted := ss.find(string(id)); noted != nil && noted.session == string(session) {
		noted.status = noted.status || status
		return
	}
	ss.noted = append(ss.noted, notedCall{string(id), string(session), status})
	ss.noted = ss.noted[max(len(ss.noted)-maxNoted, 0):]
}

// find returns the tool call of that id that began last, nil if none is known.
func (ss *sessions) find(call string) *notedCall {
	for i := range slices.Backward(ss.noted) {
		if ss.noted[i].id == call {
			return &ss.noted[i]
		}
	}
	return nil
}

// lacksStatus reports whether no status of a tool call was said.
func (ss *sessions) lacksStatus(call string) bool {
	noted := ss.find(call)
	return noted != nil && !noted.status
}

// Forget forgets what a session has said, because the agent will repeat it or the session
// is over. The returned function takes that back, if the agent has refused it.
func (t *Translator) Forget(id []byte) (restore func()) {
	s := &t.sessions
	before := s.all.Find(id)
	s.forget(string(id))
	if before != nil {
		before.over = true
	}
	return func() {
		if before != nil && s.began {
			before.over = false
			s.forget(before.id)
			s.all.Put(before.id, before)
			s.openCalls += len(before.calls)
			s.size += before.size
		}
	}
}

// Resumed notes that the client may not have got what was said of a session.
func (t *Translator) Resumed(id []byte) {
	if s := t.sessions.all.Find(id); s != nil {
		s.unsure = true
	}
}

func (t *Translator) lose(session string, kind translate.LossKind, detail string) {
	t.out.Lose(translate.Loss{Kind: kind, Session: session, Detail: detail})
}
