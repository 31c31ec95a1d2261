package patches

import "testing"

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text, line, rest string
		more             bool
	}{
		{text: ``},
		{text: `a`, line: `a`},
		{text: `\n`, more: true},
		{text: `a\nb`, line: `a`, rest: `b`, more: true},
		{text: `\\na\nb\n`, line: `\\na`, rest: `b\n`, more: true},
		{text: `\t\"\u000a\\\nb`, line: `\t\"\u000a\\`, rest: `b`, more: true},
		{text: `a\r\nb`, line: `a\r`, rest: `b`, more: true},
		{text: `\\\r`, line: `\\\r`},
		{text: `\\r\n`, line: `\\r`, more: true},
		{text: `r\n`, line: `r`, more: true},
	} {
		line, rest, _ := CutLine([]byte(c.text))
		if string(line) != c.line || string(rest) != c.rest || (rest != nil) != c.more {
			t.Errorf("%s begins with %s, then %s, %t", c.text, line, rest, rest != nil)
		}
	}
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]bool{`\t\"\\ä\r`: true, `\/`: false, `\\/`: true, `\u00e4`: false, `\f`: false, `\b`: false, `\n\b`: true} {
		if _, _, usual := CutLine([]byte(text)); usual != want {
			t.Errorf("%s: %t", text, usual)
		}
	}
	if got := string(respell([]byte(`\u00e4\/\u000a\"`))); got != `ä/\n\"` {
		t.Error(got)
	}
}
