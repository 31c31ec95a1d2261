package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// An event with an odd member is read.
func TestReadLost(t *testing.T) {
	for value, want := range map[string][]Loss{
		`[{"kind":"k","name":"n","detail":"d"},{"kind":"\u006c"}]`:                           {{"k", "n", "d"}, {Kind: "l"}},
		`[{"detail":"d","of":[{"kind":"x"}],"kind":"k","name":null}]`:                        {{"k", "", "d"}},
		`[{"kind":"k","name":1,"detail":["d"]}]`:                                             {{Kind: "k"}},
		`[1,null,"k",[],{},{"kind":7},{"kind":""},{"name":"n"},[{"kind":"x"}],{"kind":"k"}]`: {{Kind: "k"}},
		`[]`: nil, `{}`: nil, `{"kind":"k"}`: nil, `null`: nil, `"kind"`: nil, `0`: nil, `true`: nil,
	} {
		line := fmt.Sprintf(`{"type":"request","lost":%s,"ts":2,"method":"m"}`, value)
		read := 0
		for e, err := range Events(strings.NewReader(line)) {
			read++
			if err != nil || e.Method != "m" || e.Seconds != 2 || !slices.Equal(e.Lost, want) {
				t.Errorf("%s\ngot  %q %v\nwant %q", value, e.Lost, err, want)
			}
		}
		if read != 1 {
			t.Errorf("%s: %d events", value, read)
		}
	}
	for e, err := range Events(strings.NewReader(`{"type":"request","lost":[{"kind":"k"}`)) {
		if err != nil || e.Type != "" {
			t.Errorf("a broken line is read as %v", e)
		}
	}
}
