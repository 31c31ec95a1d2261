package diff

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/names"
	"acp-plan-proxy/proxy/recording/trace"
)

// Limits of a conversation's state.
const (
	maxItems = 1 << 21
	maxIDs   = 1 << 14
	maxDirs  = 16       // also of texts that can continue
	maxText  = 16 << 20 // bytes of a message that are parsed
)

// A block is a part of a conversation with one order of messages: those that one side sent in
// a turn, or the loose updates of one kind in a session.
type block struct {
	session int // from 1; 0 for messages without a session
	turn    int // 0 before the first prompt
	from    trace.Component
	loose   string
}

// loose are the updates that agents send at any time, also in the middle of a text.
var loose = []string{"usage_update", "session_info_update", "available_commands_update", "config_option_update", "current_mode_update"}

// An item is a message, or consecutive messages of one text: chunks, or the versions of a
// growing plan. Items with the same hash are equal.
type item struct {
	block
	turn   int
	line   int    // of the first message
	offset int64  // of that line
	count  int    // of messages
	method string // of a response that of its request
	label  string // the method or the update
	shape  string // the label and, of a tool call, its title and status
	hash   uint64

	partner *item  // in the other conversation
	kind    string // of their difference
}

// A conversation is a recording as one side had it. Its items do not contain the messages.
type conversation struct {
	Options
	file       *io.SectionReader
	seed       maphash.Seed
	redacted   bool // this recording or the other: texts are not compared
	items      []item
	unreadable int

	dirs  []string
	names names.Map       // of the dirs
	ids   map[string]bool // to replace in texts
	uuid  *regexp.Regexp  // likewise
	texts map[block]*text // that the next chunk can continue
}

// A text is an item that the next message can continue.
type text struct {
	item   int // index
	update string
	latest string // of a growing plan
	hash   maphash.Hash
}

// read reads the items.
func (c *conversation) read() error {
	for m, err := range recording.Messages(io.NewSectionReader(c.file, 0, c.file.Size()), c.Side) {
		switch {
		case err != nil:
			return err
		case m.Type == "":
			c.unreadable++
		case len(c.items) == maxItems:
			return fmt.Errorf("it has more than %d messages", maxItems)
		default:
			c.add(&m)
		}
	}
	return nil
}

// add adds a message to the items.
func (c *conversation) add(m *recording.Message) {
	if dir := recording.TextOf(m.Params, "cwd"); dir != "" && len(c.dirs) < maxDirs && !slices.Contains(c.dirs, dir) {
		c.dirs = append(c.dirs, strings.Clone(dir))
		c.names.AddDir("", dir, "/cwd"+strings.TrimPrefix(strconv.Itoa(len(c.dirs)), "1"))
	}
	v := c.content(m)
	it := item{block: block{from: m.From}, line: m.Line, offset: m.Offset, method: unique.Make(v.method).Value(), label: unique.Make(v.label()).Value()}
	if m.In != nil {
		it.session, it.turn = m.In.Number, m.In.Turns
	}
	if it.block.turn = it.turn; slices.Contains(loose, v.update) {
		it.block.turn, it.loose = 0, it.label
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(it.label)
	h.Write(marshal(v.value))
	h.WriteString(v.text)
	if t := c.texts[it.block]; v.container != nil && t != nil && t.update == v.update && (v.chunk || strings.HasPrefix(v.text, t.latest)) {
		if v.chunk {
			t.hash.WriteString(v.text)
		} else {
			t.latest, t.hash = v.text, h
		}
		c.items[t.item].count++
		c.items[t.item].hash = t.hash.Sum64()
		return
	}
	delete(c.texts, it.block)
	it.count = 1
	it.hash, it.shape = h.Sum64(), it.label
	if update := find(find(v.value, "params"), "update"); find(update, "toolCallId") != nil {
		it.shape = unique.Make(fmt.Sprint(it.label, find(update, "title"), find(update, "status"))).Value()
	}
	if len(c.texts) >= maxDirs {
		clear(c.texts)
	}
	if v.container != nil {
		c.texts[it.block] = &text{len(c.items), v.update, v.text, h}
	}
	c.items = append(c.items, it)
}

// fetch reads the content of an item again.
func (c *conversation) fetch(it *item) (*content, error) {
	var first *content
	var joined strings.Builder
	session, left := "", it.count
	for m, err := range recording.Messages(io.NewSectionReader(c.file, it.offset, c.file.Size()-it.offset), c.Side) {
		if err != nil {
			return nil, err
		}
		v := c.content(&m)
		switch {
		case first == nil:
			first, session = v, strings.Clone(m.Session)
		case v.container == nil || v.update != first.update || m.Session != session:
			continue
		case !v.chunk:
			joined.Reset()
		}
		if joined.Len() < maxText {
			joined.WriteString(v.text)
		}
		if left--; left <= 0 {
			first.text = joined.String()
			return first, nil
		}
	}
	return nil, errors.New("the recording has changed")
}

// A content is the part of a message that is compared.
type content struct {
	method, update string
	response       bool
	value          map[string]any // params, result or error
	chunk          bool
	text           string         // of a chunk or of a plan; value does not have it
	container      map[string]any // the object of the text in value, or nil
	member         string         // of container
}

func (c *conversation) content(m *recording.Message) *content {
	v := &content{method: m.Called(), response: m.Type == trace.Response}
	name, raw := "params", m.Params
	if v.response {
		name, raw = "result", m.Payload
		if m.IsError {
			name = "error"
		}
	}
	var value any
	if known := !c.redacted || slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(v.method, f) }); known {
		if len(raw) > maxText || json.Unmarshal(c.names.Apply("", raw), &value) != nil {
			value = string(raw)
		}
	}
	value = c.canonical("", c.canonical("", value)) // texts can precede the ids in them
	v.value = map[string]any{name: value}
	if update, ok := find(value, "update").(map[string]any); ok && v.method == "session/update" {
		c.update(v, update)
	}
	return v
}

// update moves the text of a chunk or of a plan out of the update.
func (c *conversation) update(v *content, update map[string]any) {
	v.update, _ = update["sessionUpdate"].(string)
	inner, _ := update["content"].(map[string]any)
	v.member = "text"
	if v.chunk = strings.HasSuffix(v.update, "_chunk"); v.update == "plan_update" {
		inner, _ = update["plan"].(map[string]any)
		v.member = "content"
	}
	if text, ok := inner[v.member].(string); ok && (v.chunk || v.update == "plan_update") {
		v.text, v.container, inner[v.member] = text, inner, ""
	}
	ofModel := strings.HasPrefix(v.update, "agent_message") || strings.HasPrefix(v.update, "agent_thought")
	if ofModel && c.IgnoreText || v.chunk && c.redacted {
		v.text = ""
		delete(update, "content")
	}
}

// find returns a member of an object, nil if there is none.
func find(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// label returns the name of the message in the report.
func (v *content) label() string {
	switch {
	case v.update != "":
		return v.update
	case v.response:
		return v.method + " response"
	}
	return v.method
}

// Members with special values.
var (
	// fixed have names that end in Id, and values that are the same in all conversations.
	fixed = []string{"optionId", "modeId", "currentModeId", "modelId", "currentModelId", "configId", "planId", "methodId", "valueId", "groupId"}
	// plain have texts that redact keeps.
	plain = []string{"sessionUpdate", "status", "priority", "kind", "type", "state", "stopReason", "outcome"}
	// private have members with names that redact replaces.
	private = []string{"_meta", "rawInput", "rawOutput", "env", "headers"}
)

// families are prefixes of the protocol's methods. Redact replaces the names of members in
// other methods.
var families = []string{"initialize", "auth", "session/", "fs/", "terminal/", "elicitation/"}

// canonical replaces the parts of a value that differ between two conversations about the same
// work: ids, times and, if a recording is redacted, texts.
func (c *conversation) canonical(member string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if c.redacted && slices.Contains(private, name) {
				delete(v, name)
			} else {
				v[name] = c.canonical(name, inner)
			}
		}
	case []any:
		for i, inner := range v {
			v[i] = c.canonical(member, inner)
		}
	case string:
		isID := strings.HasSuffix(member, "Id") && !slices.Contains(fixed, member)
		_, notTime := time.Parse(time.RFC3339, v[:min(len(v), 40)])
		switch {
		case isID:
			if len(c.ids) < maxIDs {
				c.ids[v] = true
			}
			return "‹id›"
		case notTime == nil:
			return "‹time›"
		case c.redacted && !slices.Contains(plain, member) && !slices.Contains(fixed, member):
			return "‹text›"
		}
		return replaceWords(c.uuid.ReplaceAllLiteralString(v, "‹id›"), func(word string) string {
			if c.ids[word] {
				return "‹id›"
			}
			return word
		})
	}
	return value
}

// replaceWords replaces the long words of a text: random names are long.
func replaceWords(text string, replace func(word string) string) string {
	const shortest = 8
	var b strings.Builder
	for len(text) > 0 {
		isWord := isNameRune(rune(text[0]))
		end := strings.IndexFunc(text, func(r rune) bool { return isNameRune(r) != isWord })
		if end < 0 {
			end = len(text)
		}
		if isWord && end >= shortest {
			b.WriteString(replace(text[:end]))
		} else {
			b.WriteString(text[:end])
		}
		text = text[end:]
	}
	return b.String()
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}
