package markdown

import "strings"

// The statuses of an entry.
const (
	pending    = "pending"
	inProgress = "in_progress"
	completed  = "completed"
)

// box returns the tally of the box of an item.
func (e *element) box() tally {
	switch e.mark {
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

// status returns the status of a heading or item: the status in its box, or of a mark in its text, or
// of the boxes inside of it. parts are the boxes of the items joined to an item.
func (o *outline) status(e *element, parts tally) string {
	inside := e.boxes.plus(parts)
	switch {
	case e.mark == pending && inside.all > 0:
		return inside.rollUp()
	case e.mark != "":
		return e.mark
	}
	text := e.section.name
	if e.kind == anItem {
		text = string(o.raw(e))
	}
	if status := statusIn(text); status != "" {
		return status
	}
	return e.boxes.rollUp()
}

// longestStatus limits the bytes of a status in words.
const longestStatus = 40

// Signs of a status, anywhere in a text. A step without a sign is pending, like one with a waiting
// sign.
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
	sign := strings.LastIndexAny(text, apartSigns)
	// "Get it done" has no status.
	if sign < 0 || len(text)-sign > longestStatus {
		return ""
	}
	return statusOf(text[sign:])
}

// statusOf returns the status in a cell, or at the end of a step, or "".
func statusOf(words string) string {
	switch {
	case strings.ContainsAny(words, doingSigns):
		return inProgress
	case strings.ContainsAny(words, doneSigns), strings.Contains(words, "[x]"), strings.Contains(words, "[X]"):
		return completed
	}
	f := lookUp(words)
	if f.groups&doingWords != 0 {
		return inProgress
	}
	if f.head&doneWords != 0 { // "not done" is not completed
		return completed
	}
	return ""
}

// WithoutStatuses returns a text without statuses, for comparison: the results are equal for
// texts that differ only in boxes, statuses, case, and white space or punctuation between words.
func WithoutStatuses(source []byte) (kept []byte) {
	const separators = " \t\r\n_*|()[]（）【】:：—–" + doneSigns + doingSigns + waitingSigns
	isSeparator := func(r rune) bool { return !isLetterOrDigit(r) && strings.ContainsRune(separators, r) }
	isStatus := func(words string) bool {
		return theVocabulary().words[words]&(doneWords|doingWords|waitingWords) != 0
	}
	for line := range strings.Lines(strings.ToLower(string(source))) {
		if at := strings.IndexAny(line, ":："); at >= 0 {
			if name := lookUp(line[:at]); name.groups&statusWords != 0 && name.wordCount <= 2 {
				line = line[:at]
			}
		}
		words := strings.FieldsFunc(line, isSeparator)
		for i := 0; i < len(words); i++ {
			word := words[i]
			switch {
			case strings.Contains("x-~/>", word), isStatus(word): // a box, or a mark of a list
			case i+1 < len(words) && isStatus(word+" "+words[i+1]):
				i++
			default:
				kept = append(append(kept, word...), ' ')
			}
		}
	}
	return kept
}
