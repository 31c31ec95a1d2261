package view

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestPicture takes the README's screenshot.
func TestPicture(t *testing.T) {
	b := newBrowser(t)
	b.resize(1280, 760)
	b.openAt(serve(t, "testdata/demo.jsonl"), "#14")
	b.await(`document.querySelector(".row .finding")`)
	b.screenshot("readme")
}

// TestLooks checks the page in both colour schemes and in narrow and wide windows.
func TestLooks(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(needs.Packages(t, "testdata/axe"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	pages := []struct {
		name    string
		options Options
		events  []string
		isDrawn string // an expression
	}{
		{"demo", Options{Recording: Recording{File: "testdata/demo.jsonl"}}, []string{"#1", "#8", "#12", "#14", "#16", "#20"}, "true"},
		{"bridge", Options{Recording: Recording{File: "testdata/bridge.jsonl"}}, []string{"#1", "#2", "#10", "#15", "#18", "#23", "#26", "#28", "#36"}, "true"},
		{"showcase", Options{Recording: Recording{File: showcaseRecording(t)}}, []string{"#2", "#3", "#5", "#6", "#8", "#9", "#15", "#20"}, "true"},
		{"bad", Options{Recording: badRecording(t)}, []string{"#2", "#4", "#9"}, `document.querySelector(".findings")`},
		{"hostile", Options{Recording: Recording{File: hostileRecording(t)}}, []string{"#1", "#4", "#9"}, "true"},
	}
	for _, window := range []struct {
		width  int64
		scheme string
	}{{400, "light"}, {400, "dark"}, {1024, "light"}, {1440, "dark"}} {
		look := fmt.Sprintf("%d-%s", window.width, window.scheme)
		t.Run(look, func(t *testing.T) {
			b := newBrowser(t)
			b.resize(window.width, 900)
			send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: window.scheme}},
			})
			for _, page := range pages {
				b.openAt(serveOptions(t, page.options), page.events[0])
				eval[bool](b, string(axe)+"; true")
				for _, event := range page.events {
					b.selectEvent(event)
					b.await(page.isDrawn)
					b.checkLooks(page.name + strings.Replace(event, "#", "", 1) + "-" + look)
				}
			}
			b.checkStates(string(axe), look)
		})
	}
}

// checkStates checks the page in states that TestLooks does not reach by selecting an event.
func (b *browser) checkStates(axe, look string) {
	b.t.Helper()
	for _, state := range []struct {
		name string
		act  func() // brings the page from the previous state into this one
	}{
		{"search", func() {
			b.openAt(serve(b.t, "testdata/bridge.jsonl"), "#26&find=cache")
			b.await(`!document.querySelector("#count-lost").hidden && document.querySelector(".row .finding")`)
			eval[bool](b, axe+"; true")
		}},
		{"losses", func() { b.click("#count-lost") }},
		{"hidden", func() { b.selectOption("kind", "Permissions") }},
		{"tool", func() {
			b.selectEvent("#23")
			eval[bool](b, `(document.querySelector("#timeline").focus(), true)`)
			b.press("t")
			b.await(`!document.querySelector("#tool").hidden`)
		}},
		{"error", func() {
			b.click("#count-error")
			b.await(selectedNumber + ` === "#43"`)
		}},
		{"slowest", func() { b.press("s") }},
		{"keys", func() {
			b.press("?")
			b.await(`document.querySelector("dialog").open`)
		}},
		{"runs", func() {
			b.openAt(serve(b.t, runsRecording(b.t)), "#2")
			eval[bool](b, axe+"; true")
		}},
	} {
		state.act()
		b.settle()
		b.checkLooks(state.name + "-" + look)
	}
}

// checkLooks takes a screenshot. It fails the test if the page is wider than the window, or if
// axe-core, which the page has loaded, finds a violation of the rules of accessibility and
// contrast.
func (b *browser) checkLooks(name string) {
	b.t.Helper()
	b.screenshot(name)
	b.expect("nothing is wider than the window in "+name, `document.documentElement.scrollWidth <= innerWidth`)
	const run = `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " +
		v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " (" + n.failureSummary.replace(/\s+/g, " ") + ")").join("; ")))`
	findings, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
	b.must(err)
	for _, finding := range findings {
		b.t.Errorf("%s: %s", name, finding)
	}
}
