package v1client

import (
	"bytes"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/patches"
	"acp-plan-proxy/transport/rawjson"
)

// A diff of version 2 says which files were changed how, and has a patch of all
// of them. A diff of version 1 is a path and two texts. So each hunk of the
// patch becomes a diff, with the lines before and after as its two texts.
// Anything else that a patch does, such as renaming a file, is said in words.

const (
	maxPatch     = 4 << 20  // bytes of a patch that is taken apart
	maxPatchItem = 64 << 10 // bytes of diffs after which another item begins
)

// diffs makes diffs of version 1. The zero value is ready for use.
type diffs struct {
	patch patches.Reader
	w     rawjson.Builder
}

// toV1 appends the items that show a diff of version 2.
func (d *diffs) toV1(l *link.Link, items []item, o rawjson.Object) []item {
	var members [8]rawjson.Field
	patch, _ := rawjson.ReadObject(members[:0], o.Get("patch"))
	var shown map[string]bool
	if raw := patch.Get("text"); len(raw) > 1 && raw[0] == '"' {
		ok, before := false, len(items)
		if format, _ := patch.Text("format"); string(format) == "git_patch" && len(raw) <= maxPatch {
			// More than the limit is the same long path again and again.
			items, shown, ok = d.read(items, raw[1:len(raw)-1], o.Get("_meta"), 8*len(raw)+maxID)
		}
		if !ok {
			l.Lose(translate.LossPatch, "shown as text")
			items, shown = append(items[:before], item{json: textAsItem(fencedDiff(rawjson.Unquote(raw)))}), nil
		}
	}
	changes, _ := rawjson.ReadArray(nil, o.Get("changes"))
	for _, raw := range changes {
		if said := inWords(raw, shown); said != "" {
			l.Lose(translate.LossDiff, "said in words what the texts do not show")
			items = append(items, item{json: textAsItem([]byte(said))})
		}
	}
	return items
}

// read appends the diffs that a patch becomes, each with the _meta. It also returns
// the paths that have a diff. It reports false if it cannot read the patch, or if the
// diffs are longer than the limit.
//
// An item has several diffs, because most diffs are short. It does not have all of
// them, because the first items of a long content are left out.
func (d *diffs) read(items []item, patch, meta []byte, limit int) (_ []item, shown map[string]bool, ok bool) {
	if rawjson.Null(meta) || meta[0] != '{' || len(meta) >= maxID {
		meta = nil
	}
	shown = make(map[string]bool)
	defer d.patch.Reset(nil)
	d.w.Reset()
	for d.patch.Reset(patch); d.patch.Next(); {
		d.write(&d.patch.Hunk, meta)
		shown[d.patch.Hunk.Path] = true
		size := len(d.w.Out)
		if limit < size {
			return items, shown, false
		}
		if size > maxPatchItem {
			items = append(items, item{json: bytes.Clone(d.w.Out)})
			limit -= size
			d.w.Reset()
		}
	}
	if len(d.w.Out) > 0 {
		items = append(items, item{json: bytes.Clone(d.w.Out)})
	}
	return items, shown, d.patch.OK()
}

// write writes the diff of a hunk. Its lines have their escapes already.
func (d *diffs) write(h *patches.Hunk, meta []byte) {
	w := &d.w
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
	fence := strings.Repeat("`", max(3, longestRun(patch, '`')+1))
	return []byte(fence + "diff\n" + strings.TrimSuffix(string(patch), "\n") + "\n" + fence)
}

// inWords says what a change does if that was not shown, or only in part.
func inWords(raw []byte, shown map[string]bool) string {
	var members [8]rawjson.Field
	o, _ := rawjson.ReadObject(members[:0], raw)
	path, ok := o.Text("path")
	if !ok {
		return ""
	}
	operation, _ := o.Text("operation")
	from, _ := o.Text("oldPath")
	switch op := string(operation); {
	case op == "move":
		return "Renamed `" + string(from) + "` → `" + string(path) + "`"
	case op == "copy":
		return "Copied `" + string(from) + "` → `" + string(path) + "`"
	case shown[string(path)]:
		return ""
	case op == "add":
		return "Added `" + string(path) + "`"
	case op == "delete":
		return "Deleted `" + string(path) + "`"
	case op == "modify":
		return "Modified `" + string(path) + "`"
	default:
		return op + " `" + string(path) + "`"
	}
}
