package keep

import "iter"

// A Grouped is a Map whose values are also found by group, for example the pending requests
// of a session. The zero value is empty.
type Grouped[V any] struct {
	all    Map[grouped[V]]
	groups map[string]*Map[V]
}

type grouped[V any] struct {
	group string
	value V
}

// Len returns the number of values.
func (g *Grouped[V]) Len() int { return g.all.Len() }

// Get returns the value with the id, or the zero value.
func (g *Grouped[V]) Get(id string) V { return g.all.Get(id).value }

// Has reports whether there is a value with the id.
func (g *Grouped[V]) Has(id string) bool { return g.all.Has(id) }

// Put adds a value to a group as the newest. It replaces a value with the same id.
func (g *Grouped[V]) Put(group, id string, v V) {
	g.Delete(id)
	g.all.Put(id, grouped[V]{group, v})
	if g.groups == nil {
		g.groups = make(map[string]*Map[V])
	}
	of := g.groups[group]
	if of == nil {
		of = new(Map[V])
		g.groups[group] = of
	}
	of.Put(id, v)
}

// Delete removes the value with the id, if there is one.
func (g *Grouped[V]) Delete(id string) {
	group := g.all.Get(id).group
	g.all.Delete(id)
	if of := g.groups[group]; of != nil {
		of.Delete(id)
		if of.Len() == 0 {
			delete(g.groups, group)
		}
	}
}

// All returns all values by id, the oldest first. The loop may delete the current value.
func (g *Grouped[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for id, v := range g.all.All() {
			if !yield(id, v.value) {
				return
			}
		}
	}
}

// Group returns the values of a group by id, the oldest first. The loop may delete the
// current value.
func (g *Grouped[V]) Group(group string) iter.Seq2[string, V] {
	if of := g.groups[group]; of != nil {
		return of.All()
	}
	return func(func(string, V) bool) {}
}

// Oldest returns the oldest value of a group, or the zero value.
func (g *Grouped[V]) Oldest(group string) (v V) {
	if of := g.groups[group]; of != nil {
		_, v = of.Oldest()
	}
	return v
}
