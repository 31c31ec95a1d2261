package plans

import (
	"bytes"
	"errors"
	"regexp"
	"sync"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// A planType is a type of plan_update.
type planType uint8

const (
	otherType planType = iota // of no draft
	itemsType
	markdownType
	fileType
)

// planTypes describes each type.
var planTypes = [...]struct {
	name    string
	carrier string // the member with the plan
	first   byte   // first byte of the carrier's value, an array or a string
	missing error  // for a plan without a valid carrier
}{
	itemsType:    {"items", "entries", '[', errors.New("an items plan without an array of entries")},
	markdownType: {"markdown", "content", '"', errors.New("a markdown plan without a string content")},
	fileType:     {"file", "uri", '"', errors.New("a file plan without a string uri")},
}

// typeNamed returns the type with that name, and the name as a string. It does not allocate for
// a known type.
func typeNamed(name []byte) (planType, string) {
	for i := range planTypes {
		if t := &planTypes[i]; string(name) == t.name {
			return planType(i), t.name
		}
	}
	return otherType, string(name)
}

// A content is the plan in a message, in the form that the client can display.
type content struct {
	display     display
	isUnchanged bool // displayItems: the agent's entries are valid for the client as they are
	isLegacy    bool // the message is a legacy plan
	isOwn       bool // a stage sent the message in the agent's place

	title   string
	entries entryList // empty if the client does not display the plan as entries
	file    []byte    // displayFile: the text
	text    planText  // of a markdown plan, even if the client displays it as entries

	// For a client that displays texts as entries:
	extendsText     bool // the text begins with the plan's previous text, or is the same
	entriesOutdated bool // the entries have to be rendered from the text when it is complete
}

// A display is how a client displays a plan.
type display uint8

const (
	displayNothing  display = iota // not at all
	displayItems                   // the agent's own entries
	displayEntries                 // entries rendered from a text or a file
	displayMarkdown                // a markdown plan
	displayFile                    // a markdown plan with the text of a file
	displayNative                  // as the agent sent it
)

// resetContent empties s.content, reuses its memory, and returns it.
func (s *Stage) resetContent() *content {
	s.content = content{entries: s.content.entries}
	s.content.entries.reset()
	return &s.content
}

// render returns the content of u. before is the live plan that u is about, or nil if the plan is new.
// The result is valid until the next call.
func (s *Stage) render(u *update, before *plan) *content {
	c := s.resetContent()
	c.isLegacy, c.isOwn = u.kind == legacyUpdate, s.current.isOwn()
	if u.readAs == markdownType && len(u.carrier) <= longestText {
		c.text.raw = u.carrier
		c.extendsText = before != nil && s.makesLists() && before.text.growsTo(c.text.raw)
	}
	switch {
	case u.kind == legacyUpdate:
		s.renderItems(u.text, u.entries)
	case u.isUnknownType && s.shows(capabilities.Custom), !u.isUnknownType && u.readAs == fileType && s.shows(capabilities.File):
		c.display = displayNative
	case u.readAs == itemsType:
		s.renderItems(u.text, u.plan.entries)
	case u.readAs == markdownType && s.shows(capabilities.Markdown):
		c.display = displayMarkdown
	case u.readAs == markdownType:
		s.renderMarkdown(u.carrier, u.plan.get("path"), before)
	case u.readAs == fileType && !u.isUnknownType:
		s.renderFile(string(rawjson.Unquote(u.carrier)))
	case u.readAs == fileType:
		s.renderLink(string(rawjson.Unquote(u.carrier)))
	default:
		s.lose(translate.LossPlanType, "a plan of the unknown type %q cannot be shown", u.typeName)
	}
	return c
}

func (s *Stage) shows(m capabilities.Shows) bool { return s.client.Shows&m != 0 }

func (s *Stage) renderItems(text []byte, entries []entry) {
	c := &s.content
	skipped, valid := c.entries.addFrom(text, entries, !s.client.Version2)
	if skipped > 0 {
		s.lose(translate.LossPlanEntries, "plan entries without a string content are not shown: %d", skipped)
	}
	c.display, c.isUnchanged = displayItems, valid
}

// renderMarkdown renders a text: raw is the text as a JSON string, path the raw path of its file. The
// list of a growing text waits until the text is complete. So does a fallback list, of headings or
// paragraphs, because the rest of the text may have real steps.
func (s *Stage) renderMarkdown(raw, path []byte, before *plan) {
	c := &s.content
	c.display = displayEntries
	if s.options.Markdown == MarkdownDrop {
		return
	}
	if p, _ := rawjson.TextOf(path); translate.IsAbsolute(string(p)) {
		c.text.path = string(p)
	}
	isSameText := c.extendsText && len(raw) == len(before.text.raw)
	if c.extendsText && (!isSameText || c.text.path == before.text.path) {
		c.title, c.entriesOutdated = before.title, !isSameText || before.entriesOutdated
		if !c.entriesOutdated {
			c.entries.copyFrom(&before.entries)
		}
		return
	}
	source := s.truncate(rawjson.Unquote(raw))
	m := markdown.Render(source)
	if s.makesLists() && c.text.raw == nil && s.options.Markdown == MarkdownBoth {
		s.lose(translate.LossMemory, "the text of a plan is too long to be shown as a message")
	}
	c.addMarkdown(m)
	c.entriesOutdated = s.makesLists() && c.text.raw != nil && (m.Fallback || len(m.Entries) == 0 && len(bytes.TrimSpace(source)) > 0)
}

// renderOutdated renders the outdated entries of a session. Their texts are complete, because another
// message of the session follows. growing is the plan whose text may still grow, or nil; its entries
// are not rendered.
func (s *Stage) renderOutdated(sess *session, growing *plan) {
	if sess.live.unsentLists[sess.id] == nil {
		return // no entries are outdated
	}
	before := sess.appendEntries(nil)
	for _, p := range sess.plans {
		if !p.entriesOutdated || p == growing {
			continue
		}
		c := s.resetContent()
		c.text.path = p.text.path
		c.addMarkdown(markdown.Render(rawjson.Unquote(p.text.raw)))
		p.title, p.entriesOutdated = translate.OneLine(c.title, longestTitle), false
		p.entries.copyFrom(&c.entries)
		p.updateSize()
		p.shown = p.shown || !p.entries.empty()
	}
	sess.changed = sess.changed || !bytes.Equal(before, sess.appendEntries(nil))
}

// makesLists reports whether the client displays a markdown plan as a part of its list.
func (s *Stage) makesLists() bool {
	return s.client.Legacy() && s.options.Markdown != MarkdownDrop
}

// flushesAtTurnEnd reports whether the client may receive lists or texts at the end of a turn.
func (s *Stage) flushesAtTurnEnd() bool {
	return s.client.Known() && !s.shows(capabilities.Markdown)
}

// truncate truncates a long text, at the end of a line unless a line is very long.
func (s *Stage) truncate(source []byte) []byte {
	if len(source) <= longestText {
		return source
	}
	s.lose(translate.LossPlanLength, "a markdown plan of %d bytes is read up to its first MiB", len(source))
	end := bytes.LastIndexByte(source[:longestText], '\n')
	if end < longestText/2 || len(bytes.TrimSpace(source[:end])) == 0 {
		for end = longestText; end > longestText-utf8.UTFMax && !utf8.RuneStart(source[end]); end-- {
		}
	}
	return source[:end]
}

// addMarkdown adds the entries of a markdown text, and sets the title.
func (c *content) addMarkdown(m markdown.Rendering) {
	for _, e := range m.Entries {
		c.entries.add(e.Content, medium, e.Status, nil)
	}
	if c.title = m.Title; c.title == "" && c.text.path != "" {
		c.title = fileName(c.text.path)
	}
}

// renderFile renders a file plan as markdown, or as entries for a client without markdown. It
// renders an unreadable file as a link.
func (s *Stage) renderFile(uri string) {
	c := &s.content
	c.display = displayEntries
	if s.options.Files == FilesDrop {
		return
	}
	path, err := filePath(uri)
	read := s.options.Files == FilesRead
	if read && err == nil {
		c.file, err = s.options.ReadFile(path)
	}
	if read && err != nil {
		s.lose(translate.LossPlanFile, "plan file %q is shown as a link: %v", uri, err)
		read = false
	}
	switch {
	case s.shows(capabilities.Markdown):
		c.display, c.text.path = displayFile, path
		if !read {
			c.file = []byte(markdownLink(uri))
		}
	case !read:
		s.renderLink(uri)
	default:
		c.addMarkdown(markdown.Render(s.truncate(c.file)))
		c.title = fileName(uri)
	}
}

// renderLink renders a plan as an entry with its URI.
func (s *Stage) renderLink(uri string) {
	c := &s.content
	c.entries.add("Plan: "+uri, medium, pending, nil)
	c.display, c.title = displayEntries, fileName(uri)
}

// longestTitle limits the characters of a title.
const longestTitle = 40

// titleOf returns the title for an id, "" if the id is uninformative: "plan", "main",
// "plan-mode", "todo_2", a number, a UUID.
func titleOf(id string) string {
	if uninformative().MatchString(id) {
		return ""
	}
	return translate.OneLine(id, longestTitle)
}

// uninformative matches ids that consist of generic names of plans, of numbers, and of random
// letters and digits such as UUIDs and ULIDs.
var uninformative = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(plans?|planning|mode|main|default|current|active|agent|session|id|todos?|tasks?|list|[0-9]+|` +
		`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[a-z]{0,8}[0-9][0-9a-z]{14,}|[^\pL\p{Nd}])*$`)
})
