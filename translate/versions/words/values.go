package words

import (
	"bytes"
	"slices"
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// any writes any value as it is.
func (w *Writer) any(value []byte) bool {
	w.Raw(value)
	return true
}

// A first is the Form of values that begin with one of some bytes. Such a value stays
// as it is.
type first string

func (f first) Write(w *Writer, value []byte) bool {
	return bytes.IndexByte([]byte(f), value[0]) >= 0 && w.any(value)
}

// Forms of values of some types. With OrNull in its name, a Form is that of null too.
const (
	String       = first(`"`)
	StringOrNull = first(`"n`)
	number       = first("-0123456789")
	numberOrNull = first("-0123456789n")
	boolean      = first("tf")
	object       = first("{")
	notNull      = first(`"-0123456789tf{[`)
)

// An integer is the Form of integers with so many digits at most, and perhaps a sign.
type integer struct {
	digits int
	signed bool
}

func (i integer) Write(w *Writer, value []byte) bool {
	digits := value
	if i.signed && digits[0] == '-' {
		digits = digits[1:]
	}
	for _, b := range digits {
		if b < '0' || '9' < b {
			return false
		}
	}
	return len(digits) <= i.digits && w.any(value)
}

// Integer is the Form of integers, natural of those from 0 on.
var (
	Integer       = integer{digits: 18, signed: true}
	IntegerOrNull = orNull{Integer}
	natural       = integer{digits: 19}
)

// natural32 is natural for integers of 32 bits.
func natural32(w *Writer, value []byte) bool {
	_, err := strconv.ParseUint(string(value), 10, 32)
	return err == nil && w.any(value)
}

// orNull is a Form that null has too.
type orNull struct{ Form }

func (f orNull) Write(w *Writer, value []byte) bool {
	return value[0] == 'n' && w.any(value) || f.Form.Write(w, value)
}

// array is the Form of arrays. Elements without a form are left out.
type array struct{ Form }

func (a array) Write(w *Writer, value []byte) bool {
	_, ok := a.write(w, value)
	return ok
}

// write also reports how many elements are left.
func (a array) write(w *Writer, value []byte) (left int, ok bool) {
	var buf [8][]byte
	elements, ok := rawjson.ReadArray(buf[:0], value)
	if !ok {
		return 0, false
	}
	w.Array()
	for _, e := range elements {
		before := len(w.Out)
		if a.Form.Write(w, e) {
			left++
		} else {
			w.Out = w.Out[:before]
		}
	}
	w.EndArray()
	return left, true
}

// each is array for elements that must not be left out: an array with one that has
// no form has none.
type each struct{ Form }

func (f each) Write(w *Writer, value []byte) bool {
	start, whole := len(w.Out), true
	ok := array{Func(func(w *Writer, value []byte) bool {
		whole = whole && f.Form.Write(w, value)
		return whole
	})}.Write(w, value)
	if !ok || !whole {
		w.Out = w.Out[:start]
	}
	return ok && whole
}

// some is array for arrays of which at least one element must have a form.
type some struct{ Form }

func (f some) Write(w *Writer, value []byte) bool {
	start := len(w.Out)
	left, _ := array(f).write(w, value)
	if left == 0 {
		w.Out = w.Out[:start]
	}
	return left > 0
}

// word is the Form of some strings and no others.
type word []string

func (words word) Write(w *Writer, value []byte) bool { return words.has(value) && w.any(value) }

func (words word) has(value []byte) bool {
	text, ok := rawjson.TextOf(value)
	return ok && slices.Contains(words, string(text))
}

// values is the Form of objects that are maps. Members whose value has no form are left
// out.
type values struct{ Form }

func (f values) Write(w *Writer, value []byte) bool {
	o, ok := rawjson.ReadObject(nil, value)
	if !ok {
		return false
	}
	w.Object()
	for _, m := range o {
		before := len(w.Out)
		w.FieldName(m)
		if !f.Form.Write(w, m.Value) {
			w.Out = w.Out[:before]
		}
	}
	w.EndObject()
	return true
}

// WriteError writes a raw error of a peer as every version reads it: with a code that
// is an integer and a message that is a string. The other members stay. One without a
// message gets that message.
func WriteError(w *Writer, raw []byte, message string) {
	o, _ := rawjson.ReadObject(nil, raw)
	Object{
		{"code", "code", or{Integer, "-32603"}, both},
		{"message", "message", or{String, string(rawjson.AppendQuoted(nil, message))}, both},
	}.write(w, o)
}
