package keep

import (
	"fmt"
	"testing"
)

func TestGrouped(t *testing.T) {
	var g Grouped[int]
	for i, group := range []string{"a", "b", "a", "a"} {
		g.Put(group, fmt.Sprint(i), i)
	}
	list := func(group string) (got []int) {
		for _, v := range g.Group(group) {
			got = append(got, v)
		}
		return got
	}
	g.Put("b", "2", 5) // moves to the other group
	g.Delete("7")
	if got := fmt.Sprint(list("a"), list("b"), list("c"), g.Len(), g.Get("2"), g.Get("7"), g.Has("3")); got != "[0 3] [1 5] [] 4 5 0 true" {
		t.Error(got)
	}
	if got := fmt.Sprint(g.Oldest("a"), g.Oldest("b"), g.Oldest("c")); got != "0 1 0" {
		t.Error(got)
	}
	for id := range g.All() {
		g.Delete(id)
		if g.Len() == 1 {
			break
		}
	}
	if got := fmt.Sprint(list("a"), list("b"), g.Len(), len(g.groups)); got != "[] [5] 1 1" {
		t.Error(got)
	}
}
