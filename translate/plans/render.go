package plans

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
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

// carriedBy returns the type of the plans that a member of that name carries. It
// is asked of each member of each plan, for which planTypes would be slower.
func carriedBy(name []byte) planType {
	switch string(name) {
	case "entries":
		return itemsType
	case "content":
		return markdownType
	case "uri":
		return fileType
	}
	return otherType
}

// planTypes say how plans are read and rendered.
var planTypes = [...]struct {
	name  string
	kind  byte   // of the value of the member that carries the plan, as rawjson.Cursor.Kind has it
	wrong string // what is wrong with a plan that has no such value

	// What a client has to show to get the plan as it is, and what renders the
	// value for others. Items have neither: any client gets their entries.
	shows  capabilities.Shows
	render func(t *Translator, value []byte) content
}{
	itemsType: {
		name: "items", kind: '[', wrong: "an items plan without an array of entries",
	},
	markdownType: {
		name: "markdown", kind: '"', wrong: "a markdown plan without a string content",
		shows: capabilities.Markdown, render: (*Translator).markdownPlan,
	},
	fileType: {
		name: "file", kind: '"', wrong: "a file plan without a string uri",
		shows: capabilities.File, render: (*Translator).filePlan,
	},
}

// typeNamed returns the type of that name, and the name as a string, without
// allocating one for the types that are known.
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
	form    form
	title   string
	entries *entryList // if the client gets to see it as entries; empty otherwise
	valid   bool       // formItems: the entries can be shown as they stand
	uri     string     // formNative: the uri to put in the place of a bare path
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

// render says how the client gets to see what u brings.
func (t *Translator) render(u *Update) content {
	t.rendered.reset()
	c := t.renderAny(u)
	c.entries = &t.rendered
	return c
}

func (t *Translator) renderAny(u *Update) content {
	p := &u.plan
	switch {
	case u.kind == legacyUpdate:
		return t.renderItems(u, u.entries)
	case p.is == itemsType:
		return t.renderItems(u, p.entries)
	case p.is == otherType:
		return t.renderOther(u)
	case t.client.Shows&planTypes[p.is].shows == 0:
		return planTypes[p.is].render(t, p.carriers[p.is].of(u.text))
	case p.is == fileType && t.client.OnlyURIs:
		return content{form: formNative, uri: fileURI(string(p.carriers[fileType].unquoted(u.text)))}
	}
	return content{form: formNative}
}

// renderOther is render for a type of a later draft or of a vendor.
func (t *Translator) renderOther(u *Update) content {
	p := &u.plan
	as := p.impliedType()
	switch {
	case t.client.Shows&capabilities.Custom != 0:
		return content{form: formNative}
	case as == otherType:
		t.result.lose("plan type", "a plan of the unknown type %q cannot be shown", p.typ)
		return content{}
	case as == itemsType:
		return t.renderItems(u, p.entries)
	case as == markdownType && t.client.Shows&capabilities.Markdown != 0:
		return content{form: formMarkdown}
	case as == fileType:
		return t.renderFile(string(p.carriers[fileType].unquoted(u.text)), FilesLink)
	}
	return planTypes[as].render(t, p.carriers[as].of(u.text))
}

func (t *Translator) renderItems(u *Update, entries []entry) content {
	skipped, valid := t.rendered.addFrom(u.text, entries, !t.client.AnyEntry)
	if skipped > 0 {
		t.result.lose("plan entry", "%d plan entries without a string content are not shown", skipped)
	}
	return content{form: formItems, valid: valid}
}

func (t *Translator) markdownPlan(text []byte) content {
	if t.options.Markdown == MarkdownDrop {
		return content{form: formEntries}
	}
	return t.renderMarkdown(rawjson.Unquote(text))
}

func (t *Translator) filePlan(uri []byte) content {
	return t.renderFile(string(rawjson.Unquote(uri)), t.options.Files)
}

// maxMarkdown is how much of a markdown text is read for its tasks and steps,
// in bytes. It is the size that a plan file may have; a message can bring more.
const maxMarkdown = 1 << 20

// renderMarkdown renders the text of a markdown plan or of a plan file.
func (t *Translator) renderMarkdown(source []byte) content {
	read := source
	if len(source) > maxMarkdown {
		t.result.lose("length of a plan", "a markdown plan of %d bytes is read up to its first MiB", len(source))
		read = source[:maxMarkdown]
		read = read[:max(bytes.LastIndexByte(read, '\n'), 0)]
	}
	m := markdown.Render(read)
	if t.options.Markdown == MarkdownText {
		status := pending
		if m.Done {
			status = completed
		}
		if len(bytes.TrimSpace(source)) > 0 {
			t.rendered.add(string(source), status)
		}
	} else {
		for _, e := range m.Entries {
			t.rendered.add(e.Content, e.Status)
		}
	}
	return content{form: formEntries, title: m.Title}
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
		t.result.lose("plan file", "plan file %q is shown as a link: %v", uri, err)
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
