package capabilities

import (
	"fmt"
	"strings"
)

// Settings is what the user has said about the client, in place of or beside
// what initialize says. The zero value leaves everything to initialize.
type Settings struct {
	client Client // what --client names; Version is 0 if it leaves that open
	forced bool   // client counts, whatever initialize says
	planID *PlanID
}

// SetClient takes a value of --client: auto, legacy, ops, v2, or a list of
// items, markdown, file and removed. A list without items is legacy.
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
		s.client = Client{Version: 2, Shows: Custom | operations}
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
			return fmt.Errorf("%q is not one of auto, legacy, ops, v2, or a list of items, markdown, file, removed", value)
		}
		if s.client.Legacy() {
			s.client = Client{Version: 1, Shows: Plan}
		}
	}
	return nil
}

// SetPlanID takes a value of --plan-id: auto, planId, id or both.
func (s *Settings) SetPlanID(value string) error {
	var id PlanID
	switch value {
	case "auto":
		s.planID = nil
		return nil
	case "planId":
		id = PlanIDNew
	case "id":
		id = PlanIDOld
	case "both":
		id = PlanIDBoth
	default:
		return fmt.Errorf("%q is not one of auto, planId, id, both", value)
	}
	s.planID = &id
	return nil
}

// Client says what the client can show that sent r and was answered a, by the
// following: the version in the answer counts; a version 1 client that
// has advertised plan operations under either name understands them.
func (s *Settings) Client(r Request, a Answer) Client {
	var c Client
	switch {
	case s.forced:
		c = s.client
	case a.Version >= 2:
		c.Shows = Custom | operations
	case r.Plan == Advertised || r.PlanCapabilities == Advertised:
		c.Shows = Plan | operations
	default:
		c.Shows = Plan
	}
	if c.Version == 0 {
		c.Version = max(a.Version, 1)
	}
	switch {
	case s.planID != nil:
		c.PlanID = *s.planID
	case c.Version >= 2:
		c.PlanID = PlanIDNew
	case r.PlanCapabilities == Advertised && r.Plan != Advertised:
		c.PlanID = PlanIDOld
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
