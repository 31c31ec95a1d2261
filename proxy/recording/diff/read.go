package diff

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unique"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/names"
	"acp-plan-proxy/proxy/recording/redact"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// Limits of a conversation's state.
const (
	maxItems = 1 << 21
	maxIDs   = 1 << 14  // ids, and words that differ in paths
	maxDirs  = 16       // working directories
	maxTexts = 16       // texts that the next chunk can continue
	maxText  = 16 << 20 // bytes of a message that are parsed

	maxFolders = 64 // spellings of renamed folders

	bufferSize = 1 << 16 // as in [trace.Lines], which then allocates no buffer
)

// A block is a part of a conversation whose messages have an order: the messages that one side sent in
// a turn, or the loose updates of one kind in a session.
type block struct {
	session     int32  // from 1; 0 for messages without a session
	turn        int32  // 0 before the first prompt
	fromAgent   bool   // the agent sent the messages
	looseUpdate handle // the kind of loose updates; zero for other messages
}

// looseUpdates are the updates that agents send at any time, also in the middle of a text.
var looseUpdates = []string{"usage_update", "session_info_update", "available_commands_update", "config_option_update", "current_mode_update"}

// An item is a message, or consecutive messages of one text: chunks, or the versions of a growing plan.
// Items with the same hash are equal. Items are small, because a recording has many of them.
type item struct {
	session, turn      int32
	line               int32 // of the first message
	count              int32 // of messages
	predecessor        int32 // old line of the last equal pair before this item in its block; 0 if there is none
	fromAgent, isLoose bool
	kind               kind   // of the difference from its partner
	offset, end        int64  // of the lines
	method             handle // of a response: that of its request
	label              handle // the method or the update
	shape              uint64 // hash of the label and, of a tool call, its title and status
	hash               uint64
	partner            *item // in the other conversation
}

func (it *item) block() block {
	if it.isLoose {
		return block{session: it.session, fromAgent: it.fromAgent, looseUpdate: it.label}
	}
	return block{session: it.session, turn: it.turn, fromAgent: it.fromAgent}
}

// A handle stands for a string that many items share.
type handle = unique.Handle[string]

// A conversation is the part of a recording that one side saw. The items do not contain the messages.
type conversation struct {
	Options
	file            *io.SectionReader
	buffer          *bufio.Reader
	seed            maphash.Seed
	redactor        *redact.Redactor // set if this recording or the other is redacted: texts are then not compared
	items           []item
	unreadableCount int

	dirs  []string            // working directories
	names names.Map           // replaces dirs
	ids   map[string]bool     // the ids to replace in texts
	uuid  *regexp.Regexp      // matches further ids to replace
	texts map[block]*openText // the texts that the next chunk can continue
}

// An openText is an item that the next message in its block can continue.
type openText struct {
	item   int // its index in items
	update string
	latest string // the latest version of a growing plan
	hash   maphash.Hash
}

// isContinuedBy reports whether next is the next chunk of the text, or a longer version of the plan.
func (t *openText) isContinuedBy(next *content) bool {
	return next.container != nil && t.update == next.update && (next.isChunk || strings.HasPrefix(next.text, t.latest))
}

// messages reads the messages of a part of the file.
func (c *conversation) messages(offset, end int64) iter.Seq2[recording.Message, error] {
	c.buffer.Reset(io.NewSectionReader(c.file, offset, end-offset))
	return recording.Messages(c.buffer, c.Side)
}

// read reads the items.
func (c *conversation) read() error {
	for m, err := range c.messages(0, c.file.Size()) {
		switch {
		case err != nil:
			return err
		case m.Type == "":
			c.unreadableCount++
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
	if dir := rawjson.StringAt(m.Params, "cwd"); dir != "" && len(c.dirs) < maxDirs && !slices.Contains(c.dirs, dir) {
		c.dirs = append(c.dirs, strings.Clone(dir))
		c.names.AddDir("", dir, "/cwd"+strings.TrimPrefix(strconv.Itoa(len(c.dirs)), "1"))
	}
	message := c.content(m)
	it := item{line: int32(m.Line), count: 1, offset: m.Offset, end: m.End, method: unique.Make(message.method), label: unique.Make(message.label())}
	it.fromAgent, it.isLoose = m.From == trace.Agent, slices.Contains(looseUpdates, message.update)
	if m.SessionState != nil {
		it.session, it.turn = int32(m.SessionState.Number), int32(m.SessionState.TurnCount)
	}
	place := it.block()
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.WriteString(it.label.Value())
	h.Write(marshal(message.value))
	h.WriteString(message.text)
	if t := c.texts[place]; t != nil && t.isContinuedBy(message) {
		if message.isChunk {
			t.hash.WriteString(message.text)
		} else {
			t.latest, t.hash = message.text, h
		}
		first := &c.items[t.item]
		first.count++
		first.end, first.hash = m.End, t.hash.Sum64()
		return
	}
	delete(c.texts, place)
	it.hash = h.Sum64()
	update := memberOf(memberOf(message.value, "params"), "update")
	parts := []any{it.label.Value()}
	if memberOf(update, "toolCallId") != nil {
		parts = append(parts, memberOf(update, "title"), memberOf(update, "status"))
	}
	it.shape = maphash.String(c.seed, fmt.Sprint(parts...))
	if len(c.texts) >= maxTexts {
		clear(c.texts)
	}
	if message.container != nil {
		c.texts[place] = &openText{item: len(c.items), update: message.update, latest: message.text, hash: h}
	}
	c.items = append(c.items, it)
}

// fetch reads the content of an item from the file again.
func (c *conversation) fetch(it *item) (*content, error) {
	var first *content
	var joined strings.Builder
	session, remaining := "", it.count
	for m, err := range c.messages(it.offset, it.end) {
		if err != nil {
			return nil, err
		}
		current := c.content(&m)
		switch {
		case first == nil:
			first, session = current, strings.Clone(m.Session)
		case current.container == nil || current.update != first.update || m.Session != session:
			continue
		case !current.isChunk:
			joined.Reset()
		}
		if joined.Len() < maxText {
			joined.WriteString(current.text)
		}
		if remaining--; remaining <= 0 {
			first.text = joined.String()
			return first, nil
		}
	}
	return nil, errors.New("the recording has changed")
}

// A content is the part of a message that is compared.
type content struct {
	method, update string
	isResponse     bool
	value          map[string]any // params, result or error
	isChunk        bool
	text           string         // of a chunk or of a plan, removed from value
	container      map[string]any // the object of the text in value, or nil
	member         string         // the member of container that had the text
}

func (c *conversation) content(m *recording.Message) *content {
	if c.redactor != nil && !m.IsText() {
		// Both recordings are redacted, even if one already was: they then lack the same texts.
		if redacted := recording.Parse(c.redactor.Line(nil, m.Append(nil)), ""); redacted != nil {
			redacted.Request = m.Request
			m = redacted
		}
	}
	compared := &content{method: m.CalledMethod(), isResponse: m.Type == trace.Response}
	name, raw := "params", m.Params
	if compared.isResponse {
		name, raw = "result", m.Payload
		if m.IsError {
			name = "error"
		}
	}
	var value any
	switch {
	case c.redactor != nil && m.IsText():
	case len(raw) > maxText || json.Unmarshal(c.names.Apply("", raw), &value) != nil:
		value = string(raw)
	}
	c.collectIDs("", value)
	value = c.canonical("", value)
	compared.value = map[string]any{name: value}
	if update, ok := memberOf(value, "update").(map[string]any); ok && compared.method == "session/update" {
		c.extractText(compared, update)
	}
	return compared
}

// extractText moves the text of a chunk or of a plan from the update to compared.text.
func (c *conversation) extractText(compared *content, update map[string]any) {
	compared.update, _ = update["sessionUpdate"].(string)
	inner, _ := update["content"].(map[string]any)
	compared.member = "text"
	compared.isChunk = strings.HasSuffix(compared.update, "_chunk")
	if compared.update == "plan_update" {
		inner, _ = update["plan"].(map[string]any)
		compared.member = "content"
	}
	if text, ok := inner[compared.member].(string); ok && (compared.isChunk || compared.update == "plan_update") {
		compared.text, compared.container, inner[compared.member] = text, inner, ""
	}
	ofModel := strings.HasPrefix(compared.update, "agent_message") || strings.HasPrefix(compared.update, "agent_thought")
	if ofModel && c.IgnoreText || compared.isChunk && c.redactor != nil {
		compared.text = ""
		delete(update, "content")
	}
}

// memberOf returns a member of an object, or nil.
func memberOf(value any, name string) any {
	object, _ := value.(map[string]any)
	return object[name]
}

// label returns the name of the message in the report.
func (v *content) label() string {
	switch {
	case v.update != "":
		return v.update
	case v.isResponse:
		return v.method + " response"
	}
	return v.method
}

// fixedMembers are members whose names end in Id but whose values are the same in all conversations.
var fixedMembers = []string{"optionId", "modeId", "currentModeId", "modelId", "currentModelId", "configId", "planId", "methodId", "valueId", "groupId"}

// isID reports whether the value of a member is an id that differs between conversations.
func isID(member string) bool {
	return strings.HasSuffix(member, "Id") && !slices.Contains(fixedMembers, member)
}

// collectIDs adds the ids in a value to c.ids. It precedes canonical, because a text can contain an id
// that a later member has.
func (c *conversation) collectIDs(member string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			c.collectIDs(name, inner)
		}
	case []any:
		for _, inner := range v {
			c.collectIDs(member, inner)
		}
	case string:
		if isID(member) && len(c.ids) < maxIDs {
			c.ids[v] = true
		}
	}
}

// canonical replaces the parts of a value that always differ between two conversations: ids and times.
// If a recording is redacted, it also replaces texts and removes the members with redacted names.
func (c *conversation) canonical(member string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			if c.redactor != nil && c.redactor.HasPlaceholder(name) {
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
		_, err := time.Parse(time.RFC3339, v[:min(len(v), 40)])
		switch {
		case isID(member):
			return "‹id›"
		case err == nil:
			return "‹time›"
		case c.redactor != nil && (member == "data" || c.redactor.HasPlaceholder(v)): // data is in base64
			return "‹text›"
		}
		return c.replaceIDs(v)
	}
	return value
}

// replaceIDs replaces the ids in a text. A UUID can be a part of a word.
func (c *conversation) replaceIDs(text string) string {
	const lengthUUID = 36
	return replaceWords(text, func(word string) string {
		switch {
		case c.ids[word]:
			return "‹id›"
		case len(word) >= lengthUUID:
			return c.uuid.ReplaceAllLiteralString(word, "‹id›")
		}
		return word
	})
}

// minWord is the length of the shortest word that is replaced: random names are long.
const minWord = 8

// replaceWords replaces the long words of a text.
func replaceWords(text string, replace func(word string) string) string {
	var b strings.Builder
	for len(text) > 0 {
		isWord := isNameRune(rune(text[0]))
		end := strings.IndexFunc(text, func(r rune) bool { return isNameRune(r) != isWord })
		if end < 0 {
			end = len(text)
		}
		if isWord && end >= minWord {
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
