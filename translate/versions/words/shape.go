package words

import (
	"slices"
	"strconv"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A Writer writes what becomes of JSON values, and notes what that loses.
type Writer struct {
	rawjson.Builder
	Losses []translate.Loss // without their session
	Cwd    string           // where relative paths begin; "" if that is not known
}

// Reset makes w empty and keeps its memory, see [rawjson.Reuse]. Cwd stays.
func (w *Writer) Reset() {
	w.Builder.Reset()
	w.Losses = w.Losses[:0]
}

// Text writes s as it is.
func (w *Writer) Text(s string) { w.Out = append(w.Out, s...) }

// Quoted writes s as a JSON string.
func (w *Writer) Quoted(s []byte) { w.Out = rawjson.AppendQuoted(w.Out, s) }

// Lose notes a loss, see [translate.Loss].
func (w *Writer) Lose(kind translate.LossKind, detail string) {
	w.Losses = append(w.Losses, translate.Loss{Kind: kind, Detail: detail})
}

// A Convert writes what becomes of a raw JSON value. It reports false, and
// writes nothing, if the value has no form on the other side.
type Convert func(w *Writer, value []byte) bool

// A Shape says what becomes of the members of an object. Members without a rule
// go through as they are, but a _meta that is neither an object nor null is left
// out: both versions have it in every object, and only so.
type Shape []Member

// A Member is the rule for one member of an object.
type Member struct {
	Name    string
	To      string // its name on the other side; "" if it is the same
	Convert Convert
	// Default is written if the member is absent or has no form, "" if
	// nothing is.
	Default string
	// Required tells that an object without the member has no form.
	Required bool
}

func (s Shape) find(name []byte) int {
	for i := range s {
		if s[i].Name == string(name) {
			return i
		}
	}
	return -1
}

// renamesTo reports whether another member gets the name. An object that has
// both, as some agents send for peers of either version, would have it twice.
func (s Shape) renamesTo(name []byte) bool {
	return slices.ContainsFunc(s, func(m Member) bool { return m.To != "" && m.To == string(name) })
}

// Convert writes what becomes of an object. An optional member that has no form
// is left out.
func (s Shape) Convert(w *Writer, value []byte) bool {
	var buf [16]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], value)
	return ok && s.ConvertObject(w, o)
}

// ConvertObject is Convert for an object that has been read.
func (s Shape) ConvertObject(w *Writer, o rawjson.Object) bool {
	start := len(w.Out)
	w.Text("{")
	if !s.Members(w, o) {
		w.Out = w.Out[:start]
		return false
	}
	w.Text("}")
	return true
}

// Members is ConvertObject without the braces.
func (s Shape) Members(w *Writer, o rawjson.Object) bool {
	start := len(w.Out)
	var seen uint64
	for i := range o {
		f := &o[i]
		rule := s.find(f.Name)
		if rule < 0 && (s.renamesTo(f.Name) || UnreadableMeta(*f)) {
			continue
		}
		before := len(w.Out)
		if before > start {
			w.Text(",")
		}
		if rule < 0 {
			w.Out = append(w.Out, f.Text...)
			continue
		}
		r := &s[rule]
		if r.To != "" {
			w.Text(`"` + r.To + `":`)
		} else {
			w.Out = append(w.Out, f.Text[:len(f.Text)-len(f.Value)]...)
		}
		if r.Convert(w, f.Value) {
			seen |= 1 << rule
			continue
		}
		w.Out = w.Out[:before]
	}
	for i := range s {
		r := &s[i]
		switch {
		case seen&(1<<i) != 0:
		case r.Default != "":
			if len(w.Out) > start {
				w.Text(",")
			}
			name := r.Name
			if r.To != "" {
				name = r.To
			}
			w.Text(`"` + name + `":` + r.Default)
		case r.Required:
			w.Out = w.Out[:start]
			return false
		}
	}
	return true
}

// UnreadableMeta reports whether a member is a _meta that neither version reads: one
// that is neither an object nor null.
func UnreadableMeta(f rawjson.Field) bool {
	return string(f.Name) == "_meta" && f.Value[0] != '{' && f.Value[0] != 'n'
}

// Same writes any value as it is.
func Same(w *Writer, value []byte) bool {
	w.Out = append(w.Out, value...)
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
		w.Text("[")
		start := len(w.Out)
		for _, e := range elements {
			before := len(w.Out)
			if before > start {
				w.Text(",")
			}
			if !element(w, e) {
				w.Out = w.Out[:before]
			}
		}
		w.Text("]")
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
		w.Text("{")
		start := len(w.Out)
		for _, f := range o {
			before := len(w.Out)
			if before > start {
				w.Text(",")
			}
			w.Out = append(w.Out, f.Text[:len(f.Text)-len(f.Value)]...)
			if !convert(w, f.Value) {
				w.Out = w.Out[:before]
			}
		}
		w.Text("}")
		return true
	}
}
