package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// maxShown is how much of a value or of a name is shown, in bytes.
const maxShown = 40

// text says the fault of a value that is at that place.
func (f fault) text(value any, place string) string {
	at, found := placeOf(value, f.at, place)
	must := func(what string, args ...any) string {
		return fmt.Sprintf("%s is %s: it must %s", at, shown(found), fmt.Sprintf(what, args...))
	}
	switch k := f.kind.(type) {
	case *kind.Required:
		return at + missing(k.Missing)
	case *kind.Type:
		if k.Got == "number" && k.Want[0] == "integer" {
			return must("be %s", either(k.Want, typeName))
		}
		return fmt.Sprintf("%s is %s: it must be %s", at, typeName(k.Got), either(k.Want, typeName))
	case *kind.Const:
		return must("be %s", shown(k.Want))
	case *kind.Enum:
		return must("be %s", either(k.Want, bare))
	case *kind.Format:
		return must("be %s", formatName(k.Want))
	case *kind.Minimum:
		return must("be %s or more", number(k.Want))
	case *kind.Maximum:
		return must("be %s or less", number(k.Want))
	case *kind.MinLength:
		if k.Want == 1 {
			return at + " is empty"
		}
	case *kind.MinItems:
		if k.Want == 1 {
			return at + " is empty"
		}
		return fmt.Sprintf("%s has %d elements: it must have %d or more", at, k.Got, k.Want)
	}
	return at + ": " + f.kind.LocalizedString(message.NewPrinter(language.English))
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
		return cut(strconv.FormatFloat(v, 'g', -1, 64))
	case json.Number:
		return cut(v.String())
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

// either joins what something can be.
func either[T any](all []T, name func(T) string) string {
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

func typeName(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "object", "array":
		return "an " + name
	}
	return "a " + name
}

func formatName(name string) string {
	switch name {
	case "uri":
		return "a URI"
	case "date-time":
		return "a date and time, such as 2026-01-31T12:00:00Z"
	case "regex":
		return "a regular expression"
	}
	return "a " + name
}

func number(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return n.FloatString(3)
}
