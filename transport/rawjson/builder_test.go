package rawjson

import (
	"bytes"
	"testing"
)

func TestBuilder(t *testing.T) {
	o, _ := ReadObject(nil, []byte(`{ "kept" : [1, 2], "named": 3}`))
	tests := []struct {
		name  string
		write func(b *Builder)
		want  string
	}{
		{"an empty object", func(b *Builder) { b.Object(); b.EndObject() }, `{}`},
		{"members", func(b *Builder) {
			b.Object()
			b.Member("id", []byte("1"))
			b.StringMember("text", []byte("a \"b\""))
			b.Member("absent", nil)
			b.Name("n")
			b.Int(-7)
			b.EndObject()
		}, `{"id":1,"text":"a \"b\"","n":-7}`},
		{"a name with a quote", func(b *Builder) { b.Object(); b.Member(`a"b`, []byte("1")); b.EndObject() }, `{"a\"b":1}`},
		{"elements", func(b *Builder) {
			b.Array()
			b.Raw([]byte("null"))
			b.String([]byte("{"))
			b.Object()
			b.EndObject()
			b.Array()
			b.EndArray()
			b.JSON("true")
			b.EndArray()
		}, `[null,"{",{},[],true]`},
		{"members as they were read", func(b *Builder) {
			b.Object()
			b.Field(o[0])
			b.FieldName(o[1])
			b.String([]byte("x"))
			b.EndObject()
		}, `{"kept" : [1, 2],"named": "x"}`},
		{"a string that ends like a name", func(b *Builder) { b.Array(); b.String([]byte("a:")); b.Int(1); b.EndArray() }, `["a:",1]`},
		{"a value that is removed again", func(b *Builder) {
			b.Array()
			b.Int(1)
			before := len(b.Out)
			b.Object()
			b.Name("x")
			b.Out = b.Out[:before]
			b.Int(2)
			b.EndArray()
		}, `[1,2]`},
		{"members after a beginning", func(b *Builder) { b.JSON(`{"jsonrpc":"2.0"`); b.Member("id", []byte("0")); b.EndObject() }, `{"jsonrpc":"2.0","id":0}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var b Builder
			test.write(&b)
			if string(b.Out) != test.want {
				t.Errorf("wrote %s, want %s", b.Out, test.want)
			}
			var c Cursor
			c.Reset(b.Out)
			c.Skip()
			if !c.End() {
				t.Errorf("%s is not JSON: %v", b.Out, c.Err())
			}
		})
	}
}

func TestReuse(t *testing.T) {
	small := append(make([]byte, 0, 16), "text"...)
	if got := Reuse(small); len(got) != 0 || cap(got) != 16 {
		t.Errorf("of a small buffer, length %d and capacity %d are left", len(got), cap(got))
	}
	if got := Reuse(bytes.Repeat([]byte("x"), MaxScratch+1)); got != nil {
		t.Error("a large buffer is kept")
	}
}
