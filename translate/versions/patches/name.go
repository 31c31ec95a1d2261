package patches

import (
	"fmt"
	"strings"
)

// none is the name of a file that does not exist before, or after.
const none = "/dev/null"

// quoteName returns a name as git writes it: in quotes, with octal escapes, if it
// has unusual bytes.
func quoteName(name string) string {
	q := []byte{'"'}
	for i := range len(name) {
		c := name[i]
		if short := strings.IndexByte("\"\\\t\n\r", c); short >= 0 {
			q = append(q, '\\', `"\tnr`[short])
		} else if c < ' ' || c >= 0x7f {
			q = fmt.Appendf(q, `\%03o`, c)
		} else {
			q = append(q, c)
		}
	}
	if len(q) == 1+len(name) {
		return name
	}
	return string(append(q, '"'))
}
