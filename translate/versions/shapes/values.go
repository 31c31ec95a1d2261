package shapes

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// any copies a value.
func (w *Writer) any(value []byte) bool {
	w.Raw(value)
	return true
}

// A firstByte copies values that begin with one of some bytes.
type firstByte string

func (f firstByte) Write(w *Writer, value []byte) bool {
	return strings.IndexByte(string(f), value[0]) >= 0 && w.any(value)
}

// Rules of values of some types. With OrNull in its name, a Rule is that of null too.
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

// A signed copies integers of so many bits, an unsigned those from 0 on.
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
	return err == nil && w.any(value)
}

func (u unsigned) Write(w *Writer, value []byte) bool {
	_, err := strconv.ParseUint(string(value), 10, int(u))
	return err == nil && w.any(value)
}

// orNull accepts null too.
type orNull struct{ Rule }

func (o orNull) Write(w *Writer, value []byte) bool {
	return value[0] == 'n' && w.any(value) || o.Rule.Write(w, value)
}

// list converts the elements of an array and drops those that it cannot convert. It reports
// false if the rest is not enough.
func (w *Writer) list(value []byte, rule Rule, enough func(left, of int) bool) bool {
	var buf [8][]byte
	elements, ok := rawjson.ReadArray(buf[:0], value)
	if !ok {
		return false
	}
	start, left := len(w.Out), 0
	w.Array()
	for _, e := range elements {
		if rule.Write(w, e) {
			left++
		}
	}
	w.EndArray()
	if !enough(left, len(elements)) {
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
	return w.list(value, a.Rule, func(int, int) bool { return true })
}

func (e each) Write(w *Writer, value []byte) bool {
	return w.list(value, e.Rule, func(left, of int) bool { return left == of })
}

func (s some) Write(w *Writer, value []byte) bool {
	return w.list(value, s.Rule, func(left, _ int) bool { return left > 0 })
}

// oneOf copies some strings and no others.
type oneOf []string

func (o oneOf) Write(w *Writer, value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && slices.Contains(o, string(text)) && w.any(value)
}

// values converts the members of a map, and drops those that it cannot convert.
type values struct{ Rule }

func (v values) Write(w *Writer, value []byte) bool {
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

// WriteError writes a raw error of a peer in a form that every version can read: the code is
// an integer, the message a string. Other members are copied. The given message replaces a
// missing one.
func WriteError(w *Writer, raw []byte, message string) {
	o := rawjson.Members(raw)
	Object{
		{"code", or{Integer, "-32603"}},
		{"message", or{String, string(rawjson.AppendQuoted(nil, message))}},
	}.writeMembers(w, o)
}
