package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
)

// A writer writes what the client gets. It writes nothing if the message is to
// pass as it came.
type writer interface {
	// changed writes after a plan or plan_update has changed what is live.
	changed(s *session, u *Update, c change, l *content)

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

// decide applies a session update of one of [translate.PlanKinds] and decides what the
// client gets. The session is nil if the message names none. The result is valid until the
// next call.
func (s *Stage) decide(session []byte, u *Update) *Result {
	s.result.reset(u)
	r := &s.result.Result
	switch {
	case session == nil:
		r.Reason = "it has no session"
		r.lose(translate.LossPlanSession, "plan message without a session forwarded as it came")
	case s.writer == nil:
		r.Reason = "nothing was negotiated yet"
	case u.err != nil:
		r.Reason = "not understood: " + u.err.Error()
		r.lose(translate.LossPlanMessage, "plan message forwarded as it came: %v", u.err)
	default:
		s.understood(s.live.open(session), u)
	}
	for i := range r.Losses {
		r.Losses[i].Session = string(session)
	}
	return r
}

func (s *Stage) understood(in *session, u *Update) {
	r := &s.result.Result
	ids := u.planIDs()
	n := in.name(ids, u.text)
	r.Plan = n.id
	if ids.differ(u.text) {
		r.lose(translate.LossPlanIDs, "a plan's ids differ; %s counts", capabilities.PlanIDMember(ids.first()))
	}
	if u.kind == removalUpdate {
		s.remove(in, u, n)
	} else {
		s.change(in, u, n)
	}
	if r.Reason == "" {
		r.Reason = s.usualReason()
	}
	if s.live.budget.Settle() {
		r.lose(translate.LossMemory, "too much is kept of plans: the oldest were forgotten")
	}
}

// change applies a plan or plan_update.
func (s *Stage) change(in *session, u *Update, n planName) {
	r := &s.result.Result
	content := s.renderer.render(u, in.textOf(n))
	c := in.say(n, content)
	if s.removesEmpty(u) && c.plan.entries.empty() {
		c.emptied = true
		in.delete(c.plan)
	}
	in.count()
	r.Entries = len(c.plan.entries.contents)
	if c.plan.state.named() && c.plan.state.legacy() {
		r.Reason = "the same plan, sent as plan and as plan_update"
	}
	s.writer.changed(in, u, c, content)
}

// removesEmpty reports whether the user wants u to be the removal of the plan if
// it has no entries.
func (s *Stage) removesEmpty(u *Update) bool {
	return u.kind == legacyUpdate && s.options.Empty == EmptyRemove && !s.client.Legacy()
}

// remove applies a plan_removed.
func (s *Stage) remove(in *session, u *Update, n planName) {
	p := in.remove(n)
	r := removal{plan: p, clientID: in.clientID(n), lost: s.live.lost}
	if p != nil {
		r.clientID = p.clientID
	}
	s.writer.removed(in, u, r)
}

// usualReason is the reason for what became of a message, if there is nothing
// special about it.
func (s *Stage) usualReason() string {
	switch {
	case s.result.Action == Forward:
		return "the client shows it as it is"
	case s.client.Legacy():
		return "the client knows only plan"
	}
	return "the client does not show it as it is"
}
