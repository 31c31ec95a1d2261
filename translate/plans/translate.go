// Package plans turns an agent's plan messages into those that a client
// can show.
//
// An agent reports its plan in session/update notifications, as "plan" (one
// anonymous list of entries, replaced whole each time), as "plan_update" (many
// plans told apart by an id, each a list of items, a markdown text or a file),
// and as "plan_removed". A client understands some of these. A [Translator]
// holds the live plans of each session of one connection and says, update by
// update, what the client is to get: the message as it came, another update in
// its place, or nothing.
//
// The package is pure: it does no input or output. The text of a message goes
// in as an [Update], which says where in the text things stand; what comes out
// is the text to put in the place of the update. Nothing that is not
// understood is lost: it comes back as [Forward], with a warning. How a plan
// file is read is handed in with [Options].
//
// Where to look: what a message says is read in update.go and entries.go; what
// is live, and which plans are one and the same, is session.go; legacy.go
// writes for clients that know only "plan",
// operations.go for the others; render.go has the table of the types
// of plan and, with markdown.go and file.go, turns markdown and files into entries.
package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

// Merge is how several live plans become the one plan of a legacy client.
type Merge string

// The values of --merge.
const (
	MergeAll    Merge = "all"    // all of them, one after another
	MergeLatest Merge = "latest" // the one that was updated last
)

// Markdown is how a markdown plan becomes entries.
type Markdown string

// The values of --markdown.
const (
	MarkdownEntries Markdown = "entries" // its tasks, steps or items, an entry each
	MarkdownText    Markdown = "text"    // one entry, the text as it is
	MarkdownDrop    Markdown = "drop"    // none
)

// Files is how a file plan becomes entries.
type Files string

// The values of --files.
const (
	FilesRead Files = "read" // the file is read, as markdown
	FilesLink Files = "link" // one entry that names the file
	FilesDrop Files = "drop" // none
)

// Empty is what an empty legacy plan becomes for a client of plan operations.
type Empty string

// The values of --empty.
const (
	EmptyUpdate Empty = "update" // a plan without entries
	EmptyRemove Empty = "remove" // the removal of the plan
)

// Options are a user's choices. All fields must be set.
type Options struct {
	SyntheticID string // the id given to a legacy plan
	Merge       Merge
	Markdown    Markdown
	Files       Files
	Empty       Empty

	// ReadFile reads a plan file, whose path is absolute. The error says why
	// it could not be had.
	ReadFile func(path string) ([]byte, error)
}

// An Action is what becomes of a message.
type Action string

// The actions.
const (
	Forward Action = "forward" // it leaves as it came
	Rewrite Action = "rewrite" // it leaves with another update, or several times
	Drop    Action = "drop"    // it does not leave
)

// A Result says what becomes of one message.
type Result struct {
	Action Action

	// Updates is what params.update becomes if the message is rewritten: one
	// text or, rarely, two, for as many copies of the message, in this order.
	// They are valid until the next call of the Translator.
	Updates [][]byte

	Plan    string           // the id of the plan as the agent gave it; "" for a legacy plan
	Type    string           // the type of the plan, if the message has one
	Entries int              // how many entries the client now has of this plan, where it gets entries
	Reason  string           // why, in a few words
	Losses  []translate.Loss // what the user should know
}

// A Translator translates the plan messages of one connection. It must not be
// used by two goroutines at once.
//
// What it keeps is bounded by [MaxSessions], [MaxPlans] and [MaxBytes]. When a
// limit is passed, what was not updated for the longest time is forgotten: a
// plan that is forgotten is no longer shown with the others of its session
// when one of those changes, until its agent updates it again.
type Translator struct {
	options Options
	client  capabilities.Client
	live    live

	// Scratch memory, for use within one call.
	rendered entryList
	shown    []*plan
	updates  [2][]byte
	result   Result
}

// New returns a Translator for a client of which nothing is known: it forwards
// everything until SetClient.
func New(o Options) *Translator {
	return &Translator{options: o, live: newLive(o.SyntheticID)}
}

// SetClient says what the client can show from now on. All sessions are
// forgotten.
func (t *Translator) SetClient(c capabilities.Client) {
	t.client = c
	t.live.clear()
}

// Translate takes in an update of the session and says what the client gets.
// The result is valid until the next call.
func (t *Translator) Translate(sessionID []byte, u *Update) *Result {
	t.freeScratch()
	t.result = Result{Action: Forward, Updates: t.result.Updates[:0], Losses: t.result.Losses[:0], Type: u.plan.typ}
	r := &t.result
	switch {
	case !t.client.Known():
		r.Reason = "nothing was negotiated yet"
		return r
	case u.wrong != "":
		r.Reason = "not understood: " + u.wrong
		r.lose("plan message not understood", "plan message forwarded as it came: %s", u.wrong)
		return r
	}
	s := t.live.open(sessionID)
	ids := u.planIDs()
	n := s.name(ids, u.text)
	r.Plan = n.id
	if ids.differ(u.text) {
		r.lose("ids of a plan", "a plan's ids differ; %s counts", capabilities.PlanIDMember(ids.first()))
	}
	if u.kind == removalUpdate {
		t.remove(s, u, n)
	} else {
		t.change(s, u, n)
	}
	for i := range r.Losses {
		r.Losses[i].Session = s.id
	}
	if r.Reason == "" {
		r.Reason = t.usualReason()
	}
	return r
}

// maxScratch is how much scratch memory of a kind is kept for the next message.
const maxScratch = 1 << 20

// freeScratch lets go of what a huge message made the scratch memory grow to.
func (t *Translator) freeScratch() {
	for _, b := range []*[]byte{&t.updates[0], &t.updates[1]} {
		if cap(*b) > maxScratch {
			*b = nil
		}
	}
}

// usualReason is why what became of a message did, if there is nothing special
// about it.
func (t *Translator) usualReason() string {
	switch {
	case t.result.Action == Forward:
		return "the client shows it as it is"
	case t.client.Legacy():
		return "the client knows only plan"
	}
	return "the client does not show it as it is"
}

// planIDs returns the id members, which stand in the plan of a plan_update and
// beside the kind of a plan_removed.
func (u *Update) planIDs() idMembers {
	if u.kind == planUpdate {
		return u.plan.id
	}
	return u.id
}

// change takes in a plan or plan_update.
func (t *Translator) change(s *session, u *Update, n planName) {
	c := t.render(u)
	t.result.Entries = len(c.entries.contents)
	ch := s.say(n, c)
	if cap(t.rendered.text) > maxScratch {
		t.rendered = entryList{}
	}
	p := ch.plan
	emptied := t.emptied(u, p)
	if emptied {
		s.delete(p)
	}
	t.live.settle(s, &t.result)
	if p.state.named() && p.state.legacy() {
		t.result.Reason = "the same plan, sent as plan and as plan_update"
	}
	if t.client.Legacy() {
		t.changeLegacy(s, u, p, c)
		return
	}
	if emptied {
		t.clear(u, p, p.shown)
		return
	}
	t.changeOperations(s, u, p, c)
	removal := ch.gone != nil && ch.gone.shown
	if (removal || ch.again != nil) && t.result.Action == Forward {
		e := t.edit(u)
		t.put(e.Finish(u.end))
	}
	switch {
	case removal:
		t.putRemoval(u, ch.gone.clientID)
	case ch.again != nil:
		ch.again.shown = true
		t.putAs(u, planUpdate, func(dst []byte) []byte { return t.appendItems(dst, u, ch.again, content{}) })
	}
}

// remove takes in a plan_removed.
func (t *Translator) remove(s *session, u *Update, n planName) {
	p := s.remove(n)
	t.live.settle(s, &t.result)
	if t.client.Legacy() {
		t.removeLegacy(s, u, p)
	} else {
		t.removeOperations(s, u, p, s.clientID(n))
	}
}

// emptied reports whether u has made p an empty legacy plan, which the user wants
// to be the removal of the plan.
func (t *Translator) emptied(u *Update, p *plan) bool {
	return u.kind == legacyUpdate && len(p.entries.contents) == 0 && t.options.Empty == EmptyRemove && !t.client.Legacy()
}

// Close forgets a session.
func (t *Translator) Close(sessionID string) { t.live.close(sessionID) }

// Reset begins a session again, before an agent replays it. What was live is
// kept until [Translator.Replayed], [Translator.Restore] or [Translator.Close].
func (t *Translator) Reset(sessionID string) { t.live.reset(sessionID) }

// Replayed frees what was live before Reset: the session has been replayed.
func (t *Translator) Replayed(sessionID string) { t.live.replayed(sessionID) }

// Restore puts back what was live before Reset, beside what has been updated
// since: the replay did not take place.
func (t *Translator) Restore(sessionID string) { t.live.restore(sessionID) }
