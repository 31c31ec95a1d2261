package markdown

import (
	"bytes"
	"html"
	"strings"
	"unicode"
)

// cutFrontMatter cuts the YAML or TOML front matter off source. Front matter
// without an end, as in a plan that is still being written, is taken to reach to
// the first blank line.
func cutFrontMatter(source []byte) (front, text []byte) {
	first, rest, _ := bytes.Cut(source, []byte("\n"))
	fence := string(bytes.TrimRight(first, " \t\r"))
	separator := ":"
	switch fence {
	case "---":
	case "+++":
		separator = "="
	default:
		return nil, source
	}

	// A thematic break looks the same; only the key that follows tells.
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	key, _, found := bytes.Cut(line, []byte(separator))
	key = bytes.TrimRight(key, " \t")
	if !found || len(key) == 0 || bytes.ContainsFunc(key, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r)
	}) {
		return nil, source
	}

	length, toBlank := len(first)+1, len(source)
	for line := range bytes.Lines(rest) {
		length += len(line)
		switch string(bytes.TrimRight(line, " \t\r\n")) {
		case fence:
			return source[:length], source[length:]
		case "":
			toBlank = min(toBlank, length)
		}
	}
	return source[:toBlank], source[toBlank:]
}

// todosOf reads the steps that tools keep in YAML front matter: the items of
// "todos", each with a "content" and a "status".
func todosOf(front []byte) (todos []Entry) {
	in := false
	for line := range bytes.Lines(front) {
		text := strings.TrimSpace(string(line))
		if indented := strings.ContainsAny(string(line[:1]), " \t-"); !indented && text != "" {
			in = text == "todos:"
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(text, "- "), ":")
		value = oneLine(strings.Trim(strings.TrimSpace(value), `"'`))
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

// appendXMLTasks appends the names of the tasks in an HTML block: some agents
// write "<task><name>…</name>" into their plans.
func appendXMLTasks(tasks []Entry, block []byte) []Entry {
	for _, task := range strings.Split(string(block), "<task")[1:] {
		for _, tag := range []string{"name", "n", "title"} {
			if _, name, ok := strings.Cut(task, "<"+tag+">"); ok {
				name, _, _ = strings.Cut(name, "</")
				if content := oneLine(html.UnescapeString(name)); content != "" {
					tasks = append(tasks, Entry{content, pending})
				}
				break
			}
		}
	}
	return tasks
}

// oneLine returns s with each run of white space and control characters made
// one space, and none at the ends.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
