package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// A client of plan operations gets each plan by itself, under the id by which it knows the
// plan.

// writePlan writes for a client of plan operations after u, about a plan that the agent calls
// n, has changed what is live.
func (s *Stage) writePlan(in *session, u *update, id string, c change) {
	p, isShown := c.plan, true
	switch l := &s.content; {
	case p == nil && c.gone != nil:
		s.hide(u, c.gone.id, c.gone.shown)
		return
	case p == nil:
		s.hide(u, id, in.lost)
	case l.form == formNothing, l.form == formEntries && p.entries.empty():
		s.hide(u, p.id, p.shown)
		isShown = false
	case u.kind == legacyUpdate:
		s.sendItems(u, p, l.valid)
	default:
		s.sendPlan(u, p)
	}
	if p != nil {
		p.shown = isShown
	}
	if c.gone == nil || !c.gone.shown {
		return
	}
	if s.result.Action == Forward { // the message itself, in front of another
		e := s.edit(&u.object)
		s.sendEdited(&e)
	}
	s.sendRemoval(u, c.gone.id)
}

// hide takes a plan off the client's screen, if it may be there. A removal that the client
// can show passes in any case.
func (s *Stage) hide(u *update, id string, onScreen bool) {
	passes := u.kind == removalUpdate && s.shows(capabilities.Removed)
	switch {
	case passes && s.fits(&u.object, id):
	case passes || onScreen:
		s.sendRemoval(u, id)
	default:
		s.drop("nothing to show")
	}
}

// sendRemoval sends the removal of a plan. A client that does not know removal gets a plan
// without entries.
func (s *Stage) sendRemoval(u *update, id string) {
	if s.shows(capabilities.Removed) {
		s.sendAs(u, removalUpdate, func(dst []byte) []byte { return s.appendIDs(dst, id) })
		return
	}
	s.sendAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		return append(s.appendIDs(dst, id), `,"entries":[]}`...)
	})
}

// sendItems sends a plan_update with the entries of p. If they are as u has them, it takes
// them from there, white space and all.
func (s *Stage) sendItems(u *update, p *plan, asSent bool) {
	s.sendAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		dst = append(s.appendIDs(dst, p.id), `,"entries":`...)
		if asSent {
			dst = append(dst, u.get("entries")...)
		} else {
			dst = append(append(append(dst, '['), p.entries.text...), ']')
		}
		return append(dst, '}')
	})
}

// appendCarrier appends what carries p in the place of what the agent has sent.
func (s *Stage) appendCarrier(dst []byte, p *plan) []byte {
	if s.content.form != formFile {
		return append(append(append(dst, `"entries":[`...), p.entries.text...), ']')
	}
	dst = rawjson.AppendQuoted(append(dst, `"content":`...), s.content.file)
	if s.content.path != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"path":`...), s.content.path)
	}
	return dst
}

// sendPlan sends a copy of the message in which the plan is what the client shows.
// If it is that already, the message passes as it is.
func (s *Stage) sendPlan(u *update, p *plan) {
	typ, hasType := u.typ, u.plan.get("type") != nil
	switch s.content.form {
	case formItems, formEntries:
		typ = planTypes[itemsType].name
	case formMarkdown, formFile:
		typ = planTypes[markdownType].name
	}
	setsType := typ != u.typ || !hasType
	setsIDs := !s.fits(&u.plan, p.id)
	// The agent's own items are touched only if the client would reject some.
	setsEntries := s.content.form == formItems && !s.content.valid
	setsCarrier := s.content.form == formEntries || s.content.form == formFile
	if !setsType && !setsIDs && !setsEntries && !setsCarrier {
		return
	}
	e := s.edit(&u.plan)
	e.CopyTo(u.plan.Start + 1)
	if !hasType {
		e.Out = append(rawjson.AppendQuoted(append(e.Out, `"type":`...), typ), ',')
	}
	ids, carrier := false, false // have been written
	if setsIDs && u.id == nil {
		e.Out = append(s.appendIDs(e.Out, p.id), ',')
		ids = true
	}
	for i := range e.members {
		switch name := e.members[i].name; {
		case string(name) == "type" && setsType:
			e.setValue(i, typ)
		case isID(name) && setsIDs:
			if e.replaceOnce(i, &ids) {
				e.Out = s.appendIDs(e.Out, p.id)
			}
		case setsCarrier && isCarrier(name), setsEntries && string(name) == "entries":
			if e.replaceOnce(i, &carrier) {
				e.Out = s.appendCarrier(e.Out, p)
			}
		default:
			e.keep()
		}
	}
	s.sendEdited(&e)
}

// isCarrier reports whether a member of that name carries a plan, or says where it is.
func isCarrier(name []byte) bool {
	for _, t := range planTypes[itemsType:] {
		if string(name) == t.carrier {
			return true
		}
	}
	return string(name) == "path"
}

// appendIDs appends the members that carry a plan's id towards the client.
func (s *Stage) appendIDs(dst []byte, id string) []byte {
	for i := range capabilities.PlanIDMembers {
		if s.client.PlanID.Has(i) {
			dst = append(append(append(dst, '"'), capabilities.PlanIDMember(i)...), `":"`...)
			dst = append(rawjson.AppendEscaped(dst, id), `",`...)
		}
	}
	return dst[:len(dst)-1]
}

// fits reports whether the client finds the id where it looks for it, and no
// other id next to it.
func (s *Stage) fits(o *object, id string) bool {
	for i := range capabilities.PlanIDMembers {
		got, ok := rawjson.TextOf(o.get(capabilities.PlanIDMember(i)))
		if !ok && s.client.PlanID.Has(i) || ok && string(got) != id {
			return false
		}
	}
	return true
}
