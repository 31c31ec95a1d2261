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

// statusOf returns the protocol's value for a status, or an unknown status in lower case, which
// package plans appends to the entry.
func statusOf(status []byte) string {
	word := strings.TrimPrefix(strings.ToLower(string(status)), "todo_status_")
	switch normalize([]byte(word)) {
	case "done", "completed":
		return "completed"
	case "inprogress":
		return "in_progress"
	}
	return word
}

// readTodos reads a todo list. It returns false for any other value: at least one item of a list that
// is not empty must have a text or, with merge, an id.
func readTodos(value []byte, merge bool) (list []todo, ok bool) {
	if len(value) > maxTodos || len(value) == 0 || value[0] != '[' {
		return nil, false
	}
	isList := false
	for o := range rawjson.Objects(value, nil) {
		t := readTodo(o)
		isList = isList || t.text != "" || merge && t.id != ""
		list = append(list, t)
	}
	return list, isList || len(list) == 0
}

// applyTodos applies changes to a list. With merge, the changes update the items with the same ids
// and add new ones; otherwise they replace the list. Items without a text are omitted.
func applyTodos(list, changes []todo, merge bool) []todo {
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

// sizeOf returns the number of bytes that a list counts.
func sizeOf(list []todo) (n int) {
	const cost = 64
	for _, t := range list {
		n += cost + len(t.id) + len(t.text) + len(t.status) + len(t.priority)
	}
	return n
}

// A todoList is a todo list of a session.
type todoList struct {
	todos       []todo
	fromRequest bool      // a vendor's request has the list; otherwise a tool call
	previous    *todoList // the list to restore if the user does not approve the plan of these todos
}

// todos returns the latest todos.
func (s *session) todos() []todo {
	if s.list == nil {
		return nil
	}
	return s.list.todos
}

// updateShown updates s.shown after a change of the list. It returns the entries to send, or nil if
// the agent sends plans of its own, or if the client has the same list already.
func (s *session) updateShown() []byte {
	before := s.shown
	s.shown = entriesOf(s.todos())
	s.countLists()
	if s.sendsPlans || bytes.Equal(s.shown, before) || before == nil && len(s.todos()) == 0 {
		return nil
	}
	return s.shown
}

// countLists updates the number of bytes that the lists count.
func (s *session) countLists() {
	n := len(s.shown)
	for l := s.list; l != nil; l = l.previous {
		n += sizeOf(l.todos)
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
