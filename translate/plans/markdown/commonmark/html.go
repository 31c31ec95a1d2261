package commonmark

import (
	"bytes"
	"strings"
)

// An htmlEnd says what an HTML block ends with. 0 means that no HTML block is
// open.
type htmlEnd uint8

const (
	endsTag         htmlEnd = iota + 1 // </pre>, </script>, </style> or </textarea>
	endsComment                        // -->
	endsInstruction                    // ?>
	endsDeclaration                    // >
	endsCDATA                          // ]]>
	endsBlank                          // a blank line
)

// in reports whether a block with that end ends in line.
func (e htmlEnd) in(line []byte) bool {
	switch e {
	case endsTag:
		line = bytes.ToLower(line)
		for _, tag := range rawTags {
			if bytes.Contains(line, []byte("</"+tag+">")) {
				return true
			}
		}
	case endsComment:
		return bytes.Contains(line, []byte("-->"))
	case endsInstruction:
		return bytes.Contains(line, []byte("?>"))
	case endsDeclaration:
		return bytes.IndexByte(line, '>') >= 0
	case endsCDATA:
		return bytes.Contains(line, []byte("]]>"))
	}
	return false
}

// rawTags are the elements whose contents are not markdown.
var rawTags = []string{"pre", "script", "style", "textarea"}

// blockTags are the elements that start an HTML block in the midst of a line, with a space
// around each.
const blockTags = " address article aside base basefont blockquote body caption center col colgroup dd details " +
	"dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html " +
	"iframe legend li link main menu menuitem nav noframes ol optgroup option p param search section summary table " +
	"tbody td tfoot th thead title tr track ul "

// startsHTML returns what ends the HTML block that the line starts, 0 if it
// starts none.
func (p *parser) startsHTML(inParagraph bool) htmlEnd {
	line := p.rest()
	switch {
	case bytes.HasPrefix(line, []byte("<!--")):
		return endsComment
	case bytes.HasPrefix(line, []byte("<?")):
		return endsInstruction
	case bytes.HasPrefix(line, []byte("<![CDATA[")):
		return endsCDATA
	case len(line) > 2 && line[1] == '!' && isLetter(line[2]):
		return endsDeclaration
	}
	closing := len(line) > 1 && line[1] == '/'
	name := line[1:]
	if closing {
		name = name[1:]
	}
	length := 0
	for length < len(name) && length < 16 && (isLetter(name[length]) || isDigit(name[length])) {
		length++
	}
	tag, after := strings.ToLower(string(name[:length])), name[length:]
	if tag == "" {
		return 0
	}
	ends := len(after) == 0 || isSpace(after[0]) || after[0] == '>'
	if ends && !closing {
		for _, raw := range rawTags {
			if tag == raw {
				return endsTag
			}
		}
	}
	if (ends || bytes.HasPrefix(after, []byte("/>"))) && strings.Contains(blockTags, " "+tag+" ") {
		return endsBlank
	}
	// Any other tag that is alone on its line.
	if length := tagLength(line); !inParagraph && length > 0 && len(bytes.TrimSpace(line[length:])) == 0 {
		return endsBlank
	}
	return 0
}

// tagLength returns the length of the opening or closing tag that s starts with,
// 0 if it starts with none.
func tagLength(s []byte) int {
	i := 1
	closing := i < len(s) && s[i] == '/'
	if closing {
		i++
	}
	if i >= len(s) || !isLetter(s[i]) {
		return 0
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || s[i] == '-') {
		i++
	}
	for !closing {
		length := attributeLength(s[i:])
		if length == 0 {
			break
		}
		i += length
	}
	i = skipSpace(s, i)
	if !closing && i < len(s) && s[i] == '/' {
		i++
	}
	if i < len(s) && s[i] == '>' {
		return i + 1
	}
	return 0
}

// attributeLength returns the length of the attribute that s starts with, the
// space before it included, 0 if it starts with none.
func attributeLength(s []byte) int {
	i := skipSpace(s, 0)
	if i == 0 || i == len(s) || !isLetter(s[i]) && s[i] != '_' && s[i] != ':' {
		return 0
	}
	for i < len(s) && (isLetter(s[i]) || isDigit(s[i]) || bytes.IndexByte([]byte("_.:-"), s[i]) >= 0) {
		i++
	}
	value := skipSpace(s, i)
	if value == len(s) || s[value] != '=' {
		return i
	}
	value = skipSpace(s, value+1)
	if value == len(s) {
		return 0
	}
	if quote := s[value]; quote == '"' || quote == '\'' {
		length := bytes.IndexByte(s[value+1:], quote)
		if length < 0 {
			return 0
		}
		return value + length + 2
	}
	end := value
	for end < len(s) && !isSpace(s[end]) && bytes.IndexByte([]byte("\"'=<>`"), s[end]) < 0 {
		end++
	}
	if end == value {
		return 0
	}
	return end
}

func skipSpace(s []byte, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
