package plans

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// A session holds the live plans of one session, in the order of their first message.
type session struct {
	live  *livePlans
	id    string
	share *keep.Share
	plans []*plan

	// ignoresLegacy is set once a legacy plan and a live items plan have had the same entries:
	// the agent sends each state of a plan in both forms.
	ignoresLegacy bool

	changed bool // the list has changed since the client received it

	lastCard  [sha256.Size]byte // digest of the last list, for a client that draws a card for each list
	sentTexts keep.Map[bool]    // digests of the texts that the client has received as messages
}

// A plan is a live plan. Times are values of live.clock.
type plan struct {
	id          string // the synthetic id for a legacy plan
	isLegacy    bool   // the last message about it was a legacy plan
	updatedAt   uint64 // time of the last message
	textBeganAt uint64 // time of the first message of the current text, which may have grown since

	idTitle string    // the title if there is no other; "" if the id is uninformative
	title   string    // of a markdown or file plan, at most longestTitle characters
	isItems bool      // the entries are the agent's own
	entries entryList // as the client displays them; empty if it displays the plan otherwise
	text    planText  // of a markdown plan

	entriesOutdated bool // they have to be rendered from the text when it is complete

	shown    bool      // the client may display it
	approval *approval // the latest request that asks about it, until it is approved
	isOwn    bool      // a stage has sent the last message about it in the agent's place
	entry    *keep.Entry
}

// A change is the effect of one message on the live plans of a session.
type change struct {
	plan      *plan // the plan that the message changed or removed, or nil
	duplicate *plan // a plan that was deleted because another one shows the same, or nil
}

// find returns the live plan with that id, or nil.
func (s *session) find(id []byte) *plan {
	for _, p := range s.plans {
		if p.id == string(id) {
			return p
		}
	}
	return nil
}

// update stores the content of a message about the plan with that id.
func (s *session) update(id []byte, c *content) (ch change) {
	p := s.find(id)
	if p == nil {
		p = &plan{id: string(id)}
		if p.id != s.live.synthetic {
			p.idTitle = titleOf(p.id)
		}
		p.entry = s.share.Add(planCost+len(id), func() {
			s.live.hasEvicted = true
			s.delete(p)
		})
		s.plans = append(s.plans, p)
	}
	s.set(p, c)
	ch.plan = p
	if ch.duplicate = s.mergeDuplicate(p); ch.duplicate != nil {
		s.delete(ch.duplicate)
		if ch.duplicate == p {
			ch.plan = nil
		}
	}
	p.updateSize()
	return ch
}

// remove removes the plan with that id and returns it, or nil if there is none. agy-acp removes a
// legacy plan by an id, although legacy plans have none. Any id of the agent therefore removes a legacy
// plan that is the only live plan, if none was evicted. isOwn reports that the id is not the agent's.
func (s *session) remove(id []byte, isOwn bool) *plan {
	p := s.find(id)
	if p == nil && !isOwn && !s.live.hasEvicted && len(s.plans) == 1 && s.plans[0].isLegacy {
		p = s.plans[0]
	}
	if p != nil {
		s.delete(p)
	}
	return p
}

func (s *session) delete(p *plan) {
	p.entry.Drop()
	s.plans = slices.DeleteFunc(s.plans, func(q *plan) bool { return q == p })
}

// mergeDuplicate returns the plan to delete, because another one shows the same; this may be p. It
// returns nil if there is none:
//
//   - of two plans with the same text, the one that a stage has sent; p, if it stays, takes over its
//     approval
//   - a text that a stage has sent and that awaits no approval, when the agent sends a list
//   - of a legacy plan and an items plan with the same entries, the legacy plan; the session then
//     ignores later ones
func (s *session) mergeDuplicate(p *plan) *plan {
	for _, q := range s.plans {
		switch {
		case q == p:
		case p.isOwn && p.sameText(q):
			return p
		case q.isOwn && p.sameText(q):
			p.approval = cmp.Or(q.approval, p.approval)
			return q
		case q.isOwn && !q.isItems && q.approval == nil && p.isItems:
			return q
		case p.isLegacy != q.isLegacy && p.sameEntries(q):
			s.ignoresLegacy = true
			if q.isLegacy {
				return q
			}
			return p
		}
	}
	return nil
}

// sameText reports whether both are markdown plans whose texts differ at most in white space.
func (p *plan) sameText(q *plan) bool {
	return len(p.text.raw) > 0 && len(q.text.raw) > 0 && sameWords(rawjson.Unquote(p.text.raw), rawjson.Unquote(q.text.raw))
}

// sameEntries reports whether the agent has sent the same entries for both plans.
func (p *plan) sameEntries(q *plan) bool {
	return p.isItems && q.isItems && !p.entries.empty() && p.entries.equal(&q.entries)
}

// set stores the content c of the latest message about p. It restarts textBeganAt, unless c continues
// the text or is of the same file.
func (s *session) set(p *plan, c *content) {
	title := translate.OneLine(c.title, longestTitle)
	// A file plan has no text; its title is the name of the file.
	isSameFile := len(c.text.raw) == 0 && !p.isItems && title == p.title
	if p.textBeganAt == 0 || !c.extendsText && !isSameFile {
		p.textBeganAt = s.live.clock
	}
	p.isLegacy, p.isOwn = c.isLegacy, c.isOwn
	p.title, p.isItems, p.updatedAt, p.entriesOutdated = strings.Clone(title), c.display == displayItems, s.live.clock, c.entriesOutdated
	if !c.entriesOutdated {
		p.entries.copyFrom(&c.entries)
	}
	raw := refill(p.text.raw, c.text.raw)
	p.text = c.text
	p.text.raw = raw
}

// recordText records that the client receives the text as a message. It returns false if the
// client has received it before, with the same or other statuses.
func (s *session) recordText(text []byte) bool {
	digest := sha256.Sum256(markdown.WithoutStatuses(text))
	if s.sentTexts.Has(string(digest[:])) {
		return false
	}
	s.sentTexts.Keep(s.share, string(digest[:]), true, nil)
	return true
}

// visible appends the plans that a legacy client displays to buf: those with open entries, or
// all plans with entries if every entry is completed. A text that a list replaces is omitted.
func (s *session) visible(buf []*plan) []*plan {
	for _, p := range s.plans {
		if !p.entries.empty() && !s.isReplaced(p) {
			buf = append(buf, p)
		}
	}
	if slices.ContainsFunc(buf, func(p *plan) bool { return !p.done() }) {
		buf = slices.DeleteFunc(buf, (*plan).done)
	}
	return buf
}

// appendEntries appends the entries that a legacy client displays.
func (s *session) appendEntries(dst []byte) []byte {
	var buf [4]*plan
	shown := s.visible(buf[:0])
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

// appendTitled appends the entries of p with the title of p before each content. The title is
// the first heading of a markdown plan or else the name of its file, the name of a file plan's
// file, or else the id. A legacy plan has no title.
func (p *plan) appendTitled(dst []byte) []byte {
	title := cmp.Or(p.title, p.idTitle)
	if title == "" {
		return append(dst, p.entries.text...)
	}
	done := 0
	for _, content := range p.entries.contentStarts {
		dst = append(dst, p.entries.text[done:content]...)
		dst = append(dst, '[')
		dst = rawjson.AppendEscaped(dst, title)
		dst = append(dst, "] "...)
		done = content
	}
	return append(dst, p.entries.text[done:]...)
}

// updateSize updates the number of bytes that the plan counts. A plan beyond keep.PerSession is
// evicted after its message.
func (p *plan) updateSize() {
	p.entry.SetSize(len(p.entries.text) + len(p.text.raw) + len(p.text.path))
}

// isReplaced reports whether a list of the agent's own entries replaces the text of p: the list is
// later and no step of the text has begun, or the list was completed after the last message about
// the text.
func (s *session) isReplaced(p *plan) bool {
	return !p.isItems && slices.ContainsFunc(s.plans, func(list *plan) bool {
		after := !p.entries.hasBegun && list.updatedAt > p.textBeganAt || list.done() && list.updatedAt > p.updatedAt
		return list.isItems && !list.entries.empty() && after
	})
}

// done reports whether all entries are completed.
func (p *plan) done() bool { return p.entries.openCount == 0 }

// sameWords reports whether two texts differ at most in white space.
func sameWords(a, b []byte) bool {
	return slices.EqualFunc(bytes.Fields(a), bytes.Fields(b), bytes.Equal)
}
