package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// maxID is how many bytes an id of a session can have.
const maxID = 1024

// A session is what the bridge knows of a session.
type session struct {
	bridge *Bridge
	link   *calls.Link
	id     string
	kept   *keep.Share
	cwd    string // where relative paths begin; "" if that is not known
	live   bool   // the agent has made or loaded it in this connection, or worked on it

	reopened  bool // it was closed, and the client goes on with it anyway
	forgotten bool // only open requests still know it

	title, updatedAt string // as the agent last said; "" if it did not

	state     string           // that the client was told
	told      shapes.ToldState // if the session is of a subagent
	turn      *turn            // nil if none
	turns     int              // how many there were, with this one
	keys      keep.Map[*promptKey]
	given     givenIDs
	questions []*question // that the client has not answered
	closing   *closing    // nil unless it is being closed or deleted

	message   message
	replay    *replay // nil if none is under way
	history   history // of that
	resuming  int     // how many requests to resume it are open
	toolCalls keep.Map[*toolCall]
	terminals keep.Map[*terminal]
	options   options
}

// lose notes a loss of the session.
func (s *session) lose(kind translate.LossKind, detail string) {
	s.link.LoseOf([]byte(s.id), kind, detail)
}

// rewrite begins an update of the agent again, see [calls.Link.RewriteWith].
func (s *session) rewrite(u *calls.Update) *shapes.Writer {
	w := s.link.RewriteWith(u)
	w.Cwd = s.cwd
	return w
}

// beginUpdate begins an update of the bridge's own, see [calls.Link.UpdateWith].
func (s *session) beginUpdate(kind string) *shapes.Writer {
	return s.link.UpdateWith([]byte(s.id), kind)
}

// keep replaces a text that is kept of a session. Without room for it, it is empty:
// relative paths stay relative, and the proxy's own list of sessions lacks it.
func (s *session) keep(text *string, value string) {
	s.kept.Free(len(*text))
	if *text = ""; s.kept.Fix(len(value)) {
		*text = value
	}
}

// isBusy reports whether something of the session is under way.
func (s *session) isBusy() bool {
	return s.turn != nil || s.replay != nil || s.closing != nil || len(s.questions) > 0
}

// sessions are the sessions of the connection.
type sessions struct {
	bridge *Bridge
	budget keep.Budget
	beside *keep.Share // what is kept beside sessions

	all     keep.Map[*session]
	closed  keep.Map[struct{}] // whose updates the client must not get
	deleted keep.Map[struct{}] // that no list may have
}

func newSessions(b *Bridge) *sessions {
	ss := &sessions{bridge: b}
	ss.beside = ss.budget.Open(0, nil)
	return ss
}

// find returns the session with that id, nil if nothing is known of it.
func (ss *sessions) find(id []byte) *session { return ss.all.Find(id) }

// get returns the session with that id. One that is new to the bridge is
// made: updates can come before the answer that names their session.
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

// forget forgets a session. What is still kept of it serves an answer that is being
// written.
func (ss *sessions) forget(s *session) {
	s.kept.Close()
	ss.all.Delete(s.id)
	if s.closing != nil {
		ss.bridge.closings.idle = append(ss.bridge.closings.idle, s.closing)
	}
	*s = session{bridge: s.bridge, link: s.link, id: s.id, state: idle, forgotten: true}
}

// end forgets a session, and the client gets nothing more of it. A session that was
// forgotten before is left alone: another one may have its id by now.
func (ss *sessions) end(s *session) {
	if s.forgotten {
		return
	}
	s.dropQuestions(nil)
	ss.forget(s)
	ss.silence(s.id)
}

// silence keeps what the agent still says of a session from the client.
func (ss *sessions) silence(id string) { ss.closed.Keep(ss.beside, id, struct{}{}, nil) }

// hide keeps a session from lists: some agents list a deleted one for a moment.
func (ss *sessions) hide(id string) { ss.deleted.Keep(ss.beside, id, struct{}{}, nil) }

// shown returns a list of sessions without those that were deleted.
func (ss *sessions) shown(list []byte) []byte {
	var b rawjson.Builder
	b.Array()
	all, _ := rawjson.ReadArray(nil, list)
	for _, item := range all {
		if id, _ := rawjson.TextOf(rawjson.Get(item, "sessionId")); !ss.deleted.Has(string(id)) {
			b.Raw(item)
		}
	}
	b.EndArray()
	return b.Out
}

// isSilent reports whether the client must not get what the agent says of a session.
func (ss *sessions) isSilent(id []byte) bool { return ss.closed.Has(string(id)) }

// reopen returns the session with that id for a client that goes on with it. If
// it was closed, the agent decides: an agent that cannot close sessions still
// has it.
func (ss *sessions) reopen(id []byte) *session {
	wasClosed := ss.isSilent(id)
	ss.closed.Delete(string(id))
	s := ss.get(id)
	s.reopened = s.reopened || wasClosed
	return s
}

// confirm notes that the agent has a session that the client goes on with.
func (ss *sessions) confirm(s *session) {
	s.reopened = false
	ss.deleted.Delete(s.id)
}

// isLive reports whether the agent has the session, or is to work on a prompt of
// it.
func (ss *sessions) isLive(id []byte) bool {
	s := ss.find(id)
	return s != nil && (s.live || s.turn != nil)
}
