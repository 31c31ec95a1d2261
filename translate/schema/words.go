package schema

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
)

// maxShown limits the displayed part of a value or name, in characters.
const maxShown = 41

// text describes the fault. place names the root value.
func (f fault) text(place string) string {
	for _, to := range f.path {
		place += to.String()
	}
	actual := formatValue(f.value)
	switch {
	case f.rule == missingMember && len(f.want) == 1:
		return place + formatMember(f.want[0]) + " is missing"
	case f.rule == missingMember:
		return place + join(append([]string{formatMember(f.want[0])}, f.want[1:]...), " and ") + " are missing"
	case f.description != "":
		return place + " is " + f.description
	case f.want == nil:
		return place + " is " + actual + " that is not allowed"
	case f.rule == wrongType && !(typeOf(f.value) == "number" && slices.Contains(f.want, "an integer")):
		actual = formatType(typeOf(f.value))
	}
	return place + " is " + actual + ": it must be " + joinAlternatives(f.want)
}

// String formats a step.
func (s step) String() string {
	if s.index > 0 {
		return fmt.Sprintf("[%d]", s.index-1)
	}
	return formatMember(s.name)
}

// formatMember formats the step into a member.
func formatMember(name string) string {
	if strings.ContainsAny(name, " .[]\"") || name == "" {
		return `["` + translate.Truncate(name, maxShown) + `"]`
	}
	return "." + translate.Truncate(name, maxShown)
}

// formatValue returns a short value as JSON, and the type of an array, object or null.
func formatValue(value any) string {
	switch v := value.(type) {
	case string:
		return `"` + translate.Truncate(v, maxShown) + `"`
	case nil, []any, Object:
		return formatType(typeOf(v))
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return fmt.Sprint(int64(v))
		}
	}
	return fmt.Sprint(value)
}

// formatAllowed formats an allowed value, a string without quotes.
func formatAllowed(value any) string {
	if s, ok := value.(string); ok && s != "" {
		return s
	}
	return formatValue(value)
}

// joinAlternatives joins alternatives, with null last.
func joinAlternatives(all []string) string {
	if i := slices.Index(all, "null"); i >= 0 {
		all = append(slices.Delete(slices.Clone(all), i, i+1), "null")
	}
	return join(all, " or ")
}

func join(all []string, word string) string {
	last := len(all) - 1
	if last == 0 {
		return all[0]
	}
	return strings.Join(all[:last], ", ") + word + all[last]
}

func formatType(name string) string {
	switch name {
	case "null":
		return name
	case "integer", "object", "array":
		return "an " + name
	}
	return "a " + name
}
