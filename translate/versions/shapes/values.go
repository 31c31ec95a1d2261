package shapes

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// copy copies a value.
func (w *Writer) copy(value []byte) bool {
	w.Raw(value)
	return true
}

// A firstByte copies values that begin with one of some bytes.
type firstByte string

func (f firstByte) Write(w *Writer, value []byte) bool {
	return strings.IndexByte(string(f), value[0]) >= 0 && w.copy(value)
}

// Rules that copy values of one type. Those with OrNull in their names also copy null.
const (
	String       = firstByte(`"`)
	StringOrNull = firstByte(`"n`)
	number       = firstByte("-0123456789")
	numberOrNull = firstByte("-0123456789n")
	boolean      = firstByte("tf")
	object       = firstByte("{")
	notNull      = firstByte(`"-0123456789tf{[`)
)

var mustString Rule = must{String}

// A signed copies integers of that many bits, an unsigned copies those from 0.
type (
	signed   int
	unsigned int
)

// The integers of the protocol.
const (
	Integer   = signed(64)
	natural   = unsigned(64)
	natural32 = unsigned(32)
)

func (s signed) Write(w *Writer, value []byte) bool {
	_, err := strconv.ParseInt(string(value), 10, int(s))
	return err == nil && w.copy(value)
}

func (u unsigned) Write(w *Writer, value []byte) bool {
	_, err := strconv.ParseUint(string(value), 10, int(u))
	return err == nil && w.copy(value)
}

// orNull also copies null.
type orNull struct{ Rule }

func (o orNull) Write(w *Writer, value []byte) bool {
	return value[0] == 'n' && w.copy(value) || o.Rule.Write(w, value)
}

// writeList converts the elements of an array and drops those that it cannot convert. It reports
// false, and writes nothing, unless enough is true for the number of the written elements and of all.
func (w *Writer) writeList(value []byte, rule Rule, enough func(written, elements int) bool) bool {
	var buf [8][]byte
	elements, ok := rawjson.ReadArray(buf[:0], value)
	if !ok {
		return false
	}
	start, written := len(w.Out), 0
	w.Array()
	for _, e := range elements {
		if rule.Write(w, e) {
			written++
		}
	}
	w.EndArray()
	if !enough(written, len(elements)) {
		w.Out = w.Out[:start]
		return false
	}
	return true
}

type (
	// array drops elements that cannot be converted.
	array struct{ Rule }
	// each rejects an array with an element that cannot be converted.
	each struct{ Rule }
	// some rejects an array without any element that can be converted.
	some struct{ Rule }
)

func (a array) Write(w *Writer, value []byte) bool {
	return w.writeList(value, a.Rule, func(int, int) bool { return true })
}

func (e each) Write(w *Writer, value []byte) bool {
	return w.writeList(value, e.Rule, func(written, elements int) bool { return written == elements })
}

func (s some) Write(w *Writer, value []byte) bool {
	return w.writeList(value, s.Rule, func(written, _ int) bool { return written > 0 })
}

// oneOf copies these strings and no others.
type oneOf []string

func (o oneOf) Write(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && slices.Contains(o, string(text)) && w.copy(value)
}

// valuesOf converts the values of an object with any names, and drops those that it cannot convert.
type valuesOf struct{ Rule }

func (v valuesOf) Write(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	if !ok {
		return false
	}
	w.Object()
	for _, m := range o {
		before := len(w.Out)
		w.FieldName(m)
		if !v.Rule.Write(w, m.Value) {
			w.Out = w.Out[:before]
		}
	}
	w.EndObject()
	return true
}

// WriteError writes a raw error of a peer in a form that both versions can read: the code is
// an integer, and the message a string. Other members are copied. The parameter message is the
// default.
func WriteError(w *Writer, raw []byte, message string) {
	o := rawjson.Members(raw)
	Object{
		{"code", orDefault{Integer, "-32603"}},
		{"message", orDefault{String, string(rawjson.AppendQuoted(nil, message))}},
	}.writeMembers(w, o)
}
