package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// A numbering is the form of the number of a heading.
type numbering uint8

const (
	unnumbered numbering = iota
	plain                // "3. Parse", "2.1 Lexer"
	groupUnit            // "Phase 3": with a word for groups of steps
	taskUnit             // "Task 3": with a word for steps
)

// isUnit reports whether the number has a word for steps or groups of steps.
func (n numbering) isUnit() bool { return n >= groupUnit }

// A number is the number at the start of a name.
type number struct {
	numbering
	word  string // of a unit, in lower case
	value string // "3", "2.1", "三", "a"
}

// isFirst reports whether a run may start with the number.
func (n number) isFirst() bool {
	v := n.value[strings.LastIndexAny(n.value, ".-")+1:]
	return v == "0" || v == "1" || v == "一" || v == "a" || v == "i"
}

// int returns the value as an integer, 2 for "2.1", -1 for "三".
func (n number) int() int {
	whole, _, _ := strings.Cut(n.value, ".")
	value, err := strconv.Atoi(whole)
	if err != nil {
		return -1
	}
	return value
}

const (
	numerals       = "一二三四五六七八九十"
	digitsPattern  = `[0-9]+(?:[.-][0-9]+)*`
	valuePattern   = digitsPattern + `|[` + numerals + `]+`
	lettersPattern = `[a-z](?:` + digitsPattern + `)?|[ivx]+`
)

// numberForms match a number with what is next to it.
type numberForms struct{ beforeWord, afterWord, plain *regexp.Regexp }

var theForms = sync.OnceValue(func() numberForms {
	return numberForms{
		// "第三阶段", "1단계"
		beforeWord: regexp.MustCompile(`^第? *(` + valuePattern + `) *(阶段|步|階段|フェーズ|ステップ|단계)`),
		// " 3", "三", " #2.1:", " A", " iv"
		afterWord: regexp.MustCompile(`^(?:[ #:]*(` + valuePattern + `)|[ #:]+(` + lettersPattern + `))(?:[^\pL\p{Nd}]|$)`),
		// "1. Read", "3）", "3 - Ship", or "2.1 Parse"; not "10:30", "3.x" or "2026 …"
		plain: regexp.MustCompile(`^([0-9]{1,3}(?:[.-][0-9]+)*)(?:[.:)]+(?: |$|[^\x00-\x7f])|[：）．、]| +[-–—] )|^([0-9]{1,3}\.[0-9][0-9.-]*) `),
	}
})

// numberOf reads the number of a name: "Step 3: …", "2.1 …", "第三阶段".
func numberOf(name string) number {
	name = strings.TrimLeftFunc(name[:min(len(name), longestName)], func(r rune) bool { return !isLetterOrDigit(r) })
	name = strings.ToLower(strings.Map(narrow, name))
	forms, unit := theForms(), name
	startsNumbered := strings.IndexAny(name, "第0123456789"+numerals) == 0
	if startsNumbered {
		if m := forms.beforeWord.FindStringSubmatch(name); m != nil {
			return number{groupUnit, m[2], m[1]}
		}
		unit = strings.TrimLeft(name, "0123456789.)、 ") // "1. Phase 2" is a phase
	}
	rest := strings.TrimLeftFunc(unit, func(r rune) bool { return unicode.IsLetter(r) && !strings.ContainsRune(numerals, r) })
	word := unit[:len(unit)-len(rest)]
	if groups := theVocabulary().words[word] & (groupsWords | tasksWords); groups != 0 {
		if m := forms.afterWord.FindStringSubmatch(rest); m != nil {
			n := number{groupUnit, word, m[1] + m[2]}
			if groups&tasksWords != 0 {
				n.numbering = taskUnit
			}
			return n
		}
	}
	if startsNumbered {
		if m := forms.plain.FindStringSubmatch(name); m != nil {
			return number{numbering: plain, value: m[1] + m[2]}
		}
	}
	return number{}
}

// narrow returns the ASCII form of a full-width digit.
func narrow(r rune) rune {
	if '０' <= r && r <= '９' {
		return r - '０' + '0'
	}
	return r
}
