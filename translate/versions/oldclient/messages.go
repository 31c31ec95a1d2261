package oldclient

import (
	"bytes"
	"encoding/hex"
	"hash/maphash"
	"slices"
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
// each message the bridge remembers how much the client has, and a digest of
// it: if a whole message begins with that, only its rest is sent; if it does
// not, it is sent again as another message.

const (
	messageCost = 2 << 10 // bytes of a message besides its id, generously: few come again
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
	digest  maphash.Hash // of what the client has, without the gaps
	length  int          // how many bytes the digest is of
	gaps    []gap
	shownAs []byte // its id to the client, quoted; nil if it is the agent's
	times   int    // how often it was sent from the beginning
}

// A gap is where the end of a chunk cuts characters. The two chunks have halves of
// a surrogate pair there, or replacement characters, and the message as a whole has
// the characters.
type gap struct {
	at           int // the length of what is before
	replacements int // halves too
	characters   int // which these replace
}

// empty reports whether the client has nothing of the message.
func (m *message) empty() bool { return m.length == 0 && len(m.gaps) == 0 }

var chunkShape = words.Shape{
	{Name: "content", Convert: words.BlockToV1, Required: true},
	{Name: "messageId", Convert: words.StringOrNull},
}

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
	if text, ok := textOfBlock(buf[:0], o); ok {
		m.addText(text, o.Get("text"))
	} else {
		m.write(block)
	}
}

func (m *message) write(text []byte) {
	m.digest.Write(text)
	m.length += len(text)
}

const replacement = "\uFFFD"

// addText notes that the client has one chunk more of a text, which is given
// unquoted and raw. Halves of surrogate pairs are replacement characters in it.
func (m *message) addText(text, raw []byte) {
	begin, end := 0, 0
	for ; bytes.HasPrefix(text, []byte(replacement)); begin++ {
		text = text[len(replacement):]
	}
	for ; bytes.HasSuffix(text, []byte(replacement)); end++ {
		text = text[:len(text)-len(replacement)]
	}
	if begin > 0 {
		g := gap{at: m.length, replacements: begin}
		if goesOn := len(m.gaps) > 0 && m.gaps[len(m.gaps)-1].at == m.length; !goesOn || isFirstHalf(raw[1:]) {
			g.characters++
		}
		if len(text) == 0 && begin > 1 && isFirstHalf(raw[max(0, len(raw)-len(`\ud83d"`)):]) {
			g.characters++
		}
		m.addGap(g)
	}
	m.write(text)
	if end > 0 {
		m.addGap(gap{at: m.length, replacements: end, characters: 1})
	}
}

// isFirstHalf reports whether a raw text begins with the first half of a surrogate
// pair.
func isFirstHalf(raw []byte) bool {
	return len(raw) > 4 && raw[0] == '\\' && raw[1] == 'u' && raw[2]|0x20 == 'd' &&
		bytes.IndexByte([]byte("89abAB"), raw[3]) >= 0
}

// addGap notes a gap behind what the client has. In a message of too many gaps, the
// replacement characters count as what they are.
func (m *message) addGap(g gap) {
	const maxGaps = 16
	switch last := len(m.gaps) - 1; {
	case last >= 0 && m.gaps[last].at == g.at:
		m.gaps[last].replacements += g.replacements
		m.gaps[last].characters += g.characters
	case len(m.gaps) < maxGaps:
		m.gaps = append(m.gaps, g)
	default:
		m.write(bytes.Repeat([]byte(replacement), g.replacements))
	}
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
	if !chunkShape.ConvertObject(w, o) {
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
	first, cut, same := m.rest(blocks)
	if !same {
		t.link.Lose(translate.LossReplacedMessage, "sent the new text as another message")
		m.again(id)
	}
	return rest{m, kind, blocks[first:], cut}, true
}

// again makes the rest of the message another message for the client.
func (m *message) again(id []byte) {
	m.digest.Reset()
	m.length, m.gaps = 0, nil
	m.times++
	if len(id) > maxKey {
		id = hex.AppendEncode(nil, shortID(id))
	}
	shown := append(bytes.Clone(id), '~')
	m.shownAs = rawjson.AppendQuoted(nil, strconv.AppendInt(shown, int64(m.times), 10))
}

// rest returns which blocks of a message the client lacks: the blocks from
// first on, the first of them without its first cut bytes. If the blocks do not
// begin with what the client has, it lacks all of them, and rest reports false.
// A character of which the client has a part is not sent again.
func (m *message) rest(blocks [][]byte) (first, cut int, same bool) {
	if m.empty() {
		return 0, 0, true
	}
	var digest maphash.Hash
	digest.SetSeed(m.digest.Seed())
	length, gaps := 0, slices.Clone(m.gaps)
	for i, block := range blocks {
		text, ok := blockText(block)
		if !ok {
			text = block
		}
		n := 0
		for {
			until := m.length
			if len(gaps) > 0 {
				until = gaps[0].at
			}
			part := min(len(text)-n, until-length)
			if !ok && part < len(text) {
				return 0, 0, false
			}
			digest.Write(text[n : n+part])
			length += part
			if n += part; length < until || len(gaps) == 0 {
				break
			}
			filled, ok := gaps[0].fill(text[n:])
			if !ok {
				return 0, 0, false
			}
			if n += filled; !gaps[0].filled() {
				break
			}
			gaps = gaps[1:]
		}
		if length < m.length || len(gaps) > 0 {
			continue
		}
		if digest.Sum64() != m.digest.Sum64() {
			return 0, 0, false
		}
		if after := runeEnd(text, n); ok && after > n {
			m.write(text[n:after])
			n = after
		}
		if n == len(text) {
			return i + 1, 0, true
		}
		return i, n, true
	}
	return 0, 0, false
}

// fill takes from a text what belongs into the gap: as many replacement characters,
// or the characters themselves. It reports false if there is something else.
func (g *gap) fill(text []byte) (n int, ok bool) {
	for !g.filled() && n < len(text) {
		switch r, size := utf8.DecodeRune(text[n:]); {
		case bytes.HasPrefix(text[n:], []byte(replacement)):
			g.replacements--
			n += size
		case r < utf8.RuneSelf:
			return 0, false
		default:
			g.characters--
			n += size
		}
	}
	return n, true
}

func (g *gap) filled() bool { return g.replacements == 0 || g.characters == 0 }

// runeEnd returns the end of the character that n is inside of; n if it is inside of
// none.
func runeEnd(text []byte, n int) int {
	for start := n - 1; start >= 0 && start > n-utf8.UTFMax; start-- {
		if utf8.RuneStart(text[start]) {
			_, size := utf8.DecodeRune(text[start:])
			return max(n, start+size)
		}
	}
	return n
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
		if !words.BlockToV1(w, block) {
			w.JSON(`{"type":"text","text":"[unreadable]"}`)
		}
		w.EndObject()
		if left -= surroundings + len(w.Out) - before; left < 0 {
			t.link.LoseAll(w.Losses)
			t.link.Lose(translate.LossManyBlocks, "left out the rest of it")
			return
		}
		r.message.add(block)
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
