package words

import (
	"strconv"

	"acp-plan-proxy/transport/rawjson"
)

// Same writes any value as it is.
func Same(w *Writer, value []byte) bool {
	w.Raw(value)
	return true
}

// Leave writes nothing: the member is left out.
func Leave(*Writer, []byte) bool { return false }

// first returns a Convert that lets values through that begin with one of the
// given bytes.
func first(bytes string) Convert {
	return func(w *Writer, value []byte) bool {
		for i := range bytes {
			if value[0] == bytes[i] {
				return Same(w, value)
			}
		}
		return false
	}
}

// Converts that let values of some types through as they are. If the name ends
// in OrNull, the Convert lets null through too.
var (
	String       = first(`"`)
	StringOrNull = first(`"n`)
	Boolean      = first("tf")
	Object       = first("{")
	ObjectOrNull = first("{n")
	Number       = first("-0123456789")
	NumberOrNull = first("-0123456789n")
)

// Natural lets integers from 0 on through.
func Natural(w *Writer, value []byte) bool {
	for _, b := range value {
		if b < '0' || '9' < b {
			return false
		}
	}
	return len(value) < 20 && Same(w, value)
}

// Natural32 is Natural for integers of 32 bits.
func Natural32(w *Writer, value []byte) bool {
	_, err := strconv.ParseUint(string(value), 10, 32)
	return err == nil && Same(w, value)
}

// Integer lets integers through.
func Integer(w *Writer, value []byte) bool {
	digits := value
	if digits[0] == '-' {
		digits = digits[1:]
	}
	for _, b := range digits {
		if b < '0' || '9' < b {
			return false
		}
	}
	return len(digits) < 19 && Same(w, value)
}

// OrNull returns a Convert that also lets null through.
func OrNull(convert Convert) Convert {
	return func(w *Writer, value []byte) bool {
		return value[0] == 'n' && Same(w, value) || convert(w, value)
	}
}

// Array returns a Convert for arrays. Elements without a form are left out.
func Array(element Convert) Convert {
	return func(w *Writer, value []byte) bool {
		var buf [8][]byte
		elements, ok := rawjson.ReadArray(buf[:0], value)
		if !ok {
			return false
		}
		w.Array()
		for _, e := range elements {
			before := len(w.Out)
			if !element(w, e) {
				w.Out = w.Out[:before]
			}
		}
		w.EndArray()
		return true
	}
}

// each is Array for elements that must not be left out: an array with one that has
// no form has none.
func each(element Convert) Convert {
	return func(w *Writer, value []byte) bool {
		start, whole := len(w.Out), true
		ok := Array(func(w *Writer, value []byte) bool {
			whole = whole && element(w, value)
			return whole
		})(w, value)
		if !ok || !whole {
			w.Out = w.Out[:start]
			return false
		}
		return true
	}
}

// Word returns a Convert that lets the given strings through and no others.
func Word(words ...string) Convert {
	return func(w *Writer, value []byte) bool {
		text, ok := rawjson.TextOf(value)
		if !ok {
			return false
		}
		for _, word := range words {
			if string(text) == word {
				return Same(w, value)
			}
		}
		return false
	}
}

// Values returns a Convert for objects that are maps. Members whose value has
// no form are left out.
func Values(convert Convert) Convert {
	return func(w *Writer, value []byte) bool {
		o, ok := rawjson.ReadObject(nil, value)
		if !ok {
			return false
		}
		w.Object()
		for _, f := range o {
			before := len(w.Out)
			w.FieldName(f)
			if !convert(w, f.Value) {
				w.Out = w.Out[:before]
			}
		}
		w.EndObject()
		return true
	}
}

// WriteError writes a raw error of a peer as every version reads it: with a code that
// is an integer and a message that is a string. The other members stay. One without a
// message gets that message.
func WriteError(w *Writer, raw []byte, message string) {
	quoted := string(rawjson.AppendQuoted(nil, message))
	shape := Shape{
		{Name: "code", Convert: Integer, Default: "-32603"},
		{Name: "message", Convert: String, Default: quoted},
	}
	if len(raw) == 0 || !shape.Convert(w, raw) {
		w.JSON(`{"code":-32603,"message":` + quoted + "}")
	}
}
