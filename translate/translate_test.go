package translate

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// TestOut collects the output for one message after the other.
func TestOut(t *testing.T) {
	var o Out
	text := []byte(` {"id":1} `)
	m := &jsonrpc.Message{Text: text}
	m.Start, m.End = 1, len(text)-1
	o.Reset(Client, m)
	o.Forward()
	o.Send(Client, []byte("a"), []byte("b"))
	o.SetTopic(scan.Response)
	o.Lose(Loss{Kind: LossTerminal})
	leaves := o.Outputs()
	if len(leaves) != 2 || leaves[0].To != Agent || leaves[1].To != Client || leaves[0].Topic != nil || leaves[1].Topic == nil {
		t.Fatalf("%+v leave", leaves)
	}
	if first, second := string(o.Text(leaves[0])), string(o.Text(leaves[1])); first != `{"id":1}` || second != "ab" {
		t.Errorf("%s and %s leave", first, second)
	}
	if losses := o.Losses(); len(losses) != 1 || losses[0].Kind != LossTerminal {
		t.Errorf("%v is lost", losses)
	}
	o.Reset(Agent, nil)
	if len(o.Outputs()) > 0 || len(o.Losses()) > 0 {
		t.Errorf("%v leaves after Reset, %v is lost", o.Outputs(), o.Losses())
	}
}

func TestUpdate(t *testing.T) {
	got := string(Update("s", "plan_removed", func(b *rawjson.Builder) { b.Texts("planId", "p") }))
	if want := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","planId":"p"}}}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestTruncate(t *testing.T) {
	for text, want := range map[string]string{"": "", "äöü": "äöü", "äöüx": "äö…", "ab\xffc": "ab…", "a\xffb": "a\xffb"} {
		if got := Truncate(text, 3); got != want {
			t.Errorf("Truncate(%q, 3) = %q, want %q", text, got, want)
		}
	}
	if got := OneLine(" a\n\tb\x00c d ", 6); got != "a b c…" {
		t.Errorf("OneLine = %q", got)
	}
}

// TestOutKeepsNoLargeMessage: Reset reuses the memory of a message unless it is large.
func TestOutKeepsNoLargeMessage(t *testing.T) {
	var o Out
	for size, kept := range map[int]bool{1 << 10: true, 2 << 20: false} {
		o.Reset(Agent, nil)
		o.Send(Client, []byte(strings.Repeat("x", size)))
		o.Reset(Agent, nil)
		if cap(o.text) > 0 != kept {
			t.Errorf("%d bytes are kept of %d", cap(o.text), size)
		}
		o = Out{}
	}
}

func TestReplays(t *testing.T) {
	for _, test := range []struct {
		method, params string
		want           bool
	}{
		{"session/load", `{}`, true},
		{"session/resume", `{"replayFrom":{"type":"start"}}`, true},
		{"session/resume", `{"replayFrom":null}`, false},
		{"session/resume", `{}`, false},
		{"session/new", `{"replayFrom":{"type":"start"}}`, false},
	} {
		if got := Replays(test.method, []byte(test.params)); got != test.want {
			t.Errorf("%s %s: %t", test.method, test.params, got)
		}
	}
}
