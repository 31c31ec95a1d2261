// Package diff compares two recordings of the same work: of the same client with two
// versions of an agent, for example, or with the proxy and without.
//
//	read.go   the messages of a recording as they are compared: without ids and times
//	match.go  which of them belong together
//	diff.go   the differences within a message, and the report
package diff

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
)

// Options choose what is compared, and the form of the report.
type Options struct {
	Side       trace.Component // whose conversation is compared
	IgnoreText bool            // of models: messages and thoughts
	JSON       bool
	Clean      func(string) string // makes a text printable
}

// A Recording is a file of messages in any form.
type Recording struct {
	Name string
	*io.SectionReader
}

// Compare compares two recordings and prints a line for each difference, in the order of
// sessions and turns, and one with the counts. It returns the number of differences.
func Compare(out io.Writer, before, after Recording, o Options) (count int, err error) {
	r := report{Options: o, out: bufio.NewWriter(out), counts: make(map[string]int), renamed: make(map[string]string)}
	seed := maphash.MakeSeed()
	redacted := isRedacted(before) || isRedacted(after)
	for i, recorded := range []Recording{before, after} {
		r.sides[i] = &conversation{
			Options: o, file: recorded.SectionReader, redacted: redacted, seed: seed,
			ids: make(map[string]bool), labels: make(map[string]string), runs: make(map[block]*run),
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
	renamed map[string]string // random names in paths, by the old one
}

// A member is a difference within a message. A value is empty if its side lacks the member.
type member struct {
	Path string          `json:"path"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// absent takes the place of a member that one side lacks.
type absent struct{}

func (r *report) print(d *difference) error {
	var contents [2]*content
	for i, it := range []*item{d.old, d.new} {
		if it == nil {
			continue
		}
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
	if r.JSON {
		return r.printJSON(d, members)
	}
	it := d.at()
	where := ""
	if it.session != 0 {
		where = fmt.Sprintf("S%d turn %d", it.session, it.turn)
	}
	text := ""
	switch {
	case d.kind == Changed:
		text = describe(members)
	case contents[0] != nil:
		text = contents[0].brief()
	default:
		text = contents[1].brief()
	}
	fmt.Fprintf(r.out, "%6s %6s  %-10s  %-6s  %-7s  %s %s\n", number(d.old), number(d.new), where, strings.ToLower(string(it.from)), d.kind, r.Clean(it.label), r.Clean(text))
	return nil
}

func number(it *item) string {
	if it == nil {
		return "-"
	}
	return "#" + strconv.Itoa(it.line)
}

func (r *report) printJSON(d *difference, members []member) error {
	it := d.at()
	out := struct {
		Kind    string   `json:"kind"`
		Session int      `json:"session"`
		Turn    int      `json:"turn"`
		From    string   `json:"from"`
		Method  string   `json:"method"`
		Update  string   `json:"update,omitempty"`
		Old     *int     `json:"old"`
		New     *int     `json:"new"`
		Members []member `json:"members,omitempty"`
	}{Kind: d.kind, Session: it.session, Turn: it.turn, From: strings.ToLower(string(it.from)), Method: it.method, Members: members}
	if it.method == "session/update" {
		out.Update = it.label
	}
	if d.old != nil {
		out.Old = &d.old.line
	}
	if d.new != nil {
		out.New = &d.new.line
	}
	return r.printLine(out)
}

func (r *report) printLine(value any) error {
	_, err := fmt.Fprintf(r.out, "%s\n", marshal(value))
	return err
}

// end prints the last line.
func (r *report) end() {
	if r.JSON {
		r.printLine(struct {
			Same    int `json:"same"`
			Changed int `json:"changed"`
			Missing int `json:"missing"`
			New     int `json:"new"`
			Moved   int `json:"moved"`
		}{r.counts[Same], r.counts[Changed], r.counts[Missing], r.counts[New], r.counts[Moved]})
		return
	}
	fmt.Fprintf(r.out, "Same %d, changed %d, missing %d, new %d, moved %d.", r.counts[Same], r.counts[Changed], r.counts[Missing], r.counts[New], r.counts[Moved])
	if r.sides[0].redacted {
		fmt.Fprint(r.out, " A recording is redacted: texts were not compared.")
	}
	if n := r.sides[0].unreadable + r.sides[1].unreadable; n > 0 {
		fmt.Fprintf(r.out, " Lines that could not be read: %d.", n)
	}
	fmt.Fprintln(r.out)
}

// whole returns the content with its text where it is in the message.
func (v *content) whole() any {
	if v.chunk {
		update := find(find(v.value, "params"), "update").(map[string]any)
		content, _ := update["content"].(map[string]any)
		if content != nil {
			content["text"] = v.text
		}
	}
	return v.value
}

// brief returns the beginning of the content.
func (v *content) brief() string {
	value := v.whole()
	for _, name := range []string{"params", "result", "error", "update"} {
		if inner := find(value, name); inner != nil {
			value = inner
		}
	}
	if update, ok := value.(map[string]any); ok {
		delete(update, "sessionUpdate")
		delete(update, "sessionId")
	}
	return recording.Cut(string(marshal(value)), maxBrief)
}

// differ appends the differences between two values.
func (r *report) differ(found []member, path string, old, new any) []member {
	if reflect.DeepEqual(old, new) {
		return found
	}
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			names := slices.AppendSeq(slices.Collect(maps.Keys(o)), maps.Keys(n))
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				found = r.differ(found, path+"/"+escape(name), valueOf(o, name), valueOf(n, name))
			}
			return found
		}
	case []any:
		if n, ok := new.([]any); ok {
			for i := range max(len(o), len(n)) {
				found = r.differ(found, path+"/"+strconv.Itoa(i), element(o, i), element(n, i))
			}
			return found
		}
	case string:
		if n, ok := new.(string); ok && r.isRenamed(o, n) {
			return found
		}
	}
	return append(found, member{path, marshal(old), marshal(new)})
}

// isRenamed reports whether two texts differ only in names that an earlier difference has
// shown. Two paths that differ in one component are such a difference.
func (r *report) isRenamed(old, new string) bool {
	if replaceWords(old, func(word string) string { return cmp.Or(r.renamed[word], word) }) == new {
		return true
	}
	o, n := strings.FieldsFunc(old, isSeparator), strings.FieldsFunc(new, isSeparator)
	if !strings.HasPrefix(old, "/") || len(o) != len(n) || len(r.renamed) >= maxNames {
		return false
	}
	for i := range o {
		if o[i] != n[i] && strings.Replace(old, o[i], n[i], 1) == new {
			r.renamed[o[i]] = n[i]
		}
	}
	return false
}

func isSeparator(r rune) bool { return !isNameRune(r) }

func valueOf(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// escape returns a name as a JSON Pointer has it.
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// marshal returns a value as JSON, nothing for an absent one.
func marshal(value any) []byte {
	if value == (absent{}) {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(value)
	return bytes.TrimSpace(b.Bytes())
}

const (
	maxMembers = 3  // of a message, in the text
	maxValue   = 40 // characters of a value
	maxBrief   = 80 // characters of a message
)

// describe returns the members of a changed message as text.
func describe(members []member) string {
	var b strings.Builder
	for i, m := range members {
		if i == maxMembers {
			fmt.Fprintf(&b, "; %d more", len(members)-i)
			break
		}
		if i > 0 {
			b.WriteString("; ")
		}
		path := strings.TrimPrefix(strings.TrimPrefix(m.Path, "/params"), "/update")
		switch old, new := string(m.Old), string(m.New); {
		case m.Old == nil:
			fmt.Fprintf(&b, "%s added: %s", path, recording.Cut(new, maxValue))
		case m.New == nil:
			fmt.Fprintf(&b, "%s removed: %s", path, recording.Cut(old, maxValue))
		default:
			same := 0 // characters in front that a reader need not see
			for same < min(len(old), len(new)) && old[same] == new[same] {
				same++
			}
			fmt.Fprintf(&b, "%s %s → %s", path, excerpt(old, same), excerpt(new, same))
		}
	}
	return b.String()
}

// excerpt returns the part of a value around the first difference.
func excerpt(value string, same int) string {
	const before = 10
	if from := same - before; len(value) > maxValue && from > before {
		for !utf8.RuneStart(value[from]) {
			from--
		}
		value = "…" + value[from:]
	}
	return recording.Cut(value, maxValue)
}
