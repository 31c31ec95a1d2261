package v1client

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"math"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// Version 2 has messages whole and in chunks: a whole message takes the place
// of what came before, a chunk is added to it. Version 1 has chunks only. So of
// each message the bridge remembers what the client has: if a whole message begins
// with that, only its rest is sent; if it does not, it is sent again as another
// message.

const (
	messageCost = 1 << 10 // bytes of a message besides its id
	maxGrowth   = 4 << 20 // bytes by which a message may become longer when it is sent in chunks
)

// A message is what the client has of a message.
type message struct {
	said    said   // its texts, one behind the other; of other blocks what shortID returns
	shownAs []byte // its id to the client, quoted; nil if it is the agent's
	times   int    // how often it was sent from the beginning
}

// A said is what tells a text from others, without keeping it. The ends of chunks can cut
// characters of four bytes: agents in JavaScript cut surrogate pairs. Then the client has
// replacement characters in their place. So such a character counts as two of these.
type said struct {
	length int
	digest maphash.Hash
}

// write writes a text as it is told from others, or as much of that as makes so many bytes.
// It returns how many bytes it has written, and of the text; a character of which it has
// written a part is among them.
func write(to *maphash.Hash, text []byte, most int) (written, taken int) {
	const (
		replacement = string(utf8.RuneError)
		notASCII    = 0x8080808080808080
	)
	for taken < len(text) && written < most {
		plain := 0
		for rest := text[taken:]; plain < len(rest); plain++ {
			if len(rest)-plain >= 8 && binary.LittleEndian.Uint64(rest[plain:])&notASCII == 0 {
				plain += 7
			} else if rest[plain] >= 0xef && canBeCut(rest[plain:]) {
				break
			}
		}
		plain = min(plain, most-written)
		to.Write(text[taken : taken+plain])
		taken, written = taken+plain, written+plain
		if written == most {
			break
		}
		_, size := utf8.DecodeRune(text[taken:])
		for n := 0; n < size && written < most; n += len(replacement) {
			to.WriteString(replacement)
			written += len(replacement)
		}
		taken += size
	}
	return written, taken
}

// canBeCut reports whether a text begins with a character that the end of a chunk can cut, or
// has cut.
func canBeCut(text []byte) bool {
	char, _ := utf8.DecodeRune(text)
	return char > 0xffff || char == utf8.RuneError
}

// add notes that the client has one block more.
func (m *message) add(block []byte, o rawjson.Object) {
	var buf [1024]byte // most chunks fit
	text, _ := sayingOf(buf[:0], block, o)
	n, _ := write(&m.said.digest, text, math.MaxInt)
	m.said.length += n
}

// chunkKind returns the kind of the update that carries a part of a message, given the
// kind of any update of it.
func chunkKind(update []byte) string {
	switch {
	case bytes.HasPrefix(update, []byte("user_message")):
		return "user_message_chunk"
	case bytes.HasPrefix(update, []byte("agent_message")):
		return "agent_message_chunk"
	}
	return "agent_thought_chunk"
}

// findMessage returns a message of that kind of chunks, nil if it is new.
func (s *shown) findMessage(kind string, id []byte) *message {
	var buf [2 * maxKey]byte
	return s.messages.Find(appendMessageKey(buf[:0], kind, id))
}

// appendMessageKey appends what names a message. The ids of different kinds are
// unrelated.
func appendMessageKey(to []byte, kind string, id []byte) []byte {
	return append(append(to, kind...), shortID(id)...)
}

// message returns a message, a new one if it is not known.
func (s *shown) message(kind string, id []byte) *message {
	if m := s.findMessage(kind, id); m != nil {
		return m
	}
	m := &message{times: 1}
	s.messages.Keep(s.kept, string(appendMessageKey(nil, kind, id)), m, nil).Count(messageCost)
	return m
}

// sayingOf returns what a block says: its text, appended to buf if need be, or what
// shortID returns.
func sayingOf(buf, block []byte, o rawjson.Object) (text []byte, isText bool) {
	if text, ok := textOf(buf, o); ok {
		return text, true
	}
	return shortID(block), false
}

// textOf returns the text of a text block. That is a part of its JSON or, if it has
// escapes, appended to buf.
func textOf(buf []byte, o rawjson.Object) ([]byte, bool) {
	value := o.Get("text")
	switch {
	case len(value) < 2 || value[0] != '"' || string(o.Get("type")) != `"text"`:
		return nil, false
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], true
	}
	return rawjson.AppendUnquoted(buf, value), true
}

// chunk sends a part of a message.
func (s *shown) chunk(u *calls.Update) {
	o := u.Members
	renamed := false
	if id, ok := o.Text("messageId"); ok {
		m := s.message(string(u.Kind), id)
		m.add(o.Get("content"), u.Content)
		if renamed = m.shownAs != nil; renamed {
			o = o.Set("messageId", m.shownAs)
		}
	}
	if !renamed && isPlainChunk(o, u.Content) {
		s.link.Pass(u)
		return
	}
	s.shaped(u, o, shapes.Chunk)
}

// isPlainChunk reports whether a chunk with that block as its content is the same
// in both versions, as almost all are.
func isPlainChunk(o, block rawjson.Object) bool {
	for _, f := range o {
		switch string(f.Name) {
		case "sessionUpdate", "content":
		case "messageId":
			if f.Value[0] != '"' {
				return false
			}
		default:
			return false
		}
	}
	return len(o) <= 3 && isPlainText(block)
}

// isPlainText reports whether a content block is a text and nothing else.
func isPlainText(block rawjson.Object) bool {
	text := block.Get("text")
	return len(block) == 2 && string(block.Get("type")) == `"text"` && len(text) > 0 && text[0] == '"'
}

// A rest is what the client lacks of a message that has come as a whole.
type rest struct {
	blocks [][]byte
	cut    int // so many bytes of the first block's text it has
}

// whole handles a message as a whole: the client gets what it lacks. An empty one does not
// count as work of the agent.
func (s *session) whole(u *calls.Update) {
	id, ok := u.Members.Text("messageId")
	content := u.Members.Get("content")
	switch {
	case !ok:
		s.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+" without messageId")
		return
	case content == nil: // it changes its _meta alone
		return
	}
	m := s.message(chunkKind(u.Kind), id)
	blocks, _ := rawjson.ReadArray(nil, content)
	if len(blocks) == 0 {
		if m.said.length > 0 {
			s.link.Lose(translate.LossClearedMessage, "left what the client has of it")
			m.again(id)
		}
		return
	}
	left, same := m.become(id, blocks)
	if !same {
		s.link.Lose(translate.LossReplacedMessage, "sent the new text as another message")
	}
	s.flushSmall()
	s.turns.said()
	s.sendRest(u, m, left)
}

// again makes the rest of the message another message for the client.
func (m *message) again(id []byte) {
	m.said = said{}
	m.times++
	if len(id) > maxKey {
		id = hex.AppendEncode(nil, shortID(id))
	}
	m.shownAs = quoted(string(id) + "~" + strconv.Itoa(m.times))
}

// become notes that the client gets what it lacks of these blocks, which it returns. If the
// client has something else, they are another message.
func (m *message) become(id []byte, blocks [][]byte) (left rest, same bool) {
	if left, same = m.rest(blocks); !same {
		m.again(id)
	}
	m.said = said{}
	for _, block := range blocks {
		m.add(block, read(block))
	}
	return left, same
}

// rest returns what the client lacks of the blocks of a message. If they do not begin with
// what it has, it lacks all of them, and rest reports false.
func (m *message) rest(blocks [][]byte) (rest, bool) {
	left := rest{blocks: blocks}
	missing := m.said.length
	var begun maphash.Hash
	begun.SetSeed(m.said.digest.Seed())
	for missing > 0 && len(left.blocks) > 0 {
		text, isText := sayingOf(nil, left.blocks[0], read(left.blocks[0]))
		n, taken := write(&begun, text, missing)
		missing -= n
		if taken < len(text) {
			if left.cut = taken; !isText {
				return rest{blocks: blocks}, false
			}
			break
		}
		left.blocks = left.blocks[1:]
	}
	if missing != 0 || begun.Sum64() != m.said.digest.Sum64() {
		return rest{blocks: blocks}, false
	}
	return left, true
}

// sendRest sends the rest of a message as chunks. The other members of the update go with
// each, and what surrounds it. A message can become much longer by that, so there is a
// limit.
func (s *shown) sendRest(u *calls.Update, m *message, left rest) {
	room := 16*len(u.Message.Text) + maxGrowth
	surroundings := len(u.Message.Text) - len(u.Text())
	for i, block := range left.blocks {
		w := s.link.RewriteWith(u)
		before := len(w.Out)
		w.Object()
		w.StringMember("sessionUpdate", []byte(chunkKind(u.Kind)))
		for _, f := range u.Members {
			switch name := string(f.Name); {
			case name == "sessionUpdate", name == "content", name == "_meta" && f.Value[0] != '{':
			case name == "messageId" && m.shownAs != nil:
				w.Member(name, m.shownAs)
			default:
				w.Field(f)
			}
		}
		if i == 0 && left.cut > 0 {
			block = withoutText(block, left.cut)
		}
		w.Name("content")
		if !w.ToV1(shapes.BlockOrText, block) {
			w.JSON(`{"type":"text","text":"[unreadable]"}`)
		}
		w.EndObject()
		if room -= surroundings + len(w.Out) - before; room < 0 {
			s.link.LoseAll(w.Losses)
			s.link.Lose(translate.LossManyBlocks, "left out the rest of it")
			return
		}
		s.link.SendRewritten(u)
	}
}

// withoutText returns a text block without the first n bytes of its text.
func withoutText(block []byte, n int) []byte {
	o := read(block)
	text, _ := textOf(nil, o)
	return shapes.Text(o.Set("text", quoted(text[n:])))
}
