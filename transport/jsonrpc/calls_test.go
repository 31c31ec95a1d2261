package jsonrpc

import (
	"strings"
	"testing"
)

// An adopted call is found by the sender's id, and no other call gets that id while it is
// pending.
func TestCallsAdopt(t *testing.T) {
	var calls Calls[string]
	for _, id := range []string{`1`, `3.0`, `"1"`, `null`} {
		calls.Adopt([]byte(id), "adopted "+id)
	}
	for _, want := range []string{"2", "4"} {
		if c := calls.Open([]byte(`"new"`), "opened"); string(c.FarID) != want {
			t.Errorf("a new call got the id %s, want %s", c.FarID, want)
		}
	}
	if n := calls.Len(); n != 6 {
		t.Errorf("%d calls are open", n)
	}
	if c := calls.FindSent([]byte(`"1"`)); c == nil || string(c.FarID) != `"1"` {
		t.Errorf("sent: %+v", c)
	}
	var all []string
	calls.Each(func(c *Call[string]) { all = append(all, string(c.FarID)) })
	if got := strings.Join(all, " "); got != `1 3.0 "1" null 2 4` {
		t.Errorf("the open calls are %s", got)
	}
	for id, want := range map[string]string{`1.0`: "adopted 1", `3`: "adopted 3.0", `"1"`: `adopted "1"`, `null`: "adopted null", `4`: "opened"} {
		if c := calls.Take([]byte(id)); c == nil || c.Request != want {
			t.Errorf("%s is answered: %+v", id, c)
		}
		if c := calls.Find([]byte(id)); c != nil {
			t.Errorf("%s is open still: %+v", id, c)
		}
	}
	if c := calls.Find([]byte("2")); c == nil || c.Request != "opened" {
		t.Errorf("%+v", c)
	}
}
