package v1agent

import (
	"strconv"
	"strings"

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
	plain := isPlainText(u.Content)
	repeats := s.replay.repeats()
	if given {
		s.breakMessage()
		if plain && !repeats {
			s.link.Pass(u)
			return
		}
	}
	id := string(own)
	if !given {
		id = s.continued(u)
	}
	if repeats {
		kind := string(u.Kind)
		shown, begins := s.repeated(kind, id, given, u.Content)
		if begins {
			w := s.beginUpdate(strings.TrimSuffix(kind, "_chunk"))
			w.Texts("messageId", shown)
			w.JSON(`"content":[]`)
			s.link.SendUpdate()
		}
		id, given = shown, given && shown == id
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
func (s *session) continued(u *calls.Update) string {
	if s.message.kind == string(u.Kind) {
		return s.message.id
	}
	kind, id := string(u.Kind), ""
	if s.replay.repeats() {
		// A message has the same id in each replay.
		s.history.count[kind]++
		id = "r-" + speaker(kind) + "-" + strconv.Itoa(s.history.count[kind])
		if speaker(kind) == "user" {
			id = s.given.find(s.kept, &s.history.given, id, u.Content)
		}
	} else {
		id = "b-" + s.bridge.options.NewID()
	}
	s.message = message{kind, id}
	return id
}

// speaker returns a short name for the author of chunks of a kind.
func speaker(kind string) string {
	switch kind {
	case "user_message_chunk":
		return "user"
	case "agent_message_chunk":
		return "agent"
	}
	return "thought"
}

// isPlainText reports whether a content block is a text that version 2 can read unchanged.
func isPlainText(block rawjson.Object) bool {
	text := block.Get("text")
	return string(block.Get("type")) == `"text"` && len(text) > 0 && text[0] == '"' &&
		block.Get("annotations") == nil && block.Get("_meta") == nil
}
