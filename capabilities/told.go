package capabilities

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Told is what an agent is told of a client in other words than the client's own. The
// zero value tells of plan operations by [AdvertiseAuto].
type Told struct {
	Plans Policy
	Hides Offers
	Forms Forms // with FormsAsk it has them, whatever it offers
}

// Forms says what becomes of an agent's forms in front of a client without them.
type Forms string

// The values of --forms.
const (
	FormsOff Forms = "off" // the agent is told that the client has none
	FormsAsk Forms = "ask" // somebody asks in its place
)

// Offers are what a client offers to do for the agent.
type Offers uint8

// The members of the set.
const (
	OfferFiles     Offers = 1 << iota // it reads or writes them
	OfferTerminals                    // it runs commands in them
	OfferForms                        // it shows them
)

// Of offers their names, by the bits of Offers, and where a client's capabilities have them.
var (
	offerNames = []string{"fs", "terminal", "forms"}
	offerPaths = [][]string{{"fs"}, {"terminal"}, {"elicitation", "form"}}
)

// OfferNames returns the names of what can be hidden.
func OfferNames() []string { return slices.Clone(offerNames) }

// String returns the names, with commas between them.
func (o Offers) String() string { return strings.Join(namesIn(offerNames, uint8(o)), ",") }

// SetHide takes a value of --hide: a list of what [OfferNames] names, or nothing.
func (t *Told) SetHide(value string) error {
	t.Hides = 0
	if value == "" {
		return nil
	}
	set, err := readSet(offerNames, value)
	t.Hides = Offers(set)
	return err
}

// Edit returns a copy of the params of an initialize request as an agent is told them. The
// protocolVersion is the version that the client speaks, also if the client asks for another.
// Every byte that says something else stays. If there is nothing to change it returns
// params, and false. params must be what ReadRequest has read as r.
func (t Told) Edit(params []byte, r Request) (edited []byte, changed bool) {
	edited, _ = t.Plans.Advertise(params, r)
	if r.Version < r.Asked {
		edited = rawjson.With(edited, strconv.AppendInt(nil, int64(r.Version), 10), "protocolVersion")
	}
	for i, path := range offerPaths {
		offer := Offers(1 << i)
		asked := t.Forms == FormsAsk && offer == OfferForms
		for version, object := range capabilityObjects {
			var value []byte
			switch {
			case asked && r.Offers&offer == 0 && r.reads(version+1):
				value = []byte("{}")
			case !asked && t.Hides&offer != 0:
			default:
				continue
			}
			edited = rawjson.With(edited, value, append([]string{object}, path...)...)
		}
	}
	return edited, !bytes.Equal(edited, params)
}

// reads reports whether the client is told of in the form of a version.
func (r Request) reads(version int) bool { return r.Both || max(1, min(r.Version, 2)) == version }

// AsksForms reports whether somebody asks in a client's place what an agent asks by forms.
func (t Told) AsksForms(r Request) bool {
	return t.Forms == FormsAsk && r.Offers&^t.Hides&OfferForms == 0
}
