package redact

import (
	"bytes"
	_ "embed"
	"regexp"
	"strings"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/vendors"
)

// keptList lists the members and words that are copied.
//
//go:embed kept.txt
var keptList string

// A rule determines which parts of a value are copied. The zero rule preserves only the shape. The rule
// of an array applies to each element.
type rule struct {
	keeps    func(text []byte) bool       // reports whether a string is kept; nil for no string
	hides    func(w *writer, text []byte) // writes the replacement of any other string; nil for placeholders by line
	numbers  bool                         // numbers are kept
	flags    bool                         // booleans are kept
	members  map[string]*rule             // the members of an object whose names are kept
	inherits bool                         // the members of the rule "object" are kept, too
	fields   bool                         // the other members are fields of a form
}

// rules returns the rules by their names in kept.txt. A rule that has a name only there is a rule for
// objects.
func rules() map[string]*rule {
	var all map[string]*rule
	id := regexp.MustCompile(`^(?:acp-plan-proxy/)?(?:[a-z]{1,12}[-_.]?)?(?:[0-9]{1,9}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$`)
	isWord := func(text []byte) bool { return all["words"].members[string(text)] != nil }
	isID := func(text []byte) bool { return isWord(text) || id.Match(text) }
	all = map[string]*rule{
		"hidden":    {},
		"word":      {keeps: isWord},
		"update":    {keeps: regexp.MustCompile(`^[a-z_]{1,40}$`).Match}, // the name of an update
		"id":        {keeps: isID, hides: (*writer).hide, numbers: true},
		"choice":    {keeps: isID, hides: (*writer).hide, flags: true}, // the value of an option
		"version":   {keeps: func(text []byte) bool { return string(text) == "2.0" }},
		"method":    {keeps: isMethod},
		"component": {keeps: isComponent},
		"number":    {numbers: true},
		"flag":      {flags: true},
		"moment":    {keeps: isMoment},
		"mediaType": {keeps: isMediaType},
		"product":   {keeps: isProduct},
		"path":      {hides: (*writer).hidePath},
		"uri":       {hides: (*writer).hideURI},
		"base64":    {hides: (*writer).hideBase64},
		"markdown":  {hides: (*writer).hideMarkdown},
		"toolTitle": {hides: (*writer).hideToolTitle},
		"failure":   {hides: (*writer).hideFailure},
		"loss":      {keeps: isLoss},
		"line":      {hides: func(w *writer, text []byte) { w.out = w.Line(w.out, text) }},
		"rank":      {keeps: isWord, numbers: true},
		"archived":  {keeps: isWord, flags: true},

		"object":   {inherits: true},
		"results":  {inherits: true},
		"wrapped":  {inherits: true},
		"state":    {inherits: true, keeps: isWord},
		"size":     {inherits: true, numbers: true},
		"plan":     {inherits: true, hides: (*writer).hideMarkdown},
		"options":  {inherits: true},
		"servers":  {inherits: true},
		"able":     {flags: true},
		"terminal": {flags: true},
		"fields":   {fields: true},
	}
	addMembers(all)
	return all
}

// addMembers adds the members in the list to the rules, and the rules that only the list has.
func addMembers(all map[string]*rule) {
	ruleNamed := func(name string) *rule {
		if all[name] == nil {
			all[name] = new(rule)
		}
		return all[name]
	}
	var current *rule
	for line := range strings.Lines(keptList) {
		ruleName, names, isRow := strings.Cut(strings.TrimSpace(line), ":")
		switch {
		case ruleName == "" || ruleName[0] == '#':
		case !isRow:
			current = ruleNamed(ruleName)
			current.members = make(map[string]*rule)
		default:
			for name := range strings.FieldsSeq(names) {
				current.members[name] = ruleNamed(ruleName)
			}
		}
	}
}

// ruleFor returns the rule for a member of an object, or nil if its name is replaced.
func (r *Redactor) ruleFor(object *rule, name string) *rule {
	if listed := object.members[name]; listed != nil || !object.inherits {
		return listed
	}
	return r.rules["object"].members[name]
}

// hideToolTitle writes the title of a tool call. It copies the tool names that identify vendors'
// plans.
func (w *writer) hideToolTitle(text []byte) {
	name := vendors.ToolName(text)
	w.out = append(w.out, name...)
	w.hideLines(text[len(name):])
}

// allOf reports whether a text has from 1 to limit bytes, which are letters, digits or in others.
func allOf(text []byte, limit int, others string) bool {
	for _, b := range text {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9':
		case bytes.IndexByte([]byte(others), b) < 0:
			return false
		}
	}
	return 0 < len(text) && len(text) <= limit
}

func isMethod(text []byte) bool    { return allOf(text, 80, "_-./$") || string(text) == trace.NotAMessage }
func isComponent(text []byte) bool { return allOf(text, 20, ":()") }
func isMoment(text []byte) bool {
	return len(text) <= 40 && len(bytes.Trim(text, "0123456789-+:.TtZz ")) == 0
}
func isMediaType(text []byte) bool {
	return allOf(text, 80, "/.+-") && bytes.Count(text, []byte("/")) == 1
}

// isProduct accepts the names and versions of programs.
func isProduct(text []byte) bool {
	return allOf(text, 80, " @/._-+()") && text[0] != '/' && bytes.Count(text, []byte("/")) <= 1
}

// isLoss accepts the kinds of losses, of this and other versions of the proxy: lower-case words,
// after MCP in some. The details of a loss may name files.
func isLoss(text []byte) bool {
	words := bytes.TrimPrefix(text, []byte("MCP"))
	return len(text) <= 60 && len(bytes.Trim(words, " abcdefghijklmnopqrstuvwxyz0123456789")) == 0
}
