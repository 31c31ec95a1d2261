package patches

import (
	"fmt"
	"strings"
)

// none is the name of a file before its creation, or after its deletion.
const none = "/dev/null"

// quoteName returns a name as git writes it: a name with unusual bytes has quotes and escapes.
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
