package oldagent

import (
	"strconv"

	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 each message has an id, and a chunk says which it belongs to. Many
// agents of version 1 give none: there, a message goes on until something else of
// the conversation comes, which is another kind of message, a new tool call, a
// question, a plan, a notice or the next turn. The end of a turn does not end it: some
// agents answer the prompt before they have said everything.

// A message is the one that chunks without an id go on with.
type message struct {
	kind string // of its chunks; "" if there is none to go on with
	id   string
}

// breakMessage ends the message that chunks without an id go on with.
func (s *session) breakMessage() { s.message = message{} }

// chunk passes a piece of a message on.
func (b *Bridge) chunk(u *update) {
	s := u.session
	if s.turn != nil {
		s.turn.concluded = string(u.kind) == "agent_message_chunk"
	}
	own, given := u.fields.Text("messageId")
	plain := isPlainText(u.content)
	repeats := s.replay.repeats()
	if given && !repeats {
		s.breakMessage()
		if plain {
			b.passOn(u)
			return
		}
	}
	id := string(own)
	if !given {
		id = b.continued(s, string(u.kind))
	}
	if repeats {
		if given {
			s.breakMessage()
		}
		b.startReplayed(s, string(u.kind), id)
	}
	w := b.beginSame(u)
	w.Text("{")
	seen := false
	for _, f := range u.fields {
		switch string(f.Name) {
		case "messageId":
			if !given {
				continue
			}
			field(w, f)
		case "content":
			seen = true
			if plain {
				field(w, f)
				continue
			}
			member(w, "content")
			blockToV2(w, f.Value)
		default:
			field(w, f)
		}
	}
	if !seen {
		member(w, "content")
		blockToV2(w, nil)
	}
	if !given {
		member(w, "messageId")
		w.Quoted([]byte(id))
	}
	w.Text("}")
	b.sendSame(u)
}

// continued returns the id for a chunk that has none.
func (b *Bridge) continued(s *session, kind string) string {
	if s.message.kind == kind {
		return s.message.id
	}
	id := ""
	if r := s.replay; r != nil && r.loads {
		// Each replay must give a message the same id.
		r.count[kind]++
		id = "r-" + speaker(kind) + "-" + strconv.Itoa(r.count[kind])
	} else {
		id = "b-" + b.options.NewID()
	}
	s.message = message{kind, id}
	return id
}

// speaker returns a short name for who says the chunks of a kind.
func speaker(kind string) string {
	switch kind {
	case "user_message_chunk":
		return "user"
	case "agent_message_chunk":
		return "agent"
	}
	return "thought"
}

// isPlainText reports whether a content block is text that version 2 reads as it
// is.
func isPlainText(block rawjson.Object) bool {
	text := block.Get("text")
	return string(block.Get("type")) == `"text"` && len(text) > 0 && text[0] == '"' &&
		block.Get("annotations") == nil && block.Get("_meta") == nil
}

// blockToV2 writes a content block. A block that version 2 cannot read becomes
// text. The result is always true.
func blockToV2(w *words.Writer, block []byte) bool {
	if !words.BlockToV2(w, block) {
		words.BlockAsText(w, block)
	}
	return true
}
