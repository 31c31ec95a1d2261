package v1agent

import (
	"strconv"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, each message has an id, and a chunk names its message. Many agents of version
// 1 send no ids. A message then continues until another part of the conversation begins: another
// kind of message, a new tool call, a question, a plan, a notice, a compaction or the next turn.
// The end of a turn does not end a message, because some agents send chunks after the response.

// A message is the message that a chunk without an id continues.
type message struct {
	kind string // of its chunks; "" if there is no such message
	id   string // at the client
}

// end ends the message.
func (m *message) end() { *m = message{} }

// chunk converts a chunk of a message.
func (s *session) chunk(u *calls.Update) {
	if s.turn != nil {
		s.turn.afterMessage = string(u.Kind) == "agent_message_chunk"
	}
	agentID, hasID := u.Members.Text("messageId")
	id := ""
	if hasID {
		s.message.end()
	} else {
		id = s.continueMessage(u.Kind)
	}
	if s.replay.hasHistory() {
		id = s.beginReplayed(string(u.Kind), id+string(agentID), u.Content)
		hasID = id == string(agentID)
	}
	s.sendChunk(u, id, hasID)
}

// sendChunk sends a chunk with a message id. hasID reports that the chunk has this id already.
func (s *session) sendChunk(u *calls.Update, id string, hasID bool) {
	plain := shapes.IsPlainText(u.Content)
	switch {
	case plain && hasID:
		s.link.ForwardUpdate(u)
	case plain && len(u.Members) == 2: // only the id is missing, as in most chunks
		w, text := s.rewrite(u), u.Text()
		w.Raw(text[:len(text)-1])
		w.Texts("messageId", id)
		w.EndObject()
		s.link.SendRewritten(u)
	default:
		if !hasID {
			u.Members = u.Members.Set("messageId", rawjson.AppendQuoted(nil, id))
		}
		s.sendConverted(u)
	}
}

// continueMessage returns the id for a chunk without an id. It begins a message if none continues.
func (s *session) continueMessage(kind []byte) string {
	if s.message.kind != string(kind) {
		name, id := string(kind), ""
		if s.replay.hasHistory() {
			// A message has the same id in each replay.
			s.history.generated[name]++
			id = "r-" + speakers[name] + "-" + strconv.Itoa(s.history.generated[name])
		} else {
			id = "b-" + s.bridge.options.NewID()
		}
		s.message = message{name, id}
	}
	return s.message.id
}

// speakers are the names in the ids of replayed messages, by the kind of their chunks.
var speakers = map[string]string{"user_message_chunk": "user", "agent_message_chunk": "agent", "agent_thought_chunk": "thought"}
