package rawjson

import "strconv"

// MaxScratch is the capacity beyond which a buffer is not reused, so that one large
// message does not occupy memory forever.
const MaxScratch = 1 << 20

// Reuse returns buf emptied for another text, or nil if its capacity exceeds [MaxScratch].
func Reuse[T any](buf []T) []T {
	if cap(buf) > MaxScratch {
		return nil
	}
	return buf[:0]
}

// A Builder writes JSON from front to back. It inserts a missing comma in front of each
// name or value, so a caller can truncate Out to remove the last value. The zero value is
// ready for use.
//
// The output is valid if the calls are balanced and raw values are valid.
type Builder struct {
	Out []byte // the output
}

// Reset empties b and reuses its memory, see [Reuse].
func (b *Builder) Reset() { b.Out = Reuse(b.Out) }

func (b *Builder) comma() {
	for i := len(b.Out) - 1; i >= 0; i-- {
		switch b.Out[i] {
		case ' ', '\t', '\r', '\n': // after the colon that FieldName copied
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

// Name writes the name of a member. The next call writes its value.
func (b *Builder) Name(name string) {
	b.comma()
	b.Out = append(AppendQuoted(b.Out, name), ':')
}

// Raw writes a raw value.
func (b *Builder) Raw(value []byte) {
	b.comma()
	b.Out = append(b.Out, value...)
}

// JSON is Raw for a string. json may be the beginning of a value that the next calls
// complete.
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

// Member writes a member with a raw value, or nothing if the value is nil.
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

// Texts writes members with string values, given as alternating names and values.
func (b *Builder) Texts(members ...string) {
	for i, s := range members {
		if i%2 == 0 {
			b.Name(s)
		} else {
			b.Out = AppendQuoted(b.Out, s)
		}
	}
}

// Field writes a member in its original spelling.
func (b *Builder) Field(f Field) { b.Raw(f.Text) }

// FieldName writes the name of a member in its original spelling. The next call writes its
// value.
func (b *Builder) FieldName(f Field) { b.Raw(f.Text[:len(f.Text)-len(f.Value)]) }
