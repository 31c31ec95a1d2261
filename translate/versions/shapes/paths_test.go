package shapes

import "testing"

func TestAbsolute(t *testing.T) {
	for _, test := range []struct{ cwd, file, want string }{
		{"/p", "a", "/p/a"}, {"/p/", "./a/../b", "/p/b"}, {"/p", "/q/../r", "/q/../r"}, {"", "a", "a"}, {"p", "a", "a"},
		{`C:\p`, "a/b", `C:\p\a\b`}, {`C:\p\`, `.\a`, `C:\p\a`}, {`C:\p`, `D:\a`, `D:\a`}, {`C:\p`, "D:/a", "D:/a"}, {`\\host\p`, "a", `\\host\p\a`},
	} {
		if got := Absolute(test.cwd, test.file); got != test.want {
			t.Errorf("%s in %s is %s, want %s", test.file, test.cwd, got, test.want)
		}
	}
}
