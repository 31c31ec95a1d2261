package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// writePlan translates u, a message about the plan with that id, for a client of plan
// operations, after u has changed the live plans by c.
func (w *writer) writePlan(in *session, u *update, id string, c change) {
	p, isShown := c.plan, true
	switch l := &w.content; {
	case p == nil:
		w.hide(u, id, in.lost)
	case l.form == formNothing, l.form == formEntries && p.entries.empty():
		w.hide(u, p.id, p.shown)
		isShown = false
	case u.kind == legacyUpdate:
		entries := p.entries.text
		if l.valid { // then their white space stays, too
			entries = u.get("entries")
			entries = entries[1 : len(entries)-1]
		}
		w.sendItems(u, p.id, entries)
	default:
		w.sendPlan(u, p)
	}
	if p != nil {
		p.shown = isShown
	}
	if c.gone == nil || !c.gone.shown {
		return
	}
	if w.current.result.Action == Forward { // then the message precedes the removal
		e := w.edit(&u.object)
		w.sendEdited(&e)
	}
	w.sendRemoval(u, c.gone.id)
}

// hide removes a plan from the client's screen, where it may be displayed if onScreen. It
// forwards a plan_removed in any case, if the client supports that.
func (w *writer) hide(u *update, id string, onScreen bool) {
	passes := u.kind == removalUpdate && w.shows(capabilities.Removed)
	switch {
	case passes && w.fits(&u.object, id):
	case passes || onScreen:
		w.sendRemoval(u, id)
	default:
		w.current.drop("nothing to show")
	}
}

// sendRemoval sends a plan_removed, or a plan without entries if the client does not support
// that.
func (w *writer) sendRemoval(u *update, id string) {
	if w.shows(capabilities.Removed) {
		w.sendAs(u, removalUpdate, func(dst []byte) []byte { return w.appendIDs(dst, id) })
		return
	}
	w.sendItems(u, id, nil)
}

// sendItems sends a plan_update of items.
func (w *writer) sendItems(u *update, id string, entries []byte) {
	w.sendAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		dst = append(w.appendIDs(dst, id), `,"entries":[`...)
		return append(append(dst, entries...), "]}"...)
	})
}

// appendCarrier appends the members that contain p in a form that the client can display.
func (w *writer) appendCarrier(dst []byte, p *plan) []byte {
	if w.content.form != formFile {
		return append(append(append(dst, `"entries":[`...), p.entries.text...), ']')
	}
	dst = rawjson.AppendQuoted(append(dst, `"content":`...), w.content.file)
	if w.content.path != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"path":`...), w.content.path)
	}
	return dst
}

// sendPlan sends a copy of u with the plan in a form that the client can display. If u has that
// form, it is forwarded.
func (w *writer) sendPlan(u *update, p *plan) {
	typ, hasType := u.typ, u.plan.get("type") != nil
	switch w.content.form {
	case formItems, formEntries:
		typ = planTypes[itemsType].name
	case formMarkdown, formFile:
		typ = planTypes[markdownType].name
	}
	setsType := typ != u.typ || !hasType
	setsIDs := !w.fits(&u.plan, p.id)
	// The agent's own entries change only if the client would reject some.
	setsEntries := w.content.form == formItems && !w.content.valid
	setsCarrier := w.content.form == formEntries || w.content.form == formFile
	if !setsType && !setsIDs && !setsEntries && !setsCarrier {
		return
	}
	e := w.edit(&u.plan)
	e.CopyTo(u.plan.Start + 1)
	if !hasType {
		e.Out = append(rawjson.AppendQuoted(append(e.Out, `"type":`...), typ), ',')
	}
	var ids, carrier bool // these members are part of the copy
	if setsIDs && u.id == nil {
		e.Out = append(w.appendIDs(e.Out, p.id), ',')
		ids = true
	}
	for i := range e.members {
		switch name := e.members[i].name; {
		case string(name) == "type" && setsType:
			e.setValue(i, typ)
		case isID(name) && setsIDs:
			if e.replaceOnce(i, &ids) {
				e.Out = w.appendIDs(e.Out, p.id)
			}
		case setsCarrier && isCarrier(name), setsEntries && string(name) == "entries":
			if e.replaceOnce(i, &carrier) {
				e.Out = w.appendCarrier(e.Out, p)
			}
		default:
			e.keep()
		}
	}
	w.sendEdited(&e)
}

// isCarrier reports whether a member of that name contains a plan or its location.
func isCarrier(name []byte) bool {
	for _, t := range planTypes[itemsType:] {
		if string(name) == t.carrier {
			return true
		}
	}
	return string(name) == "path"
}

// appendIDs appends the members with the id of a plan that the client reads.
func (w *writer) appendIDs(dst []byte, id string) []byte {
	for i := range capabilities.PlanIDMembers {
		if w.client.PlanID.Has(i) {
			dst = append(append(append(dst, '"'), capabilities.PlanIDMember(i)...), `":"`...)
			dst = append(rawjson.AppendEscaped(dst, id), `",`...)
		}
	}
	return dst[:len(dst)-1]
}

// fits reports whether o has the id in each member that the client reads, and no other id.
func (w *writer) fits(o *object, id string) bool {
	for i := range capabilities.PlanIDMembers {
		got, ok := rawjson.TextOf(o.get(capabilities.PlanIDMember(i)))
		if !ok && w.client.PlanID.Has(i) || ok && string(got) != id {
			return false
		}
	}
	return true
}
