package v1agent

import (
	"strings"
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
)

// chunkOf is a chunk of a message of the user.
func chunkOf(t *testing.T, content string) *calls.Update {
	u := calls.ReadHeld([]byte(full(`{"sessionUpdate":"user_message_chunk","messageId":"m","content":` + content + `}`)))
	if u == nil {
		t.Fatal(content)
	}
	return u
}

// Chunks are buffered as long as they repeat the prompt from its beginning.
func TestChunksOfEcho(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":"` + s + `"}` }
	const image = `{"type":"image","data":"aa"}`
	prompt := "[" + strings.Join([]string{text("ab"), image, text("cd")}, ",") + "]"
	for _, c := range []struct {
		name    string
		prompt  string
		chunks  []string
		want    string // a letter for each: waits, echo, shown
		dropped bool   // buffered at the end
	}{
		{"all of it", prompt, []string{text("ab"), image, text("cd")}, "wwe", true},
		{"in pieces", prompt, []string{text("a"), text("b"), image, text("cd")}, "wwwe", true},
		{"its first blocks", prompt, []string{text("ab"), image}, "ww", true},
		{"a part of a block", prompt, []string{text("ab"), image, text("c")}, "www", false},
		{"something else", prompt, []string{text("x")}, "s", false},
		{"something else behind its beginning", prompt, []string{text("a"), text("x")}, "ws", false},
		{"nothing is compared behind that", prompt, []string{text("x"), text("ab")}, "ss", false},
		{"an image inside a text", prompt, []string{text("a"), image}, "ws", false},
		{"two blocks in one", "[" + text("ab") + "," + text("cd") + "]", []string{text("abcd")}, "e", false},
		{"more than all", "[" + text("ab") + "]", []string{text("abc")}, "s", false},
		{"a prompt that was not kept", "", []string{text("ab")}, "s", false},
	} {
		var e echo
		in := new(keep.Budget).Open(0, nil)
		kept := func() int { return in.Used() - keep.SessionCost }
		got := ""
		for _, chunk := range c.chunks {
			got += string("swe"[e.chunk(chunkOf(t, chunk), []byte(c.prompt), in)])
		}
		if got != c.want || kept() == 0 != (len(e.waiting) == 0) {
			t.Errorf("%s: %s, want %s; %d bytes are kept, %d wait", c.name, got, c.want, kept(), len(e.waiting))
		}
		if dropped := kept() > 0 && e.repeats(); dropped != c.dropped {
			t.Errorf("%s: it repeats the prompt: %t", c.name, dropped)
		}
		if e.drop(in); kept() != 0 {
			t.Errorf("%s: %d bytes are kept", c.name, kept())
		}
	}
}

// Too much does not wait: it is shown.
func TestLargeEcho(t *testing.T) {
	part := strings.Repeat("x", keep.Fixed/2)
	prompt := []byte(`[{"type":"text","text":"` + part + part + part + `"}]`)
	var e echo
	in := new(keep.Budget).Open(0, nil)
	for i, want := range []verdict{mayBeEcho, isNoEcho, isNoEcho} {
		if got := e.chunk(chunkOf(t, `{"type":"text","text":"`+part[:len(part)-10]+`"}`), prompt, in); got != want {
			t.Errorf("chunk %d: %d, want %d", i, got, want)
		}
	}
}
