package demo

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/vendors"
)

// A scene is a row of the summary: a conversation, and what it is about.
type scene struct {
	name  string
	title string
	pair  string // the client of a pair of different versions; if it is empty, the scene has a plan
}

// scenes are the rows of the summary, in their order.
var scenes = []scene{
	{oneList, "A list", ""},
	{oneNamed, "A list with an id", ""},
	{oneNew, "New words for statuses", ""},
	{oneText, "A text in markdown", ""},
	{oneFile, "A file", ""},
	{inTools, "Todos in tool calls, as opencode has them", ""},
	{toApprove, "A plan to approve, as Cursor asks for it", ""},
	{Version2, "An agent of version 2, an editor of version 1", "legacy"},
	{Version1, "An agent of version 1, an editor of version 2", "v2"},
}

// headings of the summary, by client: what the editor knows, in words for people who do
// not know the protocol.
var headings = map[string]string{
	"legacy": "What an editor shows of agents' plans, if it knows only the oldest kind:",
	"ops":    "What an editor shows of agents' plans, if it knows plans with ids, in version 1:",
	"v2":     "What an editor shows of agents' plans, if it speaks version 2 of the protocol:",
}

const next = `Next: put "acp-plan-proxy --" in front of the agent's command in your editor's settings; "settings" prints them, "demo --verbose" the messages.`

// summary plays all scenes and shows each as a row: what an editor shows without the
// proxy, and what it shows with it.
func (o Options) summary(s *screen) error {
	o.Proxy.Bridge, o.Proxy.Vendors, o.Proxy.ObserveAll = proxy.BridgeAuto, vendors.Auto, true
	t := newTable(s, o.Width)
	t.text("", headings[o.Client])
	bold := func(text string) []spans { return []spans{{{terminal.Bold, text}}} }
	t.row("the agent has", bold("without the proxy"), bold("with acp-plan-proxy"))
	var count tally
	for _, scene := range scenes {
		if scene.pair != "" && count.pairs == 0 || count == (tally{}) {
			t.rule()
		}
		without, with, err := o.watch(scene)
		if err != nil {
			return err
		}
		draw := (*sight).plan
		if scene.pair != "" {
			draw = (*sight).turn
		}
		t.row(scene.title, draw(without, t.without), draw(with, t.with))
		count.add(scene, without, with)
	}
	t.rule()
	t.text(terminal.Bold, count.String())
	t.text("", next)
	return s.err
}

// watch plays a scene, and returns what the editor shows of what the agent has sent, and
// what it shows of what it got from the proxy.
func (o Options) watch(scene scene) (without, with *sight, err error) {
	who := clients[o.Client]
	if scene.pair != "" {
		who = clients[scene.pair]
	}
	without, with = &sight{client: who}, &sight{client: who}
	err = o.play(scene.name, who, func(e proxy.Event) {
		if e.FromClient {
			return
		}
		without.gets(e.In)
		for m := range bytes.Lines(e.Out) {
			with.gets(m)
		}
	})
	return without, with, err
}

// A tally counts what the summary has shown.
type tally struct{ plans, without, with, pairs, apart, joined int }

func (t *tally) add(scene scene, without, with *sight) {
	one := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	if scene.pair != "" {
		t.pairs++
		t.apart += one(!without.connected)
		t.joined += one(with.connected)
		return
	}
	t.plans++
	t.without += one(without.shows())
	t.with += one(with.shows())
}

func (t *tally) String() string {
	shown, joined := "all", "joined"
	if t.with < t.plans {
		shown = fmt.Sprint(t.with)
	}
	if t.joined < t.apart {
		joined = fmt.Sprintf("%d joined", t.joined)
	}
	return fmt.Sprintf("%d plans, %s shown (%d without the proxy); %d pairs that could not connect, %s",
		t.plans, shown, t.without, t.apart, joined)
}

// A table has three columns of these widths.
type table struct {
	*screen
	label, without, with int
}

// newTable returns a table for a screen of this width. It is never wider than is good to
// read, and on a screen of a few characters it is wider than that.
func newTable(s *screen, width int) table {
	const least, most = 40, 100
	width = max(least, min(width, most))
	label := min(24, width*3/10)
	without := min(24, width*3/10)
	return table{s, label, without, width - label - without}
}

func (t table) width() int { return t.label + t.without + t.with }

func (t table) rule() { t.println(t.Paint(terminal.Dim, strings.Repeat("─", t.width()))) }

// text prints a text in as many lines as it needs.
func (t table) text(color terminal.Color, text string) {
	for _, line := range wrap(text, t.width()) {
		t.println(t.Paint(color, line))
	}
}

// row prints a row.
func (t table) row(title string, without, with []spans) {
	const gap = 2 // behind a column
	var label []spans
	for _, line := range wrap(title, t.label-gap) {
		label = append(label, spans{{terminal.Bold, line}})
	}
	for i := range max(len(label), len(without), len(with)) {
		line := slices.Concat(cell(label, i, t.label-gap), spans{{"", "  "}}, cell(without, i, t.without-gap),
			spans{{"", "  "}}, cell(with, i, t.with))
		t.println(t.paint(line))
	}
}

// cell returns a line of a cell, as wide as its column.
func cell(lines []spans, i, width int) (fitted spans) {
	if i >= len(lines) {
		return spans{{"", strings.Repeat(" ", width)}}
	}
	for _, piece := range lines[i] {
		if length := utf8.RuneCountInString(piece.text); length > width {
			piece.text = string([]rune(piece.text)[:max(0, width-1)]) + "…"
		}
		fitted = append(fitted, piece)
		if width -= utf8.RuneCountInString(piece.text); width <= 0 {
			return fitted
		}
	}
	return append(fitted, span{"", strings.Repeat(" ", width)})
}

// wrap breaks a text at blanks into lines of at most so many characters.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}
