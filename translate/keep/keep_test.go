package keep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// TestMap compares a Map with a list under random operations.
func TestMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var m Map[int]
	var ids []string
	values := make(map[string]int)
	for i := range 3000 {
		id := strconv.Itoa(random.IntN(12))
		known := slices.Contains(ids, id)
		if random.IntN(2) == 0 {
			m.Put(id, i)
			values[id] = i
			if !known {
				ids = append(ids, id)
			}
		} else {
			m.Delete(id)
			delete(values, id)
			ids = slices.DeleteFunc(ids, func(other string) bool { return other == id })
		}
		var got, want []string
		for id, v := range m.All() {
			got = append(got, fmt.Sprint(id, "=", v))
		}
		for _, id := range ids {
			want = append(want, fmt.Sprint(id, "=", values[id]))
		}
		if !slices.Equal(got, want) || m.Len() != len(ids) {
			t.Fatalf("step %d: %q, want %q", i, got, want)
		}
		oldest, v := m.Oldest()
		if len(ids) > 0 && (oldest != ids[0] || v != values[oldest]) || len(ids) == 0 && (oldest != "" || v != 0) {
			t.Fatalf("step %d: the oldest is %q", i, oldest)
		}
		if _, known := values[id]; m.Has(id) != known || m.Get(id) != values[id] || m.Find([]byte(id)) != values[id] {
			t.Fatalf("step %d: %q is %d, %t", i, id, m.Get(id), m.Has(id))
		}
	}
}

// TestAllOfAMapThatShrinks deletes each value in turn, and stops before the last.
func TestAllOfAMapThatShrinks(t *testing.T) {
	var m Map[int]
	for i := range 5 {
		m.Put(strconv.Itoa(i), i)
	}
	for id, v := range m.All() {
		if v == 4 {
			break
		}
		m.Delete(id)
	}
	m.Put("5", 5)
	m.Trim(2)
	if m.Len() != 2 {
		t.Errorf("%d are left of two", m.Len())
	}
	m.Trim(1)
	if id, v := m.Oldest(); m.Len() != 1 || id != "5" || v != 5 {
		t.Errorf("%d are left, the oldest is %q", m.Len(), id)
	}
}

func BenchmarkFind(b *testing.B) {
	var m Map[*int]
	id := []byte("0196f0e2-7b7e-7c6e-a0a1-0d7d6d1c2b3a")
	m.Put(string(id), new(int))
	b.ReportAllocs()
	for b.Loop() {
		if m.Find(id) == nil {
			b.Fatal("not found")
		}
	}
}
