package v1client

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// Version 2 has whole messages, which replace the earlier text, and chunks, which extend it.
// Version 1 has chunks only. The bridge keeps a digest of the text that the client has of each
// message. If a whole message begins with that text, the bridge sends only the rest of it; otherwise
// it sends the whole message under another id.

const (
	messageCost = 1 << 10 // bytes of a message without its id
	maxGrowth   = 4 << 20 // bytes of chunks beyond 16 times the length of the whole message
)

// A message is the state of a message at the client.
type message struct {
	sent    digest // of its texts and other blocks, concatenated
	shownAs []byte // its id at the client, quoted; nil if that is the agent's id
	starts  int    // number of times that it was sent from the beginning
}

// A digest is the length and hash of a text. A chunk can end inside a character of four bytes, because
// agents in JavaScript cut surrogate pairs; the client then has two replacement characters instead.
// A digest therefore counts each such character as two replacement characters.
type digest struct {
	length int
	hash   maphash.Hash
}

// writeNormalized writes a text to the hash, with two replacement characters in place of each
// character that can be cut. It writes at most limit bytes. taken is the length of the written part
// of the text; it includes a partly written character.
func writeNormalized(hash *maphash.Hash, text []byte, limit int) (written, taken int) {
	const replacement = string(utf8.RuneError)
	for taken < len(text) && written < limit {
		uncut := min(uncutLength(text[taken:]), limit-written)
		hash.Write(text[taken : taken+uncut])
		taken, written = taken+uncut, written+uncut
		if written == limit || taken == len(text) {
			break
		}
		_, size := utf8.DecodeRune(text[taken:])
		for n := 0; n < size && written < limit; n += len(replacement) {
			hash.WriteString(replacement)
			written += len(replacement)
		}
		taken += size
	}
	return written, taken
}

// uncutLength returns the length of the text before the first character that can be cut.
func uncutLength(text []byte) (n int) {
	const notASCII = 0x8080808080808080
	for ; n < len(text); n++ {
		if len(text)-n >= 8 && binary.LittleEndian.Uint64(text[n:])&notASCII == 0 {
			n += 7
		} else if text[n] >= 0xef {
			if char, _ := utf8.DecodeRune(text[n:]); canBeCut(char) {
				break
			}
		}
	}
	return n
}

// canBeCut reports whether a chunk can end inside the character, or the character can result from
// such a cut.
func canBeCut(char rune) bool { return char > 0xffff || char == utf8.RuneError }

// add appends a block that the client receives.
func (m *message) add(block []byte, o rawjson.Object) {
	var buf [1024]byte // most chunks fit
	n, _ := writeNormalized(&m.sent.hash, textOrBlock(buf[:0], block, o), math.MaxInt)
	m.sent.length += n
}

// chunkKind returns the kind of the chunks of a message, given the kind of any of its updates.
func chunkKind(update []byte) string { return strings.TrimSuffix(string(update), "_chunk") + "_chunk" }

// findMessage returns the message with chunks of that kind and that id, or nil. The ids of different
// kinds are unrelated.
func (s *session) findMessage(kind string, id []byte) *message {
	var buf [128]byte // most ids fit
	return s.messages.Find(append(append(buf[:0], kind...), id...))
}

// message is findMessage, but adds a missing message.
func (s *session) message(kind string, id []byte) *message {
	if m := s.findMessage(kind, id); m != nil {
		return m
	}
	m, key := &message{starts: 1}, kind+string(id)
	s.messages.Keep(s.share, key, m, nil).SetSize(messageCost + len(key))
	return m
}

// textOrBlock returns the text of a text block, see textOf, and any other block itself.
func textOrBlock(buf, block []byte, o rawjson.Object) []byte {
	if text, ok := textOf(buf, o); ok {
		return text
	}
	return block
}

// textOf returns the text of a text block. The text shares the memory of the block, unless it has
// escapes: textOf then appends it to buf.
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

// sendChunk sends a chunk of a message.
func (s *session) sendChunk(u *calls.Update) {
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
		s.link.ForwardUpdate(u)
		return
	}
	s.sendConvertedAs(u, o, shapes.Chunk)
}

// isPlainChunk reports whether a chunk is the same in both versions, as almost all are.
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
	return len(o) <= 3 && shapes.IsPlainText(block)
}

// sendWhole sends the part of a whole message that the client lacks. An empty message does not
// count as work of the agent.
func (s *session) sendWhole(u *calls.Update) {
	if m, blocks, _ := s.takeMissing(u); len(blocks) > 0 {
		s.flush(smallContent)
		s.turns.onUpdate()
		s.sendBlocks(u, m, blocks)
	}
}

// takeMissing returns the blocks of a whole message that the client lacks, and records that they
// are sent. If the client has another text, these are all blocks, under another id. isNew reports
// that the client had nothing under the id.
func (s *session) takeMissing(u *calls.Update) (m *message, missing [][]byte, isNew bool) {
	id, ok := u.Members.Text("messageId")
	content := u.Members.Get("content")
	switch {
	case !ok:
		s.loseUnreadable(u)
		return nil, nil, false
	case content == nil: // only its _meta changes
		return nil, nil, false
	}
	m = s.message(chunkKind(u.Kind), id)
	blocks, _ := rawjson.ReadArray(nil, content)
	missing, ok = m.missingBlocks(blocks)
	switch {
	case ok:
	case len(blocks) == 0:
		s.link.Lose(translate.LossClearedMessage, "the client keeps the text that it has received")
		m.restart(id)
	default:
		s.link.Lose(translate.LossReplacedMessage, "the new text is sent as another message")
		m.restart(id)
	}
	isNew = m.sent.length == 0
	m.sent = digest{}
	for _, block := range blocks {
		m.add(block, rawjson.Members(block))
	}
	return m, missing, isNew
}

// restart gives the message another id, under which the client has no text.
func (m *message) restart(id []byte) {
	m.sent = digest{}
	m.starts++
	m.shownAs = quoted(string(id) + "~" + strconv.Itoa(m.starts))
}

// missingBlocks returns the blocks that the client lacks, the first one without the text that the
// client has. It returns all blocks and false if they do not begin with the text at the client.
func (m *message) missingBlocks(blocks [][]byte) ([][]byte, bool) {
	rest, sent := slices.Clone(blocks), m.sent.length
	var prefix maphash.Hash
	prefix.SetSeed(m.sent.hash.Seed())
	for sent > 0 && len(rest) > 0 {
		o := rawjson.Members(rest[0])
		text := textOrBlock(nil, rest[0], o)
		n, taken := writeNormalized(&prefix, text, sent)
		sent -= n
		if taken < len(text) {
			rest[0] = shapes.Text(o.Set("text", quoted(text[taken:])))
			break
		}
		rest = rest[1:]
	}
	if sent != 0 || prefix.Sum64() != m.sent.hash.Sum64() {
		return blocks, false
	}
	return rest, true
}

// sendBlocks sends blocks of a message as chunks, each with the other members of the update. The
// chunks can be much longer than the message, so their total length is limited, see maxGrowth.
func (s *session) sendBlocks(u *calls.Update, m *message, blocks [][]byte) {
	room := 16*len(u.Message.Text) + maxGrowth
	u.Kind = []byte(chunkKind(u.Kind))
	o := u.Members
	if m.shownAs != nil {
		o = o.Set("messageId", m.shownAs)
	}
	for _, block := range blocks {
		w := s.link.RewriteWith(u)
		w.Object()
		w.StringMember("sessionUpdate", u.Kind)
		w.CopyOthers(o, "sessionUpdate", "content")
		w.Name("content")
		if !w.ToV1(shapes.BlockOrText, block) {
			w.JSON(`{"type":"text","text":"[unreadable]"}`)
		}
		w.EndObject()
		if room -= len(w.Out); room < 0 {
			s.link.Report(w.Losses...)
			s.link.Lose(translate.LossManyBlocks, "the rest of the message is dropped")
			return
		}
		s.link.SendRewritten(u)
	}
}
