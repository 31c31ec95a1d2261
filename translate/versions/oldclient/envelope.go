package oldclient

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// member returns the raw value of a member of a raw object, nil if there is none.
func member(object []byte, name string) []byte {
	o, _ := rawjson.ReadObject(nil, object)
	return o.Get(name)
}

// appendMember appends a member to the members of an object that begins with {.
func appendMember(dst []byte, name string, text []byte) []byte {
	return rawjson.AppendQuoted(appendName(dst, name), text)
}

func appendRaw(dst []byte, name string, value []byte) []byte {
	return append(appendName(dst, name), value...)
}

func appendName(dst []byte, name string) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), '"', ':')
}

// appendObject appends an object, see [words.Shape].
func appendObject(dst []byte, o rawjson.Object) []byte {
	size := len("{}")
	for _, f := range o {
		size += len(f.Text) + len(",")
	}
	dst = append(slices.Grow(dst, size), '{')
	for _, f := range o {
		if !words.UnreadableMeta(f) {
			dst = append(appendComma(dst), f.Text...)
		}
	}
	return append(dst, '}')
}

func cloned(raw []byte) []byte { return append([]byte(nil), raw...) }

// textIn returns what a raw JSON value says if it is a string. That is a part of
// the value or, if it has escapes, appended to buf.
func textIn(buf, value []byte) (text []byte, ok bool) {
	switch {
	case len(value) < 2 || value[0] != '"':
		return nil, false
	case bytes.IndexByte(value, '\\') < 0:
		return value[1 : len(value)-1], true
	}
	return rawjson.AppendUnquoted(buf, value), true
}

func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return dst
}
