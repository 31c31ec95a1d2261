package vendors

import (
	"cmp"

	"acp-plan-proxy/translate/asking"
	"acp-plan-proxy/translate/keep"
)

// Beyond these limits and the limits of package keep, messages pass, but a plan may not be shown.
const (
	maxCallSessions = 1 << 10   // tool calls whose session is recorded
	maxTodos        = 256 << 10 // bytes of a todo list
)

// A session is the state of one session.
type session struct {
	id         string
	calls      keep.Map[*planCall] // open tool calls with todos, by id
	list       *todoList           // the latest todos; nil if there were none
	shown      []byte              // the latest todos as entries; nil before the first, empty after Resumed
	sendsPlans bool                // the agent sends plans, which repeat its todos
	planFiles  keep.Map[planFile]  // plan files by path, see proposals.go
	proposal   string              // id of the tool call that proposes a plan, until a form asks about it; or ""
	isOver     bool                // the session was reset or closed
	share      *keep.Share
	entry      *keep.Entry // of the whole session, without its calls and plan files
}

// sessions holds the sessions of a connection.
type sessions struct {
	all           keep.Map[*session]
	prompts       asking.Prompts   // the pending prompts
	openCallCount int              // number of calls in all sessions
	callSessions  keep.Map[string] // sessions of the latest tool calls, by call id
	budget        *keep.Budget
	share         *keep.Share // of state outside sessions
}

// reset removes all sessions.
func (s *sessions) reset() {
	for id := range s.all.All() {
		s.remove(id)
	}
	s.prompts.Requests.Clear()
	s.callSessions.Clear()
	*s = sessions{budget: s.budget, share: s.share, prompts: asking.Prompts{Share: s.share}}
}

// open returns a session, which it creates if necessary.
func (s *sessions) open(id []byte) *session {
	sess := s.all.Find(id)
	if sess != nil {
		return sess
	}
	sess = &session{id: string(id)}
	evict := func() { s.remove(sess.id) }
	s.all.Put(sess.id, sess)
	sess.share = s.budget.Open(len(sess.id), evict)
	sess.entry = sess.share.Add(0, evict)
	return sess
}

// remove removes a session, if it exists.
func (s *sessions) remove(id string) {
	sess := s.all.Get(id)
	if sess == nil {
		return
	}
	s.openCallCount -= sess.calls.Len()
	sess.share.Close()
	s.all.Delete(id)
}

// sessionOf returns the session of a request that names only a tool call: the session of the
// call, or the only one with a running prompt, or the session used last.
func (s *sessions) sessionOf(call string) string {
	if session := s.callSessions.Get(call); session != "" {
		return session
	}
	only := ""
	for _, session := range s.prompts.Requests.All() {
		if only != "" && session != only {
			return s.prompts.LastSession
		}
		only = session
	}
	return cmp.Or(only, s.prompts.LastSession)
}

// recordCall records the session of a tool call.
func (s *sessions) recordCall(id, session []byte) {
	shared := s.prompts.LastSession // to share its memory
	if shared != string(session) {
		shared = string(session)
	}
	s.callSessions.Keep(s.share, string(id), shared, nil).SetSize(len(session))
	s.callSessions.Trim(maxCallSessions)
}

// Forget removes a session that the agent is about to replay, or that is closed.
func (s *Stage) Forget(id []byte) {
	if sess := s.sessions.all.Find(id); sess != nil {
		sess.isOver = true
		s.sessions.remove(sess.id)
	}
}

// Resumed records that the client may not have received the todos of a session.
func (s *Stage) Resumed(id []byte) {
	if sess := s.sessions.all.Find(id); sess != nil {
		sess.shown = []byte{} // differs from every list
		sess.countLists()
	}
}
