package rawjson

import "iter"

// A Field is a member of an object.
type Field struct {
	Name  []byte // unescaped
	Value []byte // raw
	Text  []byte // raw: name, colon and value
}

// An Object holds the members of an object in order.
type Object []Field

// ReadObject appends the members of a raw value to buf. It returns false if the value is not an
// object or not JSON. The members share memory with value.
//
// A Cursor must have validated the value, because ReadObject does not check the content of strings.
func ReadObject(buf Object, value []byte) (Object, bool) {
	c := Cursor{text: value, checked: true}
	if c.Kind() != '{' {
		return buf, false
	}
	buf = c.Members(buf)
	return buf, c.err == nil
}

// Members is ReadObject without a buffer. A value that is not an object has no members.
func Members(value []byte) Object {
	o, _ := ReadObject(nil, value)
	return o
}

// Members reads the object that is next and appends its members to buf. They share memory
// with the text.
func (c *Cursor) Members(buf Object) Object {
	buf, _ = c.MembersAnd("", buf, nil)
	return buf
}

// MembersAnd is Members, and also reads the value of the member of that name. It appends the members
// of that value to inner, which must be empty. A value that is not an object has no members. If the
// name is repeated, the last member counts.
func (c *Cursor) MembersAnd(name string, buf, inner Object) (members, innerMembers Object) {
	for more := c.Object(); more; more = c.NextMember() {
		start := c.Offset()
		f := Field{Name: c.Name()}
		value := c.Offset()
		isInner := name != "" && string(f.Name) == name
		if isInner {
			inner = inner[:0]
		}
		if isInner && c.Kind() == '{' {
			inner = c.Members(inner)
		} else {
			c.Skip()
		}
		if c.err != nil {
			break
		}
		f.Value, f.Text = c.text[value:c.pos], c.text[start:c.pos]
		if buf == nil {
			buf = make(Object, 0, 4)
		}
		buf = append(buf, f)
	}
	return buf, inner
}

// Get returns the raw value of a member, or nil. If the name is repeated, the last member counts, as
// in most parsers.
func (o Object) Get(name string) []byte {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].Name) == name {
			return o[i].Value
		}
	}
	return nil
}

// Text returns the value of a member, unquoted. ok is false if the value is missing or not a string.
func (o Object) Text(name string) (text []byte, ok bool) { return TextOf(o.Get(name)) }

// String is Text, with "" for a member that is missing or not a string.
func (o Object) String(name string) string {
	text, _ := o.Text(name)
	return string(text)
}

// Object returns the members of the value of a member, see [Members].
func (o Object) Object(name string) Object { return Members(o.Get(name)) }

// StringAt returns the string at a path, see [Get], or "".
func StringAt(value []byte, path ...string) string {
	text, _ := TextOf(Get(value, path...))
	return string(text)
}

// TextOf returns a raw value unquoted. ok is false if the value is nil or not a string.
func TextOf(value []byte) (text []byte, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	return Unquote(value), true
}

// ReadArray appends the raw elements of a validated value to buf, see [ReadObject]. It
// returns false if the value is not an array or not JSON.
func ReadArray(buf [][]byte, value []byte) ([][]byte, bool) {
	c := Cursor{text: value, checked: true}
	if c.Kind() != '[' {
		return buf, false
	}
	for more := c.Array(); more; more = c.NextElement() {
		if element := c.Value(); element != nil {
			buf = append(buf, element)
		}
	}
	return buf, c.err == nil
}

// Objects iterates over the elements of a validated array, see [ReadObject]. Each element
// is read into buf. Elements that are not objects have no members.
func Objects(value []byte, buf Object) iter.Seq[Object] {
	return func(yield func(Object) bool) {
		c := Cursor{text: value, checked: true}
		for more := c.Array(); more; more = c.NextElement() {
			buf = buf[:0]
			if c.Kind() == '{' {
				buf = c.Members(buf)
			} else {
				c.Skip()
			}
			if c.err != nil || !yield(buf) {
				return
			}
		}
	}
}

// IsObject reports whether a raw value, which may be nil, is an object.
func IsObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

// IsArray reports whether a raw value, which may be nil, is an array.
func IsArray(value []byte) bool { return len(value) > 0 && value[0] == '[' }

// Get returns the raw value at a path of members in a validated value, see [ReadObject].
// It returns nil if a value on the path is not an object or lacks the member. If a name is
// repeated, the last member counts.
func Get(value []byte, path ...string) []byte {
	for _, name := range path {
		c := Cursor{text: value, checked: true}
		value = nil
		if c.Kind() != '{' {
			return nil
		}
		for more := c.Object(); more; more = c.NextMember() {
			if string(c.Name()) == name {
				value = c.Value()
			} else {
				c.Skip()
			}
		}
	}
	return value
}

// IsNull reports whether a raw value is null or missing.
func IsNull(value []byte) bool { return len(value) == 0 || value[0] == 'n' }

// Set replaces the value of the members of that name, or adds a member.
func (o Object) Set(name string, value []byte) Object {
	text := append(append(AppendQuoted(make([]byte, 0, len(name)+len(value)+3), name), ':'), value...)
	return o.Put(Field{Name: []byte(name), Value: text[len(text)-len(value):], Text: text})
}

// Put replaces the members of that name with f, or adds f. It does not copy f.
func (o Object) Put(f Field) Object {
	found := false
	for i := range o {
		if string(o[i].Name) == string(f.Name) {
			o[i], found = f, true
		}
	}
	if !found {
		o = append(o, f)
	}
	return o
}
