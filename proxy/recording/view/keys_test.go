package view

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestHelp(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, "testdata/demo.jsonl"), "#kind=plan")
	b.await(selectedNumber + ` === "#6"`)
	b.press("?")
	b.await(`document.querySelector("#help").open && document.activeElement.closest("#help")`)
	b.press("j")
	b.press(kb.End)
	b.expect("keys do nothing behind the dialog", selectedNumber+` === "#6"`)
	b.press(kb.Escape)
	b.await(`!document.querySelector("#help").open`)
	b.click("#help-open")
	b.await(`document.querySelector("#help").open`)
	b.click("#help-close")
	b.await(`!document.querySelector("#help").open`)
	b.press("j")
	b.await(selectedNumber + ` === "#7"`)
	// Each key in the list of keys has an effect; other tests check the effects.
	b.expect("the dialog lists the keys", `[..."jknost?/l"].every((key) => document.querySelector("#help dl").textContent.toLowerCase().includes(key))`)
}

// TestButtonsKeepTheirKeys presses keys that buttons and text fields interpret themselves.
func TestButtonsKeepTheirKeys(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, runsRecording(t)), "#kind=all")
	b.await(selectedNumber + ` === "#1"`)
	eval[bool](b, `(document.querySelector("#next").focus(), true)`)
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#3"`)
	b.expect("no run was opened", rowNumbers+` === "#1 #3 #6 #7"`)
	eval[bool](b, `(document.querySelector("#find").focus(), true)`)
	for _, key := range []string{"j", "l", "s", "o", kb.Home, kb.ArrowLeft} {
		b.press(key)
	}
	b.expect("the field has the typed text", `document.querySelector("#find").value === "jlso" && `+selectedNumber+` === "#3"`)
}
