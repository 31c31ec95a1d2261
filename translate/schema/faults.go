package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Faults are what is wrong with a message, in the order of their places.
type Faults []string

// said returns the one fault that a text says.
func said(format string, args ...any) Faults { return Faults{fmt.Sprintf(format, args...)} }

// Reason returns the first of the faults, and how many more there are.
func (f Faults) Reason() string {
	switch len(f) {
	case 0:
		return ""
	case 1:
		return f[0]
	}
	return fmt.Sprintf("%s (and %d more)", f[0], len(f)-1)
}

// faultsOf returns what a schema does not allow in a value, which is at that place in a
// message.
func faultsOf(schema *jsonschema.Schema, value any, place string) (texts Faults) {
	err := schema.Validate(value)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return said("%s cannot be judged: %v", place, err)
	}
	faults := leaves(invalid)
	slices.SortStableFunc(faults, func(a, b fault) int { return inOrder(a.path(), b.path()) })
	for _, f := range faults {
		texts = append(texts, f.text(value, place))
	}
	return texts
}

// inOrder compares two places in a value. The elements of arrays are in their order.
func inOrder(a, b []string) int {
	return slices.CompareFunc(a, b, func(a, b string) int {
		i, errI := strconv.Atoi(a)
		j, errJ := strconv.Atoi(b)
		if errI == nil && errJ == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(a, b)
	})
}

// A fault is one thing that is not allowed in a value.
type fault struct {
	at   []string // the place in the value
	url  string   // of the schema that does not allow it
	kind jsonschema.ErrorKind
}

// path returns where the fault is: a member that is missing has a place, too.
func (f fault) path() []string {
	if k, ok := f.kind.(*kind.Required); ok {
		return append(slices.Clip(f.at), k.Missing[0])
	}
	return f.at
}

// weight returns how much speaks against a branch with this fault.
func (f fault) weight() int {
	if k, ok := f.kind.(*kind.Required); ok {
		return len(k.Missing)
	}
	return 1
}

// leaves returns the faults that an error tells of. Of several branches it takes the one
// that the value means.
func leaves(err *jsonschema.ValidationError) (faults []fault) {
	switch k := err.ErrorKind.(type) {
	case *kind.AnyOf:
		return meant(err)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return meant(err)
		}
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			faults = append(faults, leaves(cause)...)
		}
		return faults
	}
	return []fault{{err.InstanceLocation, err.SchemaURL, err.ErrorKind}}
}

// meant returns the faults of the branch that the value means, given the error of a
// value that fits no branch. If it means none, the fault says what it could be.
func meant(err *jsonschema.ValidationError) []fault {
	var best, all []fault
	for _, cause := range err.Causes {
		faults := leaves(cause)
		all = append(all, faults...)
		isOther := slices.ContainsFunc(faults, func(f fault) bool { return rulesOut(f, err) })
		if !isOther && (best == nil || lessAgainst(faults, best)) {
			best = faults
		}
	}
	if best != nil {
		return best
	}
	for _, join := range []func(all []fault, err *jsonschema.ValidationError) (fault, bool){values, tags, types} {
		if joined, ok := join(all, err); ok {
			return []fault{joined}
		}
	}
	return []fault{{err.InstanceLocation, err.SchemaURL, err.ErrorKind}}
}

// rulesOut reports whether a fault of a branch tells that another one is meant.
func rulesOut(f fault, branches *jsonschema.ValidationError) bool {
	if len(f.at) != len(branches.InstanceLocation) {
		return isTag(f, branches)
	}
	switch f.kind.(type) {
	case *kind.Type, *kind.Const, *kind.Enum, *kind.Not:
		return true
	}
	return false
}

// isTag reports whether a fault is in the member by which one tells the branches apart.
func isTag(f fault, branches *jsonschema.ValidationError) bool {
	within := len(branches.InstanceLocation)
	if _, ok := f.kind.(*kind.Const); !ok || len(f.at) != within+1 {
		return false
	}
	rest, ok := strings.CutPrefix(f.url, branches.SchemaURL+"/")
	parts := strings.Split(rest, "/") // such as oneOf/3/properties/type
	return ok && len(parts) == 4 && parts[2] == "properties"
}

// lessAgainst reports whether less speaks against a branch than against another.
func lessAgainst(faults, others []fault) bool {
	count := func(faults []fault) (weight, depth int) {
		for _, f := range faults {
			weight, depth = weight+f.weight(), max(depth, len(f.at))
		}
		return weight, depth
	}
	weight, depth := count(faults)
	other, otherDepth := count(others)
	return weight < other || weight == other && depth > otherDepth
}

// values joins what a value itself could be.
func values(all []fault, err *jsonschema.ValidationError) (fault, bool) {
	return oneFault(all, func(f fault) bool { return len(f.at) == len(err.InstanceLocation) })
}

// tags joins what the member could be by which one tells the branches apart.
func tags(all []fault, err *jsonschema.ValidationError) (fault, bool) {
	first := slices.IndexFunc(all, func(f fault) bool { return isTag(f, err) })
	return oneFault(all, func(f fault) bool {
		return first >= 0 && isTag(f, err) && slices.Equal(f.at, all[first].at)
	})
}

// oneFault makes one fault of those that name the values which are allowed.
func oneFault(all []fault, of func(fault) bool) (joined fault, ok bool) {
	var want []any
	for _, f := range all {
		if !of(f) {
			continue
		}
		switch k := f.kind.(type) {
		case *kind.Const:
			want = append(want, k.Want)
			joined = fault{f.at, "", &kind.Enum{Got: k.Got, Want: want}}
		case *kind.Enum:
			want = append(want, k.Want...)
			joined = fault{f.at, "", &kind.Enum{Got: k.Got, Want: want}}
		}
	}
	return joined, len(want) > 0
}

// types joins the types that a value could have.
func types(all []fault, err *jsonschema.ValidationError) (joined fault, ok bool) {
	var want []string
	for _, f := range all {
		if k, is := f.kind.(*kind.Type); is && len(f.at) == len(err.InstanceLocation) {
			for _, name := range k.Want {
				if !slices.Contains(want, name) {
					want = append(want, name)
				}
			}
			joined = fault{f.at, "", &kind.Type{Got: k.Got, Want: want}}
		}
	}
	return joined, len(want) > 0
}
