// Package rawjson reads and edits JSON without decoding it.
//
// The proxy preserves every byte that it does not translate: key order, number spelling,
// white space and escapes. It therefore never decodes and encodes a message. A [Cursor] walks the
// text and locates the few interesting values, and an [Editor] or a [Builder] copies the text with
// changes. A [Walker] walks a text that is still arriving.
//
// A Cursor accepts exactly the JSON of RFC 8259, with two exceptions: strings may contain
// invalid UTF-8 and lone surrogates, which are only copied. Nesting is not limited and
// uses one bit of memory per level.
package rawjson

import (
	"errors"
	"fmt"
)

// A Cursor walks one JSON text from front to back, in one pass. The zero value
// is ready for Reset.
//
// An object is read by
//
//	for more := c.Object(); more; more = c.NextMember() {
//		switch string(c.Name()) {
//		case "method":
//			method = c.Value()
//		default:
//			c.Skip()
//		}
//	}
//
// and an array by Array and NextElement. The body must consume each value by
// exactly one of Object, Array, Value or Skip.
//
// After the first error, loops end and Value returns nil; Err returns that error. A Cursor must not
// be used by two goroutines at once. Returned slices share memory with the text unless noted.
type Cursor struct {
	text []byte
	pos  int
	err  error
	nest brackets // the open brackets in Skip

	// checked means that the strings in text are valid, so that only their ends are
	// searched.
	checked bool
}

// Reset moves c to the beginning of a text.
func (c *Cursor) Reset(text []byte) {
	*c = Cursor{text: text, nest: brackets{outer: c.nest.outer[:0]}}
}

// Err returns the first error.
func (c *Cursor) Err() error { return c.err }

// Offset returns the index of the next value. At the end of an object or array it returns
// the index of the closing bracket. It skips white space; see [Cursor.Pos] for the end of
// the last value.
func (c *Cursor) Offset() int {
	c.peek()
	return c.pos
}

// Pos returns the offset behind the last consumed byte.
func (c *Cursor) Pos() int { return c.pos }

// Kind returns the type of the next value: { [ " t f n for object, array, string, true,
// false, null, and the digit 0 for a number. It returns another byte if a value is
// missing.
func (c *Cursor) Kind() byte {
	b := c.peek()
	if b == '-' || '0' <= b && b <= '9' {
		return '0'
	}
	return b
}

// End reports whether only white space remains and no error has occurred. Otherwise it
// records an error.
func (c *Cursor) End() bool {
	if c.err == nil {
		c.peek()
		if c.pos < len(c.text) {
			c.fail("data after the value")
		}
	}
	return c.err == nil
}

// Object enters the object that is next. It reports whether the object has a member; Name
// must then be called.
func (c *Cursor) Object() bool { return c.open('{', '}') }

// NextMember moves to the next member of an object and returns true, or leaves it and
// returns false.
func (c *Cursor) NextMember() bool { return c.next('}') }

// Array enters the array that is next and reports whether it has elements.
func (c *Cursor) Array() bool { return c.open('[', ']') }

// NextElement is NextMember for an array.
func (c *Cursor) NextElement() bool { return c.next(']') }

// Name returns the name of a member, unescaped; a name with escapes is a copy.
func (c *Cursor) Name() []byte {
	name, plain := c.name()
	if c.err != nil || plain {
		return name
	}
	return Unquote(name)
}

// SkipTo skips a value that the caller knows to be valid and to end at offset end.
func (c *Cursor) SkipTo(end int) { c.pos = end }

// Skip skips the next value.
func (c *Cursor) Skip() {
	if c.err == nil && c.peek() == '"' {
		c.skipString()
		return
	}
	base := c.nest.depth
	for c.err == nil {
		switch b := c.peek(); {
		case b == '"':
			c.skipString()
		case b == '{' || b == '[':
			c.pos++
			closer := b + 2 // in ASCII, ] is [ + 2 and } is { + 2
			if c.peek() == closer {
				c.pos++
				break
			}
			c.nest.push(closer)
			if closer == '}' {
				c.name()
			}
			continue
		case b == '-' || '0' <= b && b <= '9':
			c.skipNumber()
		case b == 't':
			c.skipLiteral("true")
		case b == 'f':
			c.skipLiteral("false")
		case b == 'n':
			c.skipLiteral("null")
		default:
			c.fail("no value")
		}
		for c.nest.depth > base && c.err == nil {
			closer := c.nest.closer()
			if c.next(closer) {
				if closer == '}' {
					c.name()
				}
				break
			}
			c.nest.pop()
		}
		if c.nest.depth == base {
			return
		}
	}
}

// brackets is a stack of open brackets, one bit for each. It allocates only beyond 64 brackets.
type brackets struct {
	depth int
	top   uint64   // the innermost brackets, up to 64; the bit of an object is set
	outer []uint64 // 64 brackets each, outermost first
}

// push adds an open bracket, given the one that closes it.
func (b *brackets) push(closer byte) {
	if b.depth > 0 && b.depth%64 == 0 {
		b.outer = append(b.outer, b.top)
	}
	b.depth++
	b.top <<= 1
	if closer == '}' {
		b.top |= 1
	}
}

// closer returns the closing bracket of the innermost level.
func (b *brackets) closer() byte {
	if b.top&1 != 0 {
		return '}'
	}
	return ']'
}

func (b *brackets) pop() {
	b.depth--
	b.top >>= 1
	if b.depth > 0 && b.depth%64 == 0 {
		last := len(b.outer) - 1
		b.top, b.outer = b.outer[last], b.outer[:last]
	}
}

// Value skips the next value and returns its text.
func (c *Cursor) Value() []byte {
	start := c.Offset()
	c.Skip()
	if c.err != nil {
		return nil
	}
	return c.text[start:c.pos]
}

func (c *Cursor) fail(what string) {
	if c.err == nil {
		if c.pos >= len(c.text) {
			c.err = errTruncated
		} else {
			c.err = fmt.Errorf("%s at offset %d", what, c.pos)
		}
	}
}

var errTruncated = errors.New("unexpected end of JSON")

// peek skips white space and returns the next byte, or 0 at the end.
func (c *Cursor) peek() byte {
	if c.pos < len(c.text) && c.text[c.pos] > ' ' {
		return c.text[c.pos]
	}
	return c.skipSpace()
}

func (c *Cursor) skipSpace() byte {
	for ; c.pos < len(c.text); c.pos++ {
		switch b := c.text[c.pos]; b {
		case ' ', '\t', '\r', '\n':
		default:
			return b
		}
	}
	return 0
}

func (c *Cursor) open(opener, closer byte) bool {
	if c.err != nil {
		return false
	}
	if c.peek() != opener {
		c.fail("no " + string(opener))
		return false
	}
	c.pos++
	if c.peek() == closer {
		c.pos++
		return false
	}
	return true
}

// next reads a comma and returns true, or reads the end of a container.
func (c *Cursor) next(closer byte) bool {
	if c.err != nil {
		return false
	}
	switch c.peek() {
	case ',':
		c.pos++
		return true
	case closer:
		c.pos++
		return false
	}
	c.fail("no comma and no " + string(closer))
	return false
}

// name reads the name of a member and its colon. plain means that the name has no escapes;
// name is then the content, otherwise the raw string.
func (c *Cursor) name() (name []byte, plain bool) {
	if c.err != nil {
		return nil, false
	}
	if c.peek() != '"' {
		c.fail("no member name")
		return nil, false
	}
	start := c.pos
	end := plainEnd(c.text, start+1)
	if plain = end < len(c.text) && c.text[end] == '"'; plain {
		name = c.text[start+1 : end]
		c.pos = end + 1
	} else {
		c.skipString()
		name = c.text[start:c.pos]
	}
	if c.err == nil && c.peek() != ':' {
		c.fail("no colon")
	}
	if c.err != nil {
		return nil, false
	}
	c.pos++
	return name, plain
}

func (c *Cursor) skipString() {
	var ok bool
	if c.checked {
		c.pos, ok = checkedEnd(c.text, c.pos+1)
	} else {
		c.pos, ok = StringEnd(c.text, c.pos+1)
	}
	if !ok {
		c.fail("control character or bad escape in a string")
	}
}

func (c *Cursor) skipLiteral(word string) {
	if len(c.text)-c.pos < len(word) || string(c.text[c.pos:c.pos+len(word)]) != word {
		c.fail("bad literal")
		return
	}
	c.pos += len(word)
}

func (c *Cursor) skipNumber() {
	i := c.pos
	digits := func() bool {
		start := i
		for i < len(c.text) && '0' <= c.text[i] && c.text[i] <= '9' {
			i++
		}
		return i > start
	}
	if c.text[i] == '-' {
		i++
	}
	ok := true
	if i < len(c.text) && c.text[i] == '0' {
		i++
	} else {
		ok = digits()
	}
	if ok && i < len(c.text) && c.text[i] == '.' {
		i++
		ok = digits()
	}
	if ok && i < len(c.text) && c.text[i]|0x20 == 'e' {
		i++
		if i < len(c.text) && (c.text[i] == '+' || c.text[i] == '-') {
			i++
		}
		ok = digits()
	}
	c.pos = i
	if !ok {
		c.fail("bad number")
	}
}
