package transport

import (
	"strings"
	"testing"
)

func TestBatchCommandLine(t *testing.T) {
	const file = `C:\Program Files\nodejs\npx.cmd`
	for _, c := range []struct{ arg, want string }{
		{"-y", "-y"},
		{"@agentclientprotocol/claude-agent-acp@0.4.1", "@agentclientprotocol/claude-agent-acp@0.4.1"},
		{`C:\a\b.js`, `C:\a\b.js`},
		{"", `""`},
		{"a b", `"a b"`},
		{"a\tb", "\"a\tb\""},
		{"x&y", `"x&y"`},
		{"a|b<c>d^e(f)!g!", `"a|b<c>d^e(f)!g!"`},
		{"--model=x,y;z", `"--model=x,y;z"`},
		{"é", `"é"`},
		{"%PATH%", `"%%cd:~,%PATH%%cd:~,%"`},
		{"50%", `"50%%cd:~,%"`},
		{`say "hi"`, `"say ""hi"""`},
		{`"&calc`, `"""&calc"`},
		{`a\"b`, `"a\\""b"`},
		{`a\b"c`, `"a\b""c"`},
		{`dir\`, `"dir\\"`},
		{`a dir\\`, `"a dir\\\\"`},
		{`\%\`, `"\%%cd:~,%\\"`},
	} {
		got, err := batchCommandLine(file, []string{c.arg, "last"})
		want := `cmd.exe /d /e:on /v:off /s /c ""` + file + `" ` + c.want + ` last"`
		if err != nil || got != want {
			t.Errorf("%q:\n got %s, %v\nwant %s", c.arg, got, err, want)
		}
	}
	got, err := batchCommandLine(`C:\R&D 100%\x.bat`, nil)
	if want := `cmd.exe /d /e:on /v:off /s /c ""C:\R&D 100%%cd:~,%\x.bat""`; err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
	for _, arg := range []string{"a\nb", "a\rb", "a\x00b", strings.Repeat("x", 5000) + "\n"} {
		_, err := batchCommandLine(file, []string{"-y", arg})
		if err == nil || !strings.Contains(err.Error(), "argument 2") || len(err.Error()) > 300 {
			t.Errorf("%q: %v", arg, err)
		}
	}
}

// FuzzBatchCommandLine parses the line like cmd.exe: it contains no special
// character outside quotes, each % begins or ends the empty variable, and each
// argument begins and ends outside quotes.
func FuzzBatchCommandLine(f *testing.F) {
	for _, arg := range []string{"-y", "x&y", `"&calc`, `a\"&b`, "%PATH%", `\`, `""`, "%cd:~,%", `%"%`, "^", " "} {
		f.Add(arg, arg)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		line, err := batchCommandLine(`C:\x.cmd`, []string{one, two})
		if strings.ContainsAny(one+two, "\x00\r\n") {
			if err == nil {
				t.Fatalf("%q, %q: no error", one, two)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q, %q: %v", one, two, err)
		}
		rest, ok := strings.CutPrefix(line, `cmd.exe /d /e:on /v:off /s /c "`)
		rest, ends := strings.CutSuffix(rest, `"`)
		if !ok || !ends {
			t.Fatalf("%q, %q: %s", one, two, line)
		}
		if strings.Contains(strings.ReplaceAll(rest, "%%cd:~,%", ""), "%") {
			t.Fatalf("%q, %q: a variable can be named in %s", one, two, rest)
		}
		rest = strings.ReplaceAll(rest, "%%cd:~,%", "%")
		quoted, words := false, 1
		for _, c := range rest {
			switch {
			case c == '"':
				quoted = !quoted
			case quoted:
			case c == ' ':
				words++
			case strings.ContainsRune("&|<>^()%!,;=\t", c):
				t.Fatalf("%q, %q: %q is outside quotes in %s", one, two, c, rest)
			}
		}
		if quoted || words != 3 {
			t.Fatalf("%q, %q: %d words, in quotes at the end: %t, %s", one, two, words, quoted, rest)
		}
		got := splitCommandLine(rest)
		if len(got) != 3 || got[1] != one || got[2] != two {
			t.Fatalf("%q, %q: becomes %q", one, two, got)
		}
	})
}

// splitCommandLine splits a command line as Microsoft's C runtime does.
func splitCommandLine(line string) (args []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var arg []byte
		quoted := false
		for line != "" && (quoted || line[0] != ' ' && line[0] != '\t') {
			after := strings.TrimLeft(line, `\`)
			backslashes := len(line) - len(after)
			switch {
			case backslashes > 0 && strings.HasPrefix(after, `"`):
				arg = append(arg, strings.Repeat(`\`, backslashes/2)...)
				line = after
				if backslashes%2 == 1 {
					arg, line = append(arg, '"'), after[1:]
				}
			case backslashes > 0:
				arg, line = append(arg, line[:backslashes]...), after
			case quoted && strings.HasPrefix(line, `""`):
				arg, line = append(arg, '"'), line[2:]
			case line[0] == '"':
				quoted, line = !quoted, line[1:]
			default:
				arg, line = append(arg, line[0]), line[1:]
			}
		}
		args = append(args, string(arg))
	}
	return args
}
