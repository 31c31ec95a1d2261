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
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"acp-plan-proxy/proxy/programtest/needs"
)

var screenshots = flag.String("screenshots", "", "write screenshots of the page into this folder")

// A browser is a window of a headless Chromium.
type browser struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	problems []string // console messages, exceptions and dialogs
}

// newBrowser opens a window. It skips the test if Chromium is missing, and in short mode. At its
// end, the test fails if there are problems.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	needs.Long(t)
	path := needs.Program(t, "chromium", "chromium-browser", "google-chrome", "chrome")
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.Env("TMPDIR="+t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, stopBrowser := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stopBrowser)
	ctx, closeWindow := chromedp.NewContext(ctx)
	t.Cleanup(closeWindow)
	b := &browser{t: t, ctx: ctx}
	b.must(chromedp.Listen(ctx, func(event any) {
		if t.Context().Err() != nil {
			return // the server stops, and the page reports that
		}
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
	b.resize(1200, 900)
	t.Cleanup(b.checkConsole)
	return b
}

func (b *browser) resize(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// send sends a command of the browser's protocol.
func send[P, R any](b *browser, command cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, command, params)
	b.must(err)
}

// checkConsole fails the test if there are problems.
func (b *browser) checkConsole() {
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
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Navigate(url))
}

// openAt opens a page with a fragment of its address, and waits until the page has drawn the recording
// and its findings.
func (b *browser) openAt(url, fragment string) {
	b.t.Helper()
	b.open(url + fragment)
	b.settle()
}

// hasTexts fails the test unless the texts of the elements that selector finds become want, which is
// separated by |.
func (b *browser) hasTexts(selector, want string) {
	b.t.Helper()
	b.hasValue(textsExpression(selector), want)
}

// hasValue fails the test unless the value of a JavaScript expression becomes want.
func (b *browser) hasValue(expression, want string) {
	b.t.Helper()
	if b.waitFor(fmt.Sprintf("(%s) === %s", expression, quoteJSON(want))) != nil {
		b.t.Errorf("%s:\n got %s\nwant %s", expression, eval[string](b, expression), want)
	}
}

// texts returns the texts of all elements that selector finds, separated by |.
func (b *browser) texts(selector string) string {
	b.t.Helper()
	return eval[string](b, textsExpression(selector))
}

// textsExpression returns the expression for [browser.texts].
func textsExpression(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => e.textContent).join("|")`, selector)
}

// selectEvent selects the event with a number such as #26, and waits until it is drawn.
func (b *browser) selectEvent(event string) {
	b.t.Helper()
	b.await(`!/^#\d/.test(location.hash) || location.hash.split("&")[0] === ` + selectedNumber) // the page has no update of the address pending
	eval[string](b, fmt.Sprintf("location.hash = %q", event))
	b.await(fmt.Sprintf("%s === %q", selectedNumber, event))
	b.settle()
}

// await waits until a JavaScript expression is true. The test ends if it does not become true in time.
func (b *browser) await(expression string) {
	b.t.Helper()
	if err := b.waitFor(expression); err != nil {
		b.screenshot("failed-" + strings.ReplaceAll(b.t.Name(), "/", "-"))
		b.t.Fatalf("waiting for %s: %v; the page says:\n%s", expression, err, b.text("body"))
	}
}

// waitFor waits until a JavaScript expression is true. It returns an error if it does not
// become true in time.
func (b *browser) waitFor(expression string) error {
	ctx, cancel := context.WithTimeout(b.ctx, maxWait)
	defer cancel()
	script := `new Promise((done) => { const look = () => (` + expression + `) ? done(true) : requestAnimationFrame(look); look(); })`
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script, chromedp.EvalAwaitPromise))
	return err
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

// press presses a key and waits for the result on the page.
func (b *browser) press(key string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(key))
	b.settle()
}

// settle waits for some frames, since the page draws in the next one, and until the recording and its
// texts are drawn.
func (b *browser) settle() {
	b.t.Helper()
	b.await(`(window.frames_ = (window.frames_ || 0) + 1) % 3 === 0 && !document.querySelector("[aria-busy=true]")`)
}

// highlightedTexts returns the expression for the texts of a highlight, separated by |.
func highlightedTexts(name string) string {
	return fmt.Sprintf(`[...CSS.highlights.get(%q)].map((r) => r.toString()).filter(Boolean).join("|")`, name)
}

// text returns the visible text of the first element that selector finds.
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

// expect fails the test unless a claim becomes true, which expression states in JavaScript.
func (b *browser) expect(claim, expression string) {
	b.t.Helper()
	if err := b.waitFor(expression); err != nil {
		b.t.Errorf("not so: %s: %v", claim, err)
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

// addressIn returns the address to which the document at path redirects.
func addressIn(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return regexp.MustCompile(`http://[^"]+`).FindString(string(text))
}

// maxWait limits the wait for a state of the page. It is long enough for a busy machine.
const maxWait = time.Minute

// selectedNumber is the number of the selected event, such as #26.
const selectedNumber = `document.querySelector("#exchange-head .number")?.textContent`

// servedAndInFile runs a test twice: with the page that a server has of the recording at path, and with
// the document of the recording.
func servedAndInFile(t *testing.T, path string, test func(t *testing.T, name, url string)) {
	static := filepath.Join(t.TempDir(), "page.html")
	if err := (Recording{File: path}).HTMLFile(static); err != nil {
		t.Fatal(err)
	}
	for _, from := range []struct{ name, url string }{{"served", serve(t, path)}, {"file", "file://" + filepath.ToSlash(static)}} {
		t.Run(from.name, func(t *testing.T) { test(t, from.name, from.url) })
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
