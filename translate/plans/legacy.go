package plans

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A client that knows only "plan" gets, after each change, one legacy plan with the entries
// of all that is live.
//
// Some clients draw a new card for each plan. They get a list only if it is another than
// the last one and not empty, and the list of a text, which may grow, when something else
// follows.

// writeList writes for a client that knows only "plan" after u has changed what is live.
func (s *Stage) writeList(in *session, u *update, c change) {
	matters := c.gone != nil && c.gone.shown
	if p := c.plan; p == nil {
		matters = matters || in.lost && c.gone == nil
	} else {
		wasShown := p.shown
		p.shown = !p.entries.empty() || s.content.form == formItems
		matters = matters || p.shown || wasShown
	}
	switch {
	case !matters:
		s.drop("nothing to show")
	case s.out.HasMore():
		s.drop("another list follows")
	case s.client.PlanCards && s.content.form == formEntries:
		in.waits[in.id] = true
		s.drop("its list waits until something else follows")
	case !s.isNew(in):
		s.drop("the client shows that list")
	case u.kind == legacyUpdate && s.content.valid && s.alone(in, c.plan):
	default:
		s.sendAs(u, legacyUpdate, func(dst []byte) []byte {
			return append(s.appendEntries(append(dst, `"entries":[`...), in), ']')
		})
	}
}

// isNew reports whether the client gets the list now. It then counts as sent.
func (s *Stage) isNew(in *session) bool {
	if !s.client.PlanCards {
		return true
	}
	delete(in.waits, in.id)
	s.scratch = s.appendEntries(s.scratch[:0], in)
	digest := sha256.Sum256(said(s.scratch))
	if len(s.scratch) == 0 || digest == in.card {
		return false
	}
	in.card = digest
	return true
}

// sendList sends a message with the entries of what is live, if the client gets the list
// now.
func (s *Stage) sendList(in *session) {
	if s.isNew(in) {
		s.sendOwn(translate.Update(in.id, translate.LegacyPlan, func(b *rawjson.Builder) {
			b.Name("entries")
			b.Array()
			b.Out = s.appendEntries(b.Out, in)
			b.EndArray()
		}))
	}
}

// alone reports whether what the client is to see is p and nothing else.
func (s *Stage) alone(in *session, p *plan) bool {
	shown := s.contributing(in)
	return len(shown) == 0 || len(shown) == 1 && shown[0] == p
}

// contributing returns the plans whose entries the client is to see: texts aside that make
// room for a list, those that have something left to do, or all if none has. They are valid
// until the next call.
func (s *Stage) contributing(in *session) []*plan {
	shown := s.shown[:0]
	for _, p := range in.plans {
		if t := p; !t.entries.empty() && !in.makesRoom(t) {
			shown = append(shown, p)
		}
	}
	isDone := func(p *plan) bool { return p.done() }
	if slices.ContainsFunc(shown, func(p *plan) bool { return !isDone(p) }) {
		shown = slices.DeleteFunc(shown, isDone)
	}
	s.shown = shown
	return shown
}

// appendEntries appends the entries of all plans that the client is to see.
func (s *Stage) appendEntries(dst []byte, in *session) []byte {
	shown := s.contributing(in)
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
	return dst
}

// appendTitled appends the entries of p, one of several plans that are shown
// together, with the title before the content of each. The legacy plan has none,
// nor has a plan of which nothing is known but an id that says nothing.
func (p *plan) appendTitled(dst []byte) []byte {
	t := p
	title := cmp.Or(t.title, p.idTitle)
	if title == "" {
		return append(dst, t.entries.text...)
	}
	done := 0
	for _, content := range t.entries.contents {
		dst = append(dst, t.entries.text[done:content]...)
		dst = append(dst, '[')
		dst = rawjson.AppendEscaped(dst, title)
		dst = append(dst, "] "...)
		done = content
	}
	return append(dst, t.entries.text[done:]...)
}
