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

// A diff of version 2 lists changed files, with one patch of all files. A diff of version 1 is
// a path and two texts. Each hunk of the patch becomes a diff whose texts are the lines before
// and after the change. Other changes, such as a renamed file, become text.

// maxDiffRatio limits the length of the diffs of a patch, as a multiple of the length of the patch.
const maxDiffRatio = 8

// writeDiff writes the items for a diff of version 2.
func writeDiff(w *shapes.Writer, o rawjson.Object) {
	patch := o.Object("patch")
	shown := make(map[string]bool)
	if text, ok := patches.Inside(patch.Get("text")); ok {
		start := len(w.Out)
		if patch.String("format") != "git_patch" || !writePatch(w, shown, text, o.Get("_meta")) {
			w.Out = w.Out[:start]
			w.Lose(translate.LossPatch, "a patch is shown as text")
			translate.WriteText(&w.Builder, fencedDiff(patches.Unescape(text)))
			clear(shown)
		}
	}
	for change := range rawjson.Objects(o.Get("changes"), nil) {
		if text := describeChange(change, shown); text != "" {
			w.Lose(translate.LossDiff, "changes that two texts cannot show are described in words")
			translate.WriteText(&w.Builder, text)
		}
	}
}

// writePatch writes the diffs of a patch, each with the _meta, and adds their paths to shown. It
// reports false if the text is not a patch, or if the diffs are much longer than the patch, because
// each hunk repeats a long path. Some agents write patches themselves: with absolute paths, without
// a/ and b/, and with wrong line numbers, which writePatch ignores.
//
// The patch is the inside of a JSON string. writePatch copies its lines unchanged, because to unquote
// and to quote them takes a third more instructions per message.
func writePatch(w *shapes.Writer, shown map[string]bool, patch, meta []byte) bool {
	if !rawjson.IsObject(meta) {
		meta = nil
	}
	const none = "/dev/null" // the name of a file that does not exist before, or after
	maxLength := len(w.Out) + maxDiffRatio*len(patch) + len(meta)
	var path, from string
	var buffers [2][512]byte // most hunks fit
	before, after := buffers[0][:], buffers[1][:]
	found := len(patch) == 0
	inFile := false // the line follows the header of a file, or another hunk of the file
	for text := patch; len(text) > 0; {
		line, rest, _ := patches.CutLine(text)
		switch {
		case bytes.HasPrefix(line, []byte("--- ")):
			to, next, _ := patches.CutLine(rest)
			if !bytes.HasPrefix(to, []byte("+++ ")) {
				return false
			}
			from, path, rest = fileName(line[4:]), fileName(to[4:]), next
			if path == none || path == "" {
				path = from
			}
			found, inFile = true, true
		case inFile && bytes.HasPrefix(line, []byte("@@")):
			hunk := rest
			before, after, rest = readHunk(before[:0], after[:0], hunk)
			if len(rest) == len(hunk) {
				break
			}
			writeHunk(w, path, before, after, from == none, meta)
			shown[path] = true
			if len(w.Out) > maxLength {
				return false
			}
		default:
			inFile = false
		}
		text = rest
	}
	return found || bytes.Contains(patch, []byte("diff --git "))
}

// fileName returns the file in a header. A tab separates the name from a time, and git quotes
// unusual names.
func fileName(header []byte) string {
	name, _, _ := strings.Cut(strings.TrimSpace(patches.Unescape(header)), "\t")
	if unquoted, err := strconv.Unquote(name); err == nil && name[0] == '"' {
		return unquoted
	}
	return name
}

// readHunk reads the lines of a hunk at the start of a text. It appends the lines before and
// after the change, each with its newline, and returns the rest of the text.
func readHunk(before, after, text []byte) (_, _, rest []byte) {
	for len(text) > 0 {
		line, next, _ := patches.CutLine(text)
		mark := byte(' ') // also of an empty line, because an editor may have removed the blank
		if len(line) > 0 && string(line) != `\r` {
			mark, line = line[0], line[1:]
		}
		// The header of another file looks like a removed line.
		if mark == '-' && bytes.HasPrefix(line, []byte("--")) && bytes.HasPrefix(next, []byte("+++")) {
			if _, third, _ := patches.CutLine(next); bytes.HasPrefix(third, []byte("@@")) {
				return before, after, text
			}
		}
		inBefore, inAfter := mark == ' ' || mark == '-', mark == ' ' || mark == '+'
		// An escaped backslash begins the note that the last newline is missing.
		if !inBefore && !inAfter && (mark != '\\' || line[0] != '\\') {
			return before, after, text
		}
		if inBefore {
			before = append(append(before, line...), patches.Newline...)
		}
		if inAfter {
			after = append(append(after, line...), patches.Newline...)
		}
		text = next
	}
	return before, after, text
}

// writeHunk writes a hunk as a diff. A new file has no text before.
func writeHunk(w *shapes.Writer, path string, before, after []byte, isNew bool, meta []byte) {
	w.Object()
	w.Texts("type", "diff", "path", path)
	if len(before) > 0 && !isNew {
		w.JSON(`"oldText":"`)
		w.Out = append(append(w.Out, bytes.TrimSuffix(before, []byte(patches.Newline))...), '"')
	}
	w.JSON(`"newText":"`)
	w.Out = append(append(w.Out, bytes.TrimSuffix(after, []byte(patches.Newline))...), '"')
	w.Member("_meta", meta)
	w.EndObject()
}

// fencedDiff returns a patch as a fenced text.
func fencedDiff(patch string) string {
	fence := fenceOf(patch)
	return fence + "diff\n" + strings.TrimSuffix(patch, "\n") + "\n" + fence
}

// operations are verbs for changes.
var operations = map[string]string{"add": "Added", "delete": "Deleted", "modify": "Modified", "move": "Renamed", "copy": "Copied"}

// describeChange returns a text about a change that the hunks do not show completely, or "".
func describeChange(change rawjson.Object, shown map[string]bool) string {
	path, operation := change.String("path"), change.String("operation")
	text := cmp.Or(operations[operation], operation) + " `"
	switch {
	case operation == "move" || operation == "copy":
		return text + change.String("oldPath") + "` → `" + path + "`"
	case path == "" || shown[path]:
		return ""
	}
	return text + path + "`"
}
