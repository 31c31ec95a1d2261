package plans

import (
	"cmp"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A legacyWriter writes for a client that knows only "plan": after each change,
// one legacy plan with the entries of all that is live.
//
// Some clients draw a new card for each plan. They get a list only if it is another than
// the last one and not empty, and the list of a text, which may grow, when something else
// follows.
type legacyWriter struct {
	out   *output
	merge Merge
	cards bool
	shown []*plan // memory of contributing
	text  []byte  // memory of isNew
}

func (w *legacyWriter) changed(s *session, u *Update, c change, l *content) {
	p := c.plan
	wasShown := p.shown
	p.shown = !p.entries.empty() || l.form == formItems
	switch {
	case !p.shown && !wasShown && c.again == nil:
		w.out.drop("nothing to show")
	case w.out.more:
		w.out.drop("another list follows")
	case w.cards && l.form == formEntries:
		s.waits[s.id] = true
		w.out.drop("its list waits until something else follows")
	case !w.isNew(s):
		w.out.drop("the client shows that list")
	case u.kind == legacyUpdate && l.valid && w.alone(s, p):
	default:
		w.put(s, u)
	}
}

func (w *legacyWriter) removed(s *session, u *Update, r removal) {
	switch {
	case !r.onScreen():
		w.out.drop("removes what is not shown")
	case w.out.more:
		w.out.drop("another list follows")
	case !w.isNew(s):
		w.out.drop("the client shows what is left, or nothing is")
	default:
		w.put(s, u)
	}
}

// isNew reports whether the client gets the list now. It then counts as sent.
func (w *legacyWriter) isNew(s *session) bool {
	if !w.cards {
		return true
	}
	delete(s.waits, s.id)
	w.text = w.appendEntries(w.text[:0], s)
	digest := digestOf(w.text)
	if len(w.text) == 0 || digest == s.card {
		return false
	}
	s.card = digest
	return true
}

// alone reports whether what the client is to see is p and nothing else.
func (w *legacyWriter) alone(s *session, p *plan) bool {
	shown := w.contributing(s)
	return len(shown) == 0 || len(shown) == 1 && shown[0] == p
}

// contributing returns the plans whose entries the client is to see: with
// MergeLatest the one that was updated last; with MergeAll, texts aside that make room
// for a list, those that have something left to do, or all if none has. They are valid
// until the next call.
func (w *legacyWriter) contributing(s *session) []*plan {
	w.shown = w.shown[:0]
	for _, p := range s.plans {
		switch {
		case p.entries.empty(), w.merge == MergeAll && s.makesRoom(p):
		case w.merge == MergeAll || len(w.shown) == 0:
			w.shown = append(w.shown, p)
		case p.updated > w.shown[0].updated:
			w.shown[0] = p
		}
	}
	isOpen := func(p *plan) bool { return !p.done() }
	if slices.ContainsFunc(w.shown, isOpen) {
		w.shown = slices.DeleteFunc(w.shown, (*plan).done)
	}
	return w.shown
}

// put puts a legacy plan with the entries of what is live in the place of the
// update.
func (w *legacyWriter) put(s *session, u *Update) {
	w.out.putAs(u, legacyUpdate, func(dst []byte) []byte {
		return append(w.appendEntries(append(dst, `"entries":[`...), s), ']')
	})
}

// list returns a message with the entries of what is live.
func (w *legacyWriter) list(s *session) []byte {
	return translate.Update(s.id, translate.LegacyPlan, func(b *rawjson.Builder) {
		b.Name("entries")
		b.Array()
		b.Out = w.appendEntries(b.Out, s)
		b.EndArray()
	})
}

// appendEntries appends the entries of all plans that the client is to see.
func (w *legacyWriter) appendEntries(dst []byte, s *session) []byte {
	shown := w.contributing(s)
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
	l := &p.entries
	title := cmp.Or(p.title, p.idTitle)
	if title == "" || p.state.legacy() {
		return append(dst, l.text...)
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
