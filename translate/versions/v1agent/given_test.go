package v1agent

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// TestGivenIDs exceeds the limit of given ids: they are evicted, and replayed messages have
// their own.
func TestGivenIDs(t *testing.T) {
	text := func(i int) string { return fmt.Sprintf(`{"type":"text","text":"%d"}`, i) }
	ss := newSessions(new(Bridge))
	s := ss.get([]byte("s"))
	for i := range 10 {
		s.given.add(s.kept, strconv.Itoa(i), []byte(`[`+text(i)+`,{"type":"text","text":"more"}]`))
	}
	finds := func(want string) {
		new(replay).begin(s)
		for i := range 10 {
			block := rawjson.Members([]byte(text(i)))
			if got := s.given.find(s.kept, &s.history.given, "own", block); got != strconv.Itoa(i) && got != want {
				t.Fatalf("message %d: %q", i, got)
			}
		}
		if s.size() != s.kept.Used() {
			t.Errorf("%d bytes, %d counted", s.size(), s.kept.Used())
		}
	}
	finds("")
	s.given.add(s.kept, strings.Repeat("x", keep.PerSession), []byte(`[`+text(10)+`]`))
	ss.budget.Settle()
	finds("own")
}
