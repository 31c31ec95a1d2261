package rawjson

// A Member is the position of a member of an object in a text.
type Member struct {
	Start int // offset of the opening quote of its name
	Value int // offset of the first byte of its value
	End   int // offset behind its value
}

// An Editor copies a text with replacements, which must be made from front to back.
type Editor struct {
	Out  []byte // the output; append to it to insert text
	text []byte
	pos  int // offset behind the copied and replaced text
}

// Edit returns an Editor that appends the edited text[from:] to dst. Offsets refer to
// text.
func Edit(dst, text []byte, from int) Editor {
	return Editor{text: text, pos: from, Out: dst}
}

// CopyTo copies the text up to offset end.
func (e *Editor) CopyTo(end int) {
	e.Out = append(e.Out, e.text[e.pos:end]...)
	e.pos = end
}

// Replace copies the text up to start and writes s in place of text[start:end].
func (e *Editor) Replace(start, end int, s string) {
	e.CopyTo(start)
	e.Out = append(e.Out, s...)
	e.pos = end
}

// Cut copies the text up to start and omits text[start:end].
func (e *Editor) Cut(start, end int) { e.Replace(start, end, "") }

// Finish copies the text up to offset end and returns the output.
func (e *Editor) Finish(end int) []byte {
	e.CopyTo(end)
	return e.Out
}

// Span returns the range of the member.
func (m Member) Span() (start, end int) { return m.Start, m.End }

// CutSpan returns the range to cut to remove parts[i], a member or an element, with one
// comma. parts are all members or elements of the object or array. keptBefore means that
// an earlier part is not removed. The result of cuts from front to back is valid JSON.
func CutSpan[Part interface{ Span() (start, end int) }](parts []Part, i int, keptBefore bool) (start, end int) {
	start, end = parts[i].Span()
	if keptBefore {
		_, start = parts[i-1].Span()
	} else if i+1 < len(parts) {
		end, _ = parts[i+1].Span()
	}
	return start, end
}
