package v1agent

import (
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
)

// A session is the state of a session.
type session struct {
	bridge    *Bridge
	link      *calls.Link
	id        string
	share     *keep.Share
	cwd       string // base of relative paths; "" if unknown
	confirmed bool   // the agent has created or loaded it in this connection, or worked on it

	forgotten bool // the session was removed; only pending requests refer to it

	state     string            // as reported to the client
	sentState shapes.SentState  // if the session is of a subagent
	turn      *turn             // nil if none
	turnCount int               // number of turns so far
	closing   *closing          // nil if none
	prompts   keep.Map[*prompt] // by their keys
	userIDs   userMessageIDs
	questions []*question // pending questions

	message   message
	replay    *replay // nil if there is none
	history   history // of the replay
	toolCalls keep.Map[*toolCall]
	terminals keep.Map[*terminal]
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

// setCwd sets the working directory. If the budget has no room, relative paths remain relative,
// and the bridge's own list of sessions lacks the session.
func (s *session) setCwd(cwd string) {
	s.share.Release(len(s.cwd))
	s.cwd = s.share.Hold(cwd)
}

// isBusy reports whether a turn, a replay, a closing or a question is pending.
func (s *session) isBusy() bool {
	return s.turn != nil || s.replay != nil || s.closing != nil || len(s.questions) > 0
}

// session returns the session with that id, or adds it. Updates may precede the result that names
// their session.
func (b *Bridge) session(id []byte) *session {
	s := b.sessions.Find(id)
	if s == nil {
		s = &session{bridge: b, link: &b.link, id: string(id), state: idle}
		s.share = b.budget.Open(len(id), func() {
			if !s.isBusy() {
				s.forget()
			}
		})
		b.sessions.Put(s.id, s)
	}
	return s
}

// forget removes the session, and resets its state for the requests that still refer to it.
func (s *session) forget() {
	s.share.Close()
	s.bridge.sessions.Delete(s.id)
	*s = session{bridge: s.bridge, link: s.link, id: s.id, state: idle, forgotten: true}
}

// isClosed reports whether the updates of a session are dropped, because the session is closed. A
// client may use a closed session again: an agent without session/close still has it.
func (b *Bridge) isClosed(id []byte) bool {
	s := b.sessions.Find(id)
	return b.closed.Has(string(id)) && (s == nil || s.replay == nil)
}

// confirm records that the agent has the session, which is then no longer closed.
func (s *session) confirm() {
	s.confirmed = true
	s.bridge.closed.Delete(s.id)
}
