package markdown

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/translate/plans/markdown/commonmark"
)

// The statuses of an entry.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
)

// box returns the tally of the box of an item.
func (l *line) box() tally {
	switch l.mark {
	case pending:
		return tally{all: 1}
	case inProgress:
		return tally{doing: 1, all: 1}
	case completed:
		return tally{done: 1, all: 1}
	}
	return tally{}
}

// rollUp returns the status of an item or section that contains these boxes.
func (t tally) rollUp() string {
	switch {
	case t.all > 0 && t.done == t.all:
		return completed
	case t.done+t.doing > 0:
		return inProgress
	}
	return pending
}

// status returns the status of a heading or item: that of its box, or a mark in its text, or
// the sum of the boxes inside of it. parts are the boxes of the items joined to it.
func (o *outline) status(l *line, parts tally) string {
	inside := l.boxes.plus(parts)
	switch {
	case l.mark == pending && inside.all > 0:
		return inside.rollUp()
	case l.mark != "":
		return l.mark
	}
	text := l.section.name
	if l.kind == anItem {
		text = string(o.raw(l))
	}
	if status := statusIn(text); status != "" {
		return status
	}
	return l.boxes.rollUp()
}

// longestStatus limits the bytes of a status in words.
const longestStatus = 40

// Signs of a status, anywhere in a text. waitingSigns mark a pending step, which is pending
// without them, too.
const (
	doneSigns    = "✅✔☑"
	doingSigns   = "🔄🚧⏳"
	waitingSigns = "☐⬜\ufe0f" // and the selector of coloured signs

	// Characters before a status in words.
	apartSigns = "([-:|—–（【："
)

// statusIn returns the status in the text of a step: "Phase 1 ✅", "Parser (completed)",
// "第一阶段 - 已完成". It returns "" if there is none.
func statusIn(text string) string {
	if sign := strings.IndexAny(text, doneSigns+doingSigns); sign >= 0 {
		if strings.IndexAny(text, doingSigns) == sign {
			return inProgress
		}
		return completed
	}
	apart := strings.LastIndexAny(text, apartSigns)
	// "Get it done" has no status.
	if apart < 0 || len(text)-apart > longestStatus {
		return ""
	}
	return statusOf(text[apart:])
}

// statusOf returns the status in a cell, or at the end of a step.
func statusOf(words string) string {
	switch {
	case strings.ContainsAny(words, doingSigns):
		return inProgress
	case strings.ContainsAny(words, doneSigns), strings.Contains(words, "[x]"), strings.Contains(words, "[X]"):
		return completed
	}
	f := find(words)
	if f.groups&doingWords != 0 {
		return inProgress
	}
	if f.head&doneWords != 0 {
		return completed
	}
	return ""
}

// WithoutStatuses returns a text without statuses, for comparison: the results are equal for
// texts that differ only in their boxes, statuses and white space.
func WithoutStatuses(source []byte) []byte {
	kept := make([]byte, 0, len(source))
	for line := range bytes.Lines(source) {
		for word := range strings.FieldsSeq(cutStatus(strings.TrimSpace(string(line)))) {
			kept = append(append(kept, word...), ' ')
		}
	}
	return kept
}

// cutStatus returns a line without a box or status.
func cutStatus(line string) string {
	text := strings.TrimLeft(line, "-*+>.) \t0123456789")
	if commonmark.Box([]byte(text)) != "" {
		line = line[:len(line)-len(text)] + text[len("[ ]"):]
	}
	if at := strings.IndexAny(line, ":："); at >= 0 {
		if name := find(line[:at]); name.groups&statusWords != 0 && name.words <= 2 {
			return line[:at]
		}
	}
	cells := strings.Split(line, "|") // of a table
	for i, cell := range cells {
		if cells[i] = strings.TrimSpace(cutMarks(cell)); i > 0 && isStatus(cells[i]) {
			cells[i] = ""
		}
	}
	return strings.Join(cells, "|")
}

// cutMarks returns a text without signs and without a status at its end.
func cutMarks(text string) string {
	kept := make([]byte, 0, len(text))
	apart := len(text)
	for _, r := range text {
		sign := strings.ContainsRune(doneSigns+doingSigns+waitingSigns, r)
		if sign || strings.ContainsRune(apartSigns, r) {
			apart = len(kept)
		}
		if !sign {
			kept = utf8.AppendRune(kept, r)
		}
	}
	if apart < len(kept) && isStatus(string(kept[apart:])) {
		kept = kept[:apart]
	}
	return string(kept)
}

// isStatus reports whether words are a status and nothing else.
func isStatus(words string) bool {
	if len(words) > longestStatus {
		return false
	}
	return theVocabulary().words[plainWords(words)]&(doneWords|doingWords|waitingWords) != 0
}
