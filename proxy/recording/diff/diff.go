// Package diff compares two recordings of the same work: for example, of one client with two
// versions of an agent, or with the proxy and without.
//
//	read.go     messages without the parts that always differ, such as ids and times
//	match.go    pairs of messages
//	members.go  the differences between two messages
//	diff.go     the report
package diff

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/names"
	"acp-plan-proxy/proxy/recording/redact"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// Options select the messages to compare, and the form of the report.
type Options struct {
	Side       trace.Component // the client or the agent: its conversation is compared
	IgnoreText bool            // excludes messages and thoughts of models
	JSON       bool            // one object per line
	Width      int             // of a line of text in characters; 0 for any
}

// Compare prints a line for each difference between two recordings, in the order of sessions
// and turns, and a line with the counts. It returns the number of differences.
func Compare(out io.Writer, before, after recording.File, o Options) (count int, err error) {
	r := report{Options: o, out: bufio.NewWriter(out), words: make(map[string]string)}
	var redactor *redact.Redactor
	if isRedacted(before) || isRedacted(after) {
		redactor = redact.New()
	}
	seed, buffer := maphash.MakeSeed(), bufio.NewReaderSize(nil, bufferSize)
	uuid := regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	for i, recorded := range []recording.File{before, after} {
		r.sides[i] = &conversation{
			Options: o, file: recorded.SectionReader, buffer: buffer, redactor: redactor, seed: seed,
			ids: make(map[string]bool), texts: make(map[block]*openText), uuid: uuid,
		}
		if err := r.sides[i].read(); err != nil {
			return 0, fmt.Errorf("%s: %w", recorded.Name, err)
		}
	}
	found, sameCount := compare(r.sides[0].items, r.sides[1].items)
	r.counts[kindSame] = sameCount
	for i := range found {
		if err := r.print(&found[i]); err != nil {
			return 0, err
		}
	}
	r.printCounts()
	return r.counts[kindChanged] + r.counts[kindMissing] + r.counts[kindNew] + r.counts[kindMoved], r.out.Flush()
}

// isRedacted reports whether the first object in a recording marks it as redacted.
func isRedacted(recorded recording.File) bool {
	for lines := trace.NewLines(io.NewSectionReader(recorded, 0, recorded.Size())); ; {
		line, err := lines.Next()
		if line = bytes.TrimSpace(line); err != nil || bytes.HasPrefix(line, []byte(`{"`)) {
			return string(rawjson.Get(line, "redacted")) == "true"
		}
	}
}

// A report prints differences.
type report struct {
	Options
	out     *bufio.Writer
	sides   [2]*conversation
	counts  [kindMoved + 1]int // by kind
	words   map[string]string  // random names in paths that differ, from old to new
	folders names.Map          // folders that differ
}

const maxBrief = 80 // characters of a message

// print prints a difference and counts it. Changed messages without a different member count as the
// same.
func (r *report) print(d *difference) error {
	var contents [2]*content
	var lineNumbers [2]*int32
	for i, it := range []*item{d.old, d.new} {
		if it == nil {
			continue
		}
		lineNumbers[i] = &it.line
		var err error
		if contents[i], err = r.sides[i].fetch(it); err != nil {
			return err
		}
	}
	it := d.anchor()
	printed := reportLine{Kind: it.kind.String(), Session: it.session, Turn: it.turn, From: "client", Method: it.method.Value(), Old: lineNumbers[0], New: lineNumbers[1]}
	if it.kind == kindChanged {
		printed.Members = r.appendDifferences(nil, "", contents[0].withText(), contents[1].withText())
		if printed.Members == nil {
			r.counts[kindSame]++
			return nil
		}
	}
	r.counts[it.kind]++
	if it.fromAgent {
		printed.From = "agent"
	}
	label, text := it.label.Value(), ""
	if r.JSON {
		if printed.Method == "session/update" {
			printed.Update = label
		}
		text = string(marshal(printed))
	} else {
		text = printed.text(label, cmp.Or(contents[0], contents[1]), cmp.Or(r.Width, math.MaxInt))
	}
	_, err := fmt.Fprintln(r.out, text)
	return err
}

// text returns the line as text of at most width characters, with the members that differ or, if there
// are none, the content. label is the method or the update.
func (l *reportLine) text(label string, shown *content, width int) string {
	where := ""
	if l.Session != 0 {
		where = fmt.Sprintf("S%d turn %d", l.Session, l.Turn)
	}
	text := fmt.Sprintf("%6s %6s  %-10s  %-6s  %-7s  %s ", number(l.Old), number(l.New), where, l.From, l.Kind, terminal.Printable(label))
	if l.Members != nil {
		text += terminal.Printable(describe(l.Members, width-utf8.RuneCountInString(text)))
	} else {
		text += terminal.Printable(translate.Truncate(string(marshal(shown.inner())), maxBrief))
	}
	return translate.Truncate(text, width)
}

func number(line *int32) string {
	if line == nil {
		return "-"
	}
	return "#" + strconv.Itoa(int(*line))
}

// A reportLine is a difference in the report.
type reportLine struct {
	Kind    string   `json:"kind"`
	Session int32    `json:"session"`
	Turn    int32    `json:"turn"`
	From    string   `json:"from"`
	Method  string   `json:"method"`
	Update  string   `json:"update,omitempty"`
	Old     *int32   `json:"old"` // the line of the message in the recording; nil if there is none
	New     *int32   `json:"new"`
	Members []member `json:"members,omitempty"`
}

// printCounts prints the line with the counts.
func (r *report) printCounts() {
	counts := []any{r.counts[kindSame], r.counts[kindChanged], r.counts[kindMissing], r.counts[kindNew], r.counts[kindMoved]}
	if r.JSON {
		fmt.Fprintf(r.out, `{"same":%d,"changed":%d,"missing":%d,"new":%d,"moved":%d}`+"\n", counts...)
		return
	}
	text := fmt.Sprintf("Same %d, changed %d, missing %d, new %d, moved %d.", counts...)
	if r.sides[0].redactor != nil {
		text += " A recording is redacted: texts were not compared."
	}
	if n := r.sides[0].unreadableCount + r.sides[1].unreadableCount; n > 0 {
		text += fmt.Sprintf(" Lines that could not be read: %d.", n)
	}
	fmt.Fprintln(r.out, terminal.Hang("", text, r.Width))
}
