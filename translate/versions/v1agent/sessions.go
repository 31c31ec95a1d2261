package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
)

// A session is the state of a session.
type session struct {
	bridge *Bridge
	link   *calls.Link
	id     string
	kept   *keep.Share
	cwd    string // base of relative paths; "" if unknown
	live   bool   // the agent has created or loaded it in this connection, or worked on it

	forgotten bool // only pending requests refer to it

	title, updatedAt string // as last reported by the agent; "" if unknown

	state     string           // as reported to the client
	told      shapes.SentState // if the session is of a subagent
	turn      *turn            // nil if none
	turns     int              // number of turns so far
	closing   *closing         // nil if none
	keys      keep.Map[*promptKey]
	given     givenIDs
	questions []*question // pending questions

	message   message
	replay    *replay // nil if there is none
	history   history // of that
	toolCalls keep.Map[*toolCall]
	terminals keep.Map[*terminal]
}

// lose reports a loss of the session.
func (s *session) lose(kind translate.LossKind, detail string) {
	s.link.LoseOf([]byte(s.id), kind, detail)
}

// rewrite begins a converted update of the agent, see [calls.Link.RewriteWith].
func (s *session) rewrite(u *calls.Update) *shapes.Writer {
	w := s.link.RewriteWith(u)
	w.Cwd = s.cwd
	return w
}

// beginUpdate begins an update of the bridge's own, see [calls.Link.UpdateWith].
func (s *session) beginUpdate(kind string) *shapes.Writer {
	return s.link.UpdateWith([]byte(s.id), kind)
}

// keep replaces a text of the session's state. If the budget has no room, the text is empty:
// relative paths remain relative, and the bridge's own list of sessions lacks the member.
func (s *session) keep(text *string, value string) {
	s.kept.Free(len(*text))
	if *text = ""; s.kept.Fix(len(value)) {
		*text = value
	}
}

// isBusy reports whether a turn, a replay, a closing or a question is pending.
func (s *session) isBusy() bool {
	return s.turn != nil || s.replay != nil || s.closing != nil || len(s.questions) > 0
}

// sessions are the sessions of the connection.
type sessions struct {
	bridge *Bridge
	budget keep.Budget
	beside *keep.Share // state outside sessions

	all    keep.Map[*session]
	closed keep.Map[struct{}] // sessions that were closed, and that the agent has not confirmed since
}

func newSessions(b *Bridge) *sessions {
	ss := &sessions{bridge: b}
	ss.beside = ss.budget.Open(0, nil)
	return ss
}

// find returns the session with that id, or nil.
func (ss *sessions) find(id []byte) *session { return ss.all.Find(id) }

// get returns the session with that id, or adds it: updates may precede the result that names
// their session.
func (ss *sessions) get(id []byte) *session {
	if s := ss.find(id); s != nil {
		return s
	}
	s := &session{bridge: ss.bridge, link: &ss.bridge.link, id: string(id), state: idle}
	s.kept = ss.budget.Open(len(id), func() {
		if !s.isBusy() {
			ss.forget(s)
		}
	})
	ss.all.Put(s.id, s)
	return s
}

// forget removes a session. Its remaining state serves the current response.
func (ss *sessions) forget(s *session) {
	s.kept.Close()
	ss.all.Delete(s.id)
	*s = session{bridge: s.bridge, link: s.link, id: s.id, state: idle, forgotten: true}
}

// end removes a session, and drops further updates of it.
func (ss *sessions) end(s *session) {
	s.dropQuestions(nil)
	ss.forget(s)
	ss.closed.Keep(ss.beside, s.id, struct{}{}, nil)
}

// isSilent reports whether updates of a session are dropped. A client can use a closed session
// again, and the agent decides: an agent without session/close still has it.
func (ss *sessions) isSilent(id []byte) bool {
	s := ss.find(id)
	return ss.closed.Has(string(id)) && (s == nil || s.replay == nil)
}

// confirm records that the agent has the session.
func (s *session) confirm() {
	s.live = true
	s.bridge.sessions.closed.Delete(s.id)
}

// isLive reports whether the agent has the session, or will get a prompt of it.
func (ss *sessions) isLive(id []byte) bool {
	s := ss.find(id)
	return s != nil && (s.live || s.turn != nil)
}
