package plans

import "acp-plan-proxy/transport/rawjson"

// A writer writes translations of the message at hand.
type writer struct {
	*renderer
	scratch  []byte
	messages int // number of texts sent as messages
}

// An editor copies a message and edits the members of an object in its update, from first to
// last. A replacement is appended to Out.
type editor struct {
	rawjson.Editor
	members []member
	kept    bool // an earlier member is part of the copy
}

// edit starts an edited copy of the message at hand, for sendEdited.
func (w *writer) edit(o *object) editor {
	return editor{Editor: rawjson.Edit(w.scratch[:0], o.text, w.current.Start), members: o.members}
}

// keep copies a member.
func (e *editor) keep() { e.kept = true }

// setValue copies member i with a string as its value.
func (e *editor) setValue(i int, s string) {
	e.kept = true
	e.Cut(e.members[i].Value, e.members[i].End)
	e.Out = rawjson.AppendQuoted(e.Out, s)
}

// replaceOnce cuts member i. It reports whether the replacement is to be appended here:
// whether it was not done before.
func (e *editor) replaceOnce(i int, done *bool) bool {
	if *done {
		e.cut(i)
		return false
	}
	e.Cut(e.members[i].Start, e.members[i].End)
	e.kept, *done = true, true
	return true
}

// cut cuts member i and a comma next to it.
func (e *editor) cut(i int) { e.Cut(rawjson.CutSpan(e.members, i, e.kept)) }

// sendEdited sends the edited copy.
func (w *writer) sendEdited(e *editor) {
	w.scratch = e.Finish(w.current.End)
	w.current.send(w.scratch)
	w.current.result.Action = Rewrite
}

// carries reports whether a member of that name contains the plan in an update of that kind.
func carries(kind string, name []byte) bool {
	switch kind {
	case legacyUpdate:
		return string(name) == "entries"
	case planUpdate:
		return string(name) == "plan"
	}
	return isID(name)
}

// sendAs sends a copy of the message with an update of another kind in place of u. The member
// or members that appendCarrier appends replace those that contain the plan in u. Other
// members keep their positions, except those that a client could take for the new ones.
func (w *writer) sendAs(u *update, kind string, appendCarrier func(dst []byte) []byte) {
	e := w.edit(&u.object)
	// In a removal without an id, the new members follow the kind.
	carried := u.kind == removalUpdate && u.id == nil
	follows := carried
	for i := range e.members {
		switch name := e.members[i].name; {
		case string(name) == "sessionUpdate":
			if e.keep(); kind != u.kind {
				e.setValue(i, kind)
			}
			if follows {
				e.CopyTo(e.members[i].End)
				e.Out = appendCarrier(append(e.Out, ','))
			}
		case carries(u.kind, name):
			if e.replaceOnce(i, &carried) {
				e.Out = appendCarrier(e.Out)
			}
		case carries(kind, name):
			e.cut(i)
		default:
			e.keep()
		}
	}
	w.sendEdited(&e)
}
