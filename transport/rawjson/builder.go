package rawjson

import "strconv"

// MaxScratch is how much memory of a buffer is kept for the next text. What one
// large message has taken is not kept.
const MaxScratch = 1 << 20

// Reuse returns buf for another text: empty, and nil if it has grown beyond
// [MaxScratch].
func Reuse[T any](buf []T) []T {
	if cap(buf) > MaxScratch {
		return nil
	}
	return buf[:0]
}

// A Builder writes JSON from front to back. It writes a comma wherever one is
// missing: in front of a name or a value, unless that is the first of its object
// or array or the value of a name. So to take back what was written last, cut Out.
// The zero value is ready for use.
//
// What is written is JSON if the calls make sense and raw values are JSON.
type Builder struct {
	Out []byte // what has been written
}

// Reset makes b empty and keeps its memory, see [Reuse].
func (b *Builder) Reset() { b.Out = Reuse(b.Out) }

func (b *Builder) comma() {
	for i := len(b.Out) - 1; i >= 0; i-- {
		switch b.Out[i] {
		case ' ', '\t', '\r', '\n': // a name that was read may have space behind it
		case '{', '[', ':', ',':
			return
		default:
			b.Out = append(b.Out, ',')
			return
		}
	}
}

func (b *Builder) open(bracket byte) {
	b.comma()
	b.Out = append(b.Out, bracket)
}

// Object begins an object.
func (b *Builder) Object() { b.open('{') }

// EndObject ends an object.
func (b *Builder) EndObject() { b.Out = append(b.Out, '}') }

// Array begins an array.
func (b *Builder) Array() { b.open('[') }

// EndArray ends an array.
func (b *Builder) EndArray() { b.Out = append(b.Out, ']') }

// Name writes the name of a member. Its value comes next.
func (b *Builder) Name(name string) {
	b.comma()
	b.Out = append(AppendQuoted(b.Out, name), ':')
}

// Raw writes a value that is JSON, as it is.
func (b *Builder) Raw(value []byte) {
	b.comma()
	b.Out = append(b.Out, value...)
}

// JSON is Raw for a text of the program's own. It may also be the beginning of a
// value; what is written next goes on with it.
func (b *Builder) JSON(json string) {
	b.comma()
	b.Out = append(b.Out, json...)
}

// String writes a string.
func (b *Builder) String(s []byte) {
	b.comma()
	b.Out = AppendQuoted(b.Out, s)
}

// Int writes a number.
func (b *Builder) Int(n int64) {
	b.comma()
	b.Out = strconv.AppendInt(b.Out, n, 10)
}

// Member writes a member with a raw value; nothing if the value is nil.
func (b *Builder) Member(name string, value []byte) {
	if value != nil {
		b.Name(name)
		b.Raw(value)
	}
}

// StringMember writes a member whose value is a string.
func (b *Builder) StringMember(name string, s []byte) {
	b.Name(name)
	b.String(s)
}

// Texts writes members whose values are strings: each name with its value behind it.
func (b *Builder) Texts(members ...string) {
	for i, s := range members {
		if i%2 == 0 {
			b.Name(s)
		} else {
			b.Out = AppendQuoted(b.Out, s)
		}
	}
}

// Field writes a member as it was read.
func (b *Builder) Field(f Field) { b.Raw(f.Text) }

// FieldName writes the name of a member as it was read. Its value comes next.
func (b *Builder) FieldName(f Field) { b.Raw(f.Text[:len(f.Text)-len(f.Value)]) }
