package rawjson

import (
	"bytes"
	"encoding/json"
	"testing"
)

// parts returns the members or elements of the object or array that is text.
func parts(text []byte) []Member {
	var c Cursor
	c.Reset(text)
	var found []Member
	if c.Kind() == '{' {
		for more := c.Object(); more; more = c.NextMember() {
			m := Member{Start: c.Offset()}
			c.Name()
			m.Value = c.Offset()
			c.Skip()
			m.End = c.Pos()
			found = append(found, m)
		}
	} else {
		for more := c.Array(); more; more = c.NextElement() {
			m := Member{Start: c.Offset(), Value: c.Offset()}
			c.Skip()
			m.End = c.Pos()
			found = append(found, m)
		}
	}
	return found
}

// checkSplice cuts a part of text if its bit is set in cut, and replaces its
// value if its bit is set in replace. It checks that the result is JSON, has
// the other parts unchanged, and begins and ends like text.
func checkSplice(t *testing.T, text []byte, cut, replace uint64) {
	t.Helper()
	members := parts(text)
	e := Edit([]byte("before"), text, 0)
	kept := false
	var want [][]byte
	for i, m := range members {
		bit := uint64(1) << (i % 64)
		if cut&bit != 0 {
			e.Cut(CutSpan(members, i, kept))
			continue
		}
		kept = true
		part := bytes.Clone(text[m.Start:m.End])
		if replace&bit != 0 {
			e.Replace(m.Value, m.End, "{}")
			part = append(part[:m.Value-m.Start], "{}"...)
		}
		want = append(want, part)
	}
	out, ok := bytes.CutPrefix(e.Finish(len(text)), []byte("before"))
	if !ok || !json.Valid(out) {
		t.Fatalf("%q, cut %b, replaced %b: %q", text, cut, replace, out)
	}
	got := parts(out)
	if len(got) != len(want) {
		t.Fatalf("%q, cut %b: %d parts are left in %q", text, cut, len(got), out)
	}
	for i, m := range got {
		if !bytes.Equal(out[m.Start:m.End], want[i]) {
			t.Errorf("%q, cut %b, replaced %b: part %d is %q, want %q", text, cut, replace, i, out[m.Start:m.End], want[i])
		}
	}
	if len(members) > 0 {
		start, end := members[0].Start, members[len(members)-1].End
		if !bytes.HasPrefix(out, text[:start]) || !bytes.HasSuffix(out, text[end:]) {
			t.Errorf("%q, cut %b, replaced %b: %q does not begin and end alike", text, cut, replace, out)
		}
	} else if !bytes.Equal(out, text) {
		t.Errorf("%q became %q", text, out)
	}
}

func TestSpliceEverySubset(t *testing.T) {
	for _, text := range []string{
		`{}`, `[ ]`, `{"a":1}`, ` [1] `, `{"a":1,"b":[2],"c":{"d":3}}`, " {\t\"a\" : 1 ,\n \"b\":2 , \"a\"\n:3 , \"c\" : \"}\" \r} \n",
		`[1,2,3,4]`, ` [ 1 , "," , [ ] , {} ] `,
	} {
		n := len(parts([]byte(text)))
		for cut := range uint64(1) << n {
			for replace := range uint64(1) << n {
				checkSplice(t, []byte(text), cut, replace)
			}
		}
	}
}

func FuzzSplice(f *testing.F) {
	for i, text := range texts {
		f.Add([]byte(text), uint64(i), uint64(0x5a))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut, replace uint64) {
		var c Cursor
		c.Reset(text)
		if k := c.Kind(); k == '{' || k == '[' {
			// Deeper texts are JSON for a Cursor, but not for the oracle.
			c.Skip()
			if c.End() && nesting(text) < deepest {
				checkSplice(t, text, cut, replace)
			}
		}
	})
}

func TestEditorFromTheMiddle(t *testing.T) {
	e := Edit(nil, []byte("0123456789"), 2)
	e.Replace(3, 5, "x")
	e.Cut(5, 6)
	e.Out = append(e.Out, 'y')
	e.CopyTo(7)
	if got := string(e.Finish(9)); got != "2xy678" {
		t.Errorf("got %q", got)
	}
}
