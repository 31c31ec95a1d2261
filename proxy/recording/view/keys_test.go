package view

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestHelp(t *testing.T) {
	b := newBrowser(t)
	b.at(serve(t, "testdata/demo.jsonl"), "#kind=plan")
	b.await(chosen + ` === "#6"`)
	b.press("?")
	b.await(`document.querySelector("#help").open && document.activeElement.closest("#help")`)
	b.press("j")
	b.press(kb.End)
	b.is("keys do nothing behind it", chosen+` === "#6"`)
	b.press(kb.Escape)
	b.await(`!document.querySelector("#help").open`)
	b.click("#help-open")
	b.await(`document.querySelector("#help").open`)
	b.click("#help-close")
	b.await(`!document.querySelector("#help").open`)
	b.press("j")
	b.await(chosen + ` === "#7"`)
	// Each key in the list of keys has an effect; other tests check the effects.
	b.is("the keys of the list are there", `[..."jknost?/l"].every((key) => document.querySelector("#help dl").textContent.toLowerCase().includes(key))`)
}

// TestButtonsKeepTheirKeys presses keys on elements with keys of their own.
func TestButtonsKeepTheirKeys(t *testing.T) {
	b := newBrowser(t)
	b.at(serve(t, runsRecorded(t)), "#kind=all")
	b.await(chosen + ` === "#1"`)
	eval[bool](b, `(document.querySelector("#next").focus(), true)`)
	b.press(kb.Enter)
	b.await(chosen + ` === "#3"`)
	b.is("no run was opened", rowsShown+` === "#1 #3 #6 #7"`)
	eval[bool](b, `(document.querySelector("#find").focus(), true)`)
	for _, key := range []string{"j", "l", "s", "o", kb.Home, kb.ArrowLeft} {
		b.press(key)
	}
	b.is("the field has the typed text", `document.querySelector("#find").value === "jlso" && `+chosen+` === "#3"`)
}
