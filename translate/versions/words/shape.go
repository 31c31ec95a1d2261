package words

import (
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
	// Front and Back tell that the member is written before all others, or
	// behind them. If there are several, the last counts.
	Front, Back bool
}

// write writes the member with that raw name and value. It reports false, and
// writes nothing, if the value has no form.
func (r *Member) write(w *Writer, f *rawjson.Field) bool {
	before := len(w.Out)
	if r.To != "" {
		w.Name(r.To)
	} else {
		w.FieldName(*f)
	}
	if r.Convert(w, f.Value) {
		return true
	}
	w.Out = w.Out[:before]
	return false
}

// move writes the member, which is not where it was in the object.
func (r *Member) move(w *Writer, o rawjson.Object) bool {
	value := o.Get(r.Name)
	if value == nil {
		return false
	}
	before := len(w.Out)
	w.Name(r.written())
	if r.Convert(w, value) {
		return true
	}
	w.Out = w.Out[:before]
	return false
}

// absent writes what is written if the member has no form. It reports false if an
// object without the member has none.
func (r *Member) absent(w *Writer) bool {
	if r.Default != "" {
		w.Name(r.written())
		w.JSON(r.Default)
		return true
	}
	return !r.Required
}

// written returns the name on the other side.
func (r *Member) written() string {
	if r.To != "" {
		return r.To
	}
	return r.Name
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
	for i := range s {
		if s[i].To != "" && s[i].To == string(name) {
			return true
		}
	}
	return false
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
	w.Object()
	if !s.Members(w, o) {
		w.Out = w.Out[:start]
		return false
	}
	w.EndObject()
	return true
}

// Text returns the text of an object, as ConvertObject writes it with no rules.
func Text(o rawjson.Object) []byte {
	size := len("{}")
	for _, f := range o {
		size += len(f.Text) + len(",")
	}
	w := Writer{Builder: rawjson.Builder{Out: make([]byte, 0, size)}}
	Shape{}.ConvertObject(&w, o)
	return w.Out
}

// Members is ConvertObject without the braces.
func (s Shape) Members(w *Writer, o rawjson.Object) bool {
	start := len(w.Out)
	var seen uint64
	for i := range s {
		if r := &s[i]; r.Front && (r.move(w, o) || r.absent(w)) {
			seen |= 1 << i
		}
	}
	for i := range o {
		f := &o[i]
		switch rule := s.find(f.Name); {
		case rule < 0:
			if !s.renamesTo(f.Name) && !UnreadableMeta(*f) {
				w.Field(*f)
			}
		case s[rule].Front, s[rule].Back:
		case s[rule].write(w, f):
			seen |= 1 << rule
		}
	}
	for i := range s {
		r := &s[i]
		if seen&(1<<i) != 0 || r.Back && r.move(w, o) || r.Default == "" && !r.Required || r.absent(w) {
			continue
		}
		w.Out = w.Out[:start]
		return false
	}
	return true
}

// UnreadableMeta reports whether a member is a _meta that neither version reads: one
// that is neither an object nor null.
func UnreadableMeta(f rawjson.Field) bool {
	return string(f.Name) == "_meta" && f.Value[0] != '{' && f.Value[0] != 'n'
}
