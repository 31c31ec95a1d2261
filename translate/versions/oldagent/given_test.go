package oldagent

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// TestGivenIDs has more prompts than ids are kept: the oldest are forgotten.
func TestGivenIDs(t *testing.T) {
	text := func(i int) string { return fmt.Sprintf(`{"type":"text","text":"%d"}`, i) }
	s := &session{share: share{of: &budget{}}}
	for i := range maxGiven + 2 {
		s.give(strconv.Itoa(i), []byte(`[`+text(i)+`,{"type":"text","text":"more"}]`))
	}
	r := newReplay(s, true, true)
	for i := range maxGiven + 2 {
		block, _ := rawjson.ReadObject(nil, []byte(text(i)))
		want := strconv.Itoa(i)
		if i < 3 { // two were forgotten, and the first that is new takes the place of the next
			want = "own"
		}
		if got := r.idOf("own", block); got != want {
			t.Fatalf("message %d: %q", i, got)
		}
	}
	size := 0
	for _, g := range s.given {
		size += g.size()
	}
	if len(s.given) != maxGiven || s.kept != size || s.of.kept != size {
		t.Errorf("%d ids of %d bytes are kept, %d counted", len(s.given), size, s.kept)
	}

	s.of.kept = maxKept
	s.give(strings.Repeat("x", maxID), []byte(`[`+text(0)+`]`))
	if got := r.idOf("own", rawjson.Object{}); got != "own" {
		t.Errorf("without room %q", got)
	}
	if id := strings.Repeat("y", maxID); r.rename("user_message_chunk", id, rawjson.Object{}) != id || len(r.renamed) > 0 {
		t.Errorf("without room %d ids are renamed", len(r.renamed))
	}
}
