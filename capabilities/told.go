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
	for i, o := range offers {
		if t.Hides&(1<<i) == 0 {
			continue
		}
		for _, object := range capabilityObjects {
			without, is := rawjson.WithoutMember(edited, append([]string{object}, o.path...)...)
			edited, changed = without, changed || is
		}
	}
	return edited, changed
}
