package plans

import (
	"bytes"
	"slices"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// An entryList is a JSON array of entries, in the form that the client can display.
type entryList struct {
	text          []byte // between the brackets
	contentStarts []int  // for each entry the offset of its content in text, after the quote
	openCount     int    // number of entries that are not completed
	hasBegun      bool   // add has appended an entry that is not pending
}

func (l *entryList) reset() {
	*l = entryList{text: rawjson.Reuse(l.text), contentStarts: l.contentStarts[:0]}
}

func (l *entryList) empty() bool { return len(l.contentStarts) == 0 }

// copyFrom makes l a copy of from, and reuses its memory.
func (l *entryList) copyFrom(from *entryList) {
	*l = entryList{
		text: refill(l.text, from.text), contentStarts: refill(l.contentStarts, from.contentStarts),
		openCount: from.openCount, hasBegun: from.hasBegun,
	}
}

// refill returns a copy of from in the memory of buf, unless buf is much too large.
func refill[T any](buf, from []T) []T {
	if cap(buf) > 4*len(from)+4096 {
		buf = nil
	}
	return append(buf[:0], from...)
}

// add appends an entry with this content, a plain text, and with the other members of o.
func (l *entryList) add(content, priority, status string, o rawjson.Object) {
	b := rawjson.Builder{Out: l.text}
	b.JSON(`{"content":"`)
	l.contentStarts = append(l.contentStarts, len(b.Out))
	b.Out = append(rawjson.AppendEscaped(b.Out, content), `","priority":`...)
	b.Out = append(rawjson.AppendQuoted(b.Out, priority), `,"status":`...)
	b.Out = rawjson.AppendQuoted(b.Out, status)
	for _, f := range o {
		if name := string(f.Name); name != "content" && name != "priority" && name != "status" {
			b.Field(f)
		}
	}
	b.EndObject()
	l.text = b.Out
	if status != completed {
		l.openCount++
	}
	l.hasBegun = l.hasBegun || status != pending
}

// addFrom appends the entries of a message, mapped to values that the client knows. It skips
// entries without a content and returns their number, and whether all entries were valid.
func (l *entryList) addFrom(text []byte, entries []entry, isV1 bool) (skipped int, valid bool) {
	valid = true
	for i := 0; i < len(entries); {
		if n := l.addValid(text, entries[i:], isV1); n > 0 {
			i += n
			continue
		}
		valid = false
		if e := &entries[i]; e.content.Present() {
			priority, status, note := e.mapped(text, isV1)
			l.add(string(rawjson.Unquote(e.content.Of(text)))+note, priority, status, rawjson.Members(e.Of(text)))
		} else {
			skipped++
		}
		i++
	}
	return skipped, valid
}

// addValid appends the longest run of valid entries without white space between them, and
// returns its length.
func (l *entryList) addValid(text []byte, entries []entry, isV1 bool) (n int) {
	first := &entries[0]
	var run jsonrpc.Span
	for n < len(entries) {
		e := &entries[n]
		if n > 0 && e.Start != run.End+len(",") || !e.isValid(text, isV1) {
			break
		}
		if n == 0 && len(l.text) > 0 {
			l.text = append(l.text, ',')
		}
		l.contentStarts = append(l.contentStarts, len(l.text)+e.content.Start-first.Start+1)
		if string(e.status.Of(text)) != `"completed"` && (e.isUsual || string(rawjson.Unquote(e.status.Of(text))) != completed) {
			l.openCount++
		}
		run = jsonrpc.Span{Start: first.Start, End: e.End}
		n++
	}
	l.text = append(l.text, run.Of(text)...)
	return n
}

// equal reports whether two lists have the same contents, priorities and statuses in the same
// order, however the JSON is written.
func (l *entryList) equal(other *entryList) bool {
	return len(l.contentStarts) == len(other.contentStarts) &&
		(bytes.Equal(l.text, other.text) || bytes.Equal(normalized(l.text), normalized(other.text)))
}

// normalized returns the contents, priorities and statuses of the entries in text, the text
// between the brackets of an array, without differences of escapes and white space.
func normalized(text []byte) (values []byte) {
	text = slices.Concat([]byte("["), text, []byte("]"))
	var c rawjson.Cursor
	c.Reset(text)
	for _, e := range readEntries(&c, text, nil) {
		for _, value := range [...]jsonrpc.Span{e.content, e.priority, e.status} {
			values = append(rawjson.AppendQuoted(values, rawjson.Unquote(value.Of(text))), ',')
		}
	}
	return values
}
