package names

import "testing"

func TestApply(t *testing.T) {
	const one, other = "1", "2"
	var m Map
	m.AddResult([]byte(`{"sessionId":"recorded-1"}`), []byte(`{"sessionId":"mine"}`))
	m.Add("s", "x")
	m.AddDir(one, "/home/ann/src/", "/my work")
	m.AddDir(other, "/home/ann/src", "/other")
	m.AddDir(one, "/home/ann", "/me")
	m.AddDir(one, `C:\src`, "/win")
	m.AddDir(one, "/", "/nothing")
	tests := []struct{ text, want string }{
		{`"recorded-1"`, `"mine"`},
		{`"see recorded-1."`, `"see mine."`},
		{`"recorded-12 unrecorded-1 recorded-1-b"`, `"recorded-12 unrecorded-1 recorded-1-b"`},
		{`"\/recorded-12"`, `"\/recorded-12"`},
		{`"it's s"`, `"it's s"`},
		{`"s"`, `"x"`},
		{`"/home/ann/src"`, `"/my work"`},
		{`"/home/ann/src/a.go:1"`, `"/my work/a.go:1"`},
		{`"\/home\/ann\/src\/a"`, `"/my work/a"`},
		{`"(/home/ann/src)"`, `"(/my work)"`},
		{`"in /home/ann/src."`, `"in /my work."`},
		{`"/home/ann/src2 /home/ann/src.old /x/home/ann/src"`, `"/me/src2 /me/src.old /x/home/ann/src"`},
		{`"file:///home/ann/src/a"`, `"file:///my%20work/a"`},
		{`"file://localhost/home/ann/src/a"`, `"file://localhost/my%20work/a"`},
		{`"home/ann/src/a"`, `"my work/a"`},
		{`"cd /home/ann/src && \"ls\"\n"`, `"cd /my work && \"ls\"\n"`},
		{`"“/home/ann/src/a” ö/home/ann/src"`, `"“/my work/a” ö/home/ann/src"`},
		{`"C:\\src\\a"`, `"/win\\a"`},
		{`"/"`, `"/"`},
		{`{"/home/ann/src":["recorded-1",1,null]}`, `{"/my work":["mine",1,null]}`},
	}
	for _, tt := range tests {
		if got := string(m.Apply(one, []byte(tt.text))); got != tt.want {
			t.Errorf("%s became %s, not %s", tt.text, got, tt.want)
		}
	}
	if got := string(m.Apply(other, []byte(`"/home/ann/src"`))); got != `"/other"` {
		t.Errorf("in another session: %s", got)
	}
}
