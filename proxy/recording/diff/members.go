package diff

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/translate"
)

// A member is a difference between two messages. A value is empty if its message lacks the
// member.
type member struct {
	Path string          `json:"path"` // a JSON Pointer
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// absent is the value of a missing member.
type absent struct{}

// appendDifferences appends the differences between two values at a JSON Pointer.
func (r *report) appendDifferences(found []member, pointer string, old, new any) []member {
	if reflect.DeepEqual(old, new) {
		return found
	}
	switch o := old.(type) {
	case map[string]any:
		if n, ok := new.(map[string]any); ok {
			names := slices.AppendSeq(slices.Collect(maps.Keys(o)), maps.Keys(n))
			slices.Sort(names)
			for _, name := range slices.Compact(names) {
				escaped := strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
				found = r.appendDifferences(found, pointer+"/"+escaped, valueOf(o, name), valueOf(n, name))
			}
			return found
		}
	case []any:
		if n, ok := new.([]any); ok {
			for i := range max(len(o), len(n)) {
				found = r.appendDifferences(found, pointer+"/"+strconv.Itoa(i), element(o, i), element(n, i))
			}
			return found
		}
	case string:
		if n, ok := new.(string); ok {
			if r.isRenamed(o, n) {
				return found
			}
			r.addRename(o, n)
		}
	}
	return append(found, member{pointer, marshal(old), marshal(new)})
}

func valueOf(object map[string]any, name string) any {
	if value, ok := object[name]; ok {
		return value
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// isRenamed reports whether two texts differ only in renamed words and folders that an earlier
// difference has shown.
func (r *report) isRenamed(old, new string) bool {
	var renamed string
	json.Unmarshal(r.folders.Apply("", marshal(old)), &renamed)
	return replaceWords(renamed, func(word string) string { return cmp.Or(r.words[word], word) }) == new
}

// addRename records the renamed word or folders of two paths.
func (r *report) addRename(old, new string) {
	if !strings.HasPrefix(old, "/") || !strings.HasPrefix(new, "/") {
		return
	}
	isSeparator := func(c rune) bool { return !isNameRune(c) }
	o, n := strings.FieldsFunc(old, isSeparator), strings.FieldsFunc(new, isSeparator)
	for i := range min(len(o), len(n)) {
		if len(o[i]) >= minWord && strings.Replace(old, o[i], n[i], 1) == new && len(r.words) < maxIDs {
			r.words[o[i]] = n[i]
			return
		}
	}
	old, new = path.Clean(old), path.Clean(new)
	if path.Dir(old) != path.Dir(new) && len(r.folders) < maxFolders {
		for path.Base(old) == path.Base(new) {
			old, new = path.Dir(old), path.Dir(new)
		}
		r.folders.AddDir("", old, new)
	}
}

// marshal returns a value as JSON, or nil if it is absent.
func marshal(value any) []byte {
	if value == (absent{}) {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(value)
	return bytes.TrimSpace(b.Bytes())
}

// withText returns the value after it has put the text back into the container.
func (v *content) withText() any {
	if v.container != nil {
		v.container[v.member] = v.text
	}
	return v.value
}

// inner returns the value without the members that all messages of the kind have.
func (v *content) inner() any {
	value := v.withText()
	for _, name := range []string{"params", "result", "error", "update"} {
		value = cmp.Or(memberOf(value, name), value)
	}
	if update, ok := value.(map[string]any); ok {
		delete(update, "sessionUpdate")
		delete(update, "sessionId")
	}
	return value
}

// Limits of the text of a difference.
const (
	maxMembers = 3
	maxValue   = 40 // characters
	minValue   = 16
)

// describe returns the text for the members of a changed message. room is the number of characters for
// the text, which limits the values.
func describe(members []member, room int) string {
	limit := min(maxValue, max(minValue, room/3))
	var texts []string
	for _, m := range members[:min(len(members), maxMembers)] {
		path := strings.TrimPrefix(strings.TrimPrefix(m.Path, "/params"), "/update")
		old, new := string(m.Old), string(m.New)
		switch {
		case m.Old == nil:
			path += " added: " + translate.Truncate(new, limit)
		case m.New == nil:
			path += " removed: " + translate.Truncate(old, limit)
		default:
			same := 0
			for same < min(len(old), len(new)) && old[same] == new[same] {
				same++
			}
			path += " " + excerpt(old, same, limit) + " → " + excerpt(new, same, limit)
		}
		texts = append(texts, path)
	}
	if more := len(members) - maxMembers; more > 0 {
		texts = append(texts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(texts, "; ")
}

// excerpt returns the part of a value around offset, where the first difference is.
func excerpt(value string, offset, limit int) string {
	const before = 10 // bytes of context
	if from := offset - before; len(value) > limit && from > before {
		for !utf8.RuneStart(value[from]) {
			from--
		}
		value = "…" + value[from:]
	}
	return translate.Truncate(value, limit)
}
