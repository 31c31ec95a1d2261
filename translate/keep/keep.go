// Package keep has what translations remember, in the order in which it came, and bounds
// it: a [Budget] counts the bytes that a translation keeps of a connection. Past a limit
// the oldest goes: what has not grown for longest. So which goes is never chance.
package keep

import "iter"

// A Map has values by ids, the oldest first. The zero value is empty.
type Map[V any] struct {
	all   map[string]*item[V]
	order list[*item[V]]
}

type item[V any] struct {
	id    string
	value V
	at    node[*item[V]]
	entry *Entry // nil if it does not count
}

// Len returns how many there are.
func (m *Map[V]) Len() int { return len(m.all) }

// Has reports whether there is one with that id.
func (m *Map[V]) Has(id string) bool { return m.all[id] != nil }

// Get returns the value with that id, the zero value if there is none.
func (m *Map[V]) Get(id string) (v V) {
	if i := m.all[id]; i != nil {
		return i.value
	}
	return v
}

// Find is Get for an id that need not become a string. What a stream is about is often the
// newest, which is found without the map.
func (m *Map[V]) Find(id []byte) (v V) {
	if newest := m.order.last; newest != nil && newest.of.id == string(id) {
		return newest.of.value
	}
	if i := m.all[string(id)]; i != nil {
		return i.value
	}
	return v
}

// Put adds a value as the newest. One that has the id already is replaced, and keeps its
// age.
func (m *Map[V]) Put(id string, v V) {
	if i := m.all[id]; i != nil {
		i.value = v
		return
	}
	m.add(id, v)
}

func (m *Map[V]) add(id string, v V) *item[V] {
	if m.all == nil {
		m.all = make(map[string]*item[V])
	}
	i := &item[V]{id: id, value: v}
	i.at.of = i
	m.order.push(&i.at)
	m.all[id] = i
	return i
}

// Keep is Put for a value that counts in a share, with its id. When the value goes by
// itself, it is deleted, and gone is called, if it is not nil.
func (m *Map[V]) Keep(in *Share, id string, v V, gone func()) *Entry {
	m.Delete(id)
	i := m.add(id, v)
	i.entry = in.Add(len(id), func() {
		m.Delete(id)
		if gone != nil {
			gone()
		}
	})
	return i.entry
}

// Delete forgets the value with that id, if there is one.
func (m *Map[V]) Delete(id string) {
	i := m.all[id]
	if i == nil {
		return
	}
	i.entry.Drop()
	delete(m.all, id)
	m.order.remove(&i.at)
}

// Trim deletes the oldest values if there are more than so many. It reports whether there were.
func (m *Map[V]) Trim(most int) (trimmed bool) {
	for ; len(m.all) > most; trimmed = true {
		m.Delete(m.order.first.of.id)
	}
	return trimmed
}

// Clear forgets all values.
func (m *Map[V]) Clear() { m.Trim(0) }

// Oldest returns the value that was put first, the zero value if there is none.
func (m *Map[V]) Oldest() (id string, v V) {
	if m.order.first != nil {
		i := m.order.first.of
		return i.id, i.value
	}
	return "", v
}

// All returns the values by their ids, the oldest first. The one at hand may be deleted.
func (m *Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for at := m.order.first; at != nil; at = at.after {
			if i := at.of; !yield(i.id, i.value) {
				return
			}
		}
	}
}
