package plans

import (
	"crypto/sha256"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A client that knows only "plan" receives, after each change, one legacy plan with the entries
// of all live plans: the list.

// writeList sends a legacy client the list, if necessary, after u has changed the live plans by c.
func (s *Stage) writeList(sess *session, u *update, c change) {
	p, display := c.plan, s.content.display
	hidesDuplicate := c.duplicate != nil && c.duplicate.shown
	changes := sess.changed // the client's list is outdated; a growing text of p does not count
	if p == nil {
		changes = changes || hidesDuplicate || sess.live.hasEvicted
	} else {
		wasShown := p.shown
		p.shown = !p.entries.empty() || display == displayItems
		if p.entriesOutdated {
			sess.changed = changes || hidesDuplicate
			sess.live.unsentLists[sess.id] = sess
		} else {
			changes = changes || p.shown || wasShown
		}
	}
	switch {
	case changes && s.client.PlanCards && display == displayEntries: // each state of a growing text would be a card
		sess.changed = true
		sess.live.unsentLists[sess.id] = sess
		s.drop("the list is sent later")
	case !changes && p != nil && p.entriesOutdated:
		s.drop("the list waits until the text is complete")
	case !changes:
		s.drop("nothing to show")
	case !s.recordList(sess):
		s.drop("the client shows that list")
	case u.kind == legacyUpdate && s.content.isUnchanged && sess.showsOnly(p): // the message passes
	default:
		s.sendAs(u, legacyUpdate, func(dst []byte) []byte {
			return append(sess.appendEntries(append(dst, `"entries":[`...)), ']')
		})
	}
}

// showsOnly reports whether a legacy client displays no plan but p.
func (s *session) showsOnly(p *plan) bool {
	var buf [4]*plan
	shown := s.visible(buf[:0])
	return len(shown) == 0 || len(shown) == 1 && shown[0] == p
}

// recordList records that the client receives the list now. It returns false if the client must
// not receive it: a client that draws a card for each plan receives a list only if it has changed
// and is not empty.
func (s *Stage) recordList(sess *session) bool {
	sess.changed = false
	if !s.client.PlanCards {
		return true
	}
	s.scratch = sess.appendEntries(s.scratch[:0])
	digest := sha256.Sum256(normalized(s.scratch))
	if len(s.scratch) == 0 || digest == sess.lastCard {
		return false
	}
	sess.lastCard = digest
	return true
}

// sendList sends the list in a message of its own, unless the client must not receive it.
func (s *Stage) sendList(sess *session) {
	if s.recordList(sess) {
		s.sendOwn(translate.Update(sess.id, translate.LegacyPlan, func(b *rawjson.Builder) {
			b.Name("entries")
			b.Array()
			b.Out = sess.appendEntries(b.Out)
			b.EndArray()
		}))
	}
}
