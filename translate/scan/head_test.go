package scan

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// headOf adds a line to a Head in pieces of a size, and returns the message.
func headOf(line []byte, size int) string {
	var h Head
	h.Add([]byte(`{"id":"of another line","method":"`))
	h.Reset()
	for piece := range slices.Chunk(line, size) {
		h.Add(piece)
	}
	return string(h.Message())
}

func TestHead(t *testing.T) {
	long := strings.Repeat("x", maxHeadValue)
	nested := `{"a":[{"id":1,"method":"}"},"]\\\"}",[]],"id":2}`
	for line, want := range map[string]string{
		// The id comes after long values, which are skipped.
		`{"jsonrpc":"2.0","method":"m","params":{"text":"` + long + `"},"id":7}`:       `{"method":"m","params":{},"id":7}`,
		`{"result":` + nested + `,"id":"a\u0062"}`:                                     `{"result":null,"id":"a\u0062"}`,
		`{"error":` + nested + `,"id":-1.50e3}`:                                        `{"error":{},"id":-1.50e3}`,
		`{"params":` + nested + `,"x":` + nested + `,"method":"m","id":3}`:             `{"params":{},"method":"m","id":3}`,
		`{"params":[` + nested + `],"method":"m","id":null}`:                           `{"method":"m","id":null}`,
		"\t{ \"i\\u0064\" : 1 ,\r\"method\" : \"session\\/prompt\" , \"x\":true} \r\n": `{"id":1,"method":"session\/prompt"}`,

		// Members of an update.
		`{"method":"session/update","params":{"_meta":{"sessionId":"no"},"update":{"x":` + nested + `,"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{}},"sessionId":"s"}}`: `{"method":"session/update","params":{"update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"},"sessionId":"s"}}`,
		`{"update":{"state":"idle"},"sessionId":"s","params":{"state":"idle","id":4,"update":[{"state":"idle"}]},"state":"idle"}`:                                                                          `{"params":{}}`,

		// Repeated members stay repeated.
		`{"id":1,"method":"a","id":2,"method":"b","params":{},"params":{}}`: `{"id":1,"method":"a","id":2,"method":"b","params":{},"params":{}}`,

		// Values that are too long or of the wrong type.
		`{"id":"` + long + `","method":"m"}`:                              `{"method":"m"}`,
		`{"id":"` + long[2:] + `","method":"m"}`:                          `{"id":"` + long[2:] + `","method":"m"}`,
		`{"id":` + strings.Repeat("1", maxHeadValue+1) + `,"method":"m"}`: `{"method":"m"}`,
		`{"` + long + `":1,"method":"` + long + `","id":1}`:               `{"method":"","id":1}`,
		`{"id":{"id":1},"method":"m"}`:                                    `{"method":"m"}`,
		"{\"id\":1\r,\"method\":\"m\"\r}":                                 `{"id":1,"method":"m"}`,
		`{"id":1,"method":{"method":"m"}}`:                                `{"id":1,"method":""}`,
		`{"id":1,"method":7}`:                                             `{"id":1,"method":""}`,
		`{"id":01,"method":"m"}`:                                          `{"method":"m"}`,
		`{"id":"\x","method":"\x"}`:                                       `{"method":""}`,
		"{\"id\":\"\x01\",\"method\":\"m\"}":                              `{"method":"m"}`,
		`{"params":{"a":NaN,"b":"\x","c":01},"id":1,"method":"m"}`:        `{"params":{},"id":1,"method":"m"}`,
		"{\"params\":{\"a\":\"\t\x00\"},\"id\":1,\"method\":\"m\"}":       `{"params":{},"id":1,"method":"m"}`,
		`{"a":-,"id":1,}`:                                                 `{"id":1}`,
		"\xef\xbb\xbf" + `{"id":1,"method":"m"}`:                          `{"id":1,"method":"m"}`,
		`{"id":1,"method":"m"}{"id":2}`:                                   `{"id":1,"method":"m"}`,
		`{"id":1,"method":"m"} and so on`:                                 `{"id":1,"method":"m"}`,

		// Truncated lines.
		`{"id":1,"method":"m","params":{"sessionId":"s","a":{"b":"c`: `{"id":1,"method":"m","params":{"sessionId":"s"}}`,
		`{"id":1,"params":{"update":{"state":"id`:                    `{"id":1,"params":{"update":{}}}`,
		`{"id":1,"method":"m`:                                        `{"id":1}`,
		`{"id":1,"method`:                                            `{"id":1}`,
		`{"id":1,"method":`:                                          `{"id":1}`,
		`{"id":1,"result":`:                                          `{"id":1}`,
		`{"id":1,"result":{`:                                         `{"id":1,"result":null}`,
		`{"id":1,"result":"method":"m"`:                              `{"id":1,"result":null}`,
		`{"method":"m","id":"a`:                                      `{"method":"m"}`,
		`{"method":"m","id":1`:                                       `{"method":"m"}`, // or 12
		`{"method":"m","id":1` + "\n":                                `{"method":"m"}`,
		`{"method":"m","id":1 ` + "\n":                               `{"method":"m","id":1}`,
		`{`:                                                          `{}`,

		// Errors outside of skipped values.
		`{"id":1 "method":"m"}`:             `{"id":1}`,
		`{"id":1,"method" "m"}`:             `{"id":1}`,
		`{"id":1,method:"m"}`:               `{"id":1}`,
		`{"id":1,"a":],"method":"m"}`:       `{"id":1}`,
		`{"a":"b"c","id":1,"method":"m"}`:   `{}`,
		`{"params":{"sessionId":"s"]},"id"`: `{"params":{"sessionId":"s"}}`,

		// Not an object.
		``: ``, "\n": ``, `x{"id":1}`: ``, `"{"`: ``, `[{"id":1}]`: ``,
	} {
		for size := 1; size <= min(len(line)+1, 40); size++ {
			if got := headOf([]byte(line), size); got != want {
				t.Errorf("%.200q in pieces of %d\ngot  %q\nwant %q", line, size, got, want)
				break
			}
		}
		if got := headOf([]byte(line), len(line)+1); got != want {
			t.Errorf("%.200q\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// FuzzHead compares the members of a Head with those of the whole message.
func FuzzHead(f *testing.F) {
	for _, d := range decisions {
		f.Add([]byte(strings.ReplaceAll(d.line, "|", "")), uint8(3))
	}
	f.Add([]byte(`{"id":"\"","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}`), uint8(1))
	f.Add([]byte(`{"error":null,"id":1e3,"id":[]}`), uint8(2))
	f.Fuzz(func(t *testing.T, line []byte, size uint8) {
		text := headOf(line, len(line)+1)
		if got := headOf(line, int(size)+1); got != text {
			t.Fatalf("%q in pieces of %d\ngot  %q\nwant %q", line, int(size)+1, got, text)
		}
		if text != "" && !json.Valid([]byte(text)) || len(text) > maxHead+2*maxHeadValue {
			t.Fatalf("%q becomes %q", line, text)
		}
		checkHead(t, line, []byte(text), "sessionUpdate", "state", "stopReason")
	})
}

// The memory of a Head is bounded for long lines of any content.
func TestHeadIsBounded(t *testing.T) {
	for _, test := range []struct{ begin, again string }{
		{`{"id":"`, "x"}, {`{"id":"`, `\"`}, {`{"id":`, "1"}, {`{"method":"`, "x"}, {`{"`, "x"}, {`{"a":`, "["}, {`{"a":[`, `"",`}, {" ", " "},
		{`{`, `"id":1,`}, {`{`, `"params":{},`}, {`{`, `"params":{"update":{"state":"idle"},"sessionId":"s"},`}, {`{`, `"method":"` + strings.Repeat("x", 1000) + `",`},
	} {
		var h Head
		h.Add([]byte(test.begin))
		piece := bytes.Repeat([]byte(test.again), 64<<10/len(test.again))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 64 {
			h.Add(piece)
		}
		runtime.ReadMemStats(&after)
		if all := after.TotalAlloc - before.TotalAlloc; all > 16*maxHead || len(h.Message()) > maxHead+2*maxHeadValue {
			t.Errorf("%s%.20s…: %d bytes taken, %d kept", test.begin, test.again, all, len(h.Message()))
		}
	}
}
