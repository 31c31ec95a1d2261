package capabilities

import (
	"fmt"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Told is what an agent is told of a client in other words than the client's own. The
// zero value tells of plan operations by [AdvertiseAuto].
type Told struct {
	Plans Policy
	Hides Offers
	Forms bool // it has forms, whatever it offers: somebody asks in its place
}

// Offers are what a client offers to do for the agent.
type Offers uint8

// The members of the set.
const (
	OfferFiles     Offers = 1 << iota // it reads or writes them
	OfferTerminals                    // it runs commands in them
	OfferForms                        // it shows them
)

// offers are the names of Offers, and where a client's capabilities have them.
var offers = [...]struct {
	name string
	path []string
}{{"fs", []string{"fs"}}, {"terminal", []string{"terminal"}}, {"forms", []string{"elicitation", "form"}}}

// OfferNames returns the names of what can be hidden.
func OfferNames() (names []string) {
	for _, o := range offers {
		names = append(names, o.name)
	}
	return names
}

// String returns the names, with commas between them.
func (o Offers) String() string {
	var names []string
	for i, name := range OfferNames() {
		if o&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ",")
}

// SetHide takes a value of --hide: a list of what [OfferNames] names, or nothing.
func (t *Told) SetHide(value string) error {
	t.Hides = 0
	if value == "" {
		return nil
	}
	for name := range strings.SplitSeq(value, ",") {
		i := slices.Index(OfferNames(), name)
		if i < 0 {
			return fmt.Errorf("%q is not a list of %s", value, strings.Join(OfferNames(), ", "))
		}
		t.Hides |= 1 << i
	}
	return nil
}

// Edit returns a copy of the params of an initialize request as an agent is told them.
// Every byte that says something else stays. If there is nothing to change it returns
// params, and false. params must be what ReadRequest has read as r.
func (t Told) Edit(params []byte, r Request) ([]byte, bool) {
	edited, changed := t.Plans.Advertise(params, r)
	if !changed {
		edited = params
	}
	edit := func(by func([]byte, ...string) ([]byte, bool), object string, path []string) {
		after, is := by(edited, append([]string{object}, path...)...)
		edited, changed = after, changed || is
	}
	for i, o := range offers {
		for version, object := range capabilityObjects {
			switch announced := t.Forms && Offers(1<<i) == OfferForms; {
			case announced && r.Offers&OfferForms == 0 && r.reads(version+1):
				edit(rawjson.WithObject, object, o.path)
			case !announced && t.Hides&(1<<i) != 0:
				edit(rawjson.WithoutMember, object, o.path)
			}
		}
	}
	return edited, changed
}

// reads reports whether the client is told of in the form of a version.
func (r Request) reads(version int) bool { return r.Both || max(1, min(r.Version, 2)) == version }

// AsksForms reports whether somebody asks in a client's place what an agent asks by forms.
func (t Told) AsksForms(r Request) bool { return t.Forms && r.Offers&^t.Hides&OfferForms == 0 }

// SetForms takes a value of --forms: off or ask.
func (t *Told) SetForms(value string) error {
	if value != "off" && value != "ask" {
		return fmt.Errorf("%q is not one of off, ask", value)
	}
	t.Forms = value == "ask"
	return nil
}
