package view

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"acp-plan-proxy/proxy/recording"
)

// pageOf writes a document with these lines of a stream, and returns its address.
func pageOf(t *testing.T, lines ...string) string {
	t.Helper()
	page := newPage("made.jsonl", inside)
	path := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	err = page.write(f, func(out *bufio.Writer) error {
		_, err := out.WriteString(strings.ReplaceAll(strings.Join(lines, "\n"), "<", `\u003c`) + "\n" + changeRead + `["judged",""]` + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(path)
}

// lossyLines returns a line of a recording and its row with losses.
func lossyLines(number int, losses string) []string {
	return []string{
		updateLine(float64(number), "Agent", "Client", `{"sessionUpdate":"notice","message":"m"}`),
		fmt.Sprintf(`["row",{"n":%d,"lines":[{"n":%[1]d,"from":"Agent","to":"Client","bytes":9}],"at":%[1]d,"toClient":true,"type":"notification","method":"session/update","update":"notice","about":"other","fate":"forwarded","bytes":9,"lost":[%s]}]`, number, losses),
	}
}

func TestLosses(t *testing.T) {
	var lines []string
	for i, lost := range []string{
		`{"kind":"patch of a diff","detail":"shown as text"}`,
		`{"kind":"patch of a diff","detail":"shown as text"},{"kind":"unknown update","name":"weather_<b>\u202e","detail":"dropped"}`,
		`{"kind":"unknown update","name":"other_update","detail":"dropped"}`,
		`{"kind":"patch of a diff","detail":"shown as text"}`,
	} {
		lines = append(lines, lossyLines(i+1, lost)...)
	}
	lines = append(lines, lines[3]) // the row has changed, but not its losses
	b := newBrowser(t)
	b.openAt(pageOf(t, lines...), "")
	b.await(`document.querySelector("#count-lost").textContent === "5 lost"`)
	b.expect("the list of losses is closed", `document.querySelector("#losses").hidden && document.querySelector("#count-finding").hidden`)
	b.click("#count-lost")
	b.settle()
	b.hasValue(`[...document.querySelectorAll("#losses-list button")].map((l) => [...l.children].map((c) => c.textContent).join("/")).join("|")`,
		"patch of a diff/shown as text/3 times/#1|unknown update/weather_<b>⟨U+202E⟩/dropped/once/#2|unknown update/other_update/dropped/once/#3")
	b.selectOption("kind", "Everything (")
	b.press(kb.End)
	b.await(selectedNumber + ` === "#4"`)
	b.click("#losses-list li:nth-child(3) button")
	b.await(selectedNumber + ` === "#3"`)
	eval[bool](b, `(document.querySelector("#losses-list li:nth-child(2) button").focus(), true)`)
	b.press(kb.Enter)
	b.await(selectedNumber + ` === "#2"`)
	b.settle()
	b.hasTexts("#explanation p", "The agent sent notice.|Lost in translation: patch of a diff: shown as text.|Lost in translation: unknown update “weather_<b>⟨U+202E⟩”: dropped.")
	b.selectOption("kind", "Lost in translation (4)")
}

// readJudge allows all messages but those about fs/read_text_file.
type readJudge struct{}

func (readJudge) Judge(e *recording.Message) string {
	if e.Method == "fs/read_text_file" {
		return "params.path <b>must</b> be absolute\u202e"
	}
	return ""
}

// TestFindingMarks checks that the rows of messages with findings are marked.
func TestFindingMarks(t *testing.T) {
	path := mixedRecording(t)
	r := Recording{File: path, makeLinter: func() linter { return ruleLinter{readJudge{}} }}
	static := filepath.Join(t.TempDir(), "page.html")
	if err := r.HTMLFile(static); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t)
	for _, url := range []string{serveRecording(t, r), "file://" + filepath.ToSlash(static)} {
		b.openAt(url, "")
		b.await(`document.querySelector("#count-finding").textContent === "1 finding"`)
		b.expect("losses are not shown", `document.querySelector("#losses").hidden && document.querySelector("#count-lost").hidden`)
		b.await(`document.querySelectorAll(".row .finding").length === 1`)
		b.expect("the row has the reason", `document.querySelector(".row .finding").title === "params.path <b>must</b> be absolute⟨U+202E⟩"`)
		b.click("#count-finding")
		b.await(selectedNumber + ` === "#11"`)
		b.selectOption("kind", "Findings (1)")
		b.expect("the row with the finding is listed", rowNumbers+` === "#11"`)
		const pressed = `["error", "finding"].map((kind) => document.getElementById("count-" + kind)).map((c) => c.ariaPressed + (getComputedStyle(c).backgroundColor === "rgba(0, 0, 0, 0)")).join()`
		b.expect("the count is pressed", pressed+` === "falsetrue,truefalse"`)
		b.click("#count-error")
		b.await(rowNumbers + ` === "#12" && ` + pressed + ` === "truefalse,falsetrue"`)
		b.click("#count-error")
		b.await(`document.querySelectorAll(".row").length === 14 && ` + selectedNumber + ` === "#12" && ` + pressed + ` === "falsetrue,falsetrue"`)
	}
	// Another recording replaces this one: its rows have its own findings.
	b.openAt(serveRecording(t, r), "#kind=all")
	b.await(`!document.querySelector("#count-finding").hidden`)
	if err := os.WriteFile(path, []byte(updateLine(1, "Agent", "Client", `{"sessionUpdate":"x"}`)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.await(rowNumbers + ` === "#1" && document.querySelector("#count-finding").hidden`)
	grow(t, path, `{"type":"request","ts":10,"from":"Agent","to":"Client","id":9,"method":"fs/read_text_file","params":{}}`)
	b.await(`document.querySelectorAll(".row .finding").length === 1`)
}
