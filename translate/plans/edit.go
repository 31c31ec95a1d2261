package plans

import "acp-plan-proxy/transport/rawjson"

// A replacement puts one text in place of the members of an object with some names. The zero
// value replaces none.
type replacement struct {
	replaces func(name []byte) bool
	append   func(dst []byte) []byte // appends the text, one or more members; nil removes
	done     bool
}

// setText returns the replacement of a member by one whose value is a string.
func setText(name, value string) replacement {
	return replacement{
		replaces: func(n []byte) bool { return string(n) == name },
		append: func(dst []byte) []byte {
			dst = append(append(append(dst, '"'), name...), `":`...)
			return rawjson.AppendQuoted(dst, value)
		},
	}
}

// edit copies the text of o from an offset to dst, up to the last member, with replacements in
// place of the first member that each replaces. If there is none, the replacement comes last.
func (o *object) edit(dst []byte, from int, replacements ...replacement) rawjson.Editor {
	e := rawjson.Edit(dst, o.text, from)
	kept := false // a member is part of the copy
	for i := range o.members {
		m := &o.members[i]
		var by *replacement
		for j := range replacements {
			if r := &replacements[j]; r.replaces != nil && r.replaces(m.name) {
				by = r
				break
			}
		}
		switch {
		case by == nil:
			kept = true
		case by.done || by.append == nil:
			e.Cut(rawjson.CutSpan(o.members, i, kept))
		default:
			e.Cut(m.Start, m.End)
			e.Out = by.append(e.Out)
			kept, by.done = true, true
		}
	}
	e.CopyTo(o.End - len("}"))
	for _, r := range replacements {
		if !r.done && r.append != nil {
			e.Out = r.append(append(e.Out, ','))
		}
	}
	return e
}

// sendEdited sends the message at hand with replacements of members of o, an object in its
// update.
func (s *Stage) sendEdited(o *object, replacements ...replacement) {
	e := o.edit(s.scratch[:0], s.current.Start, replacements...)
	s.scratch = e.Finish(s.current.End)
	s.send(s.scratch)
	s.current.result.Action = Rewrite
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
func (s *Stage) sendAs(u *update, kind string, appendCarrier func(dst []byte) []byte) {
	s.sendEdited(&u.object,
		setText("sessionUpdate", kind),
		replacement{replaces: func(name []byte) bool { return carries(u.kind, name) }, append: appendCarrier},
		replacement{replaces: func(name []byte) bool { return carries(kind, name) }})
}
