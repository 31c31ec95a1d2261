package shapes

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A Writer writes what becomes of JSON values, and notes what that loses.
type Writer struct {
	rawjson.Builder
	Losses []translate.Loss // without their session
	Cwd    string           // where relative paths begin; "" if that is not known

	// LeftOut: the Object that was written last has lost a member that has no form.
	LeftOut bool

	v2    bool // it writes for version 2
	again bool // what is missing is cleared, see ToolCallToV2
	item  Rule // of a tool call's content, likewise
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

// A Rule says what becomes of a raw JSON value. Write reports false, and writes
// nothing, if the value has no form in the version that w writes for.
type Rule interface {
	Write(w *Writer, value []byte) bool
}

// A Func is a Rule.
type Func func(w *Writer, value []byte) bool

// Write implements [Rule].
func (f Func) Write(w *Writer, value []byte) bool { return f(w, value) }

// An Object describes an object member by member, in both versions. Members without a
// row go through as they are, but a _meta that is neither an object nor null is left
// out: both versions have it in every object, and only so.
//
// An Object is data: no code runs for it before it is used.
type Object []Row

// A Row is a member and what becomes of it, in both directions unless the Rule is
// [towards]. A nil Rule is that of any value. A member that has no form is left out, but
// see [must], [or] and [is].
type Row struct {
	Name string // in version 2, and in version 1 unless the Rule is called
	Rule Rule
}

// These Rules are looked for from the outside in: called, then towards, then front, then must,
// or, is or cleared. One that is nested in another order only writes its value.
type (
	// called is the Rule of a member that has another name in version 1.
	called struct {
		v1 string
		Rule
	}
	// towards is one Rule for each direction.
	towards struct{ v1, v2 Rule }
	// must is the Rule of a member without which its object has no form.
	must struct{ Rule }
	// or is the Rule of a member in whose place another value is written if it has none.
	or struct {
		Rule
		json string
	}
	// is is the Rule of a member that always has the same value, or is left out if that
	// is "".
	is string
	// front is the Rule of a member that is written before all others. If there are
	// several of its name, the last counts.
	front struct{ Rule }
	// cleared is the Rule of a member that a tool call loses when it begins again.
	cleared struct{ Rule }
)

// leave is the Rule of a member that is left out.
const leave = is("")

func (is) Write(*Writer, []byte) bool { return false }

// Write implements [Rule].
func (t towards) Write(w *Writer, value []byte) bool { return t.of(w).Write(w, value) }

// of returns the Rule in the direction of w.
func (t towards) of(w *Writer) Rule {
	if w.v2 {
		return t.v2
	}
	return t.v1
}

// names returns the name of a member on the side that w does not write for, and on the
// other.
func (r *Row) names(w *Writer) (from, to string) {
	from, to = r.Name, r.Name
	if c, ok := r.Rule.(called); ok {
		if to = c.v1; w.v2 {
			from, to = to, from
		}
	}
	return from, to
}

// form returns what becomes of a member.
func (r *Row) form(w *Writer) Rule {
	form := r.Rule
	if c, ok := form.(called); ok {
		form = c.Rule
	}
	if t, ok := form.(towards); ok {
		return t.of(w)
	}
	return form
}

// find returns the row of a member with that name, -1 if there is none. renamed tells
// that another member gets the name. An object that has both, as some agents send for
// peers of either version, would have it twice.
func (t Object) find(w *Writer, name []byte) (row int, renamed bool) {
	for i := range t {
		from, to := t[i].names(w)
		if from == string(name) {
			return i, false
		}
		renamed = renamed || to == string(name)
	}
	return -1, renamed
}

// ToV1 writes what becomes of a value of version 2, see [Rule].
func (w *Writer) ToV1(f Rule, value []byte) bool {
	w.v2 = false
	return f.Write(w, value)
}

// ToV2 is ToV1 for the other direction.
func (w *Writer) ToV2(f Rule, value []byte) bool {
	w.v2 = true
	return f.Write(w, value)
}

// A Convert writes what becomes of an object in a version: [Object.ToV1] or
// [Object.ToV2].
type Convert func(w *Writer, o rawjson.Object) bool

// ToV1 writes what becomes of an object of version 2. It reports false, and writes
// nothing, if the object has no form.
func (t Object) ToV1(w *Writer, o rawjson.Object) bool { return w.end(t.BeginToV1(w, o)) }

// ToV2 is ToV1 for the other direction.
func (t Object) ToV2(w *Writer, o rawjson.Object) bool { return w.end(t.BeginToV2(w, o)) }

// BeginToV1 is ToV1 for an object to which the caller adds members. It ends with
// EndObject.
func (t Object) BeginToV1(w *Writer, o rawjson.Object) bool {
	w.v2 = false
	return t.begin(w, o)
}

// BeginToV2 is BeginToV1 for the other direction.
func (t Object) BeginToV2(w *Writer, o rawjson.Object) bool {
	w.v2 = true
	return t.begin(w, o)
}

// Write implements [Rule].
func (t Object) Write(w *Writer, value []byte) bool {
	var buf [16]rawjson.Field
	o, ok := rawjson.ReadObject(buf[:0], value)
	return ok && t.write(w, o)
}

func (t Object) write(w *Writer, o rawjson.Object) bool { return w.end(t.begin(w, o)) }

// end ends an object if it was begun.
func (w *Writer) end(begun bool) bool {
	if begun {
		w.EndObject()
	}
	return begun
}

func (t Object) begin(w *Writer, o rawjson.Object) bool {
	start, leftOut := len(w.Out), false
	w.Object()
	var seen uint64
	for i := range t {
		form := t[i].form(w)
		if _, ok := form.(front); !ok {
			continue
		}
		if from, to := t[i].names(w); w.member(to, form, o.Get(from)) || w.absent(to, form) {
			seen |= 1 << i
		}
	}
	for i := range o {
		f := &o[i]
		if UnreadableMeta(*f) {
			leftOut = true
			continue
		}
		row, renamed := t.find(w, f.Name)
		if row < 0 {
			if !renamed {
				w.Field(*f)
			}
			continue
		}
		from, to := t[row].names(w)
		form := t[row].form(w)
		_, moved := form.(front)
		switch {
		case moved:
		case from == to && w.field(f, form), from != to && w.member(to, form, f.Value):
			seen |= 1 << row
		default:
			leftOut = leftOut || form != leave
		}
	}
	w.LeftOut = leftOut
	for i := range t {
		if seen&(1<<i) != 0 {
			continue
		}
		if _, to := t[i].names(w); !w.absent(to, t[i].form(w)) {
			w.Out = w.Out[:start]
			return false
		}
	}
	return true
}

// member writes a member, if its value has a form. Any value has a nil Rule.
func (w *Writer) member(name string, form Rule, value []byte) bool {
	if value == nil {
		return false
	}
	before := len(w.Out)
	w.Name(name)
	return w.value(before, form, value)
}

// field is member for one that keeps its name.
func (w *Writer) field(f *rawjson.Field, form Rule) bool {
	before := len(w.Out)
	w.FieldName(*f)
	return w.value(before, form, f.Value)
}

// value writes the value of a member, which begins there.
func (w *Writer) value(before int, form Rule, value []byte) bool {
	if form == nil {
		w.Raw(value)
	} else if !form.Write(w, value) {
		w.Out = w.Out[:before]
		return false
	}
	return true
}

// absent writes what is written of a member that has no form. It reports false if an
// object without the member has none.
func (w *Writer) absent(name string, form Rule) bool {
	json := ""
	switch f := form.(type) {
	case front:
		return w.absent(name, f.Rule)
	case must:
		return false
	case or:
		json = f.json
	case is:
		json = string(f)
	case cleared:
		if w.again {
			json = "null"
		}
	}
	if json != "" {
		w.Name(name)
		w.JSON(json)
	}
	return true
}

// Others writes the members of an object but those with these names.
func (w *Writer) Others(o rawjson.Object, but ...string) {
	for _, f := range o {
		if !slices.Contains(but, string(f.Name)) && !UnreadableMeta(f) {
			w.Field(f)
		}
	}
}

// Text returns the text of an object, without a _meta that nobody reads.
func Text(o rawjson.Object) []byte {
	size := len("{}")
	for _, f := range o {
		size += len(f.Text) + len(",")
	}
	w := Writer{Builder: rawjson.Builder{Out: make([]byte, 0, size)}}
	Object{}.write(&w, o)
	return w.Out
}

// UnreadableMeta reports whether a member is a _meta that neither version reads: one
// that is neither an object nor null.
func UnreadableMeta(f rawjson.Field) bool {
	return string(f.Name) == "_meta" && f.Value[0] != '{' && f.Value[0] != 'n'
}
