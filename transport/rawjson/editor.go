package rawjson

// A Member is the place of a member of an object in a text.
type Member struct {
	Start int // the opening quote of its name
	Value int // the first byte of its value
	End   int // behind its value
}

// An Editor copies a text with some of its parts replaced. The replacements
// must be made from front to back.
type Editor struct {
	Out  []byte // what has been written; may be appended to, to insert there
	text []byte
	pos  int // up to here text has been dealt with
}

// Edit returns an Editor that appends the edited text[from:] to dst. Offsets
// count from the beginning of text.
func Edit(dst, text []byte, from int) Editor {
	return Editor{text: text, pos: from, Out: dst}
}

// CopyTo copies the text up to offset end.
func (e *Editor) CopyTo(end int) {
	e.Out = append(e.Out, e.text[e.pos:end]...)
	e.pos = end
}

// Replace copies the text up to start and puts s in place of text[start:end].
func (e *Editor) Replace(start, end int, s string) {
	e.CopyTo(start)
	e.Out = append(e.Out, s...)
	e.pos = end
}

// Cut copies the text up to start and leaves text[start:end] out.
func (e *Editor) Cut(start, end int) { e.Replace(start, end, "") }

// Finish copies the text up to offset end and returns everything written.
func (e *Editor) Finish(end int) []byte {
	e.CopyTo(end)
	return e.Out
}

// Span returns where the member begins and ends.
func (m Member) Span() (start, end int) { return m.Start, m.End }

// CutSpan returns what to cut so that parts[i], a member or an element, and one
// comma disappear from the object or array that consists of parts. keptBefore
// says whether any part before it stays. Parts cut by it from front to back
// leave valid JSON.
func CutSpan[Part interface{ Span() (start, end int) }](parts []Part, i int, keptBefore bool) (start, end int) {
	start, end = parts[i].Span()
	if keptBefore {
		_, start = parts[i-1].Span()
	} else if i+1 < len(parts) {
		end, _ = parts[i+1].Span()
	}
	return start, end
}
