package redact

import (
	"bytes"
	"encoding/base64"
	"hash"
	"net/url"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A writer writes the redacted form of a text that its Cursor reads.
type writer struct {
	rawjson.Cursor
	*Redactor
	out  []byte
	text []byte // of the string that is being written, before it is quoted
	hash hash.Hash
	sum  []byte
}

// value writes the value that is next.
func (w *writer) value(r *rule, depth int) {
	switch kind := w.Kind(); kind {
	case '{', '[':
		switch {
		case depth >= maxDepth:
			w.Skip()
			w.out = append(w.out, "null"...)
		case kind == '{':
			w.object(r, depth+1)
		default:
			w.array(r, depth+1)
		}
	case '"':
		w.str(w.Value(), r)
	case '0':
		const longest = 32
		if value := w.Value(); r.numbers && len(value) <= longest {
			w.out = append(w.out, value...)
		} else {
			w.out = append(w.out, '0')
		}
	case 't', 'f':
		if value := w.Value(); r.flags {
			w.out = append(w.out, value...)
		} else {
			w.out = append(w.out, "false"...)
		}
	default:
		w.Skip()
		w.out = append(w.out, "null"...)
	}
}

// array writes an array, with the same rule for each element.
func (w *writer) array(r *rule, depth int) {
	w.out = append(w.out, '[')
	for i, more := 0, w.Array(); more; i, more = i+1, w.NextElement() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.value(r, depth)
	}
	w.out = append(w.out, ']')
}

func (w *writer) object(r *rule, depth int) {
	w.out = append(w.out, '{')
	for i, more := 0, w.Object(); more; i, more = i+1, w.NextMember() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		name := w.Name()
		if w.Err() != nil {
			return
		}
		kept := w.of(r, string(name))
		if kept != nil {
			w.out = rawjson.AppendQuoted(w.out, name)
		} else {
			w.quoted(name, (*writer).hide)
			if kept = w.rules["hidden"]; r.fields {
				kept = w.rules["field"]
			}
		}
		w.out = append(w.out, ':')
		w.value(kept, depth)
	}
	w.out = append(w.out, '}')
}

// str writes a string, as it is if the rule keeps it.
func (w *writer) str(raw []byte, r *rule) {
	if raw == nil {
		return
	}
	text := rawjson.Unquote(raw)
	switch {
	case r.keeps != nil && r.keeps(text):
		w.out = rawjson.AppendQuoted(w.out, text)
	case r.hides != nil:
		w.quoted(text, r.hides)
	default:
		w.quoted(text, (*writer).hideLines)
	}
}

// quoted writes the output of hide as a JSON string.
func (w *writer) quoted(text []byte, hide func(*writer, []byte)) {
	out := w.out
	w.out = w.text[:0]
	hide(w, text)
	w.out, w.text = rawjson.AppendQuoted(out, w.out), rawjson.Reuse(w.out)
}

// letters is the alphabet of placeholders. No word consists of these letters only.
const letters = "cdghjkmpqvwz"

// tagLength is how many letters of a placeholder depend on the text.
const tagLength = 8

// placeholder writes n bytes that are the same for the same text, and most likely others
// for another.
func (w *writer) placeholder(text []byte, n int) {
	w.hash.Reset()
	w.hash.Write(w.key[:])
	w.hash.Write(text)
	w.sum = w.hash.Sum(w.sum[:0])
	for _, b := range w.sum[:tagLength] {
		w.out = append(w.out, letters[b%byte(len(letters))])
	}
	for range n - tagLength {
		w.out = append(w.out, 'x')
	}
}

// class returns the length of the placeholder for n bytes.
func class(n int) int {
	c := tagLength
	for c <= n/2 {
		c *= 2
	}
	return c
}

// hide writes the placeholder of a text without line breaks.
func (w *writer) hide(text []byte) {
	if len(text) > 0 {
		w.placeholder(text, class(len(text)))
	}
}

// hideLines writes a text line by line.
func (w *writer) hideLines(text []byte) { w.lines(text, (*writer).hide) }

// lines writes each line of a text with write, and the line breaks as they are.
func (w *writer) lines(text []byte, write func(*writer, []byte)) { w.parts(text, "\r\n", write) }

// parts writes the parts between separators with write, and copies the separators.
func (w *writer) parts(text []byte, separators string, write func(*writer, []byte)) {
	for len(text) > 0 {
		n := bytes.IndexAny(text, separators)
		if n < 0 {
			n = len(text)
		}
		write(w, text[:n])
		if text = text[n:]; len(text) > 0 {
			w.out, text = append(w.out, text[0]), text[1:]
		}
	}
}

// path writes a path with a placeholder for each name, so that the folder structure is
// preserved. It copies a drive letter.
func (w *writer) path(text []byte) {
	w.parts(text, `/\`, func(w *writer, name []byte) {
		if string(name) == "." || string(name) == ".." || len(name) == 2 && name[1] == ':' {
			w.out = append(w.out, name...)
		} else {
			w.hide(name)
		}
	})
}

// uri writes a URI with the names in it replaced as in [writer.path]. It copies a scheme that
// is listed.
func (w *writer) uri(text []byte) {
	scheme, rest, found := bytes.Cut(text, []byte(":"))
	if !found || !isScheme(scheme) {
		w.path(text)
		return
	}
	if slices.Contains(schemes, string(scheme)) {
		w.out = append(w.out, scheme...)
	} else {
		w.hide(scheme)
	}
	w.out = append(w.out, ':')
	if plain, err := url.PathUnescape(string(rest)); err == nil {
		rest = []byte(plain)
	}
	w.path(rest)
}

// isScheme reports whether a text can be the scheme of a URI: one letter is a drive.
func isScheme(text []byte) bool {
	return len(text) > 1 && allOf(text[:1], 1, "") && (text[0] < '0' || text[0] > '9') && allOf(text, 80, "+-.")
}

var schemes = []string{"file", "http", "https"}

// bytes64 redacts the decoded text of base64, line by line, and encodes the result.
func (w *writer) bytes64(text []byte) {
	plain, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		w.hideLines(text)
		return
	}
	start := len(w.out)
	w.hideLines(plain)
	hidden := bytes.Clone(w.out[start:])
	w.out = base64.StdEncoding.AppendEncode(w.out[:start], hidden)
}
