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
	text []byte // buffer for the string that is being written, before it is quoted
	hash hash.Hash
	sum  []byte
}

// writeValue writes the next value.
func (w *writer) writeValue(r *rule, depth int) {
	switch kind := w.Kind(); kind {
	case '{', '[':
		switch {
		case depth >= maxDepth:
			w.Skip()
			w.out = append(w.out, "null"...)
		case kind == '{':
			w.writeObject(r, depth+1)
		default:
			w.writeArray(r, depth+1)
		}
	case '"':
		w.writeString(w.Value(), r)
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

// writeArray writes an array, with the same rule for each element.
func (w *writer) writeArray(r *rule, depth int) {
	w.out = append(w.out, '[')
	for i, more := 0, w.Array(); more; i, more = i+1, w.NextElement() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.writeValue(r, depth)
	}
	w.out = append(w.out, ']')
}

func (w *writer) writeObject(r *rule, depth int) {
	w.out = append(w.out, '{')
	for i, more := 0, w.Object(); more; i, more = i+1, w.NextMember() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		name := w.Name()
		if w.Err() != nil {
			return
		}
		kept := w.ruleFor(r, string(name))
		if kept != nil {
			w.out = rawjson.AppendQuoted(w.out, name)
		} else {
			w.writeQuoted(name, (*writer).hide)
			kept = w.rules["hidden"]
			if r.fields {
				kept = w.rules["field"]
			}
		}
		w.out = append(w.out, ':')
		w.writeValue(kept, depth)
	}
	w.out = append(w.out, '}')
}

// writeString writes a string, unchanged if the rule keeps it.
func (w *writer) writeString(raw []byte, r *rule) {
	if raw == nil {
		return
	}
	text := rawjson.Unquote(raw)
	switch {
	case r.keeps != nil && r.keeps(text):
		w.out = rawjson.AppendQuoted(w.out, text)
	case r.hides != nil:
		w.writeQuoted(text, r.hides)
	default:
		w.writeQuoted(text, (*writer).hideLines)
	}
}

// writeQuoted writes the output of hide as a JSON string.
func (w *writer) writeQuoted(text []byte, hide func(*writer, []byte)) {
	out := w.out
	w.out = w.text[:0]
	hide(w, text)
	w.out, w.text = rawjson.AppendQuoted(out, w.out), rawjson.Reuse(w.out)
}

// letters is the alphabet of placeholders. It has no vowels, so that no long word is like a placeholder.
const letters = "cdghjkmpqvwz"

// tagLength is how many letters of a placeholder depend on the text.
const tagLength = 8

// writePlaceholder writes a placeholder of n bytes: equal texts have equal placeholders, and different
// texts most likely different ones.
func (w *writer) writePlaceholder(text []byte, n int) {
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

// placeholderLength returns the length of the placeholder for a text of n bytes.
func placeholderLength(n int) int {
	length := tagLength
	for length <= n/2 {
		length *= 2
	}
	return length
}

// hide writes the placeholder of a text without line breaks.
func (w *writer) hide(text []byte) {
	if len(text) > 0 {
		w.writePlaceholder(text, placeholderLength(len(text)))
	}
}

// hideLines writes a text line by line.
func (w *writer) hideLines(text []byte) { w.writeLines(text, (*writer).hide) }

// writeLines writes each line of a text with write, and copies the line breaks.
func (w *writer) writeLines(text []byte, write func(*writer, []byte)) {
	w.writeParts(text, "\r\n", write)
}

// writeParts writes the parts between separators with write, and copies the separators.
func (w *writer) writeParts(text []byte, separators string, write func(*writer, []byte)) {
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

// hidePath writes a path with a placeholder for each name, so that the folder structure is preserved.
// It copies a drive letter.
func (w *writer) hidePath(text []byte) {
	w.writeParts(text, `/\`, func(w *writer, name []byte) {
		if string(name) == "." || string(name) == ".." || len(name) == 2 && name[1] == ':' {
			w.out = append(w.out, name...)
		} else {
			w.hide(name)
		}
	})
}

// hideURI writes a URI, whose path it hides like [writer.hidePath]. It copies a listed scheme.
func (w *writer) hideURI(text []byte) {
	scheme, rest, found := bytes.Cut(text, []byte(":"))
	if !found || !isScheme(scheme) {
		w.hidePath(text)
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
	w.hidePath(rest)
}

// isScheme reports whether a text can be the scheme of a URI. A single letter is a drive.
func isScheme(text []byte) bool {
	return len(text) > 1 && allOf(text[:1], 1, "") && (text[0] < '0' || text[0] > '9') && allOf(text, 80, "+-.")
}

var schemes = []string{"file", "http", "https"}

// hideBase64 redacts the decoded text of base64, line by line, and encodes the result.
func (w *writer) hideBase64(text []byte) {
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
