package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// changeOperations writes for a client of plan operations after p has changed.
func (t *Translator) changeOperations(s *session, u *Update, p *plan, c content) {
	wasShown := p.shown
	empty := len(p.entries.contents) == 0
	switch {
	case u.kind == legacyUpdate:
		p.shown = true
		t.putAs(u, planUpdate, func(dst []byte) []byte { return t.appendItems(dst, u, p, c) })
	case c.form == formNothing || c.form == formEntries && empty:
		p.shown = false
		t.clear(u, p, wasShown)
	default:
		p.shown = true
		t.putPlan(u, p, c)
	}
}

// removeOperations writes for a client of plan operations after p has been
// removed. p is nil if it was not live; then id is what the agent calls it.
func (t *Translator) removeOperations(s *session, u *Update, p *plan, id string) {
	if p != nil {
		id = p.clientID
	}
	switch {
	case p == nil && s.knownAs(id) != nil:
		t.drop("the client knows another plan by that id")
	case t.client.Shows&capabilities.Removed == 0:
		if p != nil && p.shown || p == nil && t.live.lost {
			t.putRemoval(u, id)
		} else {
			t.drop("nothing to show")
		}
	case !t.fits(u.text, u.id, id):
		t.putRemoval(u, id)
	}
}

// clear takes p off the client's screen, if it is there.
func (t *Translator) clear(u *Update, p *plan, shown bool) {
	if shown {
		t.putRemoval(u, p.clientID)
	} else {
		t.drop("nothing to show")
	}
}

// putRemoval puts the removal of a plan in the place of the update: for a
// client that does not know removal, a plan without entries.
func (t *Translator) putRemoval(u *Update, id string) {
	if t.client.Shows&capabilities.Removed != 0 {
		t.putAs(u, removalUpdate, func(dst []byte) []byte { return t.appendIDs(dst, id) })
		return
	}
	t.putAs(u, planUpdate, func(dst []byte) []byte {
		dst = append(dst, `"plan":{"type":"items",`...)
		return append(t.appendIDs(dst, id), `,"entries":[]}`...)
	})
}

// appendItems appends a member plan with the entries of a legacy plan.
func (t *Translator) appendItems(dst []byte, u *Update, p *plan, c content) []byte {
	dst = append(dst, `"plan":{"type":"items",`...)
	dst = append(t.appendIDs(dst, p.clientID), `,"entries":`...)
	if c.valid {
		for _, m := range u.members {
			if m.name == entriesMember {
				dst = append(dst, u.text[m.Value:m.End]...)
			}
		}
	} else {
		dst = append(append(append(dst, '['), p.entries.text...), ']')
	}
	return append(dst, '}')
}

// putPlan puts into the place of the update a copy in which the plan is what
// the client shows, or forwards it if it is that already.
func (t *Translator) putPlan(u *Update, p *plan, c content) {
	typ := u.plan.typ
	switch c.form {
	case formItems, formEntries:
		typ = planTypes[itemsType].name
	case formMarkdown:
		typ = planTypes[markdownType].name
	}
	// The entries of an agent's own items plan are touched only if the client
	// would reject or drop some of them.
	entries := c.form == formEntries || c.form == formItems && !c.valid
	fits := t.fits(u.text, u.plan.id, p.clientID)
	if typ == u.plan.typ && u.plan.hasType && !entries && c.uri == "" && fits {
		return
	}

	e := t.edit(u)
	e.CopyTo(u.plan.start + 1)
	if !u.plan.hasType {
		e.Out = append(rawjson.AppendQuoted(append(e.Out, `"type":`...), typ), ',')
	}
	ids := u.plan.id != (idMembers{}) // are still to be written
	if !ids {
		e.Out = append(t.appendIDs(e.Out, p.clientID), ',')
	}
	carried, kept := false, false
	for i, m := range u.plan.members {
		switch {
		case m.name == typeMember:
			if typ != u.plan.typ {
				e.Cut(m.Value, m.End)
				e.Out = rawjson.AppendQuoted(e.Out, typ)
			}
		case m.name >= idMember:
			if fits {
				break
			}
			if !ids {
				e.Cut(rawjson.CutSpan(u.plan.members, i, kept))
				continue
			}
			e.Cut(m.Start, m.End)
			e.Out = t.appendIDs(e.Out, p.clientID)
			ids = false
		case m.name >= carrierMember:
			if m.name == uriMember && c.uri != "" {
				e.Cut(m.Value, m.End)
				e.Out = rawjson.AppendQuoted(e.Out, c.uri)
			}
			if !entries || c.form == formItems && m.name != entriesMember {
				break
			}
			if carried {
				e.Cut(rawjson.CutSpan(u.plan.members, i, kept))
				continue
			}
			e.Cut(m.Start, m.End)
			e.Out = append(append(append(e.Out, `"entries":[`...), p.entries.text...), ']')
			carried = true
		}
		kept = true
	}
	t.put(e.Finish(u.end))
}
