package conversation

import (
	"cmp"
	"context"
	"log/slog"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/forms"
	"acp-plan-proxy/translate/permissions"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/jsonrpc"
)

// stages is the chain of a conversation. The conversation also calls the negotiation directly, to
// respond to initialize in place of a failed agent.
type stages struct {
	*translate.Chain
	negotiation negotiation

	log          *slog.Logger
	counts       actionCounts
	loggedVendor string // the last logged vendor
}

// actionCounts has the numbers of plan messages, by the action.
type actionCounts struct{ forwarded, rewritten, dropped int }

// build makes the stages of a conversation, in the order from the client to the agent. A further
// stage is an argument of NewChain. A bridge is inserted next to the selectors.
func (s *stages) build(o Options, sink translate.Sink) {
	if o.Plans.ReadFile == nil {
		o.Plans.ReadFile = newPlanFiles().read
	}
	s.log = o.Log
	n := &s.negotiation
	*n = negotiation{
		settings: o.Client, policy: o.Announcement, log: o.Log, forms: forms.New(),
		permissions: permissions.New(cmp.Or(o.Permissions, permissions.Pass)),
		vendors:     vendors.New(cmp.Or(o.Vendors, vendors.Off)),
		changed:     func() { s.Changed() },
		selectors:   new(selectors.Stage),
	}
	n.share = n.budget.Open(0, nil)
	forget := func(session []byte) {
		n.vendors.Forget(session)
		s.Changed()
	}
	if o.Plans.Files == plans.FilesRead {
		n.vendors.ReadFile = o.Plans.ReadFile
	}
	n.plans = plans.NewStage(o.Plans, plans.Hooks{Decided: s.noteDecided, Forget: forget, Resumed: n.vendors.Resumed})
	s.Chain = translate.NewChain(sink, translate.StageOf(n.permissions), n, translate.StageOf(n.forms), n.plans,
		n.selectors, translate.StageOf(n.vendors))
}

// unnegotiated configures the stages for traffic without an initialize. The client is the one that
// --client selects, or a legacy client.
func (s *stages) unnegotiated() {
	n := &s.negotiation
	client := n.settings.Client(capabilities.Request{}, capabilities.Result{})
	n.configure(capabilities.Request{}, 0, 0, vendors.Peers{Client: capabilities.ClientProfile{NoVendors: true}, Plans: client, Version1: true})
}

// noteVendor logs the vendor whose messages the agent uses, once it is known.
func (s *stages) noteVendor() {
	if used := s.negotiation.vendors.Used(); used != s.loggedVendor {
		s.loggedVendor = used
		if used != "" {
			s.log.Info("negotiated", "vendor", used)
		}
	}
}

// noteDecided counts and logs the translation of a plan message. isOwn means that a stage sent the
// plan message, for a vendor's message.
func (s *stages) noteDecided(m *jsonrpc.Message, kind string, isOwn bool, r *plans.Result) {
	switch r.Action {
	case plans.Forward:
		s.counts.forwarded++
	case plans.Rewrite:
		s.counts.rewritten++
	case plans.Drop:
		s.counts.dropped++
	}
	if !s.log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	s.noteVendor()
	attrs := []any{
		"direction", "agent to client",
		"session", string(m.Session), "kind", kind, "plan", r.Plan, "type", r.Type,
		"entries", r.Entries, "action", string(r.Action), "reason", r.Reason,
	}
	if isOwn && s.loggedVendor != "" {
		attrs = append(attrs, "vendor", s.loggedVendor)
	}
	s.log.Debug("plan message", attrs...)
}
