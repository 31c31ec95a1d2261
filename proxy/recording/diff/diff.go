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
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"regexp"
	"strconv"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/proxy/terminal"
)

// Options select the messages to compare, and the form of the report.
type Options struct {
	Side       trace.Component // the client or the agent: its conversation is compared
	IgnoreText bool            // excludes messages and thoughts of models
	JSON       bool            // one object per line
}

// A Recording is a file of messages, in any form.
type Recording struct {
	Name string
	*io.SectionReader
}

// Compare prints a line for each difference between two recordings, in the order of sessions
// and turns, and a line with the counts. It returns the number of differences.
func Compare(out io.Writer, before, after Recording, o Options) (count int, err error) {
	r := report{Options: o, out: bufio.NewWriter(out), counts: make(map[string]int), renamed: make(map[string]string)}
	seed, redacted := maphash.MakeSeed(), isRedacted(before) || isRedacted(after)
	uuid := regexp.MustCompile(`[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	for i, recorded := range []Recording{before, after} {
		r.sides[i] = &conversation{
			Options: o, file: recorded.SectionReader, redacted: redacted, seed: seed,
			ids: make(map[string]bool), texts: make(map[block]*text), uuid: uuid,
		}
		if err := r.sides[i].read(); err != nil {
			return 0, fmt.Errorf("%s: %w", recorded.Name, err)
		}
	}
	found, same := compare(r.sides[0].items, r.sides[1].items)
	r.counts[Same] = same
	for i := range found {
		if err := r.print(&found[i]); err != nil {
			return 0, err
		}
	}
	r.end()
	return r.counts[Changed] + r.counts[Missing] + r.counts[New] + r.counts[Moved], r.out.Flush()
}

// isRedacted reports whether the first event of a recording marks it as redacted.
func isRedacted(recorded Recording) bool {
	line, _ := trace.NewLines(io.NewSectionReader(recorded, 0, recorded.Size())).Next()
	return trace.ReadLine(line, 1).Redacted
}

// A report prints differences.
type report struct {
	Options
	out     *bufio.Writer
	sides   [2]*conversation
	counts  map[string]int
	renamed map[string]string // random names in paths, from old to new
}

const maxBrief = 80 // characters of a message

func (r *report) print(d *difference) error {
	var contents [2]*content
	var lines [2]*int
	for i, it := range []*item{d.old, d.new} {
		if it == nil {
			continue
		}
		lines[i] = &it.line
		var err error
		if contents[i], err = r.sides[i].fetch(it); err != nil {
			return err
		}
	}
	var members []member
	if d.kind == Changed {
		if members = r.differ(nil, "", contents[0].whole(), contents[1].whole()); members == nil {
			r.counts[Same]++
			return nil
		}
	}
	r.counts[d.kind]++
	it, from := d.at(), strings.ToLower(string(d.at().from))
	if r.JSON {
		line := jsonLine{Kind: d.kind, Session: it.session, Turn: it.turn, From: from, Method: it.method, Old: lines[0], New: lines[1], Members: members}
		if it.method == "session/update" {
			line.Update = it.label
		}
		fmt.Fprintf(r.out, "%s\n", marshal(line))
		return nil
	}
	where, text := "", describe(members)
	if it.session != 0 {
		where = fmt.Sprintf("S%d turn %d", it.session, it.turn)
	}
	if members == nil {
		text = recording.Cut(string(marshal(cmp.Or(contents[0], contents[1]).inner())), maxBrief)
	}
	_, err := fmt.Fprintf(r.out, "%6s %6s  %-10s  %-6s  %-7s  %s %s\n", number(lines[0]), number(lines[1]), where, from, d.kind, terminal.Printable(it.label), terminal.Printable(text))
	return err
}

func number(line *int) string {
	if line == nil {
		return "-"
	}
	return "#" + strconv.Itoa(*line)
}

// A jsonLine is a difference as JSON.
type jsonLine struct {
	Kind    string   `json:"kind"`
	Session int      `json:"session"`
	Turn    int      `json:"turn"`
	From    string   `json:"from"`
	Method  string   `json:"method"`
	Update  string   `json:"update,omitempty"`
	Old     *int     `json:"old"`
	New     *int     `json:"new"`
	Members []member `json:"members,omitempty"`
}

// end prints the line with the counts.
func (r *report) end() {
	format := "Same %d, changed %d, missing %d, new %d, moved %d."
	if r.JSON {
		format = `{"same":%d,"changed":%d,"missing":%d,"new":%d,"moved":%d}`
	}
	fmt.Fprintf(r.out, format, r.counts[Same], r.counts[Changed], r.counts[Missing], r.counts[New], r.counts[Moved])
	if r.sides[0].redacted && !r.JSON {
		fmt.Fprint(r.out, " A recording is redacted: texts were not compared.")
	}
	if n := r.sides[0].unreadable + r.sides[1].unreadable; n > 0 && !r.JSON {
		fmt.Fprintf(r.out, " Lines that could not be read: %d.", n)
	}
	fmt.Fprintln(r.out)
}
