package view

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"os"
	"strings"

	"acp-plan-proxy/proxy/terminal"
)

//go:embed page
var files embed.FS

// A pageTemplate has the page without the recording.
type pageTemplate struct {
	policy    string // the Content-Security-Policy
	before    string // the text before the recording
	after     string // the text after the recording
	recording place
}

// A place is where a page gets its recording.
type place int

const (
	fromServer place = iota
	inside           // the page
)

// newPage assembles the page for the named file.
func newPage(file string, recording place) *pageTemplate {
	script := concatenate("text.js", "json.js", "difference.js", "kinds.js", "plans.js", "recording.js", "stream.js",
		"filters.js", "rowlist.js", "search.js", "address.js", "timeline.js", "row.js",
		"explain.js", "findings.js", "copy.js", "highlights.js", "prose.js", "filediff.js", "terminal.js",
		"messages.js", "plancards.js", "content.js", "toolcall.js", "userview.js", "detail.js",
		"state.js", "summary.js", "changes.js", "searchfield.js", "counts.js", "divider.js", "controls.js")
	style := concatenate("frame.css", "detail.css")
	policy := "default-src 'none'; script-src " + policyHash(script) + "; style-src " + policyHash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	attribute := ""
	if recording == inside {
		attribute = ` data-recording="inside"`
	} else {
		policy += "; connect-src 'self'"
	}
	text := strings.NewReplacer(
		"{{inside}}", attribute,
		"{{policy}}", policy, "{{file}}", html.EscapeString(terminal.Printable(file)), "{{style}}", style, "{{script}}", script,
	).Replace(concatenate("index.html"))
	before, after, _ := strings.Cut(text, "{{recording}}\n")
	return &pageTemplate{policy: policy, before: before, after: after, recording: recording}
}

// concatenate returns the named files of the page one after another.
func concatenate(names ...string) string {
	var all []byte
	for _, name := range names {
		text, _ := files.ReadFile("page/" + name) // they are embedded
		all = append(all, text...)
	}
	return string(all)
}

// policyHash returns the hash of a script or a style sheet for the policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// The page reads the recording in parts, and draws the first while the browser parses the
// others.
const (
	beginPart = "<script type=\"application/x-ndjson\" class=\"part\">\n"
	endPart   = "</script>\n"
)

// write writes the page. If the recording is inside, writeLines writes it.
func (p *pageTemplate) write(w io.Writer, writeLines func(*bufio.Writer) error) error {
	out := bufio.NewWriter(w)
	out.WriteString(p.before)
	if p.recording == inside {
		out.WriteString(beginPart)
		if err := writeLines(out); err != nil {
			return err
		}
		out.WriteString(endPart)
	}
	out.WriteString(p.after)
	return out.Flush()
}

// HTML writes the page with the recording as one self-contained document. Whoever has the
// document can read every message.
func (r Recording) HTML(w io.Writer) error {
	recording, err := r.open()
	if err != nil {
		return err
	}
	defer recording.Close()
	return newPage(r.title(), inside).write(w, func(out *bufio.Writer) error { return r.writeLines(out, recording) })
}

// HTMLFile writes the document of [Recording.HTML] to the file at path; only its owner can
// read a new file. HTMLFile replaces an existing file, but not if there is no recording.
func (r Recording) HTMLFile(path string) error {
	if err := r.check(); err != nil {
		return err
	}
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(r.HTML(out), out.Close())
}
