package capabilities

import (
	"cmp"
	"fmt"
	"strings"
)

// Settings holds the value of --client, which overrides the result of the initialize exchange.
// The zero value overrides nothing.
type Settings struct {
	shows   Shows // the messages in --client; 0 for auto
	version int   // the version of entries and ids; 0 for the negotiated one
}

// SetClient parses a value of --client: auto, legacy, ops, v2, or a comma-separated list of
// names in [ClientList]. A list without "items" has the effect of legacy.
func (s *Settings) SetClient(value string) error {
	s.shows, s.version = 0, 0
	switch value {
	case "auto":
	case "legacy":
		s.shows, s.version = Plan, 1
	case "ops":
		s.shows, s.version = latest(1), 1
	case "v2":
		s.shows, s.version = latest(2), 2
	default:
		set, err := readSet(listNames, value)
		if err != nil {
			return fmt.Errorf("%q is not one of auto, legacy, ops, v2, or a list of %s", value, strings.Join(ClientList(), ", "))
		}
		if s.shows = Shows(set); s.shows&Items == 0 {
			s.shows, s.version = Plan, 1
		}
	}
	return nil
}

// ClientList returns the names that a list for --client accepts.
func ClientList() []string { return all.Names() }

// Client returns the client that sent request and received result. Without --client, its messages are
// those of the drafts that match the negotiated version and the advertised names.
func (s *Settings) Client(request Request, result Result) Client {
	negotiated := Negotiated(request, result)
	version := cmp.Or(s.version, negotiated)
	shows, _ := request.Capabilities.messages(negotiated)
	_, planID := request.Capabilities.messages(version)
	profile := request.Profile()
	return Client{
		Shows:        cmp.Or(s.shows, shows),
		PlanID:       cmp.Or(planID, PlanIDBoth),
		Version2:     version >= 2,
		ShowsContent: profile.ShowsContent,
		PlanCards:    profile.PlanCards,
	}
}

// Negotiated returns the version used towards the client that sent request and received result.
func Negotiated(request Request, result Result) int {
	if request.Version < request.Requested {
		return min(result.Version, request.Version)
	}
	return result.Version
}
