package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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
	word  string // its stem, in lower case
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

// longestNumber limits the bytes of a text that are searched for its number.
const longestNumber = 64

// stem returns the first four characters of a word, which its inflected forms share.
func stem(word string) string {
	n := 0
	for i := range word {
		if n++; n > 4 {
			return word[:i]
		}
	}
	return word
}

const numerals = "一二三四五六七八九十"

// numberOf reads the number of a name: "Step 3: …", "2.1 …", "第三阶段".
func numberOf(name string) number {
	if len(name) > longestName {
		name = name[:longestName]
	}
	s := strings.TrimLeftFunc(name, func(r rune) bool { return !isLetterOrDigit(r) })
	v := theVocabulary()
	if n, ok := numberBeforeWord(s, v); ok {
		return n
	}
	digits, after := cutDigits(s)
	if digits != "" {
		// "1. Phase 2" is a phase.
		rest := strings.TrimLeft(strings.TrimLeft(after, ".)、"), " ")
		if n := numberAfterWord(rest, v); n.isUnit() {
			return n
		}
		if isPlainNumber(digits, after) {
			return number{numbering: plain, value: digits}
		}
		return number{}
	}
	return numberAfterWord(s, v)
}

// numberBeforeWord reads "第三阶段" and "1단계".
func numberBeforeWord(s string, v *vocabulary) (number, bool) {
	rest := strings.TrimLeft(strings.TrimPrefix(s, "第"), " ")
	value, after := cutNumber(rest)
	if value == "" {
		return number{}, false
	}
	after = strings.TrimLeft(after, " ")
	end := 0
	for i, r := range after {
		if !isUnspaced(r) || i > 4*longestSpaced {
			break
		}
		end = i + utf8.RuneLen(r)
		if v.words[after[:end]]&countedWords != 0 {
			return number{groupUnit, stem(after[:end]), value}, true
		}
	}
	return number{}, false
}

// numberAfterWord reads "Step 3", "Phase A", "任务一".
func numberAfterWord(s string, v *vocabulary) number {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) || strings.ContainsRune(numerals, r) })
	if end <= 0 {
		return number{} // no number follows
	}
	word := strings.ToLower(s[:end])
	numbering := groupUnit
	switch groups := v.words[word]; {
	case groups&tasksWords != 0:
		numbering = taskUnit
	case groups&groupsWords == 0:
		return number{}
	}
	rest := strings.TrimLeft(s[end:], " #:")
	value, after := cutNumber(rest)
	if value == "" {
		value, after = cutLetters(rest)
	}
	if next, _ := utf8.DecodeRuneInString(after); value == "" || isLetterOrDigit(next) {
		return number{}
	}
	return number{numbering, stem(word), value}
}

// cutLetters cuts "a1", "a" or "iv" off s.
func cutLetters(s string) (value, after string) {
	s = strings.ToLower(s)
	end := len(s) - len(strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz"))
	if end == 1 {
		if digits, after := cutDigits(s[1:]); digits != "" {
			return s[:1] + digits, after
		}
	}
	if end == 1 || strings.Trim(s[:end], "ivx") == "" {
		return s[:end], s[end:]
	}
	return "", s
}

// cutDigits cuts "2" or "2.1" off s.
func cutDigits(s string) (digits, after string) {
	i := 0
	for i < len(s) && (isDigit(s[i]) || i > 0 && (s[i] == '.' || s[i] == '-') && isDigit(s[i-1]) && i+1 < len(s) && isDigit(s[i+1])) {
		i++
	}
	if i == 0 {
		return cutWideDigits(s)
	}
	return s[:i], s[i:]
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// cutWideDigits is cutDigits for full-width digits.
func cutWideDigits(s string) (digits, after string) {
	var b strings.Builder
	for i, r := range s {
		if r < '０' || '９' < r {
			return b.String(), s[i:]
		}
		b.WriteByte(byte('0' + r - '０'))
	}
	return b.String(), ""
}

// cutNumber cuts digits or a Chinese numeral off s.
func cutNumber(s string) (number, after string) {
	if number, after = cutDigits(s); number == "" {
		after = strings.TrimLeft(s, numerals)
		number = s[:len(s)-len(after)]
	}
	return number, after
}

// isPlainNumber reports whether digits number a heading, by the text after them:
// "1. Read", "2.1 Parse", "3 - Ship", "3）". Not "10:30", "3.x" or "2026 …".
func isPlainNumber(digits, after string) bool {
	whole, _, isPart := strings.Cut(digits, ".")
	rest := strings.TrimLeft(after, ".:)：）．、")
	switch {
	case len(whole) > 3:
		return false
	case rest == after: // no mark
		dash := len(rest) - len(strings.TrimLeft(rest, " -–—"))
		return strings.HasPrefix(rest, " ") && (isPart || dash >= len(" - "))
	}
	return rest == "" || rest[0] == ' ' || max(rest[0], after[0]) >= utf8.RuneSelf // scripts without spaces
}
