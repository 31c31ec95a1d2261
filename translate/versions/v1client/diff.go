package v1client

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// A diff of version 2 lists changed files, with a patch of all of them. A diff of version 1 is
// a path and two texts. Each hunk of the patch becomes a diff whose texts are the lines before
// and after. Other changes, such as a renamed file, become text (bridge.md §4.4.1).

const maxPatch = 4 << 20 // bytes of a patch that is split into hunks

// readDiff writes the items for a diff of version 2.
func (c *toolCall) readDiff(w *shapes.Writer, o rawjson.Object) {
	patch := read(o.Get("patch"))
	shown := make(map[string]bool)
	if raw := patch.Get("text"); len(raw) > 1 && raw[0] == '"' {
		c.take(w)
		before := len(c.items)
		format, _ := patch.Text("format")
		text := rawjson.Unquote(raw)
		if string(format) != "git_patch" || len(raw) > maxPatch || !c.readPatch(w, shown, text, o.Get("_meta")) {
			c.items, w.Out = c.items[:before], w.Out[:0]
			w.Lose(translate.LossPatch, "shown as text")
			writeText(&w.Builder, fencedDiff(text))
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
// It reports false if it cannot read all of the patch, or if the diffs are much longer than
// the patch: the same long path again and again. Agents write absolute paths, without a/ and
// b/, and miscount lines.
func (c *toolCall) readPatch(w *shapes.Writer, shown map[string]bool, patch, meta []byte) bool {
	if rawjson.Null(meta) || meta[0] != '{' || len(meta) >= maxID {
		meta = nil
	}
	// A carriage return belongs to the text of its line, unless a program has ended all lines so.
	keepCR := bytes.Count(patch, []byte("\n")) != bytes.Count(patch, []byte("\r\n"))
	files, err := diff.ParseMultiFileDiffOptions(patch, diff.ParseOptions{KeepCR: keepCR})
	isPatch := len(files) > 0 || bytes.Contains(patch, []byte("diff --git ")) || len(bytes.TrimSpace(patch)) == 0
	if err != nil || !isPatch {
		return false
	}
	const none = "/dev/null" // the name of a file that does not exist before, or after
	hunks := 0
	room := 8*len(patch) + maxID
	for _, f := range files {
		path := f.NewName
		if path == none || path == "" {
			path = f.OrigName
		}
		hunks += len(f.Hunks)
		for _, h := range f.Hunks {
			if len(h.Body) == 0 {
				continue
			}
			start := len(w.Out)
			writeDiff(w, path, h.Body, f.OrigName == none, meta)
			shown[path] = true
			if room -= len(w.Out) - start; room < 0 {
				return false
			}
			if len(w.Out) >= maxItem {
				c.take(w)
			}
		}
	}
	begins := bytes.Count(patch, []byte("\n@@"))
	return hunks == begins // the library skips hunks of files without a name, and behind other text
}

// writeDiff writes the diff of a hunk with that body. A new file has no text before.
func writeDiff(w *shapes.Writer, path string, body []byte, isNew bool, meta []byte) {
	var before, after []byte
	for line := range bytes.Lines(body) {
		switch mark := line[0]; mark {
		case '\n': // an empty line: editors cut the blank off
			before, after = append(before, line...), append(after, line...)
		case ' ':
			before, after = append(before, line[1:]...), append(after, line[1:]...)
		case '-':
			before = append(before, line[1:]...)
		case '+':
			after = append(after, line[1:]...)
		}
	}
	w.Object()
	w.JSON(`"type":"diff"`)
	w.StringMember("path", []byte(path))
	if len(before) > 0 && !isNew {
		w.StringMember("oldText", bytes.TrimSuffix(before, []byte("\n")))
	}
	w.StringMember("newText", bytes.TrimSuffix(after, []byte("\n")))
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
	o := read(raw)
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
