package rawjson

// A Walker walks an object, and objects in it, while the text still arrives. Each call receives the
// text so far and continues where the last call stopped. A Walker checks the order of names, colons
// and commas in the objects that it enters, but accepts an object that ends after a comma or a colon. In
// skipped values it only counts brackets and finds the ends of strings.
//
// The zero value is at the beginning of a text.
type Walker struct {
	// Pos is the index of the first unread byte. It may exceed the length of the text by
	// one. A caller that removes bytes in front of the text subtracts their number.
	Pos   int
	Depth int    // the number of objects that are open
	Name  []byte // the last name, unescaped; nil if it is longer than MaxName; valid after NameRead

	expect   expectation
	skipping bool // a value is being skipped: a number or literal unless one of the following is set
	inString bool // Pos is in a string of the skipped value
	nested   int  // number of open brackets of the skipped value
}

// MaxName is the length of the longest raw name that a Walker reads: 32 escaped bytes and
// the quotes.
const MaxName = 6*32 + 2

type expectation uint8

const (
	expectValue expectation = iota
	expectName
	expectColon
	expectComma
)

// A Step is the result of [Walker.Next].
type Step uint8

const (
	Partial   Step = iota // the text ends before the next step
	NameRead              // Name is the name of the next member
	ValueNext             // the caller must call Enter, Skip, String or Scalar
	ObjectEnd             // an object has ended
	Invalid               // the text is not JSON; Next must not be called again
)

// Next reads text up to the next step.
func (w *Walker) Next(text []byte) Step {
	for w.Pos < len(text) {
		if w.skipping {
			w.skip(text)
			continue
		}
		b := text[w.Pos]
		switch {
		case b <= ' ' && isSpace(b):
		case w.expect == expectValue:
			return ValueNext
		case w.expect == expectName && b == '"':
			name, ok := w.String(text, MaxName)
			if !ok {
				return Partial
			}
			w.Name, w.expect = name, expectColon
			if !w.skipping && w.Pos < len(text) && text[w.Pos] == ':' {
				w.expect = expectValue
				w.Pos++
			}
			return NameRead
		case w.expect == expectColon && b == ':':
			w.expect = expectValue
		case w.expect == expectComma && b == ',':
			w.expect = expectName
		case w.expect != expectColon && b == '}':
			w.Pos++
			w.Depth--
			w.expect = expectComma
			return ObjectEnd
		default:
			return Invalid
		}
		w.Pos++
	}
	return Partial
}

// Enter enters the object that is next.
func (w *Walker) Enter() {
	w.Pos++
	w.Depth++
	w.expect = expectName
}

// Skip skips the value that is next in text.
func (w *Walker) Skip(text []byte) {
	w.expect, w.skipping = expectComma, true
	switch text[w.Pos] {
	case '"':
		w.inString = true
		w.Pos++
	case '{', '[':
		w.nested = 1
		w.Pos++
	}
}

// String returns the string that is next in text, unescaped. It skips a string whose raw length
// exceeds limit, and returns nil. It returns false if the string has not arrived whole.
func (w *Walker) String(text []byte, limit int) (s []byte, ok bool) {
	start, escaped := w.Pos, false
	for i := start + 1; ; i++ {
		i = plainEnd(text, i)
		switch {
		case i-start >= limit: // without the second quote
			w.Skip(text)
			return nil, true
		case i >= len(text):
			return nil, false
		case text[i] == '"':
			w.Pos, w.expect = i+1, expectComma
			if escaped {
				return Unquote(text[start:w.Pos]), true
			}
			return text[start+1 : i], true
		case text[i] == '\\':
			escaped = true
			i++
		}
	}
}

// Scalar returns the raw string, number or literal that is next in text, unchecked. It skips a value
// that exceeds limit, and returns nil. It returns false if the value has not arrived whole.
func (w *Walker) Scalar(text []byte, limit int) (raw []byte, ok bool) {
	start := w.Pos
	if text[start] == '"' {
		_, ok = w.String(text, limit)
	} else {
		w.Skip(text)
		w.skip(text)
		ok = !w.skipping || w.Pos-start > limit
	}
	switch {
	case !ok:
		w.Pos, w.expect, w.skipping = start, expectValue, false
		return nil, false
	case w.skipping || w.Pos-start > limit:
		return nil, true
	}
	return text[start:w.Pos], true
}

// skip skips the rest of a value as far as it has arrived.
func (w *Walker) skip(text []byte) {
	i, inString, nested := w.Pos, w.inString, w.nested
	if !inString && nested == 0 {
		for i < len(text) && !endsScalar(text[i]) {
			i++
		}
		w.Pos, w.skipping = i, i == len(text)
		return
	}
	for inString || nested > 0 {
		if inString {
			i = plainEnd(text, i)
		}
		if i >= len(text) {
			w.Pos, w.inString, w.nested = i, inString, nested
			return
		}
		switch b := text[i]; {
		case b == '"':
			inString = !inString
		case inString:
			if b == '\\' {
				i++ // the escaped byte may not have arrived
			}
		case b == '{' || b == '[':
			nested++
		case b == '}' || b == ']':
			nested--
		}
		i++
	}
	w.Pos, w.inString, w.nested, w.skipping = i, false, 0, false
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

func endsScalar(b byte) bool { return b == ',' || b == '}' || b == ']' || b <= ' ' }
