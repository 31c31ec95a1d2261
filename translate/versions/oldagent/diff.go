package oldagent

import (
	"path"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/patches"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// In version 1 a diff is two texts, of a file or of a part of it. In version 2
// it says what becomes of each file, with a patch in the format of git.

// diffItem writes a diff. It reports false if the path or the new text is missing.
func diffItem(w *words.Writer, o rawjson.Object) bool {
	name, hasPath := o.Text("path")
	after, hasText := patches.TextOf(o.Get("newText"), MaxDiff)
	before, hadText := patches.TextOf(o.Get("oldText"), MaxDiff)
	if !hasPath || !hasText {
		return false
	}
	file := absolute(w.Cwd, string(name))
	operation := operationOf(o, hadText)
	w.Object()
	w.JSON(`"type":"diff","changes":[{"operation":"` + operation + `"`)
	w.StringMember("path", []byte(file))
	w.JSON(`"fileType":"text"}]`)
	switch {
	case before.Size()+after.Size() > MaxDiff:
		w.Lose(translate.LossLargeDiff, "its lines were left out")
	case !before.Equal(after) || operation != "modify":
		w.JSON(`"patch":{"format":"git_patch","text":"`)
		w.Out = patches.Append(w.Out, operation, file, before, after)
		w.Out = append(w.Out, `"}`...)
	}
	for _, f := range o {
		switch string(f.Name) {
		case "type", "path", "oldText", "newText", "changes", "patch":
		default:
			if !words.UnreadableMeta(f) {
				w.Field(f)
			}
		}
	}
	w.EndObject()
	return true
}

// operationOf returns what a diff of version 1 does to its file. Some agents say
// that in _meta.
func operationOf(diff rawjson.Object, hadText bool) string {
	meta, _ := rawjson.ReadObject(nil, diff.Get("_meta"))
	switch kind, _ := meta.Text("kind"); {
	case string(kind) == "add" || string(kind) == "delete":
		return string(kind)
	case !hadText:
		return "add"
	}
	return "modify"
}

// absolute makes a path absolute, if it is known where relative paths begin.
// Paths have the form of the agent's machine: POSIX or Windows.
func absolute(cwd, file string) string {
	switch {
	case isAbsolute(file) || !isAbsolute(cwd):
		return file
	case strings.HasPrefix(cwd, "/"):
		return path.Join(cwd, file)
	}
	return strings.TrimRight(cwd, `\/`) + `\` + strings.TrimPrefix(strings.ReplaceAll(file, "/", `\`), `.\`)
}

func isAbsolute(file string) bool {
	drive := len(file) > 2 && file[1] == ':' && (file[2] == '\\' || file[2] == '/')
	return drive || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\\`)
}
