package markdown

import (
	"bytes"
	"html"
	"strings"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// cutFrontMatter cuts the YAML front matter off source. Front matter without an end, as in a
// text that grows, ends at the first blank line.
func cutFrontMatter(source []byte) (front, text []byte) {
	// A thematic break looks like the start of front matter, but no key follows it.
	fence, rest, _ := bytes.Cut(source, []byte("\n"))
	key, _, hasKey := bytes.Cut(rest, []byte(":"))
	isOther := func(r rune) bool { return !isWord(r) && r != '_' && r != '-' }
	if string(bytes.TrimSpace(fence)) != "---" || !hasKey || bytes.ContainsFunc(key, isOther) {
		return nil, source
	}
	length, toBlank := len(fence)+len("\n"), len(source)
	for line := range bytes.Lines(rest) {
		length += len(line)
		switch string(bytes.TrimSpace(line)) {
		case "---":
			return source[:length], source[length:]
		case "":
			toBlank = min(toBlank, length)
		}
	}
	return source[:toBlank], source[toBlank:]
}

// todosOf returns the items of "todos" in YAML front matter, each with a "content" and a
// "status". Cursor writes them.
func todosOf(front []byte) (todos []Entry) {
	in := false
	for line := range bytes.Lines(front) {
		text := strings.TrimSpace(string(line))
		if indented := strings.ContainsAny(string(line[:1]), " \t-"); !indented && text != "" {
			in = text == "todos:"
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(text, "- "), ":")
		value = commonmark.OneLine([]byte(strings.Trim(strings.TrimSpace(value), `"'`)))
		switch {
		case !in:
		case key == "content" && value != "":
			todos = append(todos, Entry{value, pending})
		case key == "status" && len(todos) > 0:
			todo := &todos[len(todos)-1]
			switch strings.ToLower(value) {
			case "completed", "done", "cancelled":
				todo.Status = completed
			case "in_progress":
				todo.Status = inProgress
			}
		}
	}
	return todos
}

// appendXMLTasks appends the names of the tasks in an HTML block. Some agents write
// "<task><name>…</name>" into their plans.
func appendXMLTasks(tasks []Entry, block []byte) []Entry {
	for _, task := range strings.Split(string(block), "<task")[1:] {
		for _, tag := range []string{"name", "n", "title"} {
			if _, name, ok := strings.Cut(task, "<"+tag+">"); ok {
				name, _, _ = strings.Cut(name, "</")
				if content := commonmark.OneLine([]byte(html.UnescapeString(name))); content != "" {
					tasks = append(tasks, Entry{content, pending})
				}
				break
			}
		}
	}
	return tasks
}
