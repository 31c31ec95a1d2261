// Package redact replaces private data in recorded messages, so that a recording can be
// published, and still be read and played.
//
// The file kept.txt lists the members that are copied: those of the protocol and of vendors
// with methods, kinds, ids, statuses, counts and times. A kind or status is copied if it is one
// of the listed words; an id is copied if it is a listed word, a number or a UUID, with or
// without a prefix. A placeholder replaces any other string, and the name of any other member.
// 0 replaces other numbers, and false other booleans. Arrays, objects, their order, null and
// empty strings are preserved.
//
// The length of a placeholder in bytes is that of the text, rounded down to a power of two, but at
// least 8. Texts are replaced line by line. Equal texts have equal placeholders, so that a
// recording can still be played, and both sides of a diff match.
// Placeholders depend on a random key that is not stored, so that nobody can find a text by
// trying.
package redact

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"io"
	"maps"
	"regexp"
	"slices"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxDepth limits the nesting of values in a message. null replaces deeper values.
const maxDepth = 256

// A Redactor replaces the same texts by the same placeholders. Several goroutines may
// use it at once.
type Redactor struct {
	key   [32]byte
	rules map[string]*rule // by their names in kept.txt

	// The prefixes that are copied.
	marks         *regexp.Regexp // of a line of markdown
	stepNumber    *regexp.Regexp // after the marks, as in "Phase 2: "
	standardError *regexp.Regexp // of the message of an error

	placeholder *regexp.Regexp
}

// New returns a Redactor with a new random key.
func New() *Redactor {
	r := &Redactor{
		rules:      rules(),
		marks:      regexp.MustCompile("^(?:[ \t>#|]|[-*+] |[0-9]{1,4}[.)] )*(?:```|~~~|\\[[ xX~/>-]\\] )?"),
		stepNumber: regexp.MustCompile(`^\**(?i:step|phase|task|stage|part|milestone) [0-9]{1,3}[:.)]?\** ?`),
		standardError: regexp.MustCompile(`(?i)^"?(?:parse error|invalid request|method not found|invalid params|internal error|` +
			`authentication required|resource not found|unsupported protocol version|request cancelled)"?(?:: |$)`),
		placeholder: regexp.MustCompile("[" + letters + "]{8}"),
	}
	rand.Read(r.key[:])
	return r
}

// HasPlaceholder reports whether a text contains a placeholder of any Redactor.
func (r *Redactor) HasPlaceholder(text string) bool { return r.placeholder.MatchString(text) }

// redacted starts the first object of a redacted recording.
const redacted = `{"redacted":true,`

// Copy writes the lines of a recording to out, redacted one by one by [Redactor.Line]. The
// first object that begins a line has "redacted":true. A placeholder replaces a line that is too
// long to be read.
func (r *Redactor) Copy(out io.Writer, in io.Reader) error {
	lines, first := trace.NewLines(in), true
	for buf := []byte(nil); ; {
		line, err := lines.Next()
		if buf = r.Line(buf[:0], line); first && bytes.HasPrefix(buf, []byte(`{"`)) {
			first = false
			if !bytes.HasPrefix(buf, []byte(redacted)) {
				buf = slices.Replace(buf, 0, 1, []byte(redacted)...)
			}
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Line appends the redacted form of a line that [recording.Parse] reads. It redacts text that is not
// JSON line by line, also in front of a message.
func (r *Redactor) Line(dst, line []byte) []byte {
	text := bytes.Trim(line, " \t\r\n")
	before, behind, _ := bytes.Cut(line, text)
	w := &writer{Redactor: r, out: append(dst, before...), hash: sha256.New()}
	w.Reset(text)
	switch w.Skip(); {
	case len(text) == 0:
	case w.End():
		w.writeJSON(text)
	case jsonrpc.IsStray(text):
		stray, message := jsonrpc.CutStray(text)
		w.hideLines(stray)
		w.out = r.Line(w.out, message)
	default:
		w.hideLines(text)
	}
	return append(w.out, behind...)
}

// writeJSON writes an event, a message with its direction, a message, or any other value.
func (w *writer) writeJSON(text []byte) {
	form, payload := "message", (*rule)(nil)
	if e, ok := recording.ReadEvent(text); ok {
		form, payload = "event", w.rules["results"]
		if e.IsError {
			payload = w.rules["failures"]
		}
	} else if w.member(text, "dir") != nil {
		form = "directed"
	}
	root := rule{members: maps.Clone(w.rules[form].members)}
	root.members["params"], root.members["payload"] = w.paramsOf(text), payload
	w.Reset(text)
	if w.Kind() != '{' {
		root.members = nil
	}
	w.writeValue(&root, 0)
}

// paramsOf returns the rule for the params of a message or event.
func (w *writer) paramsOf(text []byte) *rule {
	name, ok := rawjson.TextOf(w.member(text, "method"))
	if !ok || string(name) == trace.NotAMessage {
		return w.rules["hidden"]
	}
	return cmp.Or(w.rules["methods"].members[string(bytes.TrimPrefix(name, []byte("_")))], w.rules["params"])
}

// member returns the raw value of a member of an object. It returns nil if the object has several
// members of that name, because readers disagree on which one counts.
func (w *writer) member(text []byte, name string) (value []byte) {
	w.Reset(text)
	found := 0
	for more := w.Object(); more; more = w.NextMember() {
		if string(w.Name()) == name {
			found++
			value = w.Value()
		} else {
			w.Skip()
		}
	}
	if found != 1 {
		return nil
	}
	return value
}
