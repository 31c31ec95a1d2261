package schema

import (
	"acp-plan-proxy/translate"
	"fmt"
	"math"
	"slices"
	"strings"
)

// maxShown limits the displayed part of a value or name, in characters.
const maxShown = 41

// text describes the fault. place names the root value.
func (f fault) text(place string) string {
	for _, to := range f.at {
		place += to.String()
	}
	is := shown(f.value)
	switch {
	case f.rule == lacks && len(f.want) == 1:
		return place + member(f.want[0]) + " is missing"
	case f.rule == lacks:
		return place + joined(append([]string{member(f.want[0])}, f.want[1:]...), " and ") + " are missing"
	case f.is != "":
		return place + " is " + f.is
	case f.want == nil:
		return place + " is " + is + " that is not allowed"
	case f.rule == wrongType && !(typeOf(f.value) == "number" && slices.Contains(f.want, "an integer")):
		is = typeName(typeOf(f.value))
	}
	return place + " is " + is + ": it must be " + either(f.want)
}

// String formats a step.
func (s step) String() string {
	if s.index > 0 {
		return fmt.Sprintf("[%d]", s.index-1)
	}
	return member(s.name)
}

// member formats the step into a member.
func member(name string) string {
	if strings.ContainsAny(name, " .[]\"") || name == "" {
		return `["` + translate.Truncate(name, maxShown) + `"]`
	}
	return "." + translate.Truncate(name, maxShown)
}

// shown returns a short value as JSON, and the type of an array, object or null.
func shown(value any) string {
	switch v := value.(type) {
	case string:
		return `"` + translate.Truncate(v, maxShown) + `"`
	case nil, []any, Object:
		return typeName(typeOf(v))
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return fmt.Sprint(int64(v))
		}
	}
	return fmt.Sprint(value)
}

// bare formats an allowed value, a string without quotes.
func bare(value any) string {
	if s, ok := value.(string); ok && s != "" {
		return s
	}
	return shown(value)
}

// either joins alternatives, with null last.
func either(all []string) string {
	if i := slices.Index(all, "null"); i >= 0 {
		all = append(slices.Delete(slices.Clone(all), i, i+1), "null")
	}
	return joined(all, " or ")
}

func joined(all []string, word string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + word + all[last]
}

func typeName(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "object", "array":
		return "an " + name
	}
	return "a " + name
}
