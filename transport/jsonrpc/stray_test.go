package jsonrpc

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const (
	answer = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
	notice = `{"params":{"x":["]}{[",{"a":1}]},"method":"session/update", "jsonrpc" : "2.0"}`
)

// otherLines are lines that are not stray.
var otherLines = []string{
	"", "\n", "\r\n", " \t\r\n", answer, notice + "\n", " \t" + answer, "\r" + answer + "\r\n", "{", "{}", "{broken", "{\x00", "{{", "\n{", `{"content":"…","type":"text"}`,
	answer + answer, answer + " and more", "[" + answer + "," + notice + "]", " [ {", "[\t{}]", "[{broken", "[{},1]",
}

// strayLines are lines without a message.
var strayLines = []string{
	"x", "42\n", `"x"`, "null", "true", "-1", "[]", "[ ]", "[", " [\n", "[1,2]", "[[]]", `[1,` + answer + `]`, `["x"]`, "[INFO] ready", "[\x00{",
	"\x00", "\ufeff", "\xef", "\xff\xfe{", "\ufeff{}", "\x1b[0m\n", "\x1b]0;title\a", "\x1b", "$ ", "user@host:~$ ", "Last login: Mon Nov  2 12:00:00 2026", "\v", "\u00a0",
	"progress \x1b[32m✓\x1b[0m 50%", "}", "]", ",", ":", "}" + answer[1:],

	// What is behind the text is not a whole message.
	"> " + answer[:len(answer)-1], "> " + answer + "}", "> " + answer + " and more", "> " + answer + "\x1b[0m", "> (" + answer + ")", "> \"" + answer + `"`,
	`> {"a":` + answer + `}`, `> {"a":` + answer, "> [{}," + answer + "]", "\r\x1b[2K[" + answer + " , " + notice + "]\n", "> [1," + answer + "]", "> []", "> [{}]", "> {}", `> {"method":"GET","url":"/x"}`, `> {"id":1,"result":2}`,
	`> {"jsonrpc":"2.0"}`, `> {"jsonrpc":"2.0","id":1}`, `> {"jsonrpc":"2.0","result":1}`, `> {"jsonrpc":"2.0","method":1}`,
	`> {'jsonrpc':'2.0','method':'a'}`, `> {\"jsonrpc\":\"2.0\",\"method\":\"a\"}`,

	// A log line quotes a message.
	"[DEBUG] sent " + answer, "2026-11-02 INFO received: " + answer, "2026/11/02 12:00:00 " + answer, "[12:00:01.123] " + notice, "2026-11-02T12:00:01Z " + notice,
	"\x1b[90m12:00:01\x1b[0m \x1b[32macp\x1b[0m " + answer, "Received: " + answer, "Received:\x1b[0m " + answer + "\n", "level=info msg=x body=" + answer, "DEBUG -> [" + answer + "," + notice + "]",
	"info: to the client " + answer, "acp::trace " + answer, "<Info> " + answer, "[acp] Sending request " + answer, "recv " + answer, "[ERROR] bad message " + answer, "\ufeffDEBUG " + answer, "\x1b(B\x1b=debug " + answer, "\x1b]0;title\x1b[0minfo " + answer,
}

// gluedLines are lines with a mark ‖ in front of their message.
var gluedLines = []string{
	"\ufeff‖" + answer, "\ufeff ‖" + answer + "\r\n", "\x00‖" + answer, "\x1b[0m‖" + notice, "\x1b[?2004h\x1b]0;user@host: ~\a‖" + answer + "\n", "\x1b]0;title\x1b\\‖" + answer, "\x1b]7;file://h/‖" + answer,
	"\x1b‖" + answer, "\x1b\x1b[2J‖" + answer, "\x1b(B\x1b[m\x1b>‖" + answer, "\x1bP1$r0m\x1b\\‖" + answer, "\x1b]0;{\"a\":1} info\a‖" + answer, "\x1b[?25l⠋ Thinking\r\x1b[K‖" + notice,
	"$ ‖" + answer, "> ‖" + answer, ">>> ‖" + answer, "% ‖" + answer, "user@host:~$ ‖" + answer, "user@host:~/debug$ ‖" + answer, "[user@host ~]$ ‖" + answer, "[12:00:00] root@info # ‖" + answer, "PS C:\\Users\\me> ‖" + answer,
	"➜  dir git:(main) ✗ ‖" + answer, "❯ ‖" + answer, "Loading… ‖" + answer, "Loading...‖" + notice, "[1/4] Fetching packages ‖" + answer, "[####----] 50%‖" + answer, "\rDownloading 12.3 MB\rDownloading 12.4 MB ‖" + answer,
	"warning: unofficial build ‖" + answer, "Error: no configuration. ‖" + answer, "information, debugger and senders ‖" + answer, "1‖" + answer, "null ‖" + answer, "[] ‖" + answer, "[1,2]‖" + answer, "\x00{‖" + answer,
	"x {y} ‖" + answer, `x {"y":1} ‖` + answer, `x {"y" ‖` + answer, `x {"y":tru ‖` + answer, `x "‖` + answer, "x {{{[[ ‖" + answer, "x [{} ‖" + answer, "> [‖" + answer, `> [{"a":1}, ‖` + answer, `> [{"a":1}] ‖` + answer, "> " + notice + "‖" + answer,
	"x" + strings.Repeat("{", 2048) + "‖" + answer, "x" + strings.Repeat(`{"`, 2048) + "‖" + answer, strings.Repeat("\r⠋ Thinking", 100<<10) + "‖" + answer, "info" + strings.Repeat(" .", maxQuoting) + "‖" + answer,
	"> ‖" + `{"_meta":{},"jsonrpc":"2.0","method":"a"}`, "> ‖" + `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}`, "> ‖" + `{"jsonrpc":"2.0","id":"a","method":"b","unknown":{}}`,
}

func TestCutStray(t *testing.T) {
	check := func(line string, isStray bool, text, rest string) {
		t.Helper()
		if got := IsStray([]byte(line)); got != isStray {
			t.Errorf("%.100q: stray is %v", line, got)
		}
		if gotText, gotRest := CutStray([]byte(line)); string(gotText) != text || string(gotRest) != rest {
			t.Errorf("%.100q\ngot  %.100q, %.100q\nwant %.100q, %.100q", line, gotText, gotRest, text, rest)
		}
	}
	for _, line := range otherLines {
		check(line, false, "", line)
	}
	for _, line := range strayLines {
		check(line, true, line, "")
	}
	for _, line := range gluedLines {
		text, rest, _ := strings.Cut(line, "‖")
		check(text+rest, true, text, rest)
	}
}

// FuzzCutStray checks that no byte of a line is lost, that an object is never
// stray, and that the rest is a message.
func FuzzCutStray(f *testing.F) {
	for _, lines := range [][]string{otherLines, strayLines, gluedLines} {
		for _, line := range lines {
			f.Add([]byte(strings.Replace(line, "‖", "", 1)))
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		text, rest := CutStray(line)
		if !bytes.Equal(append(bytes.Clone(text), rest...), line) {
			t.Fatalf("%q is cut into %q and %q", line, text, rest)
		}
		begin := bytes.TrimLeft(line, " \t\r\n")
		own := len(begin) == 0 || begin[0] == '{'
		if own && len(text) > 0 || !own && IsStray(line) != (len(text) > 0) {
			t.Fatalf("%q: stray is %v, taken off is %q", line, IsStray(line), text)
		}
		if len(text) > 0 && len(rest) > 0 && (IsStray(rest) || rest[0] != '{' && rest[0] != '[' || !json.Valid(bytes.ToValidUTF8(rest, nil))) {
			t.Fatalf("%q: %q goes on", line, rest)
		}
	})
}

// BehindStray recognizes a message by its beginning.
func TestBehindStray(t *testing.T) {
	for line, want := range map[string]string{
		"": "", "x": "", "[INFO] ready": "", "\ufeff{": "", "\ufeff{\"": "", "\ufeff{\"a\":1": "", "> {\"json": "", "> [ {\"jsonrpc\":": "{\"jsonrpc\":", "> [": "", "> [1,{": "",
		"\ufeff{\"jsonrpc\"": "{\"jsonrpc\"", "\x1b[0m{ \"id\":1,\"result\":{": "{ \"id\":1,\"result\":{", "$ {\n\"method\":": "{\n\"method\":",
		"2 files {\"a\":1}{\"params\":{": "{\"params\":{", "DEBUG sent {\"jsonrpc\":": "", "Received: {\"result\":": "",
	} {
		if got := BehindStray([]byte(line)); string(got) != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
