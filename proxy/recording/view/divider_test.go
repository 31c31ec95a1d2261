package view

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const listWidth = `document.querySelector("nav").offsetWidth`

func TestDivider(t *testing.T) {
	b := newBrowser(t)
	b.openAt(serve(t, "testdata/demo.jsonl"), "#kind=plan")
	usual := eval[int](b, listWidth)
	at := eval[[]float64](b, `(() => { const r = document.querySelector("#divider").getBoundingClientRect(); return [r.left + r.width / 2, r.top + 100]; })()`)
	drag := func(to float64) {
		left := chromedp.ButtonType(input.MouseButtonLeft)
		b.do(chromedp.MouseEvent(chromedp.MousePressed, at[0], at[1], left, chromedp.ClickCount(1)))
		b.do(chromedp.MouseEvent(chromedp.MouseMoved, to, at[1], left))
		b.do(chromedp.MouseEvent(chromedp.MouseReleased, to, at[1], left, chromedp.ClickCount(1)))
		b.settle()
		at[0] = eval[float64](b, `(() => { const r = document.querySelector("#divider").getBoundingClientRect(); return r.left + r.width / 2; })()`)
	}
	drag(700)
	b.expect("the list ends at the mouse", `Math.abs(`+listWidth+` - 700) < 6`)
	b.expect("the divider has the width as its value", `document.querySelector("#divider").getAttribute("aria-valuenow") === "58"`)
	drag(1199)
	b.expect("the detail section keeps its minimum width", listWidth+` === 900`)
	drag(5)
	b.expect("the list keeps its minimum width", listWidth+` === 300`)
	b.expect("the rows have two lines", `document.querySelector(".row").offsetHeight === 46`)
	b.expect("the event stays selected", selectedNumber+` === "#6"`)

	eval[bool](b, `(document.querySelector("#divider").focus(), true)`)
	for _, step := range []struct {
		key  string
		want int
	}{{kb.ArrowRight, 324}, {kb.ArrowRight, 348}, {kb.ArrowLeft, 324}, {kb.End, 900}, {kb.Home, 300}, {kb.Enter, usual}} {
		b.press(step.key)
		b.expect(fmt.Sprintf("%q makes it %d wide", step.key, step.want), fmt.Sprintf(`%s === %d`, listWidth, step.want))
		b.expect("the key selects no other event", selectedNumber+` === "#6"`)
	}
	drag(700)
	b.do(chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
	b.await(fmt.Sprintf(`%s === %d`, listWidth, usual))
}
