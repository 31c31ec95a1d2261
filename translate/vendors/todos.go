package vendors

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A todo is an item of a list of todos. What is not said is "".
type todo struct{ id, text, status, priority string }

// readTodo reads an item. Vendors call its text by several names, and write the
// words for its status in several ways.
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

// statusOf returns the protocol's word for a status. Others stay as they are, in
// small letters: the plan translation shows them beside the entry.
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

// readTodos reads a list of todos. It reports false for any other value: a list that
// is not empty has an item with a text. With merge, it may name items by their ids
// only; these stay.
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

// merged returns list after changes. With merge they change the items with their
// ids, and new items are added; else they are the list. What has no text in the
// end is left out.
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
		list[i] = todo{was.id, or(c.text, was.text), or(c.status, was.status), or(c.priority, was.priority)}
	}
	return list
}

// size returns how many bytes a list has.
func size(list []todo) (n int) {
	const cost = 64
	for _, t := range list {
		n += cost + len(t.id) + len(t.text) + len(t.status) + len(t.priority)
	}
	return n
}

// A list is todos as they were said.
type list struct {
	todos     []todo
	requested bool  // by a vendor's request; else they were in a tool call
	before    *list // what is back if the user does not approve the plan that they are of
}

// todos returns the last list.
func (s *session) todos() []todo {
	if s.list == nil {
		return nil
	}
	return s.list.todos
}

// listed handles that a session has another list. It returns the entries that the client is
// to be shown, nil if it is to be shown none: the agent may have said them in plans of its
// own, and the same list is not shown twice in a row.
func (s *session) listed() []byte {
	before := s.shown
	s.shown = entriesOf(s.todos())
	s.countLists()
	same := bytes.Equal(s.shown, before) || before == nil && len(s.todos()) == 0
	if s.ownPlans || same && !s.unsure {
		return nil
	}
	s.unsure = false
	return s.shown
}

// countLists counts how many bytes the lists have.
func (s *session) countLists() {
	n := len(s.shown)
	for l := s.list; l != nil; l = l.before {
		n += size(l.todos)
	}
	s.keeps(n - s.listSize)
	s.listSize = n
}

// showTodos shows the client a list as the legacy plan of the session, behind the
// message at hand. It takes the place of an approved plan's text. What a request has said
// counts more than what tool calls say.
func (t *Translator) showTodos(s *session, l list) {
	if !l.requested && (s.ownPlans || s.list != nil && s.list.requested) {
		return
	}
	s.list = &l
	entries := s.listed()
	behind := entries != nil && s.showsApproved()
	if behind {
		t.removeText(s)
	}
	t.sendList(s, entries, behind)
}

// sendList sends the client entries, if there are any to be sent. behind tells that a plan
// message was sent right before.
func (t *Translator) sendList(s *session, entries []byte, behind bool) {
	if entries == nil {
		return
	}
	if behind {
		t.out.More()
	}
	t.sendUpdate(s.id, translate.LegacyPlan, func(b *rawjson.Builder) { b.Member("entries", entries) })
}

// entriesOf returns a list as entries of a plan.
func entriesOf(list []todo) []byte {
	var b rawjson.Builder
	b.Array()
	for _, t := range list {
		b.Object()
		b.Texts("content", t.text, "priority", or(t.priority, "medium"), "status", or(t.status, "pending"))
		b.EndObject()
	}
	b.EndArray()
	return b.Out
}

func or(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

func isTrue(value []byte) bool { return string(value) == "true" }
