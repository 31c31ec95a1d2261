package v1agent

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/patches"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1, a diff is two texts of a file or of a part of it. In version 2, it lists the
// changes of files, with a patch in the format of git.

// maxDiff is the maximum length of both texts of a diff together, in bytes of JSON. A larger
// diff is shown without its lines.
const maxDiff = 1 << 20

// writeDiff writes a diff. It reports false if the path or the new text is missing.
func writeDiff(w *shapes.Writer, o rawjson.Object) bool {
	name, hasPath := o.Text("path")
	after, hasText := patches.Inside(o.Get("newText"))
	before, hadText := patches.Inside(o.Get("oldText"))
	if !hasPath || !hasText {
		return false
	}
	file := shapes.Absolute(w.Cwd, string(name))
	operation := operationOf(o, hadText)
	w.Object()
	w.JSON(`"type":"diff","changes":[{"operation":"` + operation + `"`)
	w.Texts("path", file)
	w.JSON(`"fileType":"text"}]`)
	switch {
	case len(before)+len(after) > maxDiff:
		w.Lose(translate.LossLargeDiff, "the lines of a large diff are omitted")
	case !bytes.Equal(before, after) || operation != "modify":
		w.JSON(`"patch":{"format":"git_patch","text":"`)
		w.Out = patches.Append(w.Out, operation, file, before, after)
		w.Out = append(w.Out, `"}`...)
	}
	w.CopyOthers(o, "type", "path", "oldText", "newText", "changes", "patch")
	w.EndObject()
	return true
}

// operationOf returns the operation of a diff of version 1; some agents name it in _meta.
func operationOf(diff rawjson.Object, hadText bool) string {
	switch kind := diff.Object("_meta").String("kind"); {
	case kind == "add" || kind == "delete":
		return kind
	case !hadText:
		return "add"
	}
	return "modify"
}
