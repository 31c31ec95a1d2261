package view

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// ended returns the context of a request whose connection is closed.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestAccess(t *testing.T) {
	const own = "127.0.0.1:4711"
	page := newPage("x", fromServer)
	const usual = "127.0.0.1:80" // browsers omit its port
	tests := []struct {
		name, method, host, path string
		want                     int
		addr                     string // of the server; own if empty
	}{
		{"page", "GET", own, "/TOKEN/", 200, ""},
		{"page by the name localhost", "GET", "LocalHost:4711", "/TOKEN/", 200, ""},
		{"page without the slash", "GET", own, "/TOKEN", 302, ""},
		{"lines", "GET", own, "/TOKEN/events", 200, ""},
		{"lines from nowhere", "GET", own, "/TOKEN/events?recording=x&offset=-1", 200, ""},
		{"no lines", "HEAD", own, "/TOKEN/events", 200, ""},
		{"no token", "GET", own, "/", 404, ""},
		{"no token for lines", "GET", own, "/events", 404, ""},
		{"another token", "GET", own, "/TOKEM/", 404, ""},
		{"a longer token", "GET", own, "/TOKENS/", 404, ""},
		{"another file", "GET", own, "/TOKEN/frame.css", 404, ""},
		{"a file outside", "GET", own, "/TOKEN/../../etc/passwd", 404, ""},
		{"rebound name", "GET", "evil.example:4711", "/TOKEN/", 421, ""},
		{"rebound name without a port", "GET", "localhost", "/TOKEN/", 421, ""},
		{"another port", "GET", "127.0.0.1:80", "/TOKEN/", 421, ""},
		{"name that begins alike", "GET", "127.0.0.1:4711.evil.example", "/TOKEN/", 421, ""},
		{"no name", "GET", "", "/TOKEN/", 421, ""},
		{"writing", "POST", own, "/TOKEN/events", 405, ""},
		{"a text", "POST", own, "/TOKEN/html", 200, ""},
		{"a text without the token", "POST", own, "/TOKEM/html", 404, ""},
		{"a text by another name", "POST", "evil.example:4711", "/TOKEN/html", 421, ""},
		{"the usual port", "GET", "127.0.0.1", "/TOKEN/", 200, usual},
		{"the usual port by its number", "GET", usual, "/TOKEN/", 200, usual},
		{"the usual port by the name localhost", "GET", "localhost", "/TOKEN/", 200, usual},
		{"the usual port of IPv6", "GET", "[::1]", "/TOKEN/", 200, "[::1]:80"},
		{"rebound name at the usual port", "GET", "evil.example", "/TOKEN/", 421, usual},
		{"no host name at the usual port", "GET", "", "/TOKEN/", 421, usual},
		{"a name without a port at an unusual port", "GET", "127.0.0.1", "/TOKEN/", 421, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := newHandler("TOKEN", cmp.Or(tt.addr, own), page, Recording{File: "testdata/demo.jsonl"})
			r := httptest.NewRequestWithContext(ended(t), tt.method, "http://"+own+tt.path, nil)
			r.Host = tt.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("status %d, want %d", w.Code, tt.want)
			}
			if w.Code >= 400 && strings.Contains(w.Body.String(), "sessionUpdate") {
				t.Error("the recording is in the answer")
			}
			for name, want := range map[string]string{
				"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
				"Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": "",
			} {
				if got := w.Header().Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
		})
	}
}

func TestServeRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, file, addr, want string }{
		{"missing file", file + "x", "", "no such file"},
		{"folder", filepath.Dir(file), "", "is not a file"},
		{"all interfaces", file, "0.0.0.0:0", "not a loopback address"},
		{"all interfaces of IPv6", file, "[::]:0", "not a loopback address"},
		{"another machine's address", file, "192.0.2.1:0", "not a loopback address"},
		{"a host name", file, "example.com:0", "not a loopback address"},
		{"an address without a port", file, "127.0.0.1", "is not a host and a port"},
		{"a port that does not exist", file, "127.0.0.1:65536", "is not a host and a port"},
		{"a port that is a word", file, "127.0.0.1:any", "is not a host and a port"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Serve(t.Context(), Options{Recording: Recording{File: tt.file}, Addr: tt.addr, Out: io.Discard})
			if err == nil || !strings.Contains(err.Error(), tt.want) && tt.name != "missing file" {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestServe opens the page by a file that only its owner can read, until the page is shown:
// other users see the arguments of a process. A browser that cannot be opened causes no error.
func TestServe(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	var out bytes.Buffer
	var opened string
	err := Serve(ctx, Options{Recording: Recording{File: "testdata/demo.jsonl"}, Addr: "localhost:0", Out: &out, Open: func(path string) error {
		opened = path
		address := addressIn(t, path)
		if token := filepath.Base(address); len(token) < 20 || strings.Contains(path, token) {
			t.Errorf("the path %s and the token %s", path, token)
		}
		for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
			if stat, err := os.Stat(name); err != nil || stat.Mode() != want && runtime.GOOS != "windows" {
				t.Errorf("%s is %v, %v", name, stat.Mode(), err)
			}
		}
		go func() {
			defer stop()
			answer, err := http.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
			if answer.StatusCode != 200 {
				t.Errorf("status %d", answer.StatusCode)
			}
		}()
		return fmt.Errorf("no browser")
	}})
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "http://127.0.0.1:") || !strings.Contains(out.String(), "could not be opened: no browser") {
		t.Errorf("printed:\n%s", out.String())
	}
	if _, err := os.Stat(filepath.Dir(opened)); !os.IsNotExist(err) {
		t.Errorf("the folder is left: %v", err)
	}
}

func TestOpener(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "xdg-open /tmp/x.html", "freebsd": "xdg-open /tmp/x.html", "darwin": "open /tmp/x.html",
		"windows": "rundll32 url.dll,FileProtocolHandler /tmp/x.html",
	} {
		if got := strings.Join(opener(system, "/tmp/x.html"), " "); got != want {
			t.Errorf("%s: %s, want %s", system, got, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if OpenBrowser("/tmp/x.html") == nil {
		t.Error("there is no browser")
	}
}

// TestHTML checks the self-contained page as a text: nothing in a recording
// can end the element that it is in.
func TestHTML(t *testing.T) {
	var out bytes.Buffer
	path := hostileRecording(t)
	if err := (Recording{File: path}).HTML(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	_, rest, ok := strings.Cut(page, beginPart)
	if !ok {
		t.Fatal("there is no recording in it")
	}
	recording, _, _ := strings.Cut(rest, endPart)
	if lines, _ := splitStream(t, recording); len(lines) != bytes.Count(readFile(t, path), []byte("\n")) {
		t.Errorf("%d lines", len(lines))
	}
	if strings.Contains(recording, "<") {
		t.Error("the recording has a < in it")
	}
	if strings.Contains(page, "{{") && !strings.Contains(recording, "{{constructor}}") {
		t.Error("the page has a gap")
	}
	if strings.Contains(page, "connect-src") || !strings.Contains(page, "default-src 'none'") {
		t.Error("the page may connect")
	}
	if err := (Recording{File: "testdata/missing"}).HTML(io.Discard); err == nil {
		t.Error("no error for a missing file")
	}
}

func TestPage(t *testing.T) {
	page := newPage("<b>\u202e{{script}}&.jsonl", fromServer)
	if !strings.Contains(page.before, "&lt;b&gt;⟨U+202E⟩{{script}}&amp;.jsonl – traffic</title>") {
		t.Error("the name is not text")
	}
	w := httptest.NewRecorder()
	newHandler("TOKEN", "a:1", page, Recording{}).ServeHTTP(w, httptest.NewRequest("GET", "http://a:1/TOKEN/", nil))
	policy := regexp.MustCompile("sha256-[^']+").ReplaceAllString(w.Header().Get("Content-Security-Policy"), "HASH")
	if policy != "default-src 'none'; script-src 'HASH'; style-src 'HASH'; img-src data:; base-uri 'none'; form-action 'none'; connect-src 'self'; frame-ancestors 'none'" {
		t.Errorf("the policy: %s", policy)
	}
}
