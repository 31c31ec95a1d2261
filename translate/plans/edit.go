package plans

import "acp-plan-proxy/transport/rawjson"

// An editor copies a message with its update edited, member by member of an object, from
// front to back: one of its methods is called for each member. What is then appended to Out
// takes the place of a member that was replaced.
type editor struct {
	rawjson.Editor
	members []member
	kept    bool // a member before stays or was replaced
}

// edit begins an edited copy of the message at hand, to be sent by sendEdited.
func (s *Stage) edit(o *object) editor {
	return editor{Editor: rawjson.Edit(s.scratch[:0], o.text, s.message.Start), members: o.members}
}

// keep lets a member stay.
func (e *editor) keep() { e.kept = true }

// setValue lets member i stay, with a string as its value.
func (e *editor) setValue(i int, s string) {
	e.kept = true
	e.Cut(e.members[i].Value, e.members[i].End)
	e.Out = rawjson.AppendQuoted(e.Out, s)
}

// replaceOnce replaces member i and reports true, unless that was done to a
// member before. Then it cuts the member.
func (e *editor) replaceOnce(i int, done *bool) bool {
	if *done {
		e.cut(i)
		return false
	}
	e.Cut(e.members[i].Start, e.members[i].End)
	e.kept, *done = true, true
	return true
}

// cut leaves out member i and a comma next to it.
func (e *editor) cut(i int) { e.Cut(rawjson.CutSpan(e.members, i, e.kept)) }

// sendEdited sends the edited message at hand.
func (s *Stage) sendEdited(e *editor) {
	s.scratch = e.Finish(s.message.End)
	s.send(s.scratch)
	s.result.Action = Rewrite
}

// carries reports whether a member of that name carries the plan in an update of that kind.
func carries(kind string, name []byte) bool {
	switch kind {
	case legacyUpdate:
		return string(name) == "entries"
	case planUpdate:
		return string(name) == "plan"
	}
	return isID(name)
}

// sendAs sends the message at hand with an update of that kind in the place of u. What
// appendCarrier appends, one member or two, takes the place of the members that carry the
// plan in u. Other members stay where they are, except those that could be taken for
// the new carrier.
func (s *Stage) sendAs(u *update, kind string, appendCarrier func(dst []byte) []byte) {
	e := s.edit(&u.object)
	// A removal without an id has no carrier. The new one then follows the kind.
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
	s.sendEdited(&e)
}
