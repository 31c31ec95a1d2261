package words

// Shapes are the two Shapes of an object that is not the same in both versions, one
// for each direction. An object that is the same has one Shape.
type Shapes struct{ ToV1, ToV2 Shape }

// A table describes an object member by member.
type table []row

// A row is a member: its name in each version, "" in a version that lacks it, and
// what becomes of it in each direction.
type row struct {
	v1, v2     string
	toV1, toV2 rule
}

// A rule is what becomes of a member in one direction.
type rule struct {
	convert     Convert // nil if any value passes as it is
	or          string  // Default, see Member
	required    bool
	front, back bool
}

// shapes returns the Shapes of the object.
func (t table) shapes() Shapes {
	s := Shapes{ToV1: make(Shape, 0, len(t)), ToV2: make(Shape, 0, len(t))}
	for _, r := range t {
		s.ToV1 = r.toV1.addTo(s.ToV1, r.v2, r.v1)
		s.ToV2 = r.toV2.addTo(s.ToV2, r.v1, r.v2)
	}
	return s
}

// addTo adds the rule for a member whose name is from, and to on the other side. A
// side on which a member is unknown may have it all the same: it says nothing then.
func (r rule) addTo(s Shape, from, to string) Shape {
	m := Member{Name: from, Convert: r.convert, Default: r.or, Required: r.required, Front: r.front, Back: r.back}
	switch {
	case from == "":
		m.Name, m.Convert = to, Leave
	case to == "":
		m.Convert = Leave
	case from != to:
		m.To = to
	}
	switch {
	case m.Convert != nil:
	case m.To == "":
		return s
	default:
		m.Convert = Same
	}
	return append(s, m)
}

// asIs is the rule for a member that passes as it is, gone for one that the other side
// lacks.
var asIs, gone rule

// must is the rule for a member without which its object has no form.
func must(convert Convert) rule { return rule{convert: convert, required: true} }

// may is the rule for a member that is left out if it has no form.
func may(convert Convert) rule { return rule{convert: convert} }

// or is the rule for a member that is replaced if it has no form.
func or(convert Convert, otherwise string) rule { return rule{convert: convert, or: otherwise} }

// is is the rule for a member that always has the same value.
func is(value string) rule { return rule{convert: Leave, or: value} }

func (r rule) inFront() rule { r.front = true; return r }

func (r rule) atBack() rule { r.back = true; return r }
