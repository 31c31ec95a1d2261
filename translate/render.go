package translate

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
)

// The types of plan that the drafts so far know.
const (
	itemsType    = "items"
	markdownType = "markdown"
	fileType     = "file"
)

// A content is what a plan or plan_update brings, seen with the client's eyes.
type content struct {
	form  form
	title string
	valid bool   // formItems: the entries can be shown as they stand
	uri   string // formNative: the uri to put in the place of a bare path
}

// A form is how a client gets to see a plan.
type form uint8

const (
	formNothing  form = iota // not at all
	formItems                // as entries, which are the agent's
	formEntries              // as entries, rendered from a text or a file
	formMarkdown             // as a markdown plan, although its type is another
	formNative               // as what it is
)

// render says how the client gets to see what u brings. If as entries, they
// are in t.rendered, which is empty otherwise.
func (t *Translator) render(u *Update) content {
	t.rendered.reset()
	if u.kind == legacyUpdate {
		return t.renderItems(u, u.entries)
	}
	p := &u.plan
	shows := t.client.Shows
	switch p.typ {
	case itemsType:
		return t.renderItems(u, p.entries)
	case markdownType:
		if shows&capabilities.Markdown != 0 {
			return content{form: formNative}
		}
		return t.markdownPlan(p.content.unquoted(u.text))
	case fileType:
		if shows&capabilities.File != 0 {
			return t.nativeFile(string(p.uri.unquoted(u.text)))
		}
		return t.renderFile(string(p.uri.unquoted(u.text)), t.options.Files)
	}
	// A type of a later draft or of a vendor.
	switch {
	case shows&capabilities.Custom != 0:
		return content{form: formNative}
	case p.entries != nil:
		return t.renderItems(u, p.entries)
	case p.content.end > 0 && shows&capabilities.Markdown != 0:
		return content{form: formMarkdown}
	case p.content.end > 0:
		return t.markdownPlan(p.content.unquoted(u.text))
	case p.uri.end > 0:
		return t.renderFile(string(p.uri.unquoted(u.text)), FilesLink)
	}
	t.result.warn("a plan of the unknown type %q cannot be shown", p.typ)
	return content{}
}

func (t *Translator) renderItems(u *Update, entries []entry) content {
	skipped, valid := t.rendered.addFrom(u.text, entries, t.client.FixedEntries())
	if skipped > 0 {
		t.result.warn("%d plan entries without a string content are not shown", skipped)
	}
	return content{form: formItems, valid: valid}
}

func (t *Translator) markdownPlan(source []byte) content {
	if t.options.Markdown == MarkdownDrop {
		return content{form: formEntries}
	}
	return t.renderMarkdown(source)
}

// maxMarkdown is how much of a markdown text is read for its tasks and steps,
// in bytes. It is the size that a plan file may have; a message can bring more.
const maxMarkdown = 1 << 20

// renderMarkdown renders the text of a markdown plan or of a plan file.
func (t *Translator) renderMarkdown(source []byte) content {
	read := source
	if len(source) > maxMarkdown {
		t.result.warn("a markdown plan of %d bytes is read up to its first MiB", len(source))
		read = source[:maxMarkdown]
		read = read[:max(bytes.LastIndexByte(read, '\n'), 0)]
	}
	m := renderMarkdown(read)
	if t.options.Markdown == MarkdownText {
		status := pending
		if m.done {
			status = completed
		}
		if len(bytes.TrimSpace(source)) > 0 {
			t.rendered.add(string(source), status)
		}
	} else {
		for _, e := range m.entries {
			t.rendered.add(e.content, e.status)
		}
	}
	return content{form: formEntries, title: m.title}
}

// renderFile renders a file plan.
func (t *Translator) renderFile(uri string, files Files) content {
	c := content{form: formEntries}
	if files == FilesDrop {
		return c
	}
	c.title = fileName(uri)
	if files == FilesRead {
		source, err := t.readFile(uri)
		if err == nil {
			t.renderMarkdown(source)
			return c
		}
		t.result.warn("plan file %q is shown as a link: %v", uri, err)
	}
	t.rendered.add("Plan: "+uri, pending)
	return c
}

func (t *Translator) readFile(uri string) ([]byte, error) {
	path, err := filePath(uri)
	if err != nil {
		return nil, err
	}
	return t.options.ReadFile(path)
}

// nativeFile passes on a file plan to a client that shows them. The parser of
// version 2 clients rejects a bare path.
func (t *Translator) nativeFile(uri string) content {
	c := content{form: formNative}
	if t.client.Version >= 2 {
		c.uri = fileURI(uri)
	}
	return c
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
