// Package keep provides ordered maps and a memory budget for the state of translations. A
// [Budget] counts the bytes that a translation retains for a connection. If a session exceeds its
// limit, the Budget evicts the entries of that session that have not grown for the longest time. If the
// connection exceeds its limit, the Budget evicts all entries of the session whose entries have not
// grown for the longest time.
package keep

import (
	"container/list"
	"iter"
)

// A Map maps ids to values, in insertion order. The zero value is empty.
type Map[V any] struct {
	all   map[string]*item[V]
	order list.List // of *item[V]
}

type item[V any] struct {
	id      string
	value   V
	element *list.Element
	entry   *Entry // nil if the value does not count in a share
}

// Len returns the number of values.
func (m *Map[V]) Len() int { return len(m.all) }

// Has reports whether there is a value with the id.
func (m *Map[V]) Has(id string) bool { return m.all[id] != nil }

// Get returns the value with the id, or the zero value.
func (m *Map[V]) Get(id string) (v V) {
	if i := m.all[id]; i != nil {
		return i.value
	}
	return v
}

// Find is like Get, without allocating a string. It checks the newest value first, because a
// stream usually concerns the newest value.
func (m *Map[V]) Find(id []byte) (v V) {
	if newest := m.order.Back(); newest != nil {
		if i := newest.Value.(*item[V]); i.id == string(id) {
			return i.value
		}
	}
	if i := m.all[string(id)]; i != nil {
		return i.value
	}
	return v
}

// Put adds a value as the newest. If there is a value with the id, Put replaces it without
// changing the order.
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
	i.element = m.order.PushBack(i)
	m.all[id] = i
	return i
}

// Keep adds a value as the newest, in place of any value with the id, and counts the id in a
// share. The eviction of the returned Entry deletes the value and then calls onEvict, unless that
// is nil.
func (m *Map[V]) Keep(share *Share, id string, v V, onEvict func()) *Entry {
	m.Delete(id)
	i := m.add(id, v)
	i.entry = share.Add(len(id), func() {
		m.Delete(id)
		if onEvict != nil {
			onEvict()
		}
	})
	return i.entry
}

// Delete removes the value with the id, if there is one.
func (m *Map[V]) Delete(id string) {
	i := m.all[id]
	if i == nil {
		return
	}
	i.entry.Drop()
	delete(m.all, id)
	m.order.Remove(i.element)
}

// Trim deletes the oldest values beyond the given number.
func (m *Map[V]) Trim(most int) {
	for len(m.all) > most {
		oldest, _ := m.Oldest()
		m.Delete(oldest)
	}
}

// Clear deletes all values.
func (m *Map[V]) Clear() { m.Trim(0) }

// Oldest returns the oldest value and its id, or zero values.
func (m *Map[V]) Oldest() (id string, v V) {
	if oldest := m.order.Front(); oldest != nil {
		i := oldest.Value.(*item[V])
		return i.id, i.value
	}
	return "", v
}

// All returns the values by id, the oldest first. The loop may delete the current value, and may add
// values, which All may visit.
func (m *Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for next := m.order.Front(); next != nil; {
			i := next.Value.(*item[V])
			next = next.Next()
			if !yield(i.id, i.value) {
				return
			}
		}
	}
}
