package v1client

import (
	"crypto/sha256"
	"time"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
)

const (
	maxID  = 4 << 10 // bytes of an id of a session
	maxKey = 128     // bytes of an id that is compared only; of a longer one a digest is kept
)

// A session is what the bridge knows of a session.
type session struct {
	id, cwd string
	kept    *keep.Share
	end     *keep.Entry // what turns keeps of the last end

	opened bool // by the client
	loads  int  // how many session/load the client waits for
	unseen bool // nothing of the history of the first of these has come
	closed bool

	turns     turns
	silentAt  time.Time // see prompts.awaitMore; zero if it waits for nothing
	echoes    echoes
	messages  messages
	toolCalls toolCalls
	terminals terminals
	options   options
}

// sessions are the sessions of the connection.
type sessions struct {
	link       *link.Link
	budget     *keep.Budget
	shared     *shared
	subagents  *subagents
	convention bool // the client knows that for terminals
	all        keep.Map[*session]
}

// find returns the session, nil if nothing is known of it.
func (t *sessions) find(id string) *session { return t.all.Get(id) }

// get returns the session, a new one if nothing is known of it.
func (t *sessions) get(id []byte) *session {
	if s := t.all.Find(id); s != nil {
		return s
	}
	s := &session{id: string(id)}
	s.kept = t.budget.Open(len(id), func() { t.forgetIdle(s) })
	t.prepare(s)
	t.all.Put(s.id, s)
	return s
}

// prepare gives a new session what it shares with others.
func (t *sessions) prepare(s *session) {
	id := []byte(s.id)
	s.messages = messages{link: t.link, kept: s.kept}
	s.echoes.kept = s.kept
	s.terminals = terminals{link: t.link, session: id, convention: t.convention, kept: s.kept}
	s.toolCalls = toolCalls{link: t.link, shared: t.shared, session: id, terminals: &s.terminals, kept: s.kept}
}

// ended returns a session of which nothing is known any more, for an answer that still
// comes.
func (t *sessions) ended(id string) *session {
	s := &session{id: id, closed: true}
	t.prepare(s)
	return s
}

// forgetIdle forgets a session that has nothing to do.
func (t *sessions) forgetIdle(s *session) {
	if len(s.turns.waiting) == 0 {
		t.drop(s)
	}
}

// drop forgets a session that has ended. Of its prompts, the agent may answer some.
func (t *sessions) drop(s *session) {
	s.closed = true
	s.turns.close()
	t.forgetShown(s)
	s.options = options{}
	s.turns.forgetEnd()
	s.echoes.close()
	t.all.Delete(s.id)
	s.kept.Close()
}

// forgetShown forgets what the client was shown in a session.
func (t *sessions) forgetShown(s *session) {
	s.messages.all.Clear()
	s.toolCalls.forget()
	s.terminals.all.Clear()
	t.subagents.forget(s.id)
}

// worksIn notes the directory of a session. Without room for it, relative paths in
// prompts stay relative.
func (s *session) worksIn(cwd string) {
	s.kept.Free(len(s.cwd))
	if s.cwd = ""; s.kept.Fix(len(cwd)) {
		s.cwd = cwd
	}
}

// keepEnd counts what the last end of a turn said.
func (s *session) keepEnd() {
	s.end.Drop()
	s.end = s.kept.Add(s.turns.size(), s.turns.forgetEnd)
}

// shortID returns what is kept of an id that is compared only.
func shortID(id []byte) []byte {
	if len(id) <= maxKey {
		return id
	}
	digest := sha256.Sum256(id)
	return digest[:]
}
