package oldagent

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// TestGivenIDs has more ids than are kept of a session: they are forgotten, and what the
// agent repeats has its own.
func TestGivenIDs(t *testing.T) {
	text := func(i int) string { return fmt.Sprintf(`{"type":"text","text":"%d"}`, i) }
	m := newMemory()
	for i := range 10 {
		m.s.give(strconv.Itoa(i), []byte(`[`+text(i)+`,{"type":"text","text":"more"}]`))
	}
	finds := func(want string) {
		r := newReplay(m.s, true, true)
		for i := range 10 {
			block, _ := rawjson.ReadObject(nil, []byte(text(i)))
			if got := r.idOf("own", block); got != strconv.Itoa(i) && got != want {
				t.Fatalf("message %d: %q", i, got)
			}
		}
		if err := m.check(); err != nil {
			t.Error(err)
		}
	}
	finds("")
	m.s.give(strings.Repeat("x", keep.PerSession), []byte(`[`+text(10)+`]`))
	m.sessions.budget.Settle()
	finds("own")
	m.s.kept.Fix(keep.Fixed - m.sessions.budget.Used())
	r := newReplay(m.s, true, true)
	if id := strings.Repeat("y", maxID); r.rename("user_message_chunk", id, rawjson.Object{}) != id || len(r.renamed) > 0 {
		t.Errorf("without room %d ids are renamed", len(r.renamed))
	}
}
