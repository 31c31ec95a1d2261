package v1agent

import (
	"strconv"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, each message has an id, and a chunk names its message. Many agents of version
// 1 send no ids: a message then continues until another part of the conversation begins:
// another kind of message, a new tool call, a question, a plan, a notice or the next turn.
// The end of a turn does not end it, because some agents send chunks after the response.

// A message is the current message of chunks without an id.
type message struct {
	kind string // of its chunks; "" if there is no message
	id   string
}

// end ends the message.
func (m *message) end() { *m = message{} }

// chunk converts a chunk of a message.
func (s *session) chunk(u *calls.Update) {
	if s.turn != nil {
		s.turn.afterMessage = string(u.Kind) == "agent_message_chunk"
	}
	own, hasID := u.Members.Text("messageId")
	id := ""
	if hasID {
		s.message.end()
	} else {
		id = s.continueMessage(u.Kind)
	}
	if s.replay.isHistory() {
		id = s.beginReplayed(string(u.Kind), id+string(own), u.Content)
		hasID = id == string(own)
	}
	s.sendChunk(u, id, hasID)
}

// sendChunk sends a chunk with a message id; given reports that the chunk has it already.
func (s *session) sendChunk(u *calls.Update, id string, hasID bool) {
	plain := shapes.IsPlainText(u.Content)
	switch {
	case plain && hasID:
		s.link.Pass(u)
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

// continueMessage returns the id for a chunk without one.
func (s *session) continueMessage(kind []byte) string {
	if s.message.kind != string(kind) {
		name, id := string(kind), "b-"
		if s.replay.isHistory() {
			// A message has the same id in each replay.
			s.history.count[name]++
			id = "r-" + speakers[name] + "-" + strconv.Itoa(s.history.count[name])
		} else {
			id += s.bridge.options.NewID()
		}
		s.message = message{name, id}
	}
	return s.message.id
}

// speakers are the names in ids of replayed messages.
var speakers = map[string]string{"user_message_chunk": "user", "agent_message_chunk": "agent", "agent_thought_chunk": "thought"}
