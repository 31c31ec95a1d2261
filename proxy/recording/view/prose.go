package view

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/timeline"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/plans/markdown/commonmark"
	"acp-plan-proxy/transport/rawjson"
)

// The page shows markdown as HTML from this package. The served page requests the HTML of the texts
// that it shows. A document, the page in a file, contains the HTML of the texts that it may show, once
// each, by the key of the text. Without its HTML, a document shows a text as it is (see writeText).

const (
	maxProse   = 100_000 // bytes of a text that are shown as HTML
	maxRuns    = 1 << 10 // messages in chunks that are assembled at once
	maxNesting = 12      // levels of values that are searched for texts
)

// htmlOf returns the start of a text as HTML.
func htmlOf(text string) []byte {
	isCut := len(text) > maxProse
	if isCut {
		text = text[:maxProse]
		if end := strings.LastIndexByte(text, '\n'); end > maxProse/2 {
			text = text[:end]
		}
	}
	html := commonmark.Parse([]byte(strings.ToValidUTF8(text, "\uFFFD"))).HTML()
	if isCut {
		html = append(html, `<p class="more">The text goes on; it is shown in whole as text.</p>`...)
	}
	return html
}

// A textKey identifies a text by a hash (FNV-1a) of its UTF-16 units and their number.
type textKey struct {
	hash  uint32
	units int
}

func (k *textKey) add(text string) {
	if k.units == 0 {
		k.hash = 2166136261
	}
	add := func(unit uint16) {
		k.hash = (k.hash ^ uint32(unit)) * 16777619
		k.units++
	}
	for _, r := range text {
		if high, low := utf16.EncodeRune(r); r > 0xffff {
			add(uint16(high))
			add(uint16(low))
		} else {
			add(uint16(r))
		}
	}
}

func (k textKey) String() string { return fmt.Sprintf("%d-%d", k.hash, k.units) }

// A growingText is a text in chunks, with the key of the part so far.
type growingText struct {
	key  textKey
	text strings.Builder
}

func (g *growingText) add(text string) {
	g.key.add(text)
	if room := maxProse + 1 - g.text.Len(); room > 0 {
		g.text.WriteString(text[:min(len(text), room)])
	}
}

// A chunkedMessage has the texts of a message in chunks, as the agent sent it and as the client received
// it.
type chunkedMessage struct{ sent, received growingText }

// A prose finds the texts that the page of a recording may show as HTML.
type prose struct {
	write func(key textKey, markup []byte) // writes the HTML of a text
	seed  maphash.Seed
	done  map[textKey]uint64 // a second hash of each text that is written
	runs  map[int]*chunkedMessage
}

// add writes the texts of the next message; rows are those that it has changed. It keeps chunks
// until finish.
func (p *prose) add(m *recording.Message, rows []*timeline.Row) {
	for _, r := range rows {
		switch {
		case r.Lines[len(r.Lines)-1].Number != m.Line:
		case r.Run > 0:
			p.addChunk(m, r.Run)
		case m.Type != trace.Response && r.About != timeline.AboutOther:
			p.writeTexts(m.Params, "", 0)
		}
	}
}

// addChunk adds a chunk to its message.
func (p *prose) addChunk(m *recording.Message, run int) {
	message := p.runs[run]
	if message == nil {
		if len(p.runs) >= maxRuns {
			p.finish()
		}
		message = new(chunkedMessage)
		p.runs[run] = message
	}
	text, _ := rawjson.TextOf(rawjson.Get(m.Params, "update", "content", "text"))
	if m.From == trace.Agent {
		message.sent.add(string(text))
	}
	if m.To == trace.Client {
		message.received.add(string(text))
	}
}

// finish writes the texts of the messages in chunks.
func (p *prose) finish() {
	for _, run := range slices.Sorted(maps.Keys(p.runs)) {
		p.writeGrown(&p.runs[run].sent)
		p.writeGrown(&p.runs[run].received)
	}
	clear(p.runs)
}

// proseMembers are the members of messages with texts that are shown as HTML.
var proseMembers = []string{"text", "content", "description", "planContent", "plan"}

// writeTexts writes the texts in the value of the member name. The text blocks of a list are also
// written together, as one text.
func (p *prose) writeTexts(value []byte, name string, depth int) {
	if text, isText := rawjson.TextOf(value); isText && slices.Contains(proseMembers, name) {
		var key textKey
		key.add(string(text))
		p.writeText(key, string(text))
	}
	var c rawjson.Cursor
	c.Reset(value)
	switch {
	case depth >= maxNesting:
	case c.Kind() == '{':
		for more := c.Object(); more; more = c.NextMember() {
			name := string(c.Name())
			p.writeTexts(c.Value(), name, depth+1)
		}
	case c.Kind() == '[':
		var blocks []string
		for more := c.Array(); more; more = c.NextElement() {
			element := c.Value()
			p.writeTexts(element, "", depth+1)
			if text, isText := rawjson.TextOf(rawjson.Get(element, "text")); isText {
				blocks = append(blocks, string(text))
			}
		}
		if len(blocks) > 1 {
			var joined growingText
			joined.add(strings.Join(blocks, "\n\n"))
			p.writeGrown(&joined)
		}
	}
}

func (p *prose) writeGrown(g *growingText) { p.writeText(g.key, g.text.String()) }

// writeText writes the HTML of a text, of which text is at least the start. Two texts with the same
// key are both shown as plain text.
func (p *prose) writeText(key textKey, text string) {
	if isPlain(text) {
		return
	}
	hash := maphash.String(p.seed, text)
	switch other, written := p.done[key]; {
	case !written:
		p.done[key] = hash
		p.write(key, htmlOf(text))
	case other != hash:
		p.write(key, nil)
	}
}

// isPlain reports whether a text contains no markdown syntax. Every text that is plain here is plain
// for isPlain of prose.js, which does not request HTML for it.
func isPlain(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(first) && !strings.ContainsAny(text, "\\`*_~[]<>#|&\n\r\u2028\u2029") &&
		!strings.Contains(text, "://") && !strings.Contains(text, "www.")
}
