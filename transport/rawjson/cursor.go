// Package rawjson reads and edits JSON without decoding it.
//
// The proxy promises that every byte it does not translate leaves as it came:
// key order, number spelling, white space, escapes and all. So it never
// decodes a message into values and encodes it again. It walks the text with a
// [Cursor], notes where the few interesting values begin and end, and cuts and
// inserts there with an [Editor].
//
// The reading is strict: a text that is not JSON by RFC 8259 is refused. There are
// two exceptions: strings may hold invalid UTF-8 and lone surrogates. They do no
// harm, because bytes are only ever copied. Nesting is not limited and uses one
// bit of memory a level.
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
// and an array likewise by Array and NextElement. In the body each value must
// be consumed by exactly one of Object, Array, Value or Skip.
//
// Errors stick: after one, loops end, Value returns nil, and Err says what was
// wrong and where. A Cursor must not be used by two goroutines at once. What
// it returns are parts of the text it was reset to, unless noted.
type Cursor struct {
	text []byte
	pos  int
	err  error
	nest brackets // those that Skip has to see closed

	// checked tells that the strings in text are known to be good, so that only
	// their ends have to be found.
	checked bool
}

// Reset makes c start at the beginning of text.
func (c *Cursor) Reset(text []byte) {
	*c = Cursor{text: text, nest: brackets{outer: c.nest.outer[:0]}}
}

// Err returns the first error met.
func (c *Cursor) Err() error { return c.err }

// Offset returns the index in the text of the next value. At the end of an object
// or array it returns the index of the closing bracket. Right after a value it
// returns the end of the value only if no white space follows; [Cursor.Pos] is for
// that.
func (c *Cursor) Offset() int {
	c.peek()
	return c.pos
}

// Pos returns the offset behind the last byte that was read.
func (c *Cursor) Pos() int { return c.pos }

// Kind returns what the next value is: one of { [ " t f n for object, array,
// string, true, false, null, and 0, the digit, for a number; or some other
// byte if a value is missing.
func (c *Cursor) Kind() byte {
	b := c.peek()
	if b == '-' || '0' <= b && b <= '9' {
		return '0'
	}
	return b
}

// End reports whether only white space is left and all was read without an error.
// Otherwise it records an error.
func (c *Cursor) End() bool {
	if c.err == nil {
		if c.peek(); c.pos < len(c.text) {
			c.fail("data after the value")
		}
	}
	return c.err == nil
}

// Object steps into the object that is next. It reports whether the object has
// a member; Name must then be called.
func (c *Cursor) Object() bool { return c.open('{', '}') }

// NextMember steps to the next member of an object, or out of it.
func (c *Cursor) NextMember() bool { return c.next('}') }

// Array steps into the array that is next and reports whether it has elements.
func (c *Cursor) Array() bool { return c.open('[', ']') }

// NextElement steps to the next element of an array, or out of it.
func (c *Cursor) NextElement() bool { return c.next(']') }

// Name reads the name of a member, unescaped; it is a copy if it had escapes.
func (c *Cursor) Name() []byte {
	name, plain := c.name()
	if c.err != nil || plain {
		return name
	}
	return Unquote(name)
}

// SkipTo is Skip for a value that the caller knows to be valid and to end at
// offset end.
func (c *Cursor) SkipTo(end int) { c.pos = end }

// Skip passes over the next value, whatever it is.
func (c *Cursor) Skip() {
	if c.err == nil && c.peek() == '"' {
		c.str()
		return
	}
	base := c.nest.depth
	for c.err == nil {
		switch b := c.peek(); {
		case b == '"':
			c.str()
		case b == '{' || b == '[':
			c.pos++
			closer := b + 2 // in ASCII ] and } come two after [ and {
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
			c.number()
		case b == 't':
			c.literal("true")
		case b == 'f':
			c.literal("false")
		case b == 'n':
			c.literal("null")
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

// brackets are a stack of open brackets, a bit each. The stack allocates memory
// only for more than 64.
type brackets struct {
	depth int
	top   uint64 // the innermost up to 64; a bit is set for an object
	outer []uint64
}

// push notes an open bracket by the one that closes it.
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

// closer returns what closes the innermost bracket.
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

// Value passes over the next value and returns its text.
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

// peek skips white space and returns the byte there, 0 at the end.
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

// next reads the comma before a further part of a container, or its end.
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

// name reads the name of a member and its colon. It returns what a plain name, one
// without escapes, says; of others it returns the raw name.
func (c *Cursor) name() (name []byte, plain bool) {
	if c.err != nil {
		return nil, false
	}
	if c.peek() != '"' {
		c.fail("no member name")
		return nil, false
	}
	start := c.pos
	end := PlainEnd(c.text, start+1)
	if plain = end < len(c.text) && c.text[end] == '"'; plain {
		name = c.text[start+1 : end]
		c.pos = end + 1
	} else {
		c.str()
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

func (c *Cursor) str() {
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

func (c *Cursor) literal(word string) {
	if len(c.text)-c.pos < len(word) || string(c.text[c.pos:c.pos+len(word)]) != word {
		c.fail("bad literal")
		return
	}
	c.pos += len(word)
}

func (c *Cursor) number() {
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
