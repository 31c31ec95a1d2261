package v1agent

import (
	"encoding/json"
	"strings"
	"testing"

	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// TestSpelling compares two texts. In JSON one of them has an unusual spelling.
func TestSpelling(t *testing.T) {
	usual := func(text string) []byte { return rawjson.AppendQuoted(nil, text) }
	short := func(text string) []byte {
		return []byte(strings.NewReplacer(`\u000c`, `\f`, `\u0008`, `\b`).Replace(string(usual(text))))
	}
	goes := func(text string) []byte { // as Go writes it
		quoted, _ := json.Marshal(text)
		return quoted
	}
	ascii := func(text string) []byte { // as Python writes it, and slashes as PHP does
		return []byte(strings.NewReplacer("ä", `\u00e4`, "/", `\/`).Replace(string(short(text))))
	}
	patch := func(x, y []byte) string {
		var w shapes.Writer
		writeDiff(&w, rawjson.Object{}.Set("path", []byte(`"/f"`)).Set("oldText", x).Set("newText", y))
		var item struct{ Patch struct{ Text string } }
		if err := json.Unmarshal(w.Out, &item); err != nil {
			t.Fatal(err)
		}
		return item.Patch.Text
	}
	for _, line := range []string{"<", "ä", "a/b", "\b", "\f", "\t\r\x00"} {
		before, after := line+"\nx", line+"\ny\n"
		want := patch(usual(before), usual(after))
		if !strings.HasSuffix(want, " "+line+"\n-x\n\\ No newline at end of file\n+y\n") {
			t.Fatal(want)
		}
		spellings := []func(string) []byte{usual, short, goes, ascii}
		for i, x := range spellings {
			for j, y := range spellings {
				if got := patch(x(before), y(after)); got != want {
					t.Errorf("spellings %d and %d: %q, want %q", i, j, got, want)
				}
			}
		}
	}
}

func TestUnreadable(t *testing.T) {
	runCases(t, []testCase{
		{"what is neither a request nor an answer is dropped or refused", nil, []step{
			client(`5 _a {},"method":"_b"`, toC(`5 ! {"code":-32600,"message":"Invalid request"}`)).Losing("unreadable message"),
			agent(`5 _a {},"method":"_b"`, toA(`5 ! {"code":-32600,"message":"Invalid request"}`)).Losing("unreadable message"),
		}},
		{"a response with neither a result nor an error is an error", nil, then(begun,
			agent(`{"jsonrpc":"2.0","id":2}`, toC(report("state_update", `"state":"idle","stopReason":"error","error":{"code":-32603,"message":"the answer is no valid one"}`))),
			client(`3 session/list {}`, toA(`3 session/list {}`)),
			agent(`{"jsonrpc":"2.0","id":3}`, toC(`3 ! {"code":-32603,"message":"the answer is no valid one"}`)),
			agent(`4 _ask {}`, toC(`1 _ask {}`)),
			client(`{"jsonrpc":"2.0","id":1}`, toA(`4 ! {"code":-32603,"message":"the answer is no valid one"}`)),
		)},
		{"initialize comes once", nil, []step{
			client(`5 initialize {"protocolVersion":2}`, toC(`5 ! {"code":-32600,"message":"initialize may only be requested once per connection"}`)),
		}},
		{"requests about a session name it", nil, []step{
			client(`5 session/prompt {}`, toC(`5 ! {"code":-32602,"message":"Invalid params: no sessionId"}`)),
			client(`5 session/new []`, toC(`5 ! {"code":-32602,"message":"Invalid params: no object"}`)),
		}},
	})
}
