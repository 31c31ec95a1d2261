// Package redact replaces what is private in recorded messages, so that a recording
// can be given away and still be read and played.
//
// It has a list of what is kept (kept.go): members that the protocol or an agent's
// vendor has, where they say what a message is: methods, kinds, ids, statuses, counts
// and times. All else is replaced, the names of members that are not on the list too.
// Arrays, objects and their order stay, so do null and empty strings. Of what is
// replaced, numbers become 0 and booleans false.
//
// A placeholder says how long a text is, roughly: line by line its length is the power
// of two below, but at least 8. It begins with a few letters that are the same for the same
// text, so that two sides of a diff, or a path that comes again, still match. The
// letters depend on a key that is made by each [New] and kept nowhere: nobody can
// try out which text gives them.
package redact

import (
	"bytes"
	"crypto/rand"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// maxDepth is how deep the values in a message may be nested. What is deeper becomes
// null.
const maxDepth = 256

// A Redactor replaces the same texts by the same placeholders. Several goroutines may
// use it at once.
type Redactor struct{ key [32]byte }

// New returns a Redactor whose placeholders no other has.
func New() *Redactor {
	r := &Redactor{}
	rand.Read(r.key[:])
	return r
}

// between are the bytes that may be between two messages.
const between = " \t\r\n,"

// Message appends a message, or several with white space or commas between them, or a
// line that is not a message, without what is private in it. From the first byte on
// that is not JSON everything is one text. What is appended has as many line breaks.
func (r *Redactor) Message(dst, text []byte) []byte {
	return r.each(dst, text, (*writer).message)
}

// Event is Message for a line of a trace. A line that is not JSON becomes "?", as do
// those that a reader of traces has given up.
func (r *Redactor) Event(dst, line []byte) []byte {
	var c rawjson.Cursor
	c.Reset(line)
	if c.Skip(); !c.End() {
		if len(bytes.TrimSpace(line)) == 0 {
			return append(dst, line...)
		}
		dst = append(dst, '?')
		if bytes.HasSuffix(line, []byte("\n")) {
			dst = append(dst, '\n')
		}
		return dst
	}
	return r.each(dst, line, (*writer).event)
}

// each writes each value in text with write, and what is between the values as it is.
func (r *Redactor) each(dst, text []byte, write func(w *writer, value []byte)) []byte {
	w := newWriter(r, dst)
	for {
		rest := bytes.TrimLeft(text, between)
		w.out = append(w.out, text[:len(text)-len(rest)]...)
		if text = rest; len(text) == 0 {
			return w.out
		}
		w.Reset(text)
		w.Skip()
		end := w.Pos()
		if w.Err() != nil || end < len(text) && bytes.IndexByte([]byte(between), text[end]) < 0 {
			w.hideLines(text)
			return w.out
		}
		write(w, text[:end])
		text = text[end:]
	}
}

// message writes a message, a batch or another value.
func (w *writer) message(text []byte) {
	w.Reset(text)
	if w.Kind() != '[' {
		w.one(text)
		return
	}
	w.out = append(w.out, '[')
	var c rawjson.Cursor
	c.Reset(text)
	for i, more := 0, c.Array(); more; i, more = i+1, c.NextElement() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.one(c.Value())
	}
	w.out = append(w.out, ']')
}

// one writes a message. Its method says what the members of its params are.
func (w *writer) one(text []byte) {
	w.Reset(text)
	if w.Kind() != '{' {
		w.value(hidden, 0)
		return
	}
	w.rooted(text, members{
		{version, []string{"jsonrpc"}}, {id, []string{"id"}}, {method, []string{"method"}}, {w.paramsOf(text), []string{"params"}},
		{results, []string{"result"}}, {failures, []string{"error"}},
	})
}

// event writes an event of a trace.
func (w *writer) event(text []byte) {
	w.Reset(text)
	if w.Kind() != '{' {
		w.value(hidden, 0)
		return
	}
	payload := results
	if string(w.member(text, "is_error")) == "true" {
		payload = failures
	}
	w.rooted(text, members{
		{word, []string{"type", "protocol"}}, {number, []string{"ts"}}, {moment, []string{"began"}}, {flag, []string{"redacted", "is_error"}},
		{component, []string{"from", "to"}}, {id, []string{"id", "session"}}, {method, []string{"method"}},
		{w.paramsOf(text), []string{"params"}}, {payload, []string{"payload"}}, {lost, []string{"lost"}},
	})
}

func (w *writer) rooted(text []byte, m members) {
	w.Reset(text)
	w.value(&rule{object: m}, 0)
}

// paramsOf returns what is kept of the params of a message, or of an event.
func (w *writer) paramsOf(text []byte) *rule {
	name, ok := rawjson.TextOf(w.member(text, "method"))
	if !ok || string(name) == trace.NotAMessage {
		return hidden
	}
	if known := paramsOf.of(string(bytes.TrimPrefix(name, []byte("_")))); known != nil {
		return known
	}
	return anyParams
}

// member returns the raw value of a member of an object: nil if it has none or
// several, since readers disagree on which of them counts.
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
