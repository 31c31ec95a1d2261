package keep

// A list is a doubly linked list. The elements contain the nodes.
type list[T any] struct {
	first, last *node[T]
	len         int
}

type node[T any] struct {
	before, after *node[T]
	of            T
}

func (l *list[T]) push(n *node[T]) {
	l.len++
	n.before, n.after = l.last, nil
	if l.last != nil {
		l.last.after = n
	} else {
		l.first = n
	}
	l.last = n
}

func (l *list[T]) remove(n *node[T]) {
	l.len--
	if n.before != nil {
		n.before.after = n.after
	} else {
		l.first = n.after
	}
	if n.after != nil {
		n.after.before = n.before
	} else {
		l.last = n.before
	}
}

func (l *list[T]) toEnd(n *node[T]) {
	if n.after != nil {
		l.remove(n)
		l.push(n)
	}
}
