package bridgetest

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// PlayRandom plays random conversations of lines for [Peer.Run], some of them damaged. Each
// conversation has a peer of its own, whose Judge judges the output.
func PlayRandom(t testing.TB, vocabulary []string, newPeer func(seed uint64) *Peer) {
	t.Helper()
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 0))
		var lines []string
		for range 1 + random.IntN(60) {
			line := vocabulary[random.IntN(len(vocabulary))]
			if random.IntN(4) == 0 {
				line = damaged(random, line)
			}
			lines = append(lines, line)
		}
		text := strings.Join(lines, "\n")
		if err := newPeer(seed).Run(text); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
	}
}

// wrongValues have all types, so that most of them are wrong in any place.
var wrongValues = []any{nil, 1, -1.5, "", "x", true, []any{}, []any{nil, 1}, map[string]any{}, map[string]any{"type": "text"}}

// damaged returns a line in which one value is replaced or removed.
func damaged(random *rand.Rand, line string) string {
	mark, message := cutMark(line)
	var m any
	if json.Unmarshal([]byte(Full(message)), &m) != nil {
		return line
	}
	value := wrongValues[random.IntN(len(wrongValues))]
	if places := placesIn(m); len(places) > 0 {
		places[random.IntN(len(places))](value)
	}
	return mark + marshal(m)
}

// Damages returns a line for [Peer.Run], and all lines in which one of its values is removed or
// replaced.
func Damages(line string) []string {
	mark, message := cutMark(line)
	all := []string{line}
	for n := 0; ; n++ {
		for _, value := range wrongValues {
			var m any
			if err := json.Unmarshal([]byte(Full(message)), &m); err != nil {
				panic(err)
			}
			places := placesIn(m)
			if n >= len(places) {
				return all
			}
			places[n](value)
			all = append(all, mark+marshal(m))
		}
	}
}

func marshal(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// placesIn returns, for each value in a message, a function that replaces it, and for each member, a
// function that removes it.
func placesIn(in any) (places []func(value any)) {
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				member := v[name]
				if name == "jsonrpc" || name == "method" || name == "id" {
					continue
				}
				places = append(places, func(value any) { v[name] = value }, func(any) { delete(v, name) })
				walk(member)
			}
		case []any:
			for i, e := range v {
				places = append(places, func(value any) { v[i] = value })
				walk(e)
			}
		}
	}
	walk(in)
	return places
}
