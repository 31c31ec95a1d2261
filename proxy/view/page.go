package view

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"strings"

	"acp-plan-proxy/capabilities"
)

//go:embed page
var files embed.FS

// A document is the page, ready but for the recording.
type document struct {
	policy       string // its Content-Security-Policy
	before       string // what stands in front of the recording
	after        string
	withoutLines bool // the page fetches the recording
}

// newPage puts the page together. file is the name it shows; served says that
// it fetches the recording rather than having it inside.
func newPage(file string, served bool) (*document, error) {
	script, err := concatenate("text.js", "json.js", "difference.js", "plans.js", "recording.js",
		"explain.js", "list.js", "draw.js", "app.js", "keys.js")
	if err != nil {
		return nil, err
	}
	style, err := concatenate("frame.css", "detail.css")
	if err != nil {
		return nil, err
	}
	frame, err := concatenate("index.html")
	if err != nil {
		return nil, err
	}
	policy := "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	if served {
		policy += "; connect-src 'self'"
	}
	var planIDMembers []string
	for i := range capabilities.PlanIDMembers {
		planIDMembers = append(planIDMembers, capabilities.PlanIDMember(i))
	}
	text := strings.NewReplacer(
		"{{policy}}", policy, "{{file}}", html.EscapeString(Printable(file)), "{{style}}", style, "{{script}}", script,
		"{{planIDMembers}}", strings.Join(planIDMembers, " "),
	).Replace(frame)
	before, after, _ := strings.Cut(text, "{{recording}}\n")
	return &document{policy: policy, before: before, after: after, withoutLines: served}, nil
}

// concatenate returns the named files of the page one after another.
func concatenate(names ...string) (string, error) {
	var all strings.Builder
	for _, name := range names {
		text, err := files.ReadFile("page/" + name)
		if err != nil {
			return "", fmt.Errorf("read the page: %w", err)
		}
		all.Write(text)
	}
	return all.String(), nil
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// write writes the page, with the lines of recording in it unless it is one
// that fetches them.
func (p *document) write(w io.Writer, recording io.Reader) error {
	out := bufio.NewWriter(w)
	out.WriteString(p.before)
	if !p.withoutLines {
		out.WriteString("<script type=\"application/x-ndjson\" id=\"recording\">\n")
		if err := writeLines(out, recording); err != nil {
			return err
		}
		out.WriteString("</script>\n")
	}
	out.WriteString(p.after)
	return out.Flush()
}

// writeLines writes the lines of a recording so that they can stand inside a
// script element: without the character <, which in JSON only strings can
// have and which can be spelled otherwise there. A line that is not JSON is
// left blank, so that the others keep their numbers.
func writeLines(out *bufio.Writer, recording io.Reader) error {
	in := bufio.NewReader(recording)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("read trace: %w", err)
		}
		if text := bytes.TrimRight(line, "\r\n"); json.Valid(text) {
			out.Write(bytes.ReplaceAll(bytes.ToValidUTF8(text, []byte("\uFFFD")), []byte("<"), []byte(`\u003c`)))
		}
		if len(line) > 0 {
			out.WriteByte('\n')
		}
		if err == io.EOF {
			return nil
		}
	}
}

// HTML writes the page with the recording in file as one document that needs
// nothing else. It shows what the recording holds as a whole: every message in
// it can be read by whoever gets the document.
func HTML(w io.Writer, file string) error {
	recording, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	defer recording.Close()
	page, err := newPage(filepath.Base(file), false)
	if err != nil {
		return fmt.Errorf("view: %w", err)
	}
	if err := page.write(w, recording); err != nil {
		return fmt.Errorf("view: %w", err)
	}
	return nil
}
