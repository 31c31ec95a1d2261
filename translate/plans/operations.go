package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// An operationsWriter writes for a client of plan operations: each plan by itself,
// under the id by which the client knows it.
type operationsWriter struct {
	out    *output
	client capabilities.Client
}

func (w *operationsWriter) changed(s *session, u *Update, c change, l *content) {
	p := c.plan
	switch {
	case c.emptied, l.form == formNothing, l.form == formEntries && p.entries.empty():
		w.clear(u, p)
	case u.kind == legacyUpdate:
		p.shown = true
		w.putItems(u, p, l)
	default:
		p.shown = true
		w.putPlan(u, p, l)
	}
	gone := c.gone != nil && c.gone.shown
	if !gone && c.again == nil {
		return
	}
	if w.out.Action == Forward {
		w.out.putCopy(u)
	}
	if gone {
		w.putRemoval(u, c.gone.clientID)
	} else {
		w.putItems(u, c.again, &content{})
	}
}

func (w *operationsWriter) removed(s *session, u *Update, r removal) {
	id := r.clientID
	switch {
	case r.plan == nil && s.knownAs(id) != nil:
		w.out.drop("the client knows another plan by that id")
	case w.client.Shows&capabilities.Removed != 0 && w.fits(u.text, &u.ids, id):
		// It passes as it is.
	case w.client.Shows&capabilities.Removed != 0 || r.onScreen():
		w.putRemoval(u, id)
	default:
		w.out.drop("nothing to show")
	}
}

// clear takes p off the client's screen, if it is there.
func (w *operationsWriter) clear(u *Update, p *plan) {
	if p.shown {
		p.shown = false
		w.putRemoval(u, p.clientID)
	} else {
		w.out.drop("nothing to show")
	}
}

// putRemoval puts the removal of a plan in the place of the update. A client that
// does not know removal gets a plan without entries.
func (w *operationsWriter) putRemoval(u *Update, id string) {
	if w.client.Shows&capabilities.Removed != 0 {
		w.out.putAs(u, removalUpdate, func(dst []byte) []byte { return w.appendIDs(dst, id) })
		return
	}
	w.out.putAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		return append(w.appendIDs(dst, id), `,"entries":[]}`...)
	})
}

// putItems puts a plan_update with the entries of p in the place of the update.
// If they are valid as u has them, it takes them from there, white space and all.
func (w *operationsWriter) putItems(u *Update, p *plan, l *content) {
	w.out.putAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		dst = append(w.appendIDs(dst, p.clientID), `,"entries":`...)
		if l.valid {
			dst = append(dst, u.list.of(u.text)...)
		} else {
			dst = append(append(append(dst, '['), p.entries.text...), ']')
		}
		return append(dst, '}')
	})
}

// appendCarrier appends what carries p in the place of what the agent has sent.
func appendCarrier(dst []byte, p *plan, l *content) []byte {
	if l.form != formFile {
		return append(append(append(dst, `"entries":[`...), p.entries.text...), ']')
	}
	dst = rawjson.AppendQuoted(append(dst, `"content":`...), l.text)
	if l.path != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"path":`...), l.path)
	}
	return dst
}

// putPlan puts a copy of the update in which the plan is what the client shows.
// If it is that already, the update passes as it is.
func (w *operationsWriter) putPlan(u *Update, p *plan, l *content) {
	typ, hasType := u.typ(), u.plan.typeName.there()
	switch l.form {
	case formItems, formEntries:
		typ = planTypes[itemsType].name
	case formMarkdown, formFile:
		typ = planTypes[markdownType].name
	}
	setsType := typ != u.typ() || !hasType
	setsIDs := !w.fits(u.text, &u.plan.ids, p.clientID)
	// The agent's own items are touched only if the client would reject some.
	setsEntries := l.form == formItems && !l.valid
	setsCarrier := l.form == formEntries || l.form == formFile
	if !setsType && !setsIDs && !setsEntries && !setsCarrier {
		return
	}
	e := memberEditor{Editor: w.out.edit(u), members: u.plan.members}
	e.CopyTo(u.plan.start + 1)
	if !hasType {
		e.Out = append(rawjson.AppendQuoted(append(e.Out, `"type":`...), typ), ',')
	}
	ids, carrier := false, false // have been written
	if setsIDs && u.plan.ids.first() < 0 {
		e.Out = append(w.appendIDs(e.Out, p.clientID), ',')
		ids = true
	}
	for i := range e.members {
		switch m := &e.members[i]; {
		case m.role == typeRole && setsType:
			e.setValue(i, typ)
		case m.role == idRole && setsIDs:
			if e.replaceOnce(i, &ids) {
				e.Out = w.appendIDs(e.Out, p.clientID)
			}
		case m.role == carrierRole && (setsCarrier || setsEntries && m.carries == itemsType):
			if e.replaceOnce(i, &carrier) {
				e.Out = appendCarrier(e.Out, p, l)
			}
		default:
			e.keep()
		}
	}
	w.out.put(e.Finish(u.end))
}

// appendIDs appends the members that carry a plan's id towards the client.
func (w *operationsWriter) appendIDs(dst []byte, id string) []byte {
	for i := range capabilities.PlanIDMembers {
		if w.client.PlanID.Has(i) {
			dst = append(append(append(dst, '"'), capabilities.PlanIDMember(i)...), `":"`...)
			dst = append(rawjson.AppendEscaped(dst, id), `",`...)
		}
	}
	return dst[:len(dst)-1]
}

// fits reports whether the client finds the id where it looks for it, and no
// other id next to it.
func (w *operationsWriter) fits(text []byte, ids *idFields, id string) bool {
	for i := range ids {
		f := &ids[i]
		if !f.there() && w.client.PlanID.Has(i) || f.there() && string(f.unquoted(text)) != id {
			return false
		}
	}
	return true
}
