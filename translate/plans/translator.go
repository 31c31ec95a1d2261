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
	MarkdownBoth    Markdown = "both"    // entries, and the text as a message
	MarkdownEntries Markdown = "entries" // its tasks, steps or items, an entry each
	MarkdownText    Markdown = "text"    // one entry, the text as it is
	MarkdownDrop    Markdown = "drop"    // none
)

// Files is what becomes of a file plan.
type Files string

// The values of --files.
const (
	FilesRead Files = "read" // the file is read, as markdown
	FilesLink Files = "link" // the name of the file
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

	// ReadFile reads a plan file by its absolute path. The error says why the
	// file could not be read.
	ReadFile func(path string) ([]byte, error)
}

// A Translator translates the plan messages of one connection. It must not be
// used by two goroutines at once.
//
// What it keeps is bounded by the limits of package keep.
type Translator struct {
	options  Options
	client   capabilities.Client
	live     *live
	renderer renderer
	out      output
	writer   writer // nil while nothing is known of the client
	messages int    // counts those that say a text
}

// A writer writes what the client gets. It writes nothing if the message is to
// pass as it came.
type writer interface {
	// changed writes after a plan or plan_update has changed what is live.
	changed(s *session, u *Update, c change, l look)

	// removed writes after a plan_removed has.
	removed(s *session, u *Update, r removal)
}

// A removal is what a plan_removed has done to the live plans of a session.
type removal struct {
	plan     *plan  // the plan that was removed, nil if the agent named no live plan
	clientID string // what the client knows the plan by, or would
	lost     bool   // it may be a plan whose name was forgotten
}

// onScreen reports whether the client may be showing what was removed.
func (r removal) onScreen() bool {
	if r.plan == nil {
		return r.lost
	}
	return r.plan.shown
}

// New returns a Translator for a client that nothing is known about: it
// forwards everything until SetClient.
func New(o Options) *Translator {
	return &Translator{options: o, live: newLive(o.SyntheticID)}
}

// SetClient says what the client can show from now on. All sessions are
// forgotten, and what FromClient has returned so far is void.
func (t *Translator) SetClient(c capabilities.Client) {
	t.client = c
	t.live = newLive(t.options.SyntheticID)
	t.renderer = renderer{options: t.options, client: c, result: &t.out.Result}
	switch {
	case !c.Known():
		t.writer = nil
	case c.Legacy():
		t.writer = &legacyWriter{out: &t.out, merge: t.options.Merge, cards: c.PlanCards, waits: make(map[string]bool)}
	default:
		t.writer = &operationsWriter{out: &t.out, client: c}
	}
}

// The requests of a client that concern plans.
const (
	methodLoad   = "session/load"
	methodResume = "session/resume"
	methodClose  = "session/close"
	methodDelete = "session/delete"
)

// Methods returns the methods of the requests that FromClient is for.
func Methods() []string { return []string{methodLoad, methodResume, methodClose, methodDelete} }

// A Call is a request of the client whose answer matters to the plans.
type Call struct {
	session string
	replays bool // the agent is to replay the session; otherwise, to free it
}

// FromClient notes a request of the client on its way to the agent. It
// reports whether the answer matters: then Answered is to be called with the
// Call. Replays tells that the agent is asked for a replay of the session, which
// session/load always does.
//
// A replay begins with the request, so the session then begins without plans.
func (t *Translator) FromClient(method, session []byte, replays bool) (c Call, matters bool) {
	if session == nil {
		return Call{}, false
	}
	switch string(method) {
	case methodClose, methodDelete:
		return Call{session: string(session)}, true
	case methodLoad:
	case methodResume:
		if !replays {
			return Call{}, false
		}
	default:
		return Call{}, false
	}
	c = Call{session: string(session), replays: true}
	t.live.reset(c.session)
	return c, true
}

// Answered handles the answer to a request of the client. If a replay failed, the
// earlier plans come back, next to those that were updated since. It returns what the
// client gets before the answer: a replay is over like a turn.
func (t *Translator) Answered(c Call, failed bool) [][]byte {
	switch {
	case c.replays && failed:
		t.live.restore(c.session)
	case c.replays:
		t.live.replayed(c.session)
		return t.Complete(c.session)
	case !failed:
		t.Follows([]byte(c.session)) // nothing waits any more
		t.live.close(c.session)
	}
	return nil
}

// Followed tells whether each message about a plan from now on is followed at once by
// another one of the session. A client that gets one list for all plans of a session is
// spared the list before the last.
func (t *Translator) Followed(more bool) {
	if w, ok := t.writer.(*legacyWriter); ok {
		w.more = more
	}
}

// FromAgent applies a session update of one of [translate.PlanKinds] and says what
// the client gets. The session is nil if the message names none. The result is valid until
// the next call.
func (t *Translator) FromAgent(session []byte, u *Update) *Result {
	t.out.reset(u)
	r := &t.out.Result
	switch {
	case session == nil:
		r.Reason = "it has no session"
		r.lose(translate.LossPlanSession, "plan message without a session forwarded as it came")
	case t.writer == nil:
		r.Reason = "nothing was negotiated yet"
	case u.err != nil:
		r.Reason = "not understood: " + u.err.Error()
		r.lose(translate.LossPlanMessage, "plan message forwarded as it came: %v", u.err)
	default:
		t.understood(t.live.open(session), u)
	}
	for i := range r.Losses {
		r.Losses[i].Session = string(session)
	}
	return r
}

func (t *Translator) understood(s *session, u *Update) {
	r := &t.out.Result
	ids := u.planIDs()
	n := s.name(ids, u.text)
	r.Plan = n.id
	if ids.differ(u.text) {
		r.lose(translate.LossPlanIDs, "a plan's ids differ; %s counts", capabilities.PlanIDMember(ids.first()))
	}
	if u.kind == removalUpdate {
		t.remove(s, u, n)
	} else {
		t.change(s, u, n)
	}
	if r.Reason == "" {
		r.Reason = t.usualReason()
	}
	if t.live.budget.Settle() {
		r.lose(translate.LossMemory, "too much is kept of plans: the oldest were forgotten")
	}
}

// change applies a plan or plan_update.
func (t *Translator) change(s *session, u *Update, n planName) {
	r := &t.out.Result
	content := t.renderer.render(u, s.textOf(n))
	c := s.say(n, content)
	if t.removesEmpty(u) && c.plan.entries.empty() {
		c.emptied = true
		s.delete(c.plan)
	}
	s.count()
	r.Entries = len(c.plan.entries.contents)
	if c.plan.state.named() && c.plan.state.legacy() {
		r.Reason = "the same plan, sent as plan and as plan_update"
	}
	t.writer.changed(s, u, c, content.look)
}

// removesEmpty reports whether the user wants u to be the removal of the plan if
// it has no entries.
func (t *Translator) removesEmpty(u *Update) bool {
	return u.kind == legacyUpdate && t.options.Empty == EmptyRemove && !t.client.Legacy()
}

// remove applies a plan_removed.
func (t *Translator) remove(s *session, u *Update, n planName) {
	p := s.remove(n)
	r := removal{plan: p, clientID: s.clientID(n), lost: t.live.lost}
	if p != nil {
		r.clientID = p.clientID
	}
	t.writer.removed(s, u, r)
}

// usualReason is the reason for what became of a message, if there is nothing
// special about it.
func (t *Translator) usualReason() string {
	switch {
	case t.out.Action == Forward:
		return "the client shows it as it is"
	case t.client.Legacy():
		return "the client knows only plan"
	}
	return "the client does not show it as it is"
}
