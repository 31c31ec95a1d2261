package plans

import (
	"bytes"
	"cmp"
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

// carriedBy returns the type of the plans that a member of that name carries. It
// is asked for each member of each plan, and a search in planTypes would be
// slower; a test keeps the two in step.
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

// planTypes say how plans are read and rendered. What carries an items plan is an
// array of entries; what carries the others is a string.
var planTypes = [...]struct {
	name    string
	carrier string // the member that carries the plan
	missing error  // a plan lacks the member, or has one of the wrong kind

	// What a client has to show to get the plan as it is, and what renders it
	// for others. Items have neither: any client gets their entries.
	shows  capabilities.Shows
	render func(r *renderer, text []byte, carrier, path span)
}{
	itemsType: {
		name: "items", carrier: "entries", missing: errors.New("an items plan without an array of entries"),
	},
	markdownType: {
		name: "markdown", carrier: "content", missing: errors.New("a markdown plan without a string content"),
		shows: capabilities.Markdown, render: (*renderer).markdownPlan,
	},
	fileType: {
		name: "file", carrier: "uri", missing: errors.New("a file plan without a string uri"),
		shows: capabilities.File, render: (*renderer).filePlan,
	},
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

	// formFile: the text and the absolute path, "" if it is not known.
	text, path string

	title   string
	entries *entryList // empty if the client does not get to see the plan as entries
	unclear bool       // the text shows nothing so far: what the plan has shown stays
	source  planText   // of a markdown plan
}

// A form is what a client gets to see a plan as.
type form uint8

const (
	formNothing  form = iota // nothing
	formItems                // the agent's own entries
	formEntries              // entries rendered from a text or a file
	formMarkdown             // a markdown plan, although its type is another
	formFile                 // a markdown plan with the text of a file
	formNative               // what it is
)

// A renderer renders plans for one client.
type renderer struct {
	options Options
	client  capabilities.Client
	result  *Result   // of the message at hand; losses go there
	content content   // of the plan at hand
	entries entryList // memory of what is rendered

	before *planText // of the plan at hand, nil if it has none
	goesOn bool      // the text at hand goes on from that
}

// render says how the client gets to see what u brings, for a plan that has had that
// text so far. The content is valid until the next call. Its entries may be moved away.
func (r *renderer) render(u *Update, before *planText) *content {
	raw := u.markdown()
	r.before, r.goesOn = before, before.begins(raw)
	r.reset()
	r.contentOf(u)
	if len(raw) <= longestText {
		r.content.source.raw, r.content.source.goesOn = raw, r.goesOn
	}
	return &r.content
}

// complete renders the whole text of a plan, and notes that it did.
func (r *renderer) complete(t *planText) *content {
	r.reset()
	source := rawjson.Unquote(t.raw)
	var m markdown.Rendering
	m, t.growth = markdown.RenderWhole(source)
	r.addMarkdown(source, m)
	t.complete = true
	return &r.content
}

func (r *renderer) reset() {
	if cap(r.entries.text) > maxScratch {
		r.entries = entryList{}
	}
	r.entries.reset()
	r.content = content{entries: &r.entries}
}

func (r *renderer) contentOf(u *Update) {
	p := &u.plan
	switch {
	case u.kind == legacyUpdate:
		r.itemsPlan(u.text, u.entries)
	case p.is == itemsType:
		r.itemsPlan(u.text, p.entries)
	case p.is == otherType:
		r.otherPlan(u.text, p)
	case r.client.Shows&planTypes[p.is].shows == 0:
		planTypes[p.is].render(r, u.text, p.carriers[p.is].span, p.path.span)
	default:
		r.content.form = formNative
	}
}

// otherPlan renders a plan whose type is of a later draft or of a vendor.
func (r *renderer) otherPlan(text []byte, p *planObject) {
	as := p.impliedType()
	switch {
	case r.client.Shows&capabilities.Custom != 0:
		r.content.form = formNative
	case as == otherType:
		r.result.lose(translate.LossPlanType, "a plan of the unknown type %q cannot be shown", p.typ)
	case as == itemsType:
		r.itemsPlan(text, p.entries)
	case as == markdownType && r.client.Shows&capabilities.Markdown != 0:
		r.content.form = formMarkdown
	case as == fileType:
		r.link(string(p.carriers[fileType].unquoted(text)))
	default:
		planTypes[as].render(r, text, p.carriers[as].span, p.path.span)
	}
}

func (r *renderer) itemsPlan(text []byte, entries []entry) {
	skipped, valid := r.entries.addFrom(text, entries, !r.client.AnyEntry)
	if skipped > 0 {
		r.result.lose(translate.LossPlanEntries, "%d plan entries without a string content are not shown", skipped)
	}
	r.content.form, r.content.valid = formItems, valid
}

func (r *renderer) markdownPlan(text []byte, carrier, path span) {
	c := &r.content
	c.form = formEntries
	if r.options.Markdown == MarkdownDrop {
		return
	}
	length := carrier.end - carrier.start
	tooLong := length > longestText
	if tooLong && r.grows() && r.options.Markdown == MarkdownBoth {
		r.result.lose(translate.LossMemory, "the text of a plan is too long to be shown as a message")
	}
	source := carrier.unquoted(text)
	again := r.goesOn && length == len(r.before.raw)
	from, g := &c.source.from, &c.source.growth
	switch {
	case again:
		*from = r.before.from
	case r.goesOn:
		*from = r.before.growth
	}
	var m markdown.Rendering
	switch {
	case tooLong || !r.grows():
		m = markdown.Render(r.cut(source))
	case again && r.before.complete:
		m, *g = markdown.RenderWhole(source)
		c.source.complete = true
	default:
		m, *g = markdown.RenderGrowing(source, *from)
	}
	r.addMarkdown(source, m)
	if path.there() {
		if p := string(path.unquoted(text)); translate.IsAbsolute(p) {
			c.source.path, c.title = p, cmp.Or(c.title, fileName(p))
		}
	}
}

// grows reports whether the client is shown texts while they are written.
func (r *renderer) grows() bool {
	return r.client.Legacy() && (r.options.Markdown == MarkdownBoth || r.options.Markdown == MarkdownEntries)
}

// maxMarkdown is how much of a markdown text is read for its tasks and steps,
// in bytes. It is the size that a plan file may have; a message can bring more.
const maxMarkdown = 1 << 20

// cut cuts a text to what is read of it.
func (r *renderer) cut(source []byte) []byte {
	if len(source) <= maxMarkdown {
		return source
	}
	r.result.lose(translate.LossPlanLength, "a markdown plan of %d bytes is read up to its first MiB", len(source))
	source = source[:maxMarkdown]
	return source[:max(bytes.LastIndexByte(source, '\n'), 0)]
}

// addMarkdown adds what is shown of the text of a markdown plan or of a plan file.
func (r *renderer) addMarkdown(source []byte, m markdown.Rendering) {
	r.content.title = m.Title
	if r.options.Markdown == MarkdownText {
		status := pending
		if m.Done {
			status = completed
		}
		if len(bytes.TrimSpace(source)) > 0 {
			r.entries.add(string(source), status)
		}
		return
	}
	for _, e := range m.Entries {
		r.entries.add(e.Content, e.Status)
	}
	r.content.unclear = m.Unclear
}

// filePlan renders a file plan: as markdown, or, for a client that shows no markdown, as
// entries. A file that cannot be read is a link.
func (r *renderer) filePlan(text []byte, carrier, _ span) {
	c := &r.content
	c.form = formEntries
	if r.options.Files == FilesDrop {
		return
	}
	uri := string(carrier.unquoted(text))
	path, err := filePath(uri)
	read := r.options.Files == FilesRead
	var source []byte
	if read && err == nil {
		source, err = r.options.ReadFile(path)
	}
	if read && err != nil {
		r.result.lose(translate.LossPlanFile, "plan file %q is shown as a link: %v", uri, err)
		read = false
	}
	switch {
	case r.client.Shows&capabilities.Markdown != 0 && read:
		c.form, c.text, c.path = formFile, string(source), path
	case r.client.Shows&capabilities.Markdown != 0:
		c.form, c.text, c.path = formFile, markdownLink(uri), path
	case !read:
		r.link(uri)
	default:
		r.addMarkdown(source, markdown.Render(r.cut(source)))
		c.title = fileName(uri)
	}
}

// link renders a plan of which only the uri is known.
func (r *renderer) link(uri string) {
	r.entries.add("Plan: "+uri, pending)
	r.content.form, r.content.title = formEntries, fileName(uri)
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
	p := theIDPatterns()
	isBetweenWords := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for part := range strings.FieldsFuncSeq(p.uuid.ReplaceAllString(id, ""), isBetweenWords) {
		if !isRandom(part) && !p.usual.MatchString(part) {
			return cutTitle(id)
		}
	}
	return ""
}

// idPatterns are of ids that say nothing.
type idPatterns struct {
	uuid  *regexp.Regexp
	usual *regexp.Regexp // words that plans are called by if nobody needed to tell them apart, and numbers
}

var theIDPatterns = sync.OnceValue(func() idPatterns {
	return idPatterns{
		uuid: regexp.MustCompile(`(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`),
		usual: regexp.MustCompile(`(?i)^(plans?|planning|mode|main|default|current|active|agent|session|id|` +
			`todos?|tasks?|list|[0-9]+)+$`),
	}
})

// isRandom reports whether a part of an id is drawn from letters and digits: a UUID
// without hyphens, a ULID.
func isRandom(part string) bool {
	const shortest = 16
	return len(part) >= shortest && strings.ContainsFunc(part, unicode.IsDigit) && strings.ContainsFunc(part, unicode.IsLetter)
}
