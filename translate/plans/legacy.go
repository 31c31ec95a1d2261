package plans

import "acp-plan-proxy/transport/rawjson"

// changeLegacy writes for a legacy client after p has changed: all that is
// live, as one legacy plan.
func (t *Translator) changeLegacy(s *session, u *Update, p *plan, c content) {
	wasShown := p.shown
	p.shown = len(p.entries.contents) > 0 || c.form == formItems
	if !p.shown && !wasShown {
		t.drop("nothing to show")
		return
	}
	if u.kind == legacyUpdate && c.valid && t.alone(s, p) {
		return
	}
	t.putLegacy(s, u)
}

// removeLegacy writes for a legacy client after p has been removed. p is nil if
// it was not live.
func (t *Translator) removeLegacy(s *session, u *Update, p *plan) {
	if p == nil && !t.live.lost || p != nil && !p.shown {
		t.drop("removes what is not shown")
		return
	}
	t.putLegacy(s, u)
}

// alone reports whether what the client is to see is p and nothing else.
func (t *Translator) alone(s *session, p *plan) bool {
	shown := t.contributing(s)
	return len(shown) == 0 || len(shown) == 1 && shown[0] == p
}

// contributing returns the plans whose entries the client is to see.
func (t *Translator) contributing(s *session) []*plan {
	t.shown = t.shown[:0]
	for _, p := range s.plans {
		switch {
		case len(p.entries.contents) == 0:
		case t.options.Merge == MergeAll || len(t.shown) == 0:
			t.shown = append(t.shown, p)
		case p.updated > t.shown[0].updated:
			t.shown[0] = p
		}
	}
	return t.shown
}

// putLegacy puts a legacy plan with the entries of what is live in the place
// of the update.
func (t *Translator) putLegacy(s *session, u *Update) {
	t.putAs(u, legacyUpdate, func(dst []byte) []byte { return t.appendEntries(dst, s) })
}

// appendEntries appends the member entries, with those of all plans that the
// client is to see.
func (t *Translator) appendEntries(dst []byte, s *session) []byte {
	dst = append(dst, `"entries":[`...)
	shown := t.contributing(s)
	for i, p := range shown {
		if i > 0 {
			dst = append(dst, ',')
		}
		if len(shown) == 1 {
			dst = append(dst, p.entries.text...)
		} else {
			dst = p.appendTitled(dst)
		}
	}
	return append(dst, ']')
}

// appendTitled appends the entries of p, one of several plans that are shown
// together: with the title before the content of each, but for a legacy plan.
func (p *plan) appendTitled(dst []byte) []byte {
	l := &p.entries
	if p.state.legacy() {
		return append(dst, l.text...)
	}
	title := p.title
	if title == "" {
		title = cutTitle(p.id)
	}
	done := 0
	for _, content := range l.contents {
		dst = append(dst, l.text[done:content]...)
		dst = append(dst, '[')
		dst = rawjson.AppendEscaped(dst, title)
		dst = append(dst, "] "...)
		done = content
	}
	return append(dst, l.text[done:]...)
}
