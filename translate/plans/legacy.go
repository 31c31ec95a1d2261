package plans

import (
	"crypto/sha256"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A client that knows only "plan" receives, after each change, one legacy plan with the entries
// of all live plans: the list.

// writeList translates u for such a client, after u has changed the live plans by c.
func (w *writer) writeList(in *session, u *update, c change) {
	cards, form := w.renderer.client.PlanCards, w.renderer.content.form
	gone := c.gone != nil && c.gone.shown
	changes, stale := in.changed, false
	if p := c.plan; p != nil {
		wasShown := p.shown
		p.shown = !p.entries.empty() || form == formItems
		changes, stale = changes || !p.stale && (p.shown || wasShown), p.stale
	} else {
		changes = changes || gone || in.lost
	}
	if stale {
		in.changed = in.changed || gone
		in.wait()
	}
	switch {
	case changes && cards && form == formEntries:
		in.changed = true
		in.wait()
		w.current.drop("the list is sent later")
	case stale && !changes:
		w.current.drop("the list waits until the text is complete")
	case !changes:
		w.current.drop("nothing to show")
	case !w.isNew(in):
		w.current.drop("the client shows that list")
	case u.kind == legacyUpdate && w.renderer.content.valid && in.showsOnly(c.plan):
	default:
		w.sendAs(u, legacyUpdate, func(dst []byte) []byte {
			return append(in.appendEntries(append(dst, `"entries":[`...)), ']')
		})
	}
}

// showsOnly reports whether a legacy client displays no plan but p.
func (s *session) showsOnly(p *plan) bool {
	var buf [4]*plan
	shown := s.visible(buf[:0])
	return len(shown) == 0 || len(shown) == 1 && shown[0] == p
}

// isNew reports whether the client is to receive the list now, which then counts as received.
// A client that draws a card for each plan receives a list only if it has changed and is not
// empty.
func (w *writer) isNew(in *session) bool {
	in.changed = false
	if !w.renderer.client.PlanCards {
		return true
	}
	w.scratch = in.appendEntries(w.scratch[:0])
	digest := sha256.Sum256(normalized(w.scratch))
	if len(w.scratch) == 0 || digest == in.card {
		return false
	}
	in.card = digest
	return true
}

// sendList sends the list in a message of its own.
func (w *writer) sendList(in *session) {
	if w.isNew(in) {
		w.current.sendOwn(translate.Update(in.id, translate.LegacyPlan, func(b *rawjson.Builder) {
			b.Name("entries")
			b.Array()
			b.Out = in.appendEntries(b.Out)
			b.EndArray()
		}))
	}
}
