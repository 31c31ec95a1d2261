package plans

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// A planType is one of the types of plan that the drafts so far know.
type planType uint8

const (
	otherType planType = iota // none of them
	itemsType
	markdownType
	fileType
)

// planTypes say how plans are read.
var planTypes = [...]struct {
	name    string
	carrier string // the member that carries the plan
	begins  byte   // its value, an array or a string
	missing error  // a plan lacks the member, or has one of the wrong kind
}{
	itemsType:    {"items", "entries", '[', errors.New("an items plan without an array of entries")},
	markdownType: {"markdown", "content", '"', errors.New("a markdown plan without a string content")},
	fileType:     {"file", "uri", '"', errors.New("a file plan without a string uri")},
}

// typeNamed returns the type of that name, and the name as a string. It does not
// allocate for the types that are known.
func typeNamed(name []byte) (planType, string) {
	for i := range planTypes {
		if t := &planTypes[i]; string(name) == t.name {
			return planType(i), t.name
		}
	}
	return otherType, string(name)
}

// A content is what a plan or plan_update brings, seen with the client's eyes.
type content struct {
	form  form
	valid bool // formItems: the client shows the entries as the agent wrote them

	title   string
	entries entryList // empty if the client does not get to see the plan as entries
	file    []byte    // formFile: the text

	planText
	goesOn  bool // the text goes on from the one that the plan had
	unclear bool // it shows nothing so far: what the plan has shown stays
}

// A form is what a client gets to see a plan as.
type form uint8

const (
	formNothing  form = iota // nothing
	formItems                // the agent's own entries
	formEntries              // entries rendered from a text or a file
	formMarkdown             // a markdown plan
	formFile                 // a markdown plan with the text of a file
	formNative               // what it is
)

// beginContent forgets what the message before has brought.
func (s *Stage) beginContent() *content {
	s.content = content{entries: s.content.entries}
	s.content.entries.reset()
	return &s.content
}

// render returns how the client gets to see what u brings, for a plan of which before was
// sent last, nil if nothing was. The content is valid until the next call.
func (s *Stage) render(u *update, before *plan) *content {
	c := s.beginContent()
	if u.as == markdownType && len(u.carrier) <= longestText {
		c.raw = u.carrier
		c.goesOn = before != nil && before.text.begins(c.raw)
	}
	switch {
	case u.kind == legacyUpdate:
		s.renderItems(u.text, u.entries)
	case u.isOther && s.shows(capabilities.Custom), !u.isOther && u.as == fileType && s.shows(capabilities.File):
		c.form = formNative
	case u.as == itemsType:
		s.renderItems(u.text, u.plan.entries)
	case u.as == markdownType && s.shows(capabilities.Markdown):
		c.form = formMarkdown
	case u.as == markdownType:
		s.renderMarkdown(u.carrier, u.plan.get("path"), before)
	case u.as == fileType && !u.isOther:
		s.renderFile(string(rawjson.Unquote(u.carrier)))
	case u.as == fileType:
		s.renderLink(string(rawjson.Unquote(u.carrier)))
	default:
		s.lose(translate.LossPlanType, "a plan of the unknown type %q cannot be shown", u.typ)
	}
	return c
}

func (s *Stage) shows(what capabilities.Shows) bool { return s.client.Shows&what != 0 }

func (s *Stage) renderItems(text []byte, entries []entry) {
	c := &s.content
	skipped, valid := c.entries.addFrom(text, entries, !s.client.AnyEntry)
	if skipped > 0 {
		s.lose(translate.LossPlanEntries, "%d plan entries without a string content are not shown", skipped)
	}
	c.form, c.valid = formItems, valid
}

// renderMarkdown renders a text, a JSON string, with the path of its file, a JSON value. A
// text that is repeated shows the same again.
func (s *Stage) renderMarkdown(raw, path []byte, before *plan) {
	c := &s.content
	c.form = formEntries
	if s.options.Markdown == MarkdownDrop {
		return
	}
	if p, _ := rawjson.TextOf(path); translate.IsAbsolute(string(p)) {
		c.path = string(p)
	}
	if c.goesOn {
		if t := &before.text; len(raw) == len(t.raw) && c.path == t.path {
			c.growth, c.complete, c.title = t.growth, t.complete, before.title
			c.entries.copyFrom(&before.entries)
			return
		}
		c.growth = before.text.growth
	}
	source := rawjson.Unquote(raw)
	var m markdown.Rendering
	if s.grows() && c.raw != nil {
		m, c.growth = markdown.RenderGrowing(source, c.growth)
	} else {
		m = markdown.Render(s.cut(source))
	}
	if c.raw == nil && s.grows() && s.options.Markdown == MarkdownBoth {
		s.lose(translate.LossMemory, "the text of a plan is too long to be shown as a message")
	}
	s.addMarkdown(m)
	if c.title == "" && c.path != "" {
		c.title = fileName(c.path)
	}
}

// renderWhole renders a text that is complete, and notes that it did.
func (s *Stage) renderWhole(t *planText) *content {
	c := s.beginContent()
	source := rawjson.Unquote(t.raw)
	var m markdown.Rendering
	m, t.growth = markdown.RenderWhole(source)
	t.complete = true
	s.addMarkdown(m)
	return c
}

// grows reports whether the client is shown texts while they are written.
func (s *Stage) grows() bool {
	return s.client.Legacy() && s.options.Markdown != MarkdownDrop
}

// cut cuts a text to what is read of it.
func (s *Stage) cut(source []byte) []byte {
	if len(source) <= longestText {
		return source
	}
	s.lose(translate.LossPlanLength, "a markdown plan of %d bytes is read up to its first MiB", len(source))
	source = source[:longestText]
	return source[:max(bytes.LastIndexByte(source, '\n'), 0)]
}

// addMarkdown adds what is shown of the text of a markdown plan or of a plan file.
func (s *Stage) addMarkdown(m markdown.Rendering) {
	c := &s.content
	c.title = m.Title
	for _, e := range m.Entries {
		c.entries.add(e.Content, e.Status)
	}
	c.unclear = m.Unclear
}

// renderFile renders a file plan: as markdown, or, for a client that shows no markdown, as
// entries. A file that cannot be read is a link.
func (s *Stage) renderFile(uri string) {
	c := &s.content
	c.form = formEntries
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
		if c.form, c.path = formFile, path; !read {
			c.file = []byte(markdownLink(uri))
		}
	case !read:
		s.renderLink(uri)
	default:
		s.addMarkdown(markdown.Render(s.cut(c.file)))
		c.title = fileName(uri)
	}
}

// renderLink renders a plan of which only the uri is known.
func (s *Stage) renderLink(uri string) {
	c := &s.content
	c.entries.add("Plan: "+uri, pending)
	c.form, c.title = formEntries, fileName(uri)
}

// longestTitle is the length, in characters, to which a title is cut.
const longestTitle = 40

// cutTitle makes a title of s, which may be an id: one line, cut.
func cutTitle(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= longestTitle {
		return s
	}
	return string([]rune(s)[:longestTitle-1]) + "…"
}

// titleOf makes a title of an id, "" if it does not tell a plan from others in a way that
// means anything to a user: "plan", "main", "plan-mode", "todo_2", a number, a UUID.
func titleOf(id string) string {
	if theUsualIDs().MatchString(id) {
		return ""
	}
	return cutTitle(id)
}

// theUsualIDs are made of words that plans are called by if nobody needed to tell them
// apart, of numbers, and of what is drawn from letters and digits: UUIDs, ULIDs and the like.
var theUsualIDs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(plans?|planning|mode|main|default|current|active|agent|session|id|todos?|tasks?|list|[0-9]+|` +
		`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|[a-z]{0,8}[0-9][0-9a-z]{14,}|[^\pL\p{Nd}])*$`)
})
