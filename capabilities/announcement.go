package capabilities

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// An Announcement determines how the capabilities in the agent's initialize request differ
// from the client's. The zero value applies only [AdvertiseAuto].
type Announcement struct {
	Plans Policy
	Hides Offers
	Forms Forms // FormsAsk takes precedence over Hides
}

// Forms selects the treatment of an agent's forms for a client without forms.
type Forms string

// The values of --forms.
const (
	FormsOff Forms = "off" // forms are not announced
	FormsAsk Forms = "ask" // the proxy announces forms and sends each as permission requests
)

// Offers is a set of services of a client to the agent.
type Offers uint8

// The members of the set.
const (
	OfferFiles     Offers = 1 << iota // reads or writes files
	OfferTerminals                    // runs commands
	OfferForms                        // shows forms
)

// The names and the capabilities of services, by bit of Offers.
var (
	offerNames = []string{"fs", "terminal", "forms"}
	offerPaths = [][]string{{"fs"}, {"terminal"}, {"elicitation", "form"}}
)

// OfferNames returns the names that --hide accepts.
func OfferNames() []string { return slices.Clone(offerNames) }

// String returns the names with commas between them.
func (o Offers) String() string { return strings.Join(namesIn(offerNames, uint8(o)), ",") }

// SetHide parses a value of --hide: a comma-separated list of names in [OfferNames], or "".
func (a *Announcement) SetHide(value string) error {
	a.Hides = 0
	if value == "" {
		return nil
	}
	set, err := readSet(offerNames, value)
	a.Hides = Offers(set)
	return err
}

// Edit returns the params of an initialize request for the agent. params must be the request r.
// Besides the announced capabilities, it replaces a protocolVersion that the client does not
// implement. Every other byte is unchanged. If nothing changes, it returns params and false.
func (a Announcement) Edit(params []byte, r Request) (edited []byte, changed bool) {
	edited = a.Plans.advertise(params, r)
	if r.Version < r.Requested {
		edited = rawjson.With(edited, strconv.AppendInt(nil, int64(r.Version), 10), "protocolVersion")
	}
	for i, path := range offerPaths {
		offer := Offers(1 << i)
		ask := a.Forms == FormsAsk && offer == OfferForms
		for version, object := range capabilityObjects {
			var value []byte
			switch {
			case ask && r.Offers&offer == 0 && r.accepts(version+1):
				value = []byte("{}")
			case !ask && a.Hides&offer != 0:
			default:
				continue
			}
			edited = rawjson.With(edited, value, append([]string{object}, path...)...)
		}
	}
	return edited, !bytes.Equal(edited, params)
}

// accepts reports whether the agent may respond with this version.
func (r Request) accepts(version int) bool { return r.IsHybrid || int(VersionOf(r.Version)) == version }

// AsksForms reports whether the proxy answers forms itself: the client offers none, or they are hidden.
func (a Announcement) AsksForms(r Request) bool {
	return a.Forms == FormsAsk && r.Offers&^a.Hides&OfferForms == 0
}
