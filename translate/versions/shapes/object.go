package shapes

import (
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A Writer writes converted JSON values, and collects the losses.
type Writer struct {
	rawjson.Builder
	Losses []translate.Loss // without their session
	Cwd    string           // base of relative paths; "" if unknown

	// LeftOut reports that a member of the last written Object was dropped, because its value could
	// not be converted.
	LeftOut bool

	toV2 bool // the target is version 2, not 1

	// Set by ToolCallToV2:
	writesNull  bool // nullIfMissing writes null
	contentItem Rule // converts an item of the content
}

// Reset empties w and keeps its memory, see [rawjson.Reuse]. Cwd is unchanged.
func (w *Writer) Reset() {
	w.Builder.Reset()
	w.Losses = w.Losses[:0]
}

// Lose adds a loss, see [translate.Loss].
func (w *Writer) Lose(kind translate.LossKind, detail string) {
	w.Losses = append(w.Losses, translate.Loss{Kind: kind, Detail: detail})
}

// A Rule converts a raw JSON value. Write reports false, and writes nothing, if the value
// cannot be converted to the target version.
type Rule interface {
	Write(w *Writer, value []byte) bool
}

// A Func is a Rule.
type Func func(w *Writer, value []byte) bool

// Write implements [Rule].
func (f Func) Write(w *Writer, value []byte) bool { return f(w, value) }

// An Object describes an object member by member, in both versions. It converts the members that
// have a row, and copies all others. It drops a _meta that is neither an object nor null, because
// neither version allows one.
type Object []Row

// A Row describes a member. Its Rule applies to both directions, unless it is [towards]. A nil
// Rule copies any value. A member whose value cannot be converted is dropped, unless its Rule is
// [must], [orDefault] or [constant].
type Row struct {
	Name string // in version 2; also in version 1, unless the Rule is [renamed]
	Rule Rule
}

// These Rules also decide about the name of a member or about a missing member. A Row nests them
// in this order, the outermost first:
//
//  1. renamed
//  2. towards
//  3. must, orDefault, constant or nullIfMissing
//
// In another order, they only convert the value, and names and defaults are ignored silently.
type (
	// renamed gives a member another name in version 1.
	renamed struct {
		v1 string
		Rule
	}
	// towards has one Rule for each direction.
	towards struct{ v1, v2 Rule }
	// must rejects an object without the member.
	must struct{ Rule }
	// orDefault writes a default for a missing member, and for a value that cannot be converted.
	orDefault struct {
		Rule
		json string
	}
	// constant writes a constant in place of any value, and for a missing member. The constant "" drops
	// the member.
	constant string
	// nullIfMissing writes null for a member that a tool call lacks when it begins again.
	nullIfMissing struct{ Rule }
)

const drop = constant("")

func (c constant) Write(w *Writer, _ []byte) bool {
	if c != drop {
		w.JSON(string(c))
	}
	return c != drop
}

// Write implements [Rule].
func (t towards) Write(w *Writer, value []byte) bool { return t.ruleFor(w).Write(w, value) }

// ruleFor returns the Rule for the target of w.
func (t towards) ruleFor(w *Writer) Rule {
	if w.toV2 {
		return t.v2
	}
	return t.v1
}

// names returns the name of a member in the source and in the target.
func (r *Row) names(w *Writer) (from, to string) {
	from, to = r.Name, r.Name
	if n, ok := r.Rule.(renamed); ok {
		to = n.v1
		if w.toV2 {
			from, to = to, from
		}
	}
	return from, to
}

// ruleFor returns the Rule of a member for the target of w, inside of renamed and towards.
func (r *Row) ruleFor(w *Writer) Rule {
	rule := r.Rule
	if n, ok := rule.(renamed); ok {
		rule = n.Rule
	}
	if t, ok := rule.(towards); ok {
		rule = t.ruleFor(w)
	}
	if rule == nil {
		return Func((*Writer).copy)
	}
	return rule
}

// find returns the index of the row of a member, or -1. taken means that the target uses this
// name for another member; the caller drops the member. Some agents send a member under the names
// of both versions.
func (o Object) find(w *Writer, name []byte) (row int, taken bool) {
	for i := range o {
		from, to := o[i].names(w)
		if from == string(name) {
			return i, false
		}
		taken = taken || to == string(name)
	}
	return -1, taken
}

// ToV1 converts a raw value of version 2, see [Rule].
func (w *Writer) ToV1(rule Rule, value []byte) bool {
	w.toV2 = false
	return rule.Write(w, value)
}

// ToV2 is ToV1 for the other direction.
func (w *Writer) ToV2(rule Rule, value []byte) bool {
	w.toV2 = true
	return rule.Write(w, value)
}

// ToV1 converts the members of an object of version 2. It reports false, and writes nothing, if the
// object cannot be converted.
func (o Object) ToV1(w *Writer, members rawjson.Object) bool {
	w.toV2 = false
	return o.writeMembers(w, members)
}

// ToV2 is ToV1 for the other direction.
func (o Object) ToV2(w *Writer, members rawjson.Object) bool {
	w.toV2 = true
	return o.writeMembers(w, members)
}

// Write implements [Rule].
func (o Object) Write(w *Writer, value []byte) bool {
	var buf [16]rawjson.Field
	members, ok := rawjson.ReadObject(buf[:0], value)
	return ok && o.writeMembers(w, members)
}

func (o Object) writeMembers(w *Writer, members rawjson.Object) bool {
	start, leftOut := len(w.Out), false
	var written [32]bool // whether the member of a row was written; no Object has more rows
	w.Object()
	for i := range members {
		f := &members[i]
		if IsUnreadableMeta(*f) {
			leftOut = true
			continue
		}
		row, taken := o.find(w, f.Name)
		if row < 0 {
			if !taken {
				w.Field(*f)
			}
			continue
		}
		rule, before := o[row].ruleFor(w), len(w.Out)
		if from, to := o[row].names(w); from == to {
			w.FieldName(*f)
		} else {
			w.Name(to)
		}
		if rule.Write(w, f.Value) {
			written[row] = true
		} else {
			w.Out = w.Out[:before]
			leftOut = leftOut || rule != drop
		}
	}
	w.LeftOut = leftOut
	for i := range o {
		if written[i] {
			continue
		}
		_, to := o[i].names(w)
		json, ok := w.defaultOf(o[i].ruleFor(w))
		if !ok {
			w.Out = w.Out[:start]
			return false
		}
		if json != "" {
			w.Name(to)
			w.JSON(json)
		}
	}
	w.EndObject()
	return true
}

// defaultOf returns the JSON of a member that was not written, or "" for none. It reports false if
// the object requires the member.
func (w *Writer) defaultOf(rule Rule) (json string, ok bool) {
	switch r := rule.(type) {
	case must:
		return "", false
	case orDefault:
		json = r.json
	case constant:
		json = string(r)
	case nullIfMissing:
		if w.writesNull {
			json = "null"
		}
	}
	return json, true
}

// CopyOthers copies the members of an object, except those with these names and an unreadable _meta.
func (w *Writer) CopyOthers(o rawjson.Object, but ...string) {
	for _, f := range o {
		if !slices.Contains(but, string(f.Name)) && !IsUnreadableMeta(f) {
			w.Field(f)
		}
	}
}

// Without removes the members of a name from o, and returns the rest.
func Without(o rawjson.Object, name string) rawjson.Object {
	return slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == name })
}

// Text returns the text of an object, without an unreadable _meta.
func Text(o rawjson.Object) []byte {
	var w Writer
	Object{}.writeMembers(&w, o)
	return w.Out
}

// IsUnreadableMeta reports whether a member is a _meta that is neither an object nor null;
// neither version can read it.
func IsUnreadableMeta(f rawjson.Field) bool {
	return string(f.Name) == "_meta" && f.Value[0] != '{' && f.Value[0] != 'n'
}
