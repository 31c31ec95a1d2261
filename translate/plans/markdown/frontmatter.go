package markdown

import (
	"bytes"
	"cmp"
	"html"
	"math"
	"regexp"
	"strings"
	"sync"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
	"acp-plan-proxy/transport/rawjson"
)

// frontMatter matches YAML front matter: keys, items, comments, and indented or blank lines. A thematic
// break looks like its start, but other text follows the break. Front matter without an end, as in a growing
// text, ends at the first blank line.
var frontMatter = sync.OnceValue(func() [2]*regexp.Regexp {
	const start = `^---[ \t\r]*\n[\pL\pM\p{Nd}_-]+:.*`
	return [...]*regexp.Regexp{
		regexp.MustCompile(start + `(?:\n(?:[\pL\pM\p{Nd}_ ."'-]+:.*|-.*|# .*|[ \t\r].*)?)*?\n[ \t]*---[ \t\r]*(?:\n|$)`),
		regexp.MustCompile(start + `(?s:.*?)(?:\n[ \t]*(?:---)?[ \t\r]*\n|$)`),
	}
})

// cutFrontMatter cuts the front matter off source.
func cutFrontMatter(source []byte) (front, text []byte) {
	if bytes.HasPrefix(source, []byte("---")) {
		for _, re := range frontMatter() {
			if front = re.Find(source); front != nil {
				break
			}
		}
	}
	return front, source[len(front):]
}

// todosOf returns the items of "todos" in YAML front matter, as Cursor writes them: each with a
// "content" and a "status". It also reads texts that are no YAML, such as a plain text with a colon.
func todosOf(front []byte) (todos []Entry) {
	type item struct { // the values as written
		content []byte
		status  string
	}
	var items []item
	inTodos, key, keyIndent := false, "", math.MaxInt
	for line := range bytes.Lines(front) {
		text := strings.TrimSpace(string(line))
		indent := len(line) - len(bytes.TrimLeft(line, " \t"))
		value, isItem := strings.CutPrefix(text, "- ")
		if indent == 0 && !isItem && text != "" && text[0] != '#' {
			inTodos = text == "todos:"
		}
		switch {
		case !inTodos:
			continue
		case isItem && indent < keyIndent:
			items = append(items, item{})
			value = strings.TrimSpace(value)
			indent += len(text) - len(value)
			keyIndent = indent
		case len(items) == 0:
			continue
		default:
			value = text
		}
		if indent <= keyIndent { // otherwise the value of the last key continues
			key, value, _ = strings.Cut(value, ":")
		}
		switch item := &items[len(items)-1]; key {
		case "content":
			item.content = append(append(item.content, ' '), value...)
		case "status":
			item.status = cmp.Or(item.status, strings.ToLower(scalarOf(value)))
		}
	}
	for _, item := range items {
		content := commonmark.OneLine([]byte(scalarOf(string(item.content))))
		switch {
		case content == "":
		case item.status == "cancelled":
			todos = append(todos, Entry{content + " (cancelled)", completed})
		default:
			todos = append(todos, Entry{content, cmp.Or(statusOf(item.status), pending)})
		}
	}
	return todos
}

// scalarOf returns the text of a YAML scalar, whose lines the caller has joined.
func scalarOf(value string) string {
	value = strings.TrimSpace(value)
	text, rest := value, ""
	switch {
	case strings.HasPrefix(value, `"`):
		if end, ok := rawjson.StringEnd([]byte(value), 1); ok {
			text, rest = string(rawjson.Unquote([]byte(value[:end]))), value[end:]
		} else {
			text = strings.Trim(value, `"`)
		}
	case strings.HasPrefix(value, "'"):
		text, rest, _ = strings.Cut(strings.NewReplacer("''", "'", "'", "\x00").Replace(value[1:]), "\x00")
	case strings.HasPrefix(value, ">"), strings.HasPrefix(value, "|"):
		_, text, _ = strings.Cut(value, " ")
	default:
		text, _, _ = strings.Cut(value, " # ") // "issue #12" has no comment
	}
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return value // the quotes are part of the text
	}
	return text
}

// xmlTask matches a task in an HTML block, up to the end of its name.
var xmlTask = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)<task.*?<(?:name|n|title)>(.*?)</`)
})

// appendXMLTasks appends the names of the tasks in an HTML block. Some agents write
// "<task><name>…</name>" into their plans.
func appendXMLTasks(tasks []Entry, block []byte) []Entry {
	for _, task := range xmlTask().FindAllSubmatch(block, -1) {
		if content := commonmark.OneLine([]byte(html.UnescapeString(string(task[1])))); content != "" {
			tasks = append(tasks, Entry{content, pending})
		}
	}
	return tasks
}
