package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// writePlan translates u, a message about the plan with that id, for a client of plan
// operations, after u has changed the live plans by c.
func (s *Stage) writePlan(sess *session, u *update, id string, c change) {
	p, isShown := c.plan, true
	switch content := &s.content; {
	case p == nil:
		s.hide(u, id, sess.live.hasEvicted)
	case content.display == displayNothing, content.display == displayEntries && p.entries.empty():
		s.hide(u, p.id, p.shown)
		isShown = false
	case u.kind == legacyUpdate:
		entries := p.entries.text
		if content.isUnchanged { // copies the white space between the agent's entries, too
			entries = u.get("entries")
			entries = entries[1 : len(entries)-1]
		}
		s.sendItems(u, p.id, entries)
	default:
		s.sendPlan(u, p)
	}
	if p != nil {
		p.shown = isShown
	}
	if c.duplicate == nil || !c.duplicate.shown {
		return
	}
	if s.current.result.Action == Forward { // sends the message now, before the removal
		s.sendEdited(&u.object)
	}
	s.sendRemoval(u, c.duplicate.id)
}

// hide removes a plan from the client's screen if onScreen reports that the client may display
// it. A client that supports plan_removed receives the agent's own plan_removed in any case.
func (s *Stage) hide(u *update, id string, onScreen bool) {
	passes := u.kind == removalUpdate && s.shows(capabilities.Removed)
	switch {
	case passes && s.hasID(&u.object, id): // unchanged
	case passes || onScreen:
		s.sendRemoval(u, id)
	default:
		s.drop("nothing to show")
	}
}

// sendRemoval sends a plan_removed. A client that does not support it receives a plan without
// entries.
func (s *Stage) sendRemoval(u *update, id string) {
	if s.shows(capabilities.Removed) {
		s.sendAs(u, removalUpdate, func(dst []byte) []byte { return s.appendIDs(dst, id) })
		return
	}
	s.sendItems(u, id, nil)
}

// sendItems sends a plan_update of items.
func (s *Stage) sendItems(u *update, id string, entries []byte) {
	s.sendAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		dst = append(s.appendIDs(dst, id), `,"entries":[`...)
		return append(append(dst, entries...), "]}"...)
	})
}

// appendCarrier appends the members that contain p in a form that the client can display.
func (s *Stage) appendCarrier(dst []byte, p *plan) []byte {
	if s.content.display != displayFile {
		return append(append(append(dst, `"entries":[`...), p.entries.text...), ']')
	}
	dst = rawjson.AppendQuoted(append(dst, `"content":`...), s.content.file)
	if s.content.text.path != "" {
		dst = rawjson.AppendQuoted(append(dst, `,"path":`...), s.content.text.path)
	}
	return dst
}

// sendPlan sends a copy of u with the plan in a form that the client can display. If u already has
// that form, the message is forwarded.
func (s *Stage) sendPlan(u *update, p *plan) {
	typeName := u.typeName
	switch s.content.display {
	case displayItems, displayEntries:
		typeName = planTypes[itemsType].name
	case displayMarkdown, displayFile:
		typeName = planTypes[markdownType].name
	}
	var typeMember, idMembers, carrier replacement
	if typeName != u.typeName || u.plan.get("type") == nil {
		typeMember = replaceText("type", typeName)
	}
	if !s.hasID(&u.plan, p.id) {
		idMembers = replacement{replaces: isID, append: func(dst []byte) []byte { return s.appendIDs(dst, p.id) }}
	}
	// The agent's own entries are replaced only if the client would reject one of them.
	if display := s.content.display; display == displayEntries || display == displayFile || display == displayItems && !s.content.isUnchanged {
		carrier = replacement{
			replaces: func(name []byte) bool {
				return isCarrier(name) && (display != displayItems || string(name) == "entries")
			},
			append: func(dst []byte) []byte { return s.appendCarrier(dst, p) },
		}
	}
	if typeMember.append != nil || idMembers.append != nil || carrier.append != nil {
		s.sendEdited(&u.plan, typeMember, idMembers, carrier)
	}
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

// appendIDs appends each member in which the client reads the id of a plan. There is at least one.
func (s *Stage) appendIDs(dst []byte, id string) []byte {
	for i := range capabilities.PlanIDMembers {
		if s.client.PlanID.Has(i) {
			dst = append(append(append(dst, '"'), capabilities.PlanIDMember(i)...), `":"`...)
			dst = append(rawjson.AppendEscaped(dst, id), `",`...)
		}
	}
	return dst[:len(dst)-1]
}

// hasID reports whether o has the id in each member in which the client reads it, and no other id.
func (s *Stage) hasID(o *object, id string) bool {
	for i := range capabilities.PlanIDMembers {
		got, ok := rawjson.TextOf(o.get(capabilities.PlanIDMember(i)))
		if !ok && s.client.PlanID.Has(i) || ok && string(got) != id {
			return false
		}
	}
	return true
}
