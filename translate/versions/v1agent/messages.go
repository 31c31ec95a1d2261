package v1agent

import (
	"strconv"

	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, each message has an id, and a chunk names its message. Many agents of version
// 1 send no ids: a message then continues until another part of the conversation begins:
// another kind of message, a new tool call, a question, a plan, a notice or the next turn
// (bridge.md §4.2). The end of a turn does not end it, because some agents send chunks after
// the response.

// A message is the current message of chunks without an id.
type message struct {
	kind string // of its chunks; "" if there is no message
	id   string
}

// breakMessage ends the current message.
func (s *session) breakMessage() { s.message = message{} }

// chunk converts a chunk of a message.
func (s *session) chunk(u *calls.Update) {
	if s.turn != nil {
		s.turn.concluded = string(u.Kind) == "agent_message_chunk"
	}
	own, given := u.Members.Text("messageId")
	id := ""
	if given {
		s.breakMessage()
	} else {
		id = s.continued(string(u.Kind))
	}
	if s.replay.repeats() {
		id = s.repeated(string(u.Kind), id+string(own), u.Content)
		given = id == string(own)
	}
	plain := isPlainText(u.Content)
	if given && plain {
		s.link.Pass(u)
		return
	}
	s.rewriteChunk(u, id, given, plain)
}

// rewriteChunk sends a chunk with a message id; given reports that the chunk has it already.
func (s *session) rewriteChunk(u *calls.Update, id string, given, plain bool) {
	w := s.rewrite(u)
	if plain && !given && len(u.Members) == 2 { // only the id is missing, as in most chunks
		text := u.Text()
		w.Raw(text[:len(text)-1])
	} else {
		writeChunk(w, u.Members, given, plain)
	}
	if !given {
		w.Texts("messageId", id)
	}
	w.EndObject()
	s.link.SendRewritten(u)
}

// writeChunk writes the members of a chunk, without a messageId unless given. The object
// remains open.
func writeChunk(w *shapes.Writer, o rawjson.Object, given, plain bool) {
	w.Object()
	seen := false
	for _, f := range o {
		switch name := string(f.Name); {
		case name == "messageId" && !given, shapes.UnreadableMeta(f):
		case name == "content" && !plain:
			seen = true
			w.Name(name)
			w.ToV2(shapes.BlockOrText, f.Value)
		default:
			seen = seen || name == "content"
			w.Field(f)
		}
	}
	if !seen {
		w.Name("content")
		w.ToV2(shapes.BlockOrText, nil)
	}
}

// continued returns the id for a chunk without one.
func (s *session) continued(kind string) string {
	if s.message.kind != kind {
		id := "b-"
		if s.replay.repeats() {
			// A message has the same id in each replay.
			s.history.count[kind]++
			id = "r-" + speakers[kind] + "-" + strconv.Itoa(s.history.count[kind])
		} else {
			id += s.bridge.options.NewID()
		}
		s.message = message{kind, id}
	}
	return s.message.id
}

// speakers are the names in ids of replayed messages.
var speakers = map[string]string{"user_message_chunk": "user", "agent_message_chunk": "agent", "agent_thought_chunk": "thought"}

// isPlainText reports whether a content block is a text that version 2 can read unchanged.
func isPlainText(block rawjson.Object) bool {
	text := block.Get("text")
	return string(block.Get("type")) == `"text"` && len(text) > 0 && text[0] == '"' &&
		block.Get("annotations") == nil && block.Get("_meta") == nil
}
