package v1client

import (
	"cmp"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/patches"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// A diff of version 2 says which files were changed how, and has a patch of all
// of them. A diff of version 1 is a path and two texts. So each hunk of the
// patch becomes a diff, with the lines before and after as its two texts.
// Anything else that a patch does, such as renaming a file, is said in words.

const maxPatch = 4 << 20 // bytes of a patch that is taken apart

// readDiff writes what shows a diff of version 2.
func (c *toolCall) readDiff(w *words.Writer, o rawjson.Object) {
	patch := read(o.Get("patch"))
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

// readPatch writes the diffs that a patch becomes, each with the _meta, and notes the paths
// that have one. It reports false if it cannot read the patch, or if the diffs are much
// longer: the same long path again and again.
func (c *toolCall) readPatch(w *words.Writer, shown map[string]bool, patch, meta []byte) bool {
	if rawjson.Null(meta) || meta[0] != '{' || len(meta) >= maxID {
		meta = nil
	}
	room := 8*len(patch) + maxID
	r := &c.session.bridge.patch
	defer r.Reset(nil)
	for r.Reset(patch); r.Next(); {
		before := len(w.Out)
		writeDiff(w, &r.Hunk, meta)
		shown[r.Hunk.Path] = true
		if room -= len(w.Out) - before; room < 0 {
			return false
		}
		if len(w.Out) >= maxItem {
			c.take(w)
		}
	}
	return r.OK()
}

// writeDiff writes the diff of a hunk. Its lines have their escapes already.
func writeDiff(w *words.Writer, h *patches.Hunk, meta []byte) {
	w.Object()
	w.JSON(`"type":"diff"`)
	w.StringMember("path", []byte(h.Path))
	if h.Before != nil {
		w.JSON(`"oldText":"`)
		w.Out = append(append(w.Out, h.Before...), '"')
	}
	w.JSON(`"newText":"`)
	w.Out = append(append(w.Out, h.After...), '"')
	w.Member("_meta", meta)
	w.EndObject()
}

// fencedDiff returns a patch as a fenced text.
func fencedDiff(patch []byte) []byte {
	fence := fenceOf(patch)
	return []byte(fence + "diff\n" + strings.TrimSuffix(string(patch), "\n") + "\n" + fence)
}

// operations are what is said of a change.
var operations = map[string]string{"add": "Added", "delete": "Deleted", "modify": "Modified", "move": "Renamed", "copy": "Copied"}

// inWords says what a change does if that was not shown, or only in part.
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
