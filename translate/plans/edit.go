package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// put notes that the message leaves with this in the place of its update.
func (t *Translator) put(update []byte) {
	r := &t.result
	t.updates[len(r.Updates)] = update
	r.Action = Rewrite
	r.Updates = append(r.Updates, update)
}

// drop notes that the message does not leave.
func (t *Translator) drop(reason string) {
	t.result.Action, t.result.Reason = Drop, reason
}

// edit begins an edited copy of an update, to be given to put.
func (t *Translator) edit(u *Update) rawjson.Editor {
	return rawjson.Edit(t.updates[len(t.result.Updates)][:0], u.text, u.start)
}

// carries reports whether, in a session update of that kind, a member of that
// name carries the plan.
func carries(kind string, name memberName) bool {
	switch kind {
	case legacyUpdate:
		return name == entriesMember
	case planUpdate:
		return name == planMember
	}
	return name >= idMember
}

// putAs puts an update of that kind in the place of u. The one or two members
// that appendCarrier appends take the place of what carried the plan; the other
// members stay where they are, but for those that would get in their way.
func (t *Translator) putAs(u *Update, kind string, appendCarrier func(dst []byte) []byte) {
	e := t.edit(u)
	beside := u.kind == removalUpdate && u.id == (idMembers{}) // the kind, as nothing carried it
	carried, kept := beside, false
	for i, m := range u.members {
		switch {
		case m.name == kindMember:
			if kind != u.kind {
				e.Cut(m.Value, m.End)
				e.Out = rawjson.AppendQuoted(e.Out, kind)
			}
			if beside {
				e.CopyTo(m.End)
				e.Out = appendCarrier(append(e.Out, ','))
			}
		case carries(u.kind, m.name) && !carried:
			e.Cut(m.Start, m.End)
			e.Out = appendCarrier(e.Out)
			carried = true
		case carries(u.kind, m.name) || carries(kind, m.name):
			e.Cut(rawjson.CutSpan(u.members, i, kept))
			continue
		}
		kept = true
	}
	t.put(e.Finish(u.end))
}

// appendIDs appends the members that carry a plan's id towards the client.
func (t *Translator) appendIDs(dst []byte, id string) []byte {
	for i := range capabilities.PlanIDMembers {
		if t.client.PlanID.Has(i) {
			dst = append(append(append(dst, '"'), capabilities.PlanIDMember(i)...), `":"`...)
			dst = append(rawjson.AppendEscaped(dst, id), `",`...)
		}
	}
	return dst[:len(dst)-1]
}

// fits reports whether the client finds the id where it looks for it, and no
// other one beside it.
func (t *Translator) fits(text []byte, m idMembers, id string) bool {
	for i, s := range m {
		if s.end == 0 && t.client.PlanID.Has(i) || s.end > 0 && string(s.unquoted(text)) != id {
			return false
		}
	}
	return true
}
