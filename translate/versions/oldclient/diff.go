package oldclient

import (
	"strings"

	"acp-plan-proxy/translate"
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

// diffToV1 appends the items that show a diff.
func (k *contents) diffToV1(items []item, o rawjson.Object) []item {
	var members [8]rawjson.Field
	patch, _ := rawjson.ReadObject(members[:0], o.Get("patch"))
	defer k.patch.reset()
	if raw := patch.Get("text"); len(raw) > 1 && raw[0] == '"' {
		format, _ := patch.Text("format")
		if string(format) != "git_patch" || !k.readPatch(raw, o.Get("_meta")) {
			k.patch.reset()
			k.link.Lose(translate.LossPatch, "shown as text")
			items = append(items, item{json: appendTextItem(nil, fencedDiff(rawjson.Unquote(raw)))})
		}
	}
	items = k.patch.appendTo(items)
	changes, _ := rawjson.ReadArray(nil, o.Get("changes"))
	for _, raw := range changes {
		if said := inWords(raw, k.patch.shown); said != "" {
			k.link.Lose(translate.LossDiff, "said in words what the texts do not show")
			items = append(items, item{json: appendTextItem(nil, []byte(said))})
		}
	}
	return items
}

// readPatch takes a git patch apart; raw is the string that has it. meta is the
// _meta of the diff, and can be nil. It reports false if it cannot read the
// patch.
func (k *contents) readPatch(raw, meta []byte) bool {
	if len(raw) > maxPatch {
		return false
	}
	if !rawjson.Null(meta) && meta[0] == '{' && len(meta) < maxID {
		k.patch.meta = meta
	}
	k.patch.limit = 8*len(raw) + maxID // else it is the same long path again and again
	return k.patch.read(raw[1 : len(raw)-1])
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
