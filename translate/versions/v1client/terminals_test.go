package v1client

import (
	"encoding/base64"
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// wantsOutput checks the terminals in the _meta that a client with the convention receives,
// without their ids.
func (k *kit) wantsOutput(want ...string) {
	k.Helper()
	var got []string
	for _, l := range k.out.Outputs() {
		_, told, _ := strings.Cut(string(k.out.Text(l)), `"_meta":{"terminal_`)
		got = append(got, strings.Replace(strings.TrimSuffix(told, "}}}}}"), `":{"terminal_id":"x"`, "", 1))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		k.Errorf("the client is told %q, want %q", got, want)
	}
	k.after(0)
}

// x is the terminal x.
func (k *kit) x() *terminal { return k.s.terminal([]byte("x")) }

func inBase64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// prints has the terminal x print something.
func (k *kit) prints(text string) { k.changes(`{"data":"` + inBase64(text) + `"}`) }

// changes has members of the terminal x change.
func (k *kit) changes(members string) {
	o, _ := rawjson.ReadObject(nil, []byte(members))
	k.x().update(o)
}

// showsAnew replaces the output of the terminal x.
func (k *kit) showsAnew(text string) { k.changes(`{"output":{"data":"` + inBase64(text) + `"}}`) }

func TestTerminalByConvention(t *testing.T) {
	k := newKit(t, true)
	k.prints("a")
	k.wantsOutput() // nothing shows it
	k.s.toolCall([]byte("t")).addContent([]byte(`{"type":"terminal","terminalId":"x"}`), nil)
	k.wantsOutput("info", `output,"data":"a"`)
	k.prints("b")
	k.wantsOutput(`output,"data":"b"`)

	// A character is sent when it is complete.
	euro := "€"
	k.prints("c" + euro[:1])
	k.prints(euro[1:2])
	k.prints(euro[2:] + "d")
	k.wantsOutput(`output,"data":"c"`, `output,"data":"€d"`)

	// Output that extends the old output is appended, other output replaces it.
	k.showsAnew("abc€def")
	k.wantsOutput(`output,"data":"ef"`)
	k.showsAnew("xyz")
	clear := `\u001b[2J\u001b[3J\u001b[H`
	k.wantsOutput(`output,"data":"` + clear + `xyz"`)
	k.x().output.text = nil
	k.prints("w")
	k.wantsOutput(`output,"data":"w"`)
	k.x().output.text = nil
	k.showsAnew("w")
	k.wantsOutput(`output,"data":"` + clear + `w"`)

	// A burst exceeds the limit, so the screen is replaced.
	for _, size := range []int{maxOutput + 1, 3 * maxOutput} {
		k.prints("k" + strings.Repeat("l", size-1))
		k.wantsOutput(`output,"data":"` + clear + strings.Repeat("l", maxOutput) + `"`)
	}

	// An incomplete character is sent at the end, and the end is sent once.
	k.prints("m" + euro[:2])
	k.changes(`{"exitStatus":{"exitCode":1}}`)
	k.changes(`{"exitStatus":{"exitCode":1}}`)
	k.wantsOutput(`output,"data":"m"`, `output,"data":"`+"\uFFFD\uFFFD"+`"`, `exit,"exit_code":1,"signal":null`)
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb\n\n":                         "a\nb",
		"\x1b[31mred\x1b[0m \x1b(Bx":       "red x",
		"\x1b]0;title\x07a\x1b]8;;\x1b\\b": "ab",
		"10%\r20%\r100%\ndone":             "100%\ndone",
		"abc\rX":                           "X",
		"10%\r":                            "10%",
		"a\r\nb\r\n":                       "a\nb",
		"\x1b[":                            "",
		"a\x1b]0;title":                    "a",
		"a\x1b":                            "a",
		"a\x00\x07\x7fb\tc":                "ab\tc",
		"äö\rx":                            "x",
	} {
		if got := printable([]byte(in)); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}
