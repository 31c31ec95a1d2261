package v1client

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/patches"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// A diff of version 2 lists changed files, with a patch of all of them. A diff of version 1 is
// a path and two texts. Each hunk of the patch becomes a diff whose texts are the lines before
// and after. Other changes, such as a renamed file, become text.

const (
	maxPatch = 4 << 20 // bytes of a patch that is split into hunks
	maxMeta  = 4 << 10 // bytes of a _meta that each hunk repeats
)

// readDiff writes the items for a diff of version 2.
func (c *toolCall) readDiff(w *shapes.Writer, o rawjson.Object) {
	patch := rawjson.Members(o.Get("patch"))
	shown := make(map[string]bool)
	if raw := patch.Get("text"); len(raw) > 1 && raw[0] == '"' {
		c.take(w)
		before := len(c.items)
		format, _ := patch.Text("format")
		if string(format) != "git_patch" || len(raw) > maxPatch || !c.readPatch(w, shown, raw[1:len(raw)-1], o.Get("_meta")) {
			c.items, w.Out = c.items[:before], w.Out[:0]
			w.Lose(translate.LossPatch, "shown as text")
			writeText(&w.Builder, fencedDiff(rawjson.Unquote(raw)))
			clear(shown)
		}
	}
	changes, _ := rawjson.ReadArray(nil, o.Get("changes"))
	for _, raw := range changes {
		if said := inWords(raw, shown); said != "" {
			w.Lose(translate.LossDiff, "said in words what the texts do not show")
			writeText(&w.Builder, []byte(said))
		}
	}
}

// readPatch writes the diffs of a patch, each with the _meta, and adds their paths to shown.
// It reports false if the text is not a patch, or if the diffs are much longer than the patch:
// the same long path again and again. Agents write patches themselves: with absolute paths,
// without a/ and b/, and with wrong line numbers, which are ignored.
//
// The patch is the inside of a JSON string. Its lines are copied as they are: to unquote and
// to quote them again takes a third more instructions per message.
func (c *toolCall) readPatch(w *shapes.Writer, shown map[string]bool, patch, meta []byte) bool {
	if rawjson.Null(meta) || meta[0] != '{' || len(meta) >= maxMeta {
		meta = nil
	}
	if first, _, _ := patches.CutLine(patch); bytes.Contains(patch, []byte("u00")) || bytes.HasSuffix(first, []byte(`\r`)) {
		// A newline or a mark can be spelled \u00….
		text := patches.Unescape(patch)
		// A carriage return belongs to the text of its line, unless a program has ended all lines so.
		if bytes.Count(text, []byte("\r\n")) == bytes.Count(text, []byte("\n")) {
			text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		}
		patch = rawjson.AppendEscaped(nil, text)
	}
	const none = "/dev/null" // the name of a file that does not exist before, or after
	room := 8*len(patch) + maxMeta
	var path, from string
	found := false  // a file
	inFile := false // only headers and hunks followed the header of the file
	for text := patch; len(text) > 0; {
		line, rest, _ := patches.CutLine(text)
		switch {
		case bytes.HasPrefix(line, []byte("--- ")):
			to, next, _ := patches.CutLine(rest)
			if !bytes.HasPrefix(to, []byte("+++ ")) {
				return false
			}
			from, path, rest = fileName(patches.Unescape(line[4:])), fileName(patches.Unescape(to[4:])), next
			if path == none || path == "" {
				path = from
			}
			found, inFile = true, true
		case inFile && bytes.HasPrefix(line, []byte("@@")):
			h := &c.session.bridge.hunk
			next := h.read(rest)
			if len(next) == len(rest) {
				break
			}
			start := len(w.Out)
			h.write(w, path, from == none, meta)
			shown[path], rest = true, next
			if room -= len(w.Out) - start; room < 0 {
				return false
			}
			if len(w.Out) >= maxItem {
				c.take(w)
			}
		default:
			inFile = false
		}
		text = rest
	}
	return found || bytes.Contains(patch, []byte("diff --git ")) || len(bytes.TrimSpace(patches.Unescape(patch))) == 0
}

// fileName returns the file in a header. A tab separates the name from a time, and git quotes
// unusual names.
func fileName(header []byte) string {
	name, _, _ := strings.Cut(strings.TrimSpace(string(header)), "\t")
	if unquoted, err := strconv.Unquote(name); err == nil && name[0] == '"' {
		return unquoted
	}
	return name
}

// A hunk is one place where a patch changes a file: the lines before and after, each with its
// newline. The buffers are reused.
type hunk struct{ before, after []byte }

// read reads the lines of a hunk at the start of a text, and returns the rest of the text.
func (h *hunk) read(text []byte) (rest []byte) {
	h.before, h.after = rawjson.Reuse(h.before), rawjson.Reuse(h.after)
	for len(text) > 0 {
		line, next, _ := patches.CutLine(text)
		mark := byte(' ') // of an empty line: an editor may have removed the blank
		if len(line) > 0 && string(line) != `\r` {
			mark, line = line[0], line[1:]
		}
		switch mark {
		case ' ':
			h.before = append(append(h.before, line...), patches.Newline...)
			h.after = append(append(h.after, line...), patches.Newline...)
		case '-':
			// The header of another file looks like a removed line.
			if bytes.HasPrefix(line, []byte("--")) && bytes.HasPrefix(next, []byte("+++")) {
				if _, third, _ := patches.CutLine(next); bytes.HasPrefix(third, []byte("@@")) {
					return text
				}
			}
			h.before = append(append(h.before, line...), patches.Newline...)
		case '+':
			h.after = append(append(h.after, line...), patches.Newline...)
		default:
			// An escaped backslash begins the note that the last newline is missing.
			if mark != '\\' || line[0] != '\\' {
				return text
			}
		}
		text = next
	}
	return text
}

// write writes the hunk as a diff. A new file has no text before.
func (h *hunk) write(w *shapes.Writer, path string, isNew bool, meta []byte) {
	w.Object()
	w.JSON(`"type":"diff"`)
	w.StringMember("path", []byte(path))
	if len(h.before) > 0 && !isNew {
		w.JSON(`"oldText":"`)
		w.Out = append(append(w.Out, bytes.TrimSuffix(h.before, []byte(patches.Newline))...), '"')
	}
	w.JSON(`"newText":"`)
	w.Out = append(append(w.Out, bytes.TrimSuffix(h.after, []byte(patches.Newline))...), '"')
	w.Member("_meta", meta)
	w.EndObject()
}

// fencedDiff returns a patch as a fenced text.
func fencedDiff(patch []byte) []byte {
	fence := fenceOf(patch)
	return []byte(fence + "diff\n" + strings.TrimSuffix(string(patch), "\n") + "\n" + fence)
}

// operations are verbs for changes.
var operations = map[string]string{"add": "Added", "delete": "Deleted", "modify": "Modified", "move": "Renamed", "copy": "Copied"}

// inWords describes a change that the hunks do not show completely.
func inWords(raw []byte, shown map[string]bool) string {
	o := rawjson.Members(raw)
	path, ok := o.Text("path")
	operation := o.String("operation")
	said := cmp.Or(operations[operation], operation) + " `"
	switch {
	case !ok:
		return ""
	case operation == "move" || operation == "copy":
		return said + o.String("oldPath") + "` → `" + string(path) + "`"
	case shown[string(path)]:
		return ""
	}
	return said + string(path) + "`"
}
