package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"sync"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// frontMatter matches YAML front matter. A thematic break looks like the start of front matter, but
// no key follows the break. Front matter without an end, as in a growing text, ends at the first
// blank line.
var frontMatter = sync.OnceValue(func() [2]*regexp.Regexp {
	const start = `(?s)^---[ \t\r]*\n[\pL\pM\p{Nd}_-]*:.*?`
	return [...]*regexp.Regexp{
		regexp.MustCompile(start + `\n[ \t]*---[ \t\r]*(?:\n|$)`),
		regexp.MustCompile(start + `(?:\n[ \t\r]*\n|$)`),
	}
})

// cutFrontMatter cuts the front matter off source.
func cutFrontMatter(source []byte) (front, text []byte) {
	end := 0
	if bytes.HasPrefix(source, []byte("---")) {
		for _, re := range frontMatter() {
			if match := re.FindIndex(source); match != nil {
				end = match[1]
				break
			}
		}
	}
	return source[:end], source[end:]
}

// todosOf returns the items of "todos" in YAML front matter, as Cursor writes them: each with a
// "content" and a "status".
func todosOf(front []byte) (todos []Entry) {
	inTodos := false
	for line := range bytes.Lines(front) {
		text := strings.TrimSpace(string(line))
		if isIndented := strings.ContainsAny(string(line[:1]), " \t-"); !isIndented && text != "" {
			inTodos = text == "todos:"
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(text, "- "), ":")
		value = commonmark.OneLine([]byte(strings.Trim(strings.TrimSpace(value), `"'`)))
		switch {
		case !inTodos:
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
