package oldclient

import (
	"crypto/sha256"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
)

const (
	maxSessions = 512
	maxID       = 4 << 10 // bytes of an id of a session or what is shown
	maxKey      = 128     // bytes of an id that is compared only; of a longer one a digest is kept
)

// A session is what the bridge knows of a session.
type session struct {
	id, cwd string

	kept    int // bytes, see kept.go
	counted int // those of it that are beside tool calls and terminals

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
	link *link.Link
	all  keep.Map[*session]

	// prepare gives a new session what it shares with others. forget is told that a
	// session has ended or was forgotten.
	prepare, forget func(*session)

	kept int // bytes of what is kept of all sessions, see kept.go
}

// find returns the session, nil if nothing is known of it.
func (t *sessions) find(id string) *session { return t.all.Get(id) }

// get returns the session, a new one if nothing is known of it.
func (t *sessions) get(id []byte) *session {
	if s := t.all.Find(id); s != nil {
		return s
	}
	if t.all.Len() >= maxSessions {
		t.forgetOldest()
	}
	s := &session{id: string(id)}
	t.prepare(s)
	t.all.Put(s.id, s)
	return s
}

// ended returns a session of which nothing is known any more, for an answer that still
// comes.
func (t *sessions) ended(id string) *session {
	s := &session{id: id, closed: true}
	t.prepare(s)
	return s
}

// forgetOldest forgets the oldest session that has nothing to do.
func (t *sessions) forgetOldest() {
	for _, s := range t.all.All() {
		if len(s.turns.waiting) == 0 {
			s.toolCalls.flush()
			t.drop(s)
			t.link.Lose(translate.LossTooManySessions, "forgot the oldest of more than 512")
			return
		}
	}
}

// drop forgets a session that has ended. Of its prompts, the agent may answer some.
func (t *sessions) drop(s *session) {
	s.closed = true
	s.turns.close()
	s.forgetKnown()
	t.all.Delete(s.id)
	t.kept -= s.kept
	s.echoes.close()
	t.forget(s)
}

// shortID returns what is kept of an id that is compared only.
func shortID(id []byte) []byte {
	if len(id) <= maxKey {
		return id
	}
	digest := sha256.Sum256(id)
	return digest[:]
}
