package oldclient

import (
	"bytes"
	"strings"

	"github.com/sourcegraph/go-diff/diff"

	"acp-plan-proxy/transport/rawjson"
)

// A diff of version 2 says which files were changed how, and has a patch of all
// of them. A diff of version 1 is a path and two texts. So each hunk of the
// patch becomes a diff, its two texts being the lines before and after; what a
// patch does beside that, such as renaming a file, is said in words.

const maxPatch = 4 << 20 // bytes of a patch that is taken apart

// diffToV1 returns the items that show a diff.
func (b *Bridge) diffToV1(o rawjson.Object) (items [][]byte) {
	var members [8]rawjson.Field
	patch, _ := rawjson.ReadObject(members[:0], o.Get("patch"))
	format, _ := patch.Text("format")
	text, hasText := appendText(b.text[:0], patch.Get("text"))
	changes, _ := rawjson.ReadArray(nil, o.Get("changes"))
	shown := make(map[string]bool)
	var meta []byte
	if raw := o.Get("_meta"); !rawjson.Null(raw) && raw[0] == '{' && len(raw) < maxID {
		meta = raw
	}
	if hasText {
		b.text = text
		var ok bool
		if string(format) == "git_patch" {
			items, ok = b.hunks(text, meta, shown)
		}
		if !ok {
			b.w.Lose("patch of a diff", "shown as text")
			items = [][]byte{appendTextItem(nil, fencedDiff(text))}
		}
	}
	for _, raw := range changes {
		if said := inWords(raw, shown); said != "" {
			b.w.Lose("diff that is more than two texts", "said in words what the texts do not show")
			items = append(items, appendTextItem(nil, []byte(said)))
		}
	}
	return items
}

// hunks returns a diff of version 1 for each hunk of a git patch, and notes in
// shown which files it has. It reports false if the patch cannot be read.
func (b *Bridge) hunks(patch, meta []byte, shown map[string]bool) (items [][]byte, ok bool) {
	if len(patch) > maxPatch {
		return nil, false
	}
	files, err := diff.ParseMultiFileDiff(patch)
	if err != nil || len(files) == 0 && len(bytes.TrimSpace(patch)) > 0 && !bytes.Contains(patch, []byte("diff --git ")) {
		return nil, false
	}
	size := 0
	for _, f := range files {
		path := f.NewName
		if path == "/dev/null" || path == "" {
			path = f.OrigName
		}
		for _, h := range f.Hunks {
			item := b.hunkToV1(path, h.Body, f.OrigName == "/dev/null", meta)
			if size += len(item); size > 8*len(patch)+maxID {
				return nil, false // the same long path again and again
			}
			items = append(items, item)
			shown[path] = true
		}
	}
	return items, true
}

// hunkToV1 returns a hunk as a diff of version 1.
func (b *Bridge) hunkToV1(path string, body []byte, added bool, meta []byte) []byte {
	body = bytes.TrimSuffix(body, []byte("\n"))
	out := append(b.item.Out[:0], `{"type":"diff","path":`...)
	out = rawjson.AppendQuoted(out, path)
	if !added {
		if with, ok := appendSide(append(out, `,"oldText":`...), body, '-'); ok {
			out = with
		}
	}
	out, _ = appendSide(append(out, `,"newText":`...), body, '+')
	if meta != nil {
		out = appendRaw(out, "_meta", meta)
	}
	b.item.Out = append(out, '}')
	return cloned(b.item.Out)
}

// appendSide appends, as a JSON string, the lines of a hunk that one side has:
// those that have its mark, and those around them. It reports false if there are
// none.
func appendSide(dst, body []byte, mark byte) (out []byte, ok bool) {
	dst = append(dst, '"')
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if len(line) > 0 && line[0] != ' ' && line[0] != mark {
			continue
		}
		if ok {
			dst = append(dst, '\\', 'n')
		}
		dst = rawjson.AppendEscaped(dst, line[min(1, len(line)):])
		ok = true
	}
	return append(dst, '"'), ok
}

// fencedDiff returns a patch as a fenced text.
func fencedDiff(patch []byte) []byte {
	fence := strings.Repeat("`", max(3, longestRun(patch, '`')+1))
	return []byte(fence + "diff\n" + strings.TrimSuffix(string(patch), "\n") + "\n" + fence)
}

// inWords says what a change does if that was not shown, or only in part.
func inWords(raw []byte, shown map[string]bool) string {
	o, _ := rawjson.ReadObject(nil, raw)
	operation, _ := o.Text("operation")
	path, ok := o.Text("path")
	if !ok {
		return ""
	}
	name := "`" + string(path) + "`"
	from, _ := o.Text("oldPath")
	switch op := string(operation); {
	case op == "move":
		return "Renamed `" + string(from) + "` → " + name
	case op == "copy":
		return "Copied `" + string(from) + "` → " + name
	case shown[string(path)]:
		return ""
	case op == "add":
		return "Added " + name
	case op == "delete":
		return "Deleted " + name
	case op == "modify":
		return "Modified " + name
	default:
		return op + " " + name
	}
}
