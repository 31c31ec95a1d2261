package rawjson

import (
	"encoding/json"
	"testing"
	"unicode/utf8"
)

func naivePlainEnd(text []byte, i int) int {
	for i < len(text) && text[i] >= 0x20 && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// TestPlainEnd tests every byte, alone and next to every kind of neighbour, at every alignment.
func TestPlainEnd(t *testing.T) {
	fillers := []byte{'a', 0x20, 0x21, '"' + 1, '\\' + 1, '\\' - 1, 0x7f, 0x80, 0x9f, 0xa2, 0xdc, 0xff}
	for size := range 20 {
		for _, filler := range fillers {
			text := make([]byte, size)
			for at := range size {
				for b := range 256 {
					for i := range text {
						text[i] = filler
					}
					text[at] = byte(b)
					for from := 0; from <= min(size, 9); from += 3 {
						if got, want := plainEnd(text, from), naivePlainEnd(text, from); got != want {
							t.Fatalf("plainEnd(%q, %d) = %d, want %d", text, from, got, want)
						}
					}
				}
			}
		}
	}
}

func FuzzPlainEnd(f *testing.F) {
	addTexts(f)
	f.Add([]byte("\x20\x1f\x20\x21\"#[\\]\x00\xa2\xdc"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for from := range min(len(text), 16) + 1 {
			if got, want := plainEnd(text, from), naivePlainEnd(text, from); got != want {
				t.Fatalf("plainEnd(%q, %d) = %d, want %d", text, from, got, want)
			}
		}
	})
}

// checkUnquote compares Unquote with encoding/json, which replaces invalid
// UTF-8 that Unquote leaves.
func checkUnquote(t *testing.T, raw []byte) {
	t.Helper()
	if len(raw) < 2 || raw[0] != '"' || !json.Valid(raw) || raw[len(raw)-1] != '"' {
		return
	}
	var want string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	if end, ok := checkedEnd(raw, 1); !ok || end != len(raw) {
		t.Errorf("%q ends at %d, %v", raw, end, ok)
	}
	got := string(Unquote(raw))
	if appended := string(AppendUnquoted([]byte("x"), raw)); appended != "x"+got {
		t.Errorf("AppendUnquoted(%q) = %q", raw, appended)
	}
	if !utf8.Valid(raw) {
		got = string([]rune(got))
	}
	if got != want {
		t.Errorf("Unquote(%q) = %q, want %q", raw, got, want)
	}
}

func checkQuoted(t *testing.T, s string) {
	t.Helper()
	raw := AppendQuoted([]byte("x"), s)[1:]
	if !json.Valid(raw) || !utf8.Valid(raw) {
		t.Fatalf("%q quoted is %q", s, raw)
	}
	want := string([]rune(s)) // with invalid UTF-8 replaced
	if got := string(Unquote(raw)); got != want {
		t.Errorf("%q quoted and unquoted is %q", s, got)
	}
	if bytes := AppendQuoted(nil, []byte(s)); string(bytes) != string(raw) {
		t.Errorf("%q quoted as bytes is %q, as a string %q", s, bytes, raw)
	}
}

func TestQuoting(t *testing.T) {
	for _, text := range texts {
		checkUnquote(t, []byte(text))
		checkUnquote(t, []byte(`"`+text+`"`))
		checkQuoted(t, text)
	}
	for r := range rune(0x3000) {
		checkQuoted(t, string(r))
	}
	if got := string(AppendQuoted(nil, "a/<>&é\u2028\x7f\x01\x1f\b\n\r\t\"\\")); got != "\"a/<>&é\u2028\x7f\\u0001\\u001f\\u0008\\n\\r\\t\\\"\\\\\"" {
		t.Errorf("not the fewest escapes: %s", got)
	}
}

// Unquote also receives texts that are not JSON, while a line arrives.
func TestUnquoteLeavesWhatIsNoEscape(t *testing.T) {
	for raw, want := range map[string]string{
		`"\q"`: `\q`, `"\u12"`: `\u12`, `"\ud834\u12"`: "\ufffd\\u12", `"a\"`: `a\`, `"\ud834\q"`: "\ufffd\\q",
	} {
		if got := string(Unquote([]byte(raw))); got != want {
			t.Errorf("Unquote(%s) = %q, want %q", raw, got, want)
		}
	}
}

func FuzzString(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		checkUnquote(t, text)
		checkUnquote(t, append(append([]byte{'"'}, text...), '"'))
		checkQuoted(t, string(text))
	})
}
