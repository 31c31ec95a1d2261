package rawjson

import "iter"

// A Field is a member of an object, by its texts.
type Field struct {
	Name  []byte // unescaped
	Value []byte // raw
	Text  []byte // raw: the name, the colon and the value
}

// An Object is the members of an object in their order.
type Object []Field

// ReadObject appends the members of the JSON value to buf. It reports false if
// the value is not an object or not JSON. The members share memory with value.
//
// The value must be a part of a text that a Cursor has read to its end, because
// the insides of strings are not checked again.
func ReadObject(buf Object, value []byte) (Object, bool) {
	c := Cursor{text: value, checked: true}
	if c.Kind() != '{' {
		return buf, false
	}
	buf = c.Members(buf)
	return buf, c.err == nil
}

// Members is ReadObject for a value that need not be an object: there are no members then.
func Members(value []byte) Object {
	o, _ := ReadObject(nil, value)
	return o
}

// Members reads the object that is next and appends its members to buf. They
// share memory with the text.
func (c *Cursor) Members(buf Object) Object {
	buf, _ = c.MembersAnd("", buf, nil)
	return buf
}

// MembersAnd is Members. It also looks for a member of that name, and reads the
// members of its value into inner, which must be empty. A value that is not an
// object has none. If several members have that name, the last counts.
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
		buf = append(buf, f)
	}
	return buf, inner
}

// Get returns the raw value of the member of that name, or nil.
// If there are several, it returns the last, as most parsers do.
func (o Object) Get(name string) []byte {
	for i := len(o) - 1; i >= 0; i-- {
		if string(o[i].Name) == name {
			return o[i].Value
		}
	}
	return nil
}

// Text returns what the member of that name says if it is a string.
func (o Object) Text(name string) (text []byte, ok bool) { return TextOf(o.Get(name)) }

// String is Text for a member that may be missing or something else: "" then.
func (o Object) String(name string) string {
	text, _ := o.Text(name)
	return string(text)
}

// Object returns the members of the member of that name, see [Members].
func (o Object) Object(name string) Object { return Members(o.Get(name)) }

// TextOf returns what a raw JSON value says if it is a string. The value may be
// nil.
func TextOf(value []byte) (text []byte, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	return Unquote(value), true
}

// ReadArray appends the raw elements of the JSON value to buf. It reports false
// if the value is not an array or not JSON. The value must meet the condition of
// [ReadObject].
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

// Objects returns the elements of the JSON value, an array, one after the other in
// the memory of buf. Elements that are not objects have no members. The value
// must meet the condition of [ReadObject].
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

// Get returns the raw value that a path of members leads to, from a raw value on. It
// returns nil where a value is not an object or lacks the member. If an object has
// several members of a name, the last counts. The value must be checked, as that of
// [ReadObject].
func Get(value []byte, path ...string) []byte {
	for _, name := range path {
		c := Cursor{text: value, checked: true}
		if value = nil; c.Kind() != '{' {
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

// Null reports whether a raw JSON value is null or is not there at all.
func Null(value []byte) bool { return len(value) == 0 || value[0] == 'n' }

// Set gives the members of that name another raw value, or adds one.
func (o Object) Set(name string, value []byte) Object {
	text := append(append(AppendQuoted(make([]byte, 0, len(name)+len(value)+3), name), ':'), value...)
	return o.Put(Field{Name: []byte(name), Value: text[len(text)-len(value):], Text: text})
}

// Put replaces the members of that name with f, or adds f. The memory of f is not
// copied.
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
