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
		line, rest, ends := CutLine([]byte(c.text))
		if string(line) != c.line || string(rest) != c.rest || ends != c.more {
			t.Errorf("%s begins with %s, then %s, %t", c.text, line, rest, ends)
		}
	}
}

func TestInside(t *testing.T) {
	for value, want := range map[string]string{`"\t\"\\\/"`: `\t\"\\\/`, `"\u00e4\u000a\u002b\\u"`: `ä\n+\\u`} {
		if got, ok := Inside([]byte(value)); string(got) != want || !ok {
			t.Errorf("%s is %s", value, got)
		}
	}
	for _, value := range []string{"", "null", "1"} {
		if _, ok := Inside([]byte(value)); ok {
			t.Errorf("%s is a text", value)
		}
	}
}
