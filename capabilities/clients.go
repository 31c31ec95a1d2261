package capabilities

import (
	"cmp"
	"strconv"
	"strings"
)

// A ClientProfile is how a client treats what it is sent, where clients differ and initialize
// does not say so. The zero value is a client of which nothing is known: it is taken to
// show every option of a permission request by its name, to show none of the request's
// content, and to answer every request.
type ClientProfile struct {
	Client string // its name; "" for a client that gives none, or is not in the table
	Seen   string // the version that was seen

	// What it makes of a permission request.
	ShowsContent bool    // it shows the content whole
	HidesTitle   bool    // it does not show the title
	Buttons      Buttons // what the user can press
	OnceOnly     bool    // it answers only with options that are for once
	Yes, No      string  // the ids that it takes for a yes and a no; "" means any
	Once, Always string  // of these, those for an agent's own options that allow once, and always
	AgreesAlone  bool    // without an option that refuses, a no becomes a yes
	OneOpen      bool    // a second request takes the place of an open one
	NeedsStatus  bool    // it needs the status of the tool call to show buttons
	OwnCall      bool    // it needs a tool call of its own for each request
	AsksNobody   bool    // it takes the first option that allows

	// What it makes of the rest.
	PlanCards bool // it draws a new card for each plan
	Silent    bool // it never answers a request that it does not know
	NoVendors bool // it knows no vendor's requests
	Fragile   bool // a notification that it does not know breaks it
}

// Buttons are what a client lets its user choose between.
type Buttons uint8

// The ways to show options.
const (
	EachOption Buttons = iota // every option
	EachKind                  // one option of each kind
	YesOrNo                   // one option that allows and one that refuses
)

// nameless is a client that gives no name and announces no terminal: avante, or marimo,
// which shows every option, but no title. They cannot be told apart.
var nameless = ClientProfile{
	HidesTitle: true, Buttons: EachKind, OnceOnly: true, Yes: "allow", No: "reject",
	Once: "allow_once", Always: "allow", // its own allow_always would approve everything after it
	NeedsStatus: true, Silent: true, NoVendors: true,
}

// profiles is the table of clients. A client that is not in it needs nothing.
var profiles = []ClientProfile{
	{Client: "acpx", Seen: "0.19.1", Buttons: YesOrNo, NoVendors: true},
	{Client: "acp-ui", OneOpen: true},
	{Client: "agent-shell", Seen: "0.74.3", ShowsContent: true, NoVendors: true},
	{Client: "Agentic.nvim", Seen: "0.0.1", HidesTitle: true, NoVendors: true, Fragile: true},
	{Client: "CodeCompanion.nvim", Seen: "1.0.0", Buttons: EachKind, Silent: true, NoVendors: true},
	{Client: "DeepChat", Buttons: YesOrNo},
	{Client: "hapi", Buttons: YesOrNo, AgreesAlone: true},
	{Client: "happy-cli", HidesTitle: true, Buttons: YesOrNo, Yes: "proceed_once", No: "cancel", Once: "proceed_once"},
	{Client: "kandev-agentctl", Buttons: YesOrNo},
	{Client: "QtCreator", Seen: "1", OwnCall: true, PlanCards: true},
	{Client: "t3-code", Buttons: YesOrNo, Yes: "allow-once", No: "reject-once", Once: "allow-once", Always: "allow-always"},
	{Client: "toad", Seen: "0.6.18", ShowsContent: true},
	{Client: "vscode-acp", Seen: "0.0.1", AsksNobody: true},
	{Client: "vscode-acp-client", Seen: "0.2.0", OneOpen: true, PlanCards: true},
	{Client: "zed", ShowsContent: true},
}

// Profile returns how the client treats what it is sent. A later version than the one
// that was seen may have learned the requests of vendors; one that never answers what it
// does not know is not tried.
func (r Request) Profile() ClientProfile {
	if r.Name == "" {
		if r.Offers&OfferTerminals != 0 || r.Version >= 2 {
			return ClientProfile{}
		}
		return nameless
	}
	for _, m := range profiles {
		if m.Client == r.Name {
			m.NoVendors = m.NoVendors && (m.Silent || !isLater(r.Release, m.Seen))
			return m
		}
	}
	return ClientProfile{}
}

// isLater reports whether a version is later than another one. The numbers between its
// dots decide.
func isLater(version, seen string) bool {
	for version != "" || seen != "" {
		var a, b string
		a, version, _ = strings.Cut(version, ".")
		b, seen, _ = strings.Cut(seen, ".")
		if by := cmp.Compare(leadingNumber(a), leadingNumber(b)); by != 0 {
			return by > 0
		}
	}
	return false
}

// leadingNumber returns the number that a text begins with, 0 if there is none.
func leadingNumber(text string) int {
	n, _ := strconv.Atoi(text[:len(text)-len(strings.TrimLeft(text, "0123456789"))])
	return n
}
