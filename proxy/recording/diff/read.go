package diff

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/names"
	"acp-plan-proxy/proxy/recording/trace"
)

const (
	maxItems = 1 << 21  // of a recording
	maxNames = 1 << 14  // ids that are recognized in texts
	maxDirs  = 16       // working directories and sessions that are recognized in texts
	maxText  = 16 << 20 // bytes of a message that are parsed, and of a text in a report
)

// A block is a part of a conversation whose messages have an order that is compared: one
// side's messages of a turn, or the updates of a loose kind in a session.
type block struct {
	session int // from 1; 0 has the messages without a session
	turn    int // 0 precedes the first prompt
	from    trace.Component
	loose   string
}

// An item is a message, or several chunks that form one text. Items are equal if their
// hashes are.
type item struct {
	block
	turn   int
	line   int   // of the first message
	place  int   // in the report: the line of an item of the old recording
	offset int64 // of that line in the file
	chunks int   // 0 for a message that is not a chunk
	hash   uint64
	method string
	label  string // the method or the update
	kind   uint64 // a hash of the label and, of a tool call, its title and status
}

// A conversation has the items of a recording. It does not keep the messages.
type conversation struct {
	Options
	file     *io.SectionReader
	redacted bool // this recording or the other: texts are not compared

	items      []item
	unreadable int

	names  names.Map
	dirs   []string
	ids    map[string]bool   // that were seen
	labels map[string]string // one string for all equal ones

	follower recording.Follower
	runs     map[block]*run // that can still get chunks
	seed     maphash.Seed
}

// A run is a sequence of chunks that form one text.
type run struct {
	item       int // its index
	update, id string
	hash       maphash.Hash
}

// read reads the recording.
func (c *conversation) read() error {
	for m, err := range c.messages(0) {
		switch {
		case err != nil:
			return err
		case len(c.items) >= maxItems:
			return fmt.Errorf("it has more than %d messages", maxItems)
		case m.Type == "":
			c.unreadable++
		default:
			c.add(m)
		}
	}
	if len(c.items) == 0 && c.unreadable > 0 {
		return recording.ErrForeign
	}
	return nil
}

// A located message has the offset of its line.
type located struct {
	recording.Message
	offset int64
}

// messages reads the messages of the side, from an offset on. Lines without a message have
// no type.
func (c *conversation) messages(offset int64) iter.Seq2[*located, error] {
	return func(yield func(*located, error) bool) {
		lines := trace.NewLines(io.NewSectionReader(c.file, offset, c.file.Size()-offset))
		for number := 1; ; number++ {
			at := offset + lines.Offset()
			line, ended := lines.Next()
			found := recording.Parse(line, c.Side)
			if len(found) == 0 && !trace.Blank(line) && len(recording.Parse(line, "")) == 0 {
				found = []recording.Message{{}}
			}
			for i := range found {
				found[i].Line = number
				if !yield(&located{found[i], at}, nil) {
					return
				}
			}
			if ended != nil {
				if ended != io.EOF {
					yield(nil, ended)
				}
				return
			}
		}
	}
}

// add adds a message to the items.
func (c *conversation) add(m *located) {
	c.follower.Follow(&m.Message)
	c.learn(&m.Message)
	b := block{from: m.From}
	turn := 0
	if m.In != nil {
		b.session, turn = m.In.Number, m.In.Turns
	}
	v := c.content(&m.Message)
	if slices.Contains(loose, v.update) {
		b.loose = v.update
	} else {
		b.turn = turn
	}
	if v.chunk {
		if r := c.runs[b]; r != nil && r.update == v.update && r.id == v.id {
			r.hash.WriteString(v.text)
			it := &c.items[r.item]
			it.chunks++
			it.hash = r.hash.Sum64()
			return
		}
	}
	delete(c.runs, b)
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(v.kind())
	kind := h.Sum64()
	frame, _ := json.Marshal(v.value)
	h.Write(frame)
	h.WriteString(v.text)
	it := item{block: b, turn: turn, line: m.Line, offset: m.offset, hash: h.Sum64(), method: c.intern(v.method), label: c.intern(v.label()), kind: kind}
	if v.chunk {
		it.chunks = 1
		c.runs[b] = &run{len(c.items), v.update, v.id, h}
	}
	c.items = append(c.items, it)
}

func (c *conversation) intern(label string) string {
	if known, ok := c.labels[label]; ok || len(c.labels) >= maxNames {
		return cmp.Or(known, "other")
	}
	c.labels[label] = label
	return label
}

// loose are the updates that agents send at any time.
var loose = []string{"usage_update", "session_info_update", "available_commands_update", "config_option_update", "current_mode_update"}

// learn learns the names that a message introduces.
func (c *conversation) learn(m *recording.Message) {
	if m.Type == trace.Response && (m.Called() == "session/new" || m.Called() == "session/fork") {
		c.learnSession(recording.TextOf(m.Payload, "sessionId"))
	}
	c.learnSession(m.Session)
	if dir := recording.TextOf(m.Params, "cwd"); dir != "" && len(c.dirs) < maxDirs && !slices.Contains(c.dirs, dir) {
		c.dirs = append(c.dirs, strings.Clone(dir))
		c.names.AddDir("", dir, "/cwd"+strings.TrimPrefix(strconv.Itoa(len(c.dirs)), "1"))
	}
}

func (c *conversation) learnSession(id string) {
	if s := c.follower.Session(id); s != nil && s.Number <= maxDirs && !c.ids[id] {
		c.ids[strings.Clone(id)] = true
		c.names.Add(id, sessionName+strconv.Itoa(s.Number))
	}
}

const sessionName = "session "

// A content is what is compared of a message.
type content struct {
	method, update string
	response       bool
	value          map[string]any // params, result or error, with names replaced
	chunk          bool
	id             string // of the text of a chunk
	text           string // of a chunk; value does not have it
}

// content returns what is compared of a message.
func (c *conversation) content(m *recording.Message) *content {
	v := &content{method: m.Called(), response: m.Type == trace.Response, value: make(map[string]any)}
	name, raw := "params", m.Params
	if v.response {
		name, raw = "result", m.Payload
		if m.IsError {
			name = "error"
		}
	}
	var value any
	if m.IsText() {
		value = string(m.Append(nil))
	} else if len(raw) > maxText || json.Unmarshal(c.names.Apply("", raw), &value) != nil {
		value = string(raw)
	}
	if update, ok := find(value, "update").(map[string]any); ok && v.method == "session/update" {
		c.update(v, update)
	}
	if c.redacted && !slices.ContainsFunc(families, func(family string) bool { return strings.HasPrefix(v.method, family) }) {
		value = nil
	}
	c.learnIDs("", value)
	v.value[name] = c.canonical("", value)
	return v
}

// update prepares a session update.
func (c *conversation) update(v *content, update map[string]any) {
	v.update, _ = update["sessionUpdate"].(string)
	content, _ := update["content"].(map[string]any)
	text, isText := content["text"].(string)
	if v.chunk = strings.HasSuffix(v.update, "_chunk") && isText; v.chunk {
		v.id, _ = update["messageId"].(string)
		v.text = c.canonical("", text).(string)
		delete(content, "text")
	}
	spoken := strings.HasPrefix(v.update, "agent_message") || strings.HasPrefix(v.update, "agent_thought")
	if spoken && c.IgnoreText || v.chunk && c.redacted {
		v.text = ""
		delete(update, "content")
	}
}

func find(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// label returns the name of the message for a reader.
func (v *content) label() string {
	switch {
	case v.update != "":
		return v.update
	case v.response:
		return v.method + " response"
	}
	return v.method
}

// kind returns the name under which messages can be paired.
func (v *content) kind() string {
	update := find(find(v.value, "params"), "update")
	return fmt.Sprint(v.label(), find(update, "title"), find(update, "status"))
}

// fixed are the members whose names end in Id, and whose values are not random.
var fixed = []string{"optionId", "modeId", "currentModeId", "modelId", "currentModelId", "configId", "planId", "methodId", "valueId", "groupId"}

// isID reports whether the value of a member is an id that differs between conversations.
func isID(member, value string) bool {
	return strings.HasSuffix(member, "Id") && !slices.Contains(fixed, member) && !strings.HasPrefix(value, sessionName)
}

// learnIDs adds the ids in a value to those that are replaced in texts.
func (c *conversation) learnIDs(member string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			c.learnIDs(name, inner)
		}
	case []any:
		for _, inner := range v {
			c.learnIDs(member, inner)
		}
	case string:
		if isID(member, v) && len(c.ids) < maxNames {
			c.ids[v] = true
		}
	}
}

// plain are the members whose texts redact keeps, besides fixed ones.
var plain = []string{"sessionUpdate", "status", "priority", "kind", "type", "state", "stopReason", "outcome"}

// families begin the methods of which redact keeps the names of members.
var families = []string{"initialize", "auth", "session/", "fs/", "terminal/", "elicitation/"}

// private are the members that redact changes beyond their texts.
var private = []string{"_meta", "rawInput", "rawOutput", "env", "headers"}

// canonical replaces what differs between two conversations about the same work: ids, times
// and, if one is redacted, texts.
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
		if isID(member, v) {
			return "‹id›"
		}
		if len(v) >= len("2006-01-02T15:04:05Z") && len(v) < 40 && v[4] == '-' {
			if _, err := time.Parse(time.RFC3339, v); err == nil {
				return "‹time›"
			}
		}
		v = replaceWords(v, func(word string) string {
			if c.ids[word] {
				return "‹id›"
			}
			return word
		})
		if c.redacted && !slices.Contains(plain, member) {
			return "‹text›"
		}
		return v
	}
	return value
}

// replaceWords replaces the words of a text that could be names: those that are long.
func replaceWords(text string, replace func(word string) string) string {
	const shortest = 8
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexFunc(text, func(r rune) bool { return !isNameRune(r) })
		if end < 0 {
			end = len(text)
		}
		if word := text[:end]; end >= shortest {
			b.WriteString(replace(word))
		} else {
			b.WriteString(word)
		}
		text = text[end:]
		next := strings.IndexFunc(text, isNameRune)
		if next < 0 {
			next = len(text)
		}
		b.WriteString(text[:next])
		text = text[next:]
	}
	return b.String()
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z'
}

// fetch reads what is compared of an item: of chunks the whole text.
func (c *conversation) fetch(it *item) (*content, error) {
	var first *content
	var session string
	left := it.chunks
	for m, err := range c.messages(it.offset) {
		if err != nil {
			return nil, err
		}
		v := c.content(&m.Message)
		switch {
		case m.Type == "":
			continue
		case first == nil:
			first, session = v, m.Session
		case v.chunk && v.update == first.update && v.id == first.id && m.Session == session && len(first.text) < maxText:
			first.text += v.text
		default:
			continue
		}
		if left--; left <= 0 {
			return first, nil
		}
	}
	return nil, errors.New("the recording has changed")
}
