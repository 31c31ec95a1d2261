package v1client

import (
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// A session is the state of a session. A subagent has a session of its own.
type session struct {
	bridge  *Bridge
	link    *calls.Link
	id, cwd string
	share   *keep.Share

	opened       bool // by the client
	loads        int  // pending session/load requests
	awaitsReplay bool // the agent has replayed nothing since the first of them

	messages  keep.Map[*message] // see findMessage
	toolCalls keep.Map[*toolCall]
	delayed   []*toolCall // those with delayed content
	terminals keep.Map[*terminal]
	switches  []string // ids of options of type boolean

	turns     turns
	endEntry  *keep.Entry          // counts the turnEnds of turns
	silence   calls.Timer          // see awaitSilence
	echoes    buffer[*userMessage] // user messages that may be echoes
	echoIDs   keep.Map[struct{}]   // ids of messages that repeat prompts
	subagent  *subagent            // the subagent that works in the session, or nil
	subagents keep.Map[*subagent]  // subagents with this root, by their sessions
}

// emptySession returns a session that neither the bridge nor the budget knows.
func emptySession(b *Bridge, id string) *session {
	return &session{bridge: b, link: &b.link, id: id}
}

// session returns the session with that id, or adds it.
func (b *Bridge) session(id []byte) *session {
	if s := b.sessions.Find(id); s != nil {
		return s
	}
	s := emptySession(b, string(id))
	s.share = b.budget.Open(len(id), func() {
		if len(s.turns.pending) == 0 && s.subagent == nil {
			s.drop()
		}
	})
	s.echoes.share = s.share
	b.sessions.Put(s.id, s)
	return s
}

// drop removes a session that has ended or is evicted. The agent may still answer some of its prompts.
func (s *session) drop() {
	s.forgetShown()
	s.share.Close()
	s.bridge.sessions.Delete(s.id)
	s.bridge.timers.Stop(&s.silence)
	if s.subagent != nil {
		s.subagent.root.subagents.Delete(s.id)
	}
	waiting := s.turns.pending
	*s = *emptySession(s.bridge, s.id)
	s.turns = turns{closed: true, pending: waiting}
}

// forgetShown drops the state of what the session shows, after sending delayed content.
func (s *session) forgetShown() {
	s.flush(anyContent)
	s.toolCalls.Clear()
	s.terminals.Clear()
	s.messages.Clear()
	s.forgetSubagents()
}

// setCwd sets the working directory. If the budget has no room, relative paths in prompts remain
// relative.
func (s *session) setCwd(cwd string) {
	s.share.Release(len(s.cwd))
	s.cwd = s.share.Hold(cwd)
}

// quoted returns a text as a raw JSON string.
func quoted[S []byte | string](text S) []byte { return rawjson.AppendQuoted(nil, text) }

// object returns a raw JSON object with one member.
func object(name string, value []byte) []byte {
	return shapes.Text(rawjson.Object{}.Set(name, value))
}
