package vendors

import (
	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// Beyond these limits and the limits of package keep, a plan may not be shown. Messages pass.
const (
	maxCallSessions = 1 << 10   // tool calls whose session is recorded
	maxTodos        = 256 << 10 // bytes of a todo list
	callCost        = 128       // overhead of a tool call in bytes
)

// A session is the state of one session.
type session struct {
	id       string
	calls    map[string]*todoCall // open tool calls with todos, by id
	list     *list                // the latest todos; nil if there were none
	shown    []byte               // the latest todos as entries
	listSize int                  // bytes of list and shown
	unsure   bool                 // the client may not have received shown
	ownPlans bool                 // the agent sends plans, which repeat its todos
	drafts   keep.Map[draft]      // plan files by path, see proposals.go
	proposal string               // id of the tool call that proposes a plan, until a form asks about it
	over     bool                 // the session was reset or closed
	kept     *keep.Share
	entry    *keep.Entry // of the whole session
	size     int         // bytes that entry counts
}

// sessions holds the sessions of a connection.
type sessions struct {
	all          keep.Map[*session]
	prompts      asking.Prompts   // the pending prompts
	openCalls    int              // in all sessions
	callSessions keep.Map[string] // sessions of the latest tool calls, by call id
	budget       *keep.Budget
	kept         *keep.Share // of state outside sessions
}

// reset removes all sessions.
func (ss *sessions) reset() {
	for id := range ss.all.All() {
		ss.remove(id)
	}
	ss.prompts.Requests.Clear()
	ss.callSessions.Clear()
	*ss = sessions{budget: ss.budget, kept: ss.kept, prompts: asking.Prompts{Kept: ss.kept}}
}

// open returns a session, which it creates if necessary.
func (ss *sessions) open(id []byte) *session {
	s := ss.all.Find(id)
	if s != nil {
		return s
	}
	s = &session{id: string(id)}
	evict := func() { ss.remove(s.id) }
	ss.all.Put(s.id, s)
	s.kept = ss.budget.Open(len(s.id), evict)
	s.entry = s.kept.Add(0, evict)
	s.grow(0)
	return s
}

// grow adds n, which may be negative, to the bytes of a session.
func (s *session) grow(n int) {
	s.size += n
	s.entry.Count(s.size)
}

// remove removes a session.
func (ss *sessions) remove(id string) {
	s := ss.all.Get(id)
	if s == nil {
		return
	}
	ss.openCalls -= len(s.calls)
	s.kept.Close()
	ss.all.Delete(id)
}

// endPrompt removes a prompt after its response. Tool calls that were open at its beginning
// will not complete; calls of this turn still may.
func (ss *sessions) endPrompt(id []byte) {
	ended := string(jsonrpc.IDOf(id))
	p := ss.prompts.Requests.Get(ended)
	ss.prompts.Requests.Delete(ended)
	if s := ss.all.Get(p.Session); s != nil {
		for id, c := range s.calls {
			if c.prompts < p.Number {
				ss.endCall(s, []byte(id), c)
			}
		}
	}
}

// sessionOf returns the session of a request that names only a tool call: the session of the
// call, or the only one with a running prompt, or the session used last.
func (ss *sessions) sessionOf(call string) string {
	if session := ss.callSessions.Get(call); session != "" {
		return session
	}
	only := ""
	for _, p := range ss.prompts.Requests.All() {
		if only != "" && p.Session != only {
			return ss.prompts.Last
		}
		only = p.Session
	}
	return or(only, ss.prompts.Last)
}

// recordCall records the session of a tool call.
func (ss *sessions) recordCall(id, session []byte) {
	in := ss.prompts.Last // to share its memory
	if in != string(session) {
		in = string(session)
	}
	ss.callSessions.Keep(ss.kept, string(id), in, nil).Count(len(session))
	ss.callSessions.Trim(maxCallSessions)
}

// Forget removes a session that the agent is about to replay, or that is closed.
func (t *Translator) Forget(id []byte) {
	if s := t.sessions.all.Find(id); s != nil {
		s.over = true
		t.sessions.remove(s.id)
	}
}

// Resumed records that the client may not have received the todos of a session.
func (t *Translator) Resumed(id []byte) {
	if s := t.sessions.all.Find(id); s != nil {
		s.unsure = true
	}
}
