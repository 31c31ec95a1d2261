package patches

import (
	"strconv"
	"strings"
)

// none is the name of a file that does not exist before, or after.
const none = "/dev/null"

// quoteName returns a name as git writes it: in quotes, with octal escapes, if it
// has unusual bytes.
func quoteName(name string) string {
	plain := true
	for i := range len(name) {
		c := name[i]
		plain = plain && c >= ' ' && c < 0x7f && c != '"' && c != '\\'
	}
	if plain {
		return name
	}
	var q strings.Builder
	q.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			q.WriteByte('\\')
			q.WriteByte(c)
		case c == '\t':
			q.WriteString(`\t`)
		case c == '\n':
			q.WriteString(`\n`)
		case c == '\r':
			q.WriteString(`\r`)
		case c < ' ' || c >= 0x7f:
			q.WriteString(`\` + strconv.FormatInt(0o1000|int64(c), 8)[1:])
		default:
			q.WriteByte(c)
		}
	}
	q.WriteByte('"')
	return q.String()
}
