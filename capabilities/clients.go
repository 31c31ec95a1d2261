package capabilities

// A ClientProfile describes client behavior that initialize does not announce. The zero value
// is the profile of an unknown client: it is assumed to show every option of a permission
// request by name, to show none of the request's content, and to respond to every request.
type ClientProfile struct {
	Name string // name in clientInfo; "" for a client without a name or an unknown one

	// Permission requests.
	ShowsContent          bool          // displays the content in full
	HidesTitle            bool          // does not display the title
	Displays              OptionDisplay // the options that have a button
	OnceOnly              bool          // recognizes the kinds allow_once and reject_once only; AllowAlwaysID also approves a single call
	ApprovesWithoutReject bool          // approves a request without a reject option
	OneRequestAtATime     bool          // supports one open request; a second one replaces the first
	NeedsStatus           bool          // shows buttons only if the tool call has a status
	NeedsNewToolCall      bool          // needs a separate tool call for each request
	AutoApproves          bool          // selects the first allow option without asking the user

	// The option ids that the client recognizes, by kind. AllowOnceID and RejectID are both set, or both
	// empty; if empty, the client recognizes every id.
	AllowOnceID   string
	AllowAlwaysID string   // "" if the client recognizes every id of an allow_always option
	RejectID      string   // of a reject_once and of a reject_always option
	ReservedIDs   []string // further ids that the client interprets; no option may have one

	// Other messages.
	PlanCards                   bool // draws a new card for each plan
	IgnoresUnknownRequests      bool // never responds to an unknown request
	NoVendors                   bool // supports no vendor's requests, and responds badly or not at all
	BreaksOnUnknownNotification bool // breaks on an unknown notification
}

// An OptionDisplay selects the options of a permission request that a client displays.
type OptionDisplay uint8

const (
	AllOptions         OptionDisplay = iota // every option
	OnePerKind                              // one option of each kind; the reject kinds may share one
	AllowAndReject                          // one allow option (the first allow_once, or else an allow_always) and one reject option
	OptionDisplayCount                      // number of values
)

// SharesButton reports whether one button stands for several allow options of a request. once and
// always are the numbers of its allow_once and allow_always options. The proxy then asks the user about
// these options one by one.
func (d OptionDisplay) SharesButton(once, always int) bool {
	if d == AllowAndReject && once > 0 {
		always = 0 // the allow_always options have no button
	}
	return d != AllOptions && (once > 1 || always > 1)
}

// MayMisanswer reports whether the client may respond to a permission request with an option that
// the user did not select. The proxy then rewrites permission requests to the client where necessary,
// and checks the option ids in the responses. A client that selects without asking the user
// (AutoApproves) does not count: it responds in the same way to every form of a request.
func (c *ClientProfile) MayMisanswer() bool {
	return c.Displays != AllOptions || c.AllowOnceID != "" || c.ApprovesWithoutReject
}

// OptionID returns the option id that the client recognizes for a kind, or "" if it has none.
func (c *ClientProfile) OptionID(kind string) string {
	switch kind {
	case "allow_once":
		return c.AllowOnceID
	case "allow_always":
		return c.AllowAlwaysID
	case "reject_once", "reject_always":
		return c.RejectID
	}
	return ""
}

// nameless is the profile of a client of version 1 that sends neither a name nor the terminal
// capability: avante and marimo. Nothing distinguishes the two, so marimo, which shows every option,
// is treated like avante.
var nameless = ClientProfile{
	HidesTitle: true, Displays: OnePerKind, OnceOnly: true,
	AllowOnceID: "allow_once", AllowAlwaysID: "allow", RejectID: "reject",
	ReservedIDs: []string{"allow_always"}, // with it, avante would approve every later request
	NeedsStatus: true, IgnoresUnknownRequests: true, NoVendors: true,
}

// profiles lists the clients that send a name and differ from an unknown client in some way.
var profiles = []ClientProfile{
	{Name: "acpx", Displays: AllowAndReject, NoVendors: true},
	{Name: "acp-ui", OneRequestAtATime: true},
	{Name: "agent-shell", ShowsContent: true, NoVendors: true},
	{Name: "Agentic.nvim", HidesTitle: true, NoVendors: true, BreaksOnUnknownNotification: true},
	{Name: "CodeCompanion.nvim", Displays: OnePerKind, IgnoresUnknownRequests: true, NoVendors: true},
	{Name: "DeepChat", Displays: AllowAndReject},
	{Name: "hapi", Displays: AllowAndReject, ApprovesWithoutReject: true},
	{Name: "happy-cli", HidesTitle: true, Displays: AllowAndReject, AllowOnceID: "proceed_once", RejectID: "cancel"},
	{Name: "kandev-agentctl", Displays: AllowAndReject},
	{Name: "QtCreator", NeedsNewToolCall: true, PlanCards: true},
	{Name: "t3-code", Displays: OnePerKind, AllowOnceID: "allow-once", AllowAlwaysID: "allow-always", RejectID: "reject-once"},
	{Name: "toad", ShowsContent: true},
	{Name: "vscode-acp", AutoApproves: true},
	{Name: "vscode-acp-client", OneRequestAtATime: true, PlanCards: true},
	{Name: "zed", ShowsContent: true},
}

// Profile returns the profile of the client that sent the initialize request.
func (r Request) Profile() ClientProfile {
	if r.Name == "" {
		if r.Offers&OfferTerminals != 0 || r.Version >= 2 {
			return ClientProfile{}
		}
		return nameless
	}
	for _, p := range profiles {
		if p.Name == r.Name {
			return p
		}
	}
	return ClientProfile{}
}
