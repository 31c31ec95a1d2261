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

// TestPicture takes the README's picture.
func TestPicture(t *testing.T) {
	b := newBrowser(t)
	b.resize(1280, 760)
	b.at(serve(t, "testdata/demo.jsonl"), "#14")
	b.await(`document.querySelector(".row .finding")`)
	b.screenshot("readme")
}

// TestLooks draws the page in each colour scheme, narrow and wide, and takes screenshots. axe-
// core checks accessibility and contrast.
func TestLooks(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(needs.Packages(t, "testdata/axe"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	pages := []struct {
		name    string
		options Options
		events  []string
		there   string
	}{
		{"demo", Options{Recording: Recording{File: "testdata/demo.jsonl"}}, []string{"#1", "#8", "#12", "#14", "#16", "#20"}, "true"},
		{"bridge", Options{Recording: Recording{File: "testdata/bridge.jsonl"}}, []string{"#1", "#2", "#10", "#15", "#18", "#23", "#26", "#28", "#36"}, "true"},
		{"showcase", Options{Recording: Recording{File: showcase(t)}}, []string{"#2", "#3", "#5", "#6", "#8", "#9", "#15", "#20"}, "true"},
		{"bad", Options{Recording: badRecording(t)}, []string{"#2", "#4", "#9"}, `document.querySelector(".findings")`},
		{"hostile", Options{Recording: Recording{File: hostileRecording(t)}}, []string{"#1", "#4", "#9"}, "true"},
	}
	for _, is := range []struct {
		width  int64
		scheme string
	}{{400, "light"}, {400, "dark"}, {1024, "light"}, {1440, "dark"}} {
		look := fmt.Sprintf("%d-%s", is.width, is.scheme)
		t.Run(look, func(t *testing.T) {
			b := newBrowser(t)
			b.resize(is.width, 900)
			send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: is.scheme}},
			})
			for _, page := range pages {
				b.at(serveOptions(t, page.options), page.events[0])
				eval[bool](b, string(axe)+"; true")
				for _, event := range page.events {
					b.look(event)
					b.await(page.there)
					b.axe(page.name + strings.Replace(event, "#", "", 1) + "-" + look)
				}
			}
			b.axeStates(string(axe), look)
		})
	}
}

// axeStates looks at everything that is not always there.
func (b *browser) axeStates(axe, look string) {
	b.t.Helper()
	for _, state := range []struct {
		name string
		do   func() // in the state before it
	}{
		{"search", func() {
			b.at(serve(b.t, "testdata/bridge.jsonl"), "#26&find=cache")
			b.await(`!document.querySelector("#count-lost").hidden && document.querySelector(".row .finding")`)
			eval[bool](b, axe+"; true")
		}},
		{"losses", func() { b.click("#count-lost") }},
		{"hidden", func() { b.option("kind", "Permissions") }},
		{"tool", func() {
			b.look("#23")
			eval[bool](b, `(document.querySelector("#timeline").focus(), true)`)
			b.press("t")
			b.await(`!document.querySelector("#tool").hidden`)
		}},
		{"error", func() {
			b.click("#count-error")
			b.await(chosen + ` === "#43"`)
		}},
		{"slowest", func() { b.press("s") }},
		{"keys", func() {
			b.press("?")
			b.await(`document.querySelector("dialog").open`)
		}},
		{"runs", func() {
			b.at(serve(b.t, runsRecorded(b.t)), "#2")
			eval[bool](b, axe+"; true")
		}},
	} {
		state.do()
		b.settle()
		b.axe(state.name + "-" + look)
	}
}

// axe takes a screenshot, and has axe-core look at the page. Nothing is wider than the window.
func (b *browser) axe(name string) {
	b.t.Helper()
	b.screenshot(name)
	b.is("nothing is wider than the window in "+name, `document.documentElement.scrollWidth <= innerWidth`)
	const run = `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " +
		v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " (" + n.failureSummary.replace(/\s+/g, " ") + ")").join("; ")))`
	findings, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
	b.must(err)
	for _, finding := range findings {
		b.t.Errorf("%s: %s", name, finding)
	}
}
