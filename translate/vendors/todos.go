package vendors

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// A todo is an item of a todo list. Absent members are "".
type todo struct{ id, text, status, priority string }

// readTodo reads an item. Vendors use several names for the text, and several spellings of a
// status.
func readTodo(o rawjson.Object) (t todo) {
	for _, name := range []string{"content", "title", "description", "step"} {
		if text, ok := o.Text(name); ok && len(bytes.TrimSpace(text)) > 0 {
			t.text = string(text)
			break
		}
	}
	status, _ := o.Text("status")
	t.id, t.status, t.priority = o.String("id"), statusOf(status), strings.ToLower(o.String("priority"))
	return t
}

// statusOf returns the protocol's value for a status. It returns any other status in lower case,
// which the plan translation appends to the entry.
func statusOf(status []byte) string {
	word := strings.TrimPrefix(strings.ToLower(string(status)), "todo_status_")
	switch plain([]byte(word)) {
	case "done", "completed":
		return "completed"
	case "inprogress":
		return "in_progress"
	}
	return word
}

// readTodos reads a todo list. It reports false for any other value: a non-empty list has an item
// with a text, or with merge, an item with an id.
func readTodos(value []byte, merge bool) (list []todo, ok bool) {
	if len(value) > maxTodos || len(value) == 0 || value[0] != '[' {
		return nil, false
	}
	named := false
	for o := range rawjson.Objects(value, nil) {
		t := readTodo(o)
		named = named || t.text != "" || merge && t.id != ""
		list = append(list, t)
	}
	return list, named || len(list) == 0
}

// merged applies changes to a list. With merge, they change the items with the same ids and add
// new ones; otherwise they replace the list. Items without a text are omitted.
func merged(list, changes []todo, merge bool) []todo {
	if !merge {
		return slices.DeleteFunc(slices.Clone(changes), func(t todo) bool { return t.text == "" })
	}
	list = slices.Clone(list)
	for _, c := range changes {
		i := slices.IndexFunc(list, func(t todo) bool { return c.id != "" && t.id == c.id })
		if i < 0 {
			if c.text != "" {
				list = append(list, c)
			}
			continue
		}
		was := list[i]
		list[i] = todo{was.id, cmp.Or(c.text, was.text), cmp.Or(c.status, was.status), cmp.Or(c.priority, was.priority)}
	}
	return list
}

// size returns the number of bytes that a list counts.
func size(list []todo) (n int) {
	const cost = 64
	for _, t := range list {
		n += cost + len(t.id) + len(t.text) + len(t.status) + len(t.priority)
	}
	return n
}

// A list is a todo list of a session.
type list struct {
	todos     []todo
	requested bool  // from a vendor's request; otherwise from a tool call
	before    *list // returns if the user does not approve the plan of these todos
}

// todos returns the latest todos.
func (s *session) todos() []todo {
	if s.list == nil {
		return nil
	}
	return s.list.todos
}

// listed updates the entries after a change of the list. It returns the entries to send, nil if
// the client must not receive any: the agent sends plans of its own, or the client has the
// same list already.
func (s *session) listed() []byte {
	before := s.shown
	s.shown = entriesOf(s.todos())
	s.countLists()
	if s.ownPlans || bytes.Equal(s.shown, before) || before == nil && len(s.todos()) == 0 {
		return nil
	}
	return s.shown
}

// countLists updates the number of bytes that the lists count.
func (s *session) countLists() {
	n := len(s.shown)
	for l := s.list; l != nil; l = l.before {
		n += size(l.todos)
	}
	s.entry.SetSize(n)
}

// entriesOf returns a list as raw plan entries.
func entriesOf(list []todo) []byte {
	var b rawjson.Builder
	b.Array()
	for _, t := range list {
		b.Object()
		b.Texts("content", t.text, "priority", cmp.Or(t.priority, "medium"), "status", cmp.Or(t.status, "pending"))
		b.EndObject()
	}
	b.EndArray()
	return b.Out
}

func isTrue(value []byte) bool { return string(value) == "true" }
