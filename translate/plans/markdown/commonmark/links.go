package commonmark

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Bounds of what a link may be.
const (
	maxLabel  = 999 // bytes, as the specification says
	maxParens = 32  // parentheses in one another in a destination
)

// linkDefinition returns the label and the destination of the link definition that s
// starts with, and the length of the definition, or 0.
func linkDefinition(s []byte) (label, destination []byte, length int) {
	end := labelLength(s)
	if end == 0 || end == len(s) || s[end] != ':' {
		return nil, nil, 0
	}
	label = s[1 : end-1]
	if len(bytes.TrimSpace(label)) == 0 {
		return nil, nil, 0
	}
	start := skipSpace(s, end+1)
	i := start + destinationLength(s[start:])
	if i == start {
		return nil, nil, 0
	}
	destination = s[start:i]
	// A title, with space before it and nothing after it on its line.
	if space := skipSpace(s, i); space > i {
		if n := len(title.find(s[space:])); n > 0 {
			if end, ok := lineEnd(s, space+n); ok {
				return label, destination, end
			}
		}
	}
	if end, ok := lineEnd(s, i); ok {
		return label, destination, end
	}
	return nil, nil, 0
}

// lineEnd returns the end of the line, if nothing but space is left of it.
func lineEnd(s []byte, i int) (end int, ok bool) {
	for ; i < len(s); i++ {
		if s[i] == '\n' {
			return i + 1, true
		}
		if !isSpace(s[i]) {
			return 0, false
		}
	}
	return i, true
}

// labelLength returns the length of the label in brackets that s starts with, 0
// if it starts with none.
func labelLength(s []byte) int {
	if len(s) == 0 || s[0] != '[' {
		return 0
	}
	for i := 1; i < len(s) && i <= maxLabel; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return 0
		case ']':
			return i + 1
		}
	}
	return 0
}

var (
	bracketed = pattern{text: `^<(?:[^<>\n\\]|\\(?s:.))*>`}
	title     = pattern{text: `^(?s:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))`}
)

// destinationLength returns the length of the link destination that s starts
// with, 0 if it starts with none.
func destinationLength(s []byte) int {
	if len(s) > 0 && s[0] == '<' {
		return len(bracketed.find(s))
	}
	parens, i := 0, 0
	for ; i < len(s) && s[i] > ' '; i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunctuation(s[i+1]):
			i++
		case c == '(':
			if parens++; parens > maxParens {
				return 0
			}
		case c == ')' && parens == 0:
			return i
		case c == ')':
			parens--
		}
	}
	if parens > 0 {
		return 0
	}
	return i
}

// inlineLink returns the destination in the parentheses that s starts with, and their
// length, 0 if it starts with none.
func inlineLink(s []byte) (destination []byte, length int) {
	if len(s) == 0 || s[0] != '(' {
		return nil, 0
	}
	i := skipSpace(s, 1)
	if i < len(s) && s[i] != ')' {
		length := destinationLength(s[i:])
		if length == 0 {
			return nil, 0
		}
		destination = s[i : i+length]
		i += length
		if space := skipSpace(s, i); space > i {
			i = space + len(title.find(s[space:]))
		}
		i = skipSpace(s, i)
	}
	if i < len(s) && s[i] == ')' {
		return destination, i + 1
	}
	return nil, 0
}

// normalLabel returns a label in the form in which labels are compared.
func normalLabel(label []byte) string {
	return strings.ToLower(strings.Join(strings.Fields(string(label)), " "))
}

func isPunctuation(b byte) bool { return b < utf8.RuneSelf && isPunct(rune(b)) }
