package view

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"acp-plan-proxy/proxy/programtest/needs"
)

// TestAxe has axe-core look for what hinders people who hear the page or use it
// without a mouse, and for colours with too little contrast.
func TestAxe(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(needs.Packages(t, "testdata/axe"), "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	pages := []struct {
		name      string
		recording Recording
		events    []string
	}{
		{"demo", Recording{File: "testdata/demo.jsonl"}, []string{"#1", "#8", "#12", "#14", "#16", "#20"}},
		{"bridge", Recording{File: "testdata/bridge.jsonl"}, []string{"#1", "#2", "#10", "#15", "#18", "#23", "#26", "#28", "#36"}},
		{"claude", Recording{File: "testdata/claude.jsonl"}, []string{"#12", "#50"}},
		{"showcase", Recording{File: showcase(t)}, []string{"#2", "#3", "#5", "#6", "#8", "#9", "#15", "#20"}},
		{"bad", badRecording(t), []string{"#2", "#4", "#9"}},
		{"hostile", Recording{File: hostileRecording(t)}, []string{"#1", "#2", "#4"}},
	}
	inEachLook(t, func(t *testing.T, b *browser, _ string) {
		for _, page := range pages {
			b.open("about:blank")
			b.open(serveRecording(t, page.recording) + page.events[0])
			b.await(chosen)
			eval[bool](b, string(axe)+"; true")
			for _, event := range page.events {
				b.look(event)
				if page.name == "bad" {
					b.await(`document.querySelector(".mark-box")`)
				}
				for _, finding := range b.axe() {
					t.Errorf("%s%s: %s", page.name, event, finding)
				}
			}
		}
		b.axeStates(string(axe))
		b.quiet()
	})
}

// axeStates has axe-core look at everything that is not always there.
func (b *browser) axeStates(axe string) {
	b.t.Helper()
	check := func(state string) {
		b.t.Helper()
		b.settle()
		for _, finding := range b.axe() {
			b.t.Errorf("%s: %s", state, finding)
		}
	}
	b.open("about:blank")
	b.open(serve(b.t, "testdata/bridge.jsonl") + "#26&kind=all&find=cache")
	b.await(chosen + ` === "#26" && !document.querySelector("#count-lost").hidden && document.querySelector(".row .mark")`)
	eval[bool](b, axe+"; true")
	check("a search, and what was lost")
	b.click("#count-lost")
	check("the losses")
	b.option("kind", "Permissions")
	check("matches that the filter hides")
	b.look("#23")
	eval[bool](b, `(document.querySelector("#timeline").focus(), true)`)
	b.press("t")
	b.await(`!document.querySelector("#tool").hidden`)
	check("one tool call")
	b.click("#count-refused")
	b.await(chosen + ` === "#43"`)
	check("an error")
	b.press("s")
	check("the slowest first")
	b.press("?")
	b.await(`document.querySelector("dialog").open`)
	check("the keys")
	b.open("about:blank")
	b.open(serve(b.t, runsRecorded(b.t)) + "#2&kind=all")
	b.await(chosen)
	eval[bool](b, axe+"; true")
	check("runs")
}

// axe returns what axe-core finds.
func (b *browser) axe() []string {
	b.t.Helper()
	const run = `axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + ": " +
		v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " (" + n.failureSummary.replace(/\s+/g, " ") + ")").join("; ")))`
	findings, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](run, chromedp.EvalAwaitPromise))
	b.must(err)
	return findings
}
