package view

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"acp-plan-proxy/proxy/programtest/needs"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the page into this folder")

// A browser shows pages in one headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // what the console was told, and exceptions
}

// newBrowser opens a page. The test needs Chromium, and is not short.
func newBrowser(t *testing.T, width, height int64) *browser {
	t.Helper()
	needs.Long(t)
	path := needs.Program(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.Env("TMPDIR="+t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(int(width), int(height)))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closed := chromedp.NewContext(ctx)
	t.Cleanup(closed)
	b := &browser{t: t, ctx: ctx}
	b.must(chromedp.Listen(ctx, func(event any) {
		problem := ""
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			problem = fmt.Sprintf("%s %s", e.ExceptionDetails.Text, e.ExceptionDetails.Exception.Description)
		case *runtime.EventConsoleAPICalled:
			problem = fmt.Sprintf("console.%s", e.Type)
		case *log.EventEntryAdded:
			problem = fmt.Sprintf("%s: %s (%s)", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		case *page.EventJavascriptDialogOpening:
			problem = "dialog: " + e.Message
		default:
			return
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.problems = append(b.problems, problem)
	}))
	send(b, log.Enable, cdp.Empty{})
	b.do(chromedp.EmulateViewport(width, height))
	return b
}

// send sends a command of the browser's protocol.
func send[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
}

// quiet fails the test if the console was told anything.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.problems {
		b.t.Errorf("in the console: %s", p)
	}
}

func (b *browser) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

func (b *browser) do(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.must(chromedp.Do(b.ctx, action))
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// await waits until a JavaScript expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patienceOfTests)
	defer cancel()
	script := `new Promise((done) => { const look = () => (` + expression + `) ? done(true) : requestAnimationFrame(look); look(); })`
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise)); err != nil {
		b.screenshot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.quiet()
		b.t.Fatalf("waiting for %s: %v; the page says:\n%s", expression, err, b.text("body"))
	}
}

// click clicks the middle of the element that selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	at := eval[[]float64](b, fmt.Sprintf(`(() => {
		const r = document.querySelector(%q).getBoundingClientRect();
		return [r.left + r.width / 2, r.top + r.height / 2];
	})()`, selector))
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

// press presses a key and waits until the page has drawn what came of it.
func (b *browser) press(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
	b.settle()
}

// settle waits for two frames, since the page draws with the next one, and for texts to come.
func (b *browser) settle() {
	b.t.Helper()
	b.await(`(window.frames_ = (window.frames_ || 0) + 1) % 3 === 0 && !document.querySelector("[aria-busy]")`)
}

// marked returns the texts of the ranges that are marked.
func (b *browser) marked(name string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf(`[...CSS.highlights.get(%q)].map((r) => r.toString()).filter(Boolean).join("|")`, name))
}

// text returns the text of the first element that selector finds, as it can be
// seen.
func (b *browser) text(selector string) string {
	return eval[string](b, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? "(nothing)"`, selector))
}

// eval evaluates a JavaScript expression.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("evaluating %s: %v", expression, err)
	}
	return v
}

// is fails the test unless an expression is true.
func (b *browser) is(what, expression string) {
	b.t.Helper()
	if !eval[bool](b, "!!("+expression+")") {
		b.t.Errorf("not so: %s", what)
	}
}

func (b *browser) screenshot(name string) {
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	b.must(err)
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644); err != nil {
		b.t.Error(err)
	}
}

// serve serves a recording and returns the address of the page.
func serve(t *testing.T, file string) string {
	t.Helper()
	return serveRecording(t, Recording{File: file})
}

func serveRecording(t *testing.T, r Recording) string {
	t.Helper()
	return serveOptions(t, Options{Recording: r})
}

func serveOptions(t *testing.T, o Options) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	address := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		o.Out, o.Open = t.Output(), func(path string) error {
			address <- addressIn(t, path)
			return nil
		}
		ended <- Serve(ctx, o)
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case url := <-address:
		return url
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return ""
	}
}

// addressIn returns where a redirect leads.
func addressIn(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return regexp.MustCompile(`http://[^"]+`).FindString(string(text))
}

// patienceOfTests is how long a page gets to become what it should be, also on
// a machine that is busy.
const patienceOfTests = 30 * time.Second

const chosen = `document.querySelector("#what .number")?.textContent`

// inEachLook runs a test with a browser in each colour scheme, narrow and wide. look
// names them.
func inEachLook(t *testing.T, test func(t *testing.T, b *browser, look string)) {
	for _, size := range []struct{ width, height int64 }{{400, 900}, {1600, 1000}} {
		for _, scheme := range []string{"light", "dark"} {
			look := fmt.Sprintf("%d-%s", size.width, scheme)
			t.Run(look, func(t *testing.T) {
				b := newBrowser(t, size.width, size.height)
				send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				test(t, b, look)
			})
		}
	}
}

// servedAndInFile runs a test with the page of a recording as the server has it, and with
// the page in a file.
func servedAndInFile(t *testing.T, path string, test func(t *testing.T, name, url string)) {
	static := filepath.Join(t.TempDir(), "page.html")
	if err := (Recording{File: path}).HTMLFile(static); err != nil {
		t.Fatal(err)
	}
	for _, from := range []struct{ name, url string }{{"served", serve(t, path)}, {"file", "file://" + filepath.ToSlash(static)}} {
		t.Run(from.name, func(t *testing.T) { test(t, from.name, from.url) })
	}
}

// TestLooks takes screenshots, the README's picture among them, for a person to look at, and checks what can be
// checked: that nothing is wider than the window.
func TestLooks(t *testing.T) {
	folder := t.TempDir()
	var recordings []string
	for _, name := range []string{"a.jsonl", strings.Repeat("a-long-name-", 12) + ".jsonl"} {
		recordings = append(recordings, filepath.Join(folder, name))
		if err := os.WriteFile(filepath.Join(folder, name), readFile(t, "testdata/demo.jsonl"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newBrowser(t, 1280, 760)
	b.open(serve(t, "testdata/demo.jsonl") + "#14")
	b.await(chosen + ` === "#14" && document.querySelector(".row .mark")`)
	b.settle()
	b.screenshot("readme")
	inEachLook(t, func(t *testing.T, b *browser, look string) {
		for _, sample := range []struct{ file, event string }{
			{"demo", "#8"}, {"demo", "#12"}, {"demo", "#20"}, {"claude", ""}, {"bridge", "#23"}, {"bridge", "#26"},
		} {
			b.open(serve(t, "testdata/"+sample.file+".jsonl") + sample.event)
			b.await(chosen)
			b.settle()
			b.is("nothing is wider than the window", `document.documentElement.scrollWidth <= innerWidth`)
			name := sample.file + strings.TrimPrefix(sample.event, "#") + "-" + look
			b.screenshot(name)
			eval[bool](b, `(document.querySelector("#messages").scrollIntoView(), true)`)
			b.screenshot(name + "-messages")
		}
		b.open(serve(t, showcase(t)) + "#1")
		for _, event := range []string{"#2", "#3", "#5", "#6", "#8", "#9", "#15", "#20"} {
			b.look(event)
			b.is("nothing is wider than the window", `document.documentElement.scrollWidth <= innerWidth`)
			eval[bool](b, `(document.querySelector(innerWidth < 800 ? "#what" : "body").scrollIntoView(), true)`)
			b.screenshot("showcase" + strings.TrimPrefix(event, "#") + "-" + look)
		}
		b.open(serveRecording(t, badRecording(t)) + "#4")
		b.await(chosen + ` && document.querySelector(".mark-box")`)
		b.settle()
		b.screenshot("marks-" + look)
		b.open(serveOptions(t, Options{Recording: Recording{File: recordings[0]}, Folder: folder}))
		b.await(chosen + ` && !document.querySelector("#folder-label").hidden`)
		b.is("there is room for a name", `document.querySelector("#folder").offsetWidth > 360 && document.documentElement.scrollWidth <= innerWidth`)
		b.is("it is there once", `document.querySelector("#file").hidden`)
		b.screenshot("folder-" + look)
		b.quiet()
	})
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
