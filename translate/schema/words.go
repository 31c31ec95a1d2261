package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxShown is how much of a value or of a name is shown, in bytes.
const maxShown = 40

// text says the fault in a value that is at that place.
func (f fault) text(root any, place string) string {
	at, value := placeOf(root, f.at, place)
	switch f.rule {
	case lacks:
		return at + missing(f.missing)
	case wrongType:
		return fmt.Sprintf("%s is %s: it must be %s", at, ofType(value, f.types), either(f.types, typeName))
	case wrongValue:
		return fmt.Sprintf("%s is %s: it must be %s", at, shown(value), either(f.values, bare))
	case wrongForm:
		return fmt.Sprintf("%s is %s: it must be %s", at, shown(value), f.form)
	case tooSmall:
		return fmt.Sprintf("%s is %s: it must be %s or more", at, shown(value), shown(f.least))
	case tooBig:
		return fmt.Sprintf("%s is %s: it must be %s or less", at, shown(value), shown(f.most))
	case tooShort:
		if f.least == 1 {
			return at + " is empty"
		}
		return fmt.Sprintf("%s is too short: it must have a length of %v", at, f.least)
	case ambiguous:
		return fmt.Sprintf("%s is %s that can mean two things", at, shown(value))
	}
	return fmt.Sprintf("%s is %s that is not allowed", at, shown(value))
}

// placeOf spells a place in a value, and returns what is there.
func placeOf(value any, path []string, place string) (string, any) {
	text := []byte(place)
	for _, step := range path {
		switch v := value.(type) {
		case []any:
			text = fmt.Appendf(text, "[%s]", step)
			if i, err := strconv.Atoi(step); err == nil && i < len(v) {
				value = v[i]
			}
		case Object:
			text = append(text, member(step)...)
			value = v[step]
		}
	}
	return string(text), value
}

// member spells the step into a member.
func member(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return strings.ContainsRune(" .[]\"", r) }) || name == "" {
		return `["` + cut(name) + `"]`
	}
	return "." + cut(name)
}

// missing says which members of an object are missing.
func missing(names []string) string {
	if len(names) == 1 {
		return member(names[0]) + " is missing"
	}
	last := len(names) - 1
	return member(names[0]) + strings.Join(append([]string{""}, names[1:last]...), ", ") + " and " + names[last] + " are missing"
}

// shown returns a value as JSON, if that is short, or what it is.
func shown(value any) string {
	switch v := value.(type) {
	case string:
		return `"` + cut(v) + `"`
	case nil:
		return "null"
	case []any:
		return "an array"
	case Object:
		return "an object"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return cut(fmt.Sprint(value))
}

// bare returns a value that is allowed.
func bare(value any) string {
	if s, ok := value.(string); ok && s != "" {
		return s
	}
	return shown(value)
}

func cut(text string) string {
	if len(text) <= maxShown {
		return text
	}
	end := maxShown
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// either joins what something can be, null last.
func either[T any](all []T, name func(T) string) string {
	all = slices.SortedStableFunc(slices.Values(all), func(a, b T) int { return last(name(a)) - last(name(b)) })
	var b strings.Builder
	for i, one := range all {
		switch {
		case i > 0 && i == len(all)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(name(one))
	}
	return b.String()
}

func last(name string) int {
	if name == "null" {
		return 1
	}
	return 0
}

// ofType returns what a value is that has none of the types: itself if it is a number
// with decimals in the place of an integer.
func ofType(value any, types []string) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case float64:
		if slices.Contains(types, "integer") {
			return shown(value)
		}
		return "a number"
	}
	return shown(value)
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
