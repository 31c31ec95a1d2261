package v1client

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"hash/maphash"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
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

// messages are the messages of a session.
type messages struct {
	link *link.Link
	kept *keep.Share
	all  keep.Map[*message] // see appendMessageKey
}

// A message is what the client has of a message.
type message struct {
	said    said   // its texts, one behind the other; of other blocks what shortID returns
	shownAs []byte // its id to the client, quoted; nil if it is the agent's
	times   int    // how often it was sent from the beginning
}

// A said is what tells a text from others, without keeping it. The ends of chunks can cut
// characters of four bytes: agents in JavaScript cut surrogate pairs. Then the client has
// replacement characters in their place, so both are only counted, in halves.
type said struct {
	bytes, halves int
	digest        maphash.Hash // of the bytes
}

// add adds a text.
func (s *said) add(text []byte) {
	for len(text) > 0 {
		n, size, halves := untilHalves(text)
		s.digest.Write(text[:n])
		s.bytes, s.halves, text = s.bytes+n, s.halves+halves, text[n+size:]
	}
}

// take takes of what is left to be said what a text begins with, adds that to begun, and
// returns how many bytes of the text it is.
func (s *said) take(text []byte, begun *maphash.Hash) (taken int) {
	for taken < len(text) {
		until, size, halves := untilHalves(text[taken:])
		n := min(until, s.bytes)
		begun.Write(text[taken : taken+n])
		taken, s.bytes = taken+n, s.bytes-n
		if n < until || s.halves == 0 {
			break
		}
		taken, s.halves = taken+size, s.halves-min(halves, s.halves)
	}
	return taken
}

// untilHalves returns how many bytes are in front of the next character that is counted in
// halves, how many it has, and how many halves; none at the end.
func untilHalves(text []byte) (n, size, halves int) {
	const notASCII = 0x8080808080808080
	for ; n < len(text); n++ {
		if len(text)-n >= 8 && binary.LittleEndian.Uint64(text[n:])&notASCII == 0 {
			n += 7
			continue
		}
		if text[n] < 0xef {
			continue
		}
		switch char, size := utf8.DecodeRune(text[n:]); {
		case size == 4:
			return n, size, 2
		case size == 3 && char == utf8.RuneError:
			return n, size, 1
		}
	}
	return n, 0, 0
}

// empty reports whether the client has nothing of the message.
func (m *message) empty() bool { return m.said.bytes+m.said.halves == 0 }

// messageKind returns "user", "agent" or "thought" for an update of a message.
func messageKind(update []byte) string {
	switch {
	case bytes.HasPrefix(update, []byte("user_")):
		return "user"
	case bytes.HasPrefix(update, []byte("agent_message")):
		return "agent"
	}
	return "thought"
}

// chunkKinds are the updates that carry a part of a message of a kind.
var chunkKinds = map[string]string{"user": "user_message_chunk", "agent": "agent_message_chunk", "thought": "agent_thought_chunk"}

// find returns a message, nil if it is new.
func (t *messages) find(kind string, id []byte) *message {
	var buf [1 + maxKey]byte
	return t.all.Find(appendMessageKey(buf[:0], kind, id))
}

// appendMessageKey appends what names a message. The ids of different kinds are
// unrelated.
func appendMessageKey(to []byte, kind string, id []byte) []byte {
	return append(append(to, kind[0]), shortID(id)...)
}

// get returns a message, a new one if it is not known.
func (t *messages) get(kind string, id []byte) *message {
	if m := t.find(kind, id); m != nil {
		return m
	}
	m := &message{times: 1}
	t.all.Keep(t.kept, string(appendMessageKey(nil, kind, id)), m, nil).Count(messageCost)
	return m
}

// add notes that the client has one block more.
func (m *message) add(block []byte) {
	var fields [8]rawjson.Field
	o, _ := rawjson.ReadObject(fields[:0], block)
	m.addBlock(block, o)
}

// addBlock is add for a block that has been read.
func (m *message) addBlock(block []byte, o rawjson.Object) {
	var buf [1024]byte // most chunks fit
	text, _ := sayingOf(buf[:0], block, o)
	m.said.add(text)
}

// sayingOf returns what a block says: its text, appended to buf if need be, or what
// shortID returns.
func sayingOf(buf, block []byte, o rawjson.Object) (text []byte, isText bool) {
	if text, ok := textOfBlock(buf, o); ok {
		return text, true
	}
	return shortID(block), false
}

// blockText returns the text of a text block.
func blockText(block []byte) ([]byte, bool) {
	var fields [8]rawjson.Field
	o, _ := rawjson.ReadObject(fields[:0], block)
	return textOfBlock(nil, o)
}

// textOfBlock returns the text of a text block, see textIn.
func textOfBlock(buf []byte, o rawjson.Object) ([]byte, bool) {
	if kind, _ := o.Text("type"); string(kind) != "text" {
		return nil, false
	}
	return textIn(buf, o.Get("text"))
}

// chunk sends a part of a message.
func (t *messages) chunk(u *link.Update) {
	o := u.Members
	renamed := false
	if id, ok := o.Text("messageId"); ok {
		m := t.get(messageKind(u.Kind), id)
		m.addBlock(o.Get("content"), u.Content)
		if renamed = m.shownAs != nil; renamed {
			o = o.Set("messageId", m.shownAs)
		}
	}
	if !renamed && isPlainChunk(o, u.Content) {
		t.link.Pass(u)
		return
	}
	w := t.link.RewriteWith(u)
	if !words.Chunk.ToV1(w, o) {
		t.link.LoseAll(w.Losses)
		t.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+" without content")
		return
	}
	t.link.SendRewritten(u)
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
	message *message
	kind    string
	blocks  [][]byte
	cut     int // so many bytes of the first block's text it has
}

// whole finds what the client lacks of a message as a whole. It reports false if nothing of it is sent.
func (t *messages) whole(u *link.Update) (rest, bool) {
	id, ok := u.Members.Text("messageId")
	content := u.Members.Get("content")
	if !ok {
		t.link.Lose(translate.LossUnreadableUpdate, "dropped a "+string(u.Kind)+" without messageId")
		return rest{}, false
	}
	if content == nil {
		return rest{}, false // it changes its _meta alone
	}
	kind := messageKind(u.Kind)
	m := t.get(kind, id)
	blocks, _ := rawjson.ReadArray(nil, content)
	if len(blocks) == 0 {
		if !m.empty() {
			t.link.Lose(translate.LossClearedMessage, "left what the client has of it")
			m.again(id)
		}
		return rest{}, false
	}
	first, cut, same := m.become(id, blocks)
	if !same {
		t.link.Lose(translate.LossReplacedMessage, "sent the new text as another message")
	}
	return rest{m, kind, blocks[first:], cut}, true
}

// again makes the rest of the message another message for the client.
func (m *message) again(id []byte) {
	m.said = said{}
	m.times++
	if len(id) > maxKey {
		id = hex.AppendEncode(nil, shortID(id))
	}
	shown := append(bytes.Clone(id), '~')
	m.shownAs = rawjson.AppendQuoted(nil, strconv.AppendInt(shown, int64(m.times), 10))
}

// become notes that the client gets what it lacks of these blocks, see rest. If it has
// something else, they are another message.
func (m *message) become(id []byte, blocks [][]byte) (first, cut int, same bool) {
	if first, cut, same = m.rest(blocks); !same {
		m.again(id)
	}
	m.said = said{}
	for _, block := range blocks {
		m.add(block)
	}
	return first, cut, same
}

// rest returns which blocks of a message the client lacks: the blocks from
// first on, the first of them without its first cut bytes. If the blocks do not
// begin with what the client has, it lacks all of them, and rest reports false.
// A character of which the client has a part is not sent again.
func (m *message) rest(blocks [][]byte) (first, cut int, same bool) {
	left := m.said
	var begun maphash.Hash
	begun.SetSeed(left.digest.Seed())
	for ; first < len(blocks) && left.bytes+left.halves > 0; first++ {
		var fields [8]rawjson.Field
		o, _ := rawjson.ReadObject(fields[:0], blocks[first])
		text, isText := sayingOf(nil, blocks[first], o)
		cut = left.take(text, &begun)
		if cut < len(text) {
			if !isText && cut > 0 {
				return 0, 0, false
			}
			break
		}
		cut = 0
	}
	if left.bytes+left.halves > 0 || begun.Sum64() != left.digest.Sum64() {
		return 0, 0, false
	}
	return first, cut, true
}

// send sends the rest of a message as chunks. The other members of the update go with
// each, or with the first if that would be too much. What surrounds the update goes with
// each too. A message can become much longer by that, so there is a limit.
func (t *messages) send(u *link.Update, r rest) {
	const maxRepeated = 64 << 10
	surroundings := len(u.Message.Text) - len(u.Text())
	left := 16*len(u.Message.Text) + maxGrowth
	beside, size := r.message.beside(u)
	for i, block := range r.blocks {
		w := t.link.RewriteWith(u)
		before := len(w.Out)
		w.Object()
		w.StringMember("sessionUpdate", []byte(chunkKinds[r.kind]))
		for _, f := range beside {
			if i == 0 || size*len(r.blocks) <= maxRepeated || string(f.Name) == "messageId" {
				w.Field(f)
			}
		}
		if i == 0 && r.cut > 0 {
			block = withoutText(block, r.cut)
		}
		w.Name("content")
		if !w.ToV1(words.BlockOrText, block) {
			w.JSON(`{"type":"text","text":"[unreadable]"}`)
		}
		w.EndObject()
		if left -= surroundings + len(w.Out) - before; left < 0 {
			t.link.LoseAll(w.Losses)
			t.link.Lose(translate.LossManyBlocks, "left out the rest of it")
			return
		}
		t.link.SendRewritten(u)
	}
}

// beside returns the members of an update that go with the content of a message, and
// how long they are.
func (m *message) beside(u *link.Update) (beside rawjson.Object, size int) {
	for _, f := range u.Members {
		switch string(f.Name) {
		case "sessionUpdate", "content":
			continue
		case "messageId":
			if m.shownAs != nil {
				f = rawjson.Object{f}.Set("messageId", m.shownAs)[0]
			}
		case "_meta":
			if f.Value[0] != '{' {
				continue
			}
		}
		beside = append(beside, f)
		size += len(f.Text)
	}
	return beside, size
}

// withoutText returns a text block without the first n bytes of its text.
func withoutText(block []byte, n int) []byte {
	text, _ := blockText(block)
	o, _ := rawjson.ReadObject(nil, block)
	return words.Text(o.Set("text", rawjson.AppendQuoted(nil, text[n:])))
}

// textIn returns what a raw JSON value says if it is a string. That is a part of
// the value or, if it has escapes, appended to buf.
func textIn(buf, value []byte) (text []byte, ok bool) {
	switch {
	case len(value) < 2 || value[0] != '"':
		return nil, false
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], true
	}
	return rawjson.AppendUnquoted(buf, value), true
}
