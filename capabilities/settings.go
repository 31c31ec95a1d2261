package capabilities

import (
	"fmt"
	"slices"
	"strings"
)

// Settings is what the user has said about the client, in place of or beside
// what initialize says. The zero value leaves everything to initialize.
type Settings struct {
	client Client // what --client names; Version is 0 if it leaves that open
	forced bool   // client counts, whatever initialize says
	planID PlanID // what --plan-id names; 0 if it leaves that open
}

// SetClient takes a value of --client: auto, legacy, ops, v2, or a list of what
// [ClientList] names. A list without items is legacy.
func (s *Settings) SetClient(value string) error {
	s.forced = value != "auto"
	switch value {
	case "auto":
		s.client = Client{}
	case "legacy":
		s.client = Client{Version: 1, Shows: Plan}
	case "ops":
		s.client = Client{Version: 1, Shows: Plan | operations}
	case "v2":
		s.client = Client{Version: 2, Shows: all &^ Plan}
	default:
		s.client = Client{}
	names:
		for name := range strings.SplitSeq(value, ",") {
			for _, l := range listed {
				if name == l.name {
					s.client.Shows |= l.shows
					continue names
				}
			}
			return fmt.Errorf("%q is not one of auto, legacy, ops, v2, or a list of %s", value, strings.Join(ClientList(), ", "))
		}
		if s.client.Legacy() {
			s.client = Client{Version: 1, Shows: Plan}
		}
	}
	return nil
}

// ClientList returns what a list for --client can have.
func ClientList() []string { return all.names() }

// SetPlanID takes a value of --plan-id, one of [PlanIDValues].
func (s *Settings) SetPlanID(value string) error {
	switch i := slices.Index(planIDMembers[:], value); {
	case i >= 0:
		s.planID = 1 << i
	case value == "auto":
		s.planID = 0
	case value == "both":
		s.planID = PlanIDBoth
	default:
		return fmt.Errorf("%q is not one of %s", value, strings.Join(PlanIDValues(), ", "))
	}
	return nil
}

// PlanIDValues returns the values of --plan-id.
func PlanIDValues() []string {
	return slices.Concat([]string{"auto"}, planIDMembers[:], []string{"both"})
}

// Client says what the client can show that sent r and was answered a, by the
// following: the version in the answer counts; a version 1 client understands
// what the dialects say that it has advertised.
func (s *Settings) Client(r Request, a Answer) Client {
	var c Client
	shows, planID := r.Capabilities.say()
	switch {
	case s.forced:
		c = s.client
	case a.Version >= 2:
		c.Shows = all &^ Plan
	default:
		c.Shows = Plan | shows
	}
	if c.Version == 0 {
		c.Version = max(a.Version, 1)
	}
	switch {
	case s.planID != 0:
		c.PlanID = s.planID
	case c.Version >= 2:
		c.PlanID = PlanIDNew
	case planID != 0:
		c.PlanID = planID
	default:
		c.PlanID = PlanIDBoth
	}
	return c
}

// Why says in a few words why Client takes the client for what it does.
func (s *Settings) Why(r Request, a Answer) string {
	switch {
	case s.forced:
		return "--client"
	case a.Version >= 2:
		return "the agent's protocol version"
	}
	return "it advertises " + r.Advertised()
}

// Unnegotiated is the client to assume where no initialize is to be seen: the
// one that was set, or a legacy one.
func (s *Settings) Unnegotiated() Client { return s.Client(Request{}, Answer{}) }
