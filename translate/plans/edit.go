package plans

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A replacement puts one text in place of those members of an object that it replaces. The zero
// value replaces no member.
type replacement struct {
	replaces func(name []byte) bool
	append   func(dst []byte) []byte // appends the text, one or more members; nil removes the members
	done     bool                    // append has been called
}

// replaceText returns a replacement of the member with that name by a string.
func replaceText(name, value string) replacement {
	return replacement{
		replaces: func(n []byte) bool { return string(n) == name },
		append: func(dst []byte) []byte {
			dst = append(append(append(dst, '"'), name...), `":`...)
			return rawjson.AppendQuoted(dst, value)
		},
	}
}

// edit appends the text that contains o to dst, from an offset of the text up to the closing brace
// of o. Each replacement takes the position of the first member that it replaces, or else follows the
// last member, after a comma: at least one member of o must stay or be replaced.
func (o *object) edit(dst []byte, from int, replacements ...replacement) rawjson.Editor {
	e := rawjson.Edit(dst, o.text, from)
	hasMember := false // the copy has a member of o
	for i := range o.members {
		m := &o.members[i]
		var match *replacement
		for j := range replacements {
			if r := &replacements[j]; r.replaces != nil && r.replaces(m.name) {
				match = r
				break
			}
		}
		switch {
		case match == nil:
			hasMember = true
		case match.done || match.append == nil:
			e.Cut(rawjson.CutSpan(o.members, i, hasMember))
		default:
			e.Cut(m.Start, m.End)
			e.Out = match.append(e.Out)
			hasMember, match.done = true, true
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

// sendEdited sends the current message with replacements of members of o, an object in its update.
func (s *Stage) sendEdited(o *object, replacements ...replacement) {
	e := o.edit(s.scratch[:0], s.current.Start, replacements...)
	s.scratch = e.Finish(s.current.End)
	s.current.result.Action = Rewrite
	s.current.out.Send(translate.Client, s.scratch)
	if s.current.isAdded {
		s.current.out.MarkOwn()
	}
}

// carries reports whether a member of that name contains the plan in an update of that kind, or the
// id of the plan in a plan_removed.
func carries(kind string, name []byte) bool {
	switch kind {
	case legacyUpdate:
		return string(name) == "entries"
	case planUpdate:
		return string(name) == "plan"
	}
	return isID(name)
}

// sendAs sends a copy of the message with an update of another kind in place of u. appendCarrier
// appends the members with the plan, which replace those of u. Any other member keeps its position,
// unless it would contain the plan in the new kind: then it is removed.
func (s *Stage) sendAs(u *update, kind string, appendCarrier func(dst []byte) []byte) {
	s.sendEdited(&u.object,
		replaceText("sessionUpdate", kind),
		replacement{replaces: func(name []byte) bool { return carries(u.kind, name) }, append: appendCarrier},
		replacement{replaces: func(name []byte) bool { return carries(kind, name) }})
}
