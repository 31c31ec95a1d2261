package conversation

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/forms"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/permissions"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A negotiation is the stage of initialize. It reads the request and the response, and
// configures the other stages.
type negotiation struct {
	// The stages that it configures:
	permissions *permissions.Stage
	forms       *forms.Stage
	plans       *plans.Stage
	vendors     *vendors.Stage
	selectors   *selectors.Stage

	settings capabilities.Settings     // overrides the client's capabilities in initialize
	policy   capabilities.Announcement // the capabilities to advertise to the agent
	log      *slog.Logger
	changed  func() // called after changes to other stages
	joined   bool   // a bridge joins the peers, or is about to be inserted

	initializeSent bool                        // the client has sent initialize
	awaited        keep.Map[pendingInitialize] // by the ids of the client's requests
	budget         keep.Budget                 // of awaited
	share          *keep.Share                 // the only one of budget
	mcpTransports  []string                    // of an agent of version 1; nil if unknown, and for version 2
	failure        string                      // why the agent will not respond; empty while it may
}

// A pendingInitialize is a pending initialize of the client.
type pendingInitialize struct {
	id                 []byte               // raw
	request, forwarded capabilities.Request // as received, and as edited by the policy
}

// Filters of a negotiation. The requests that open a session are for checkServers.
var (
	initializes           = [2]*scan.Filter{translate.Client: {Methods: append(translate.Openings(), "initialize")}}
	initializeAndResponse = [2]*scan.Filter{translate.Client: initializes[translate.Client], translate.Agent: {Responses: true}}
)

// Wants implements [translate.Stage].
func (n *negotiation) Wants() [2]*scan.Filter {
	if n.awaited.Len() > 0 {
		return initializeAndResponse
	}
	return initializes
}

// Awaits implements [translate.Stage].
func (n *negotiation) Awaits(side translate.Side, id jsonrpc.ID) bool {
	return side == translate.Agent && n.awaited.Has(string(id))
}

// Receive implements [translate.Stage].
func (n *negotiation) Receive(side translate.Side, m *jsonrpc.Message, _ time.Time, out *translate.Out) {
	switch {
	case side == translate.Agent:
		if m.IsResponse() {
			n.onResponse(m, out)
		}
	case m.IsRequest() && string(m.Method) == "initialize":
		n.initialize(m, out)
		return
	case n.mcpTransports != nil && slices.Contains(translate.Openings(), string(m.Method)):
		n.checkServers(m, out)
	}
	out.Forward()
}

// checkServers warns of MCP servers with a transport that the agent has not announced: agents drop
// them silently.
func (n *negotiation) checkServers(m *jsonrpc.Message, out *translate.Out) {
	for s := range rawjson.Objects(rawjson.Get(m.Params.Of(m.Text), "mcpServers"), nil) {
		if transport, ok := s.Text("type"); ok && !slices.Contains(n.mcpTransports, string(transport)) {
			out.Lose(translate.Loss{
				Kind: translate.LossMCPTransport, Name: s.String("name"), Session: string(m.Session),
				Detail: fmt.Sprintf("the agent has not announced the transport %.20q of this MCP server, and may drop it silently", transport),
			})
		}
	}
}

// PeerClosed implements [translate.Stage].
func (n *negotiation) PeerClosed(translate.Side, time.Time, *translate.Out) {}

// initialize edits the client's initialize request by the policy, and records it until its
// response.
func (n *negotiation) initialize(m *jsonrpc.Message, out *translate.Out) {
	n.initializeSent = true
	if n.failure != "" {
		out.Send(translate.Client, errorResponse(m.ID, jsonrpc.InternalError, n.failure))
		return
	}
	params := m.Params.Of(m.Text)
	request, err := capabilities.ReadRequest(params)
	forwarded := request
	if err != nil {
		out.LoseIn("", translate.LossInitialize, "initialize request cannot be read; the client is treated as one that announces nothing: "+err.Error())
		out.Forward()
	} else if edited, changed := n.policy.Edit(params, request); changed {
		out.Send(translate.Agent, m.Text[m.Start:m.Params.Start], edited, m.Text[m.Params.End:m.End])
		forwarded, _ = capabilities.ReadRequest(edited)
	} else {
		out.Forward()
	}
	for _, a := range request.Capabilities {
		if a == capabilities.Malformed {
			out.LoseIn("", translate.LossPlanCapability, "the client's plan capability is not an object and is ignored")
		}
	}
	id := string(jsonrpc.IDOf(m.ID))
	n.awaited.Keep(n.share, id, pendingInitialize{bytes.Clone(m.ID), request, forwarded}, nil).SetSize(len(m.ID) + len(params))
	if n.budget.EvictExcess() {
		out.LoseIn("", translate.LossUnansweredRequests, "too many pending requests; the responses to the earliest are forwarded unread")
	}
}

// onResponse receives a response of the agent. Only those to initialize are used.
func (n *negotiation) onResponse(m *jsonrpc.Message, out *translate.Out) {
	id := string(jsonrpc.IDOf(m.ID))
	switch {
	case !n.awaited.Has(id):
		return
	case m.Failed():
		out.LoseIn("", translate.LossFailedInitialize, "initialize failed; plans are forwarded unchanged")
		n.pass()
	default:
		n.negotiate(n.awaited.Get(id), m.Result.Of(m.Text), out)
	}
	n.awaited.Delete(id)
}

// negotiate configures the other stages by the raw result of an initialize request, and logs the
// negotiation.
func (n *negotiation) negotiate(pending pendingInitialize, rawResult []byte, out *translate.Out) {
	result, err := capabilities.ReadResult(rawResult)
	if err != nil {
		out.LoseIn("", translate.LossInitializeAnswer, "response to initialize cannot be read; plans are forwarded unchanged: "+err.Error())
		n.pass()
		return
	}
	n.mcpTransports = result.MCPTransports()
	client := capabilities.VersionOf(capabilities.Negotiated(pending.request, result))
	agent := client
	if n.joined {
		agent = client.Other()
	}
	shows := n.settings.Client(pending.request, result)
	n.configure(pending.request, client, agent, vendors.Peers{
		Client: pending.request.Profile(), Forms: pending.request.Offers&capabilities.OfferForms != 0, Plans: shows,
		// A bridge converts the result to the client's version.
		Version1: (result.Version < 2) != n.joined, Agent: cmp.Or(result.Name, result.Extension), Bridged: n.joined,
	})
	attrs := []any{
		"client", pending.request.Name, "client_version", pending.request.Release,
		"agent", result.Name, "agent_version", result.Release,
		"protocol", result.Version, "shows", shows.String(),
		"advertised", pending.forwarded.Advertised(),
	}
	if hidden := pending.request.Offers &^ pending.forwarded.Offers; hidden != 0 {
		attrs = append(attrs, "hidden", hidden.String())
	}
	if n.policy.AsksForms(pending.request) {
		attrs = append(attrs, "forms", "asked")
	}
	if n.joined {
		attrs = append(attrs, "joined", fmt.Sprintf("client %d, agent %d", client, agent))
	}
	n.log.Info("negotiated", attrs...)
}

// pass makes the other stages forward everything, as before initialize.
func (n *negotiation) pass() {
	n.mcpTransports = nil
	n.configure(capabilities.Request{}, 0, 0, vendors.Peers{})
}

// configure configures the other stages for the client that sent this request, and for the versions of both
// peers. The versions are 0 if initialize has not succeeded.
func (n *negotiation) configure(request capabilities.Request, client, agent capabilities.Version, peers vendors.Peers) {
	n.plans.Negotiated(peers.Plans)
	n.forms.Negotiated(request, int(client), client > 0 && n.policy.AsksForms(request))
	n.vendors.Negotiated(peers)
	n.selectors.Negotiated(client, agent)
	// Permission requests of version 2 pass unchanged. The zero profile turns that stage off.
	profile := peers.Client
	if client >= 2 {
		profile = capabilities.ClientProfile{}
	}
	n.permissions.Negotiated(profile)
	n.changed()
}

// fail records why the agent will not respond to initialize: editors display the reason, and hide
// the agent's stderr. It returns the raw ids of the pending requests.
func (n *negotiation) fail(why string) (ids [][]byte) {
	n.failure = why
	for _, q := range n.awaited.All() {
		ids = append(ids, q.id)
	}
	n.awaited.Clear()
	return ids
}

// skipResponse receives the beginning of a line of the agent that is too long to be read. If it may be
// the response to initialize, no request remains pending.
func (n *negotiation) skipResponse(beginning []byte) {
	if n.awaited.Len() > 0 && jsonrpc.MessageOf(beginning).Method == nil {
		n.awaited.Clear()
	}
}
