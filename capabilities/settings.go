package capabilities

import (
	"cmp"
	"fmt"
	"strings"
)

// Settings is what the user has said about the client, instead of what
// initialize says or in addition to it. The zero value leaves everything to
// initialize.
type Settings struct {
	shows   Shows // what --client names; 0 if that is left to initialize
	version int   // the version whose entries and ids that client knows; 0 for the agent's
}

// SetClient takes a value of --client: auto, legacy, ops, v2, or a list of what
// [ClientList] names. A list without items is legacy.
func (s *Settings) SetClient(value string) error {
	s.shows, s.version = 0, 0
	switch value {
	case "auto":
	case "legacy":
		s.shows, s.version = Plan, 1
	case "ops":
		s.shows, s.version = Latest(1), 1
	case "v2":
		s.shows, s.version = Latest(2), 2
	default:
		set, err := readSet(listed, value)
		if err != nil {
			return fmt.Errorf("%q is not one of auto, legacy, ops, v2, or a list of %s", value, strings.Join(ClientList(), ", "))
		}
		if s.shows = Shows(set); s.shows&Items == 0 {
			s.shows, s.version = Plan, 1
		}
	}
	return nil
}

// ClientList returns what a list for --client can have.
func ClientList() []string { return all.Names() }

// Client says what a client can show that has sent r and has got the answer a.
// Without a setting, the version in the answer counts, unless the client reads
// version 1 alone; and a client of version 1 may speak the drafts that it has advertised.
func (s *Settings) Client(r Request, a Answer) Client {
	spoken := Spoken(r, a)
	version := cmp.Or(s.version, spoken)
	shows, _ := r.Capabilities.meaning(spoken)
	_, planID := r.Capabilities.meaning(version)
	profile := r.Profile()
	return Client{
		Shows:        cmp.Or(s.shows, shows),
		PlanID:       cmp.Or(planID, PlanIDBoth),
		AnyEntry:     version >= 2,
		ShowsContent: profile.ShowsContent,
		PlanCards:    profile.PlanCards,
	}
}

// Why says in a few words why Client takes the client for what it does.
func (s *Settings) Why(r Request, a Answer) string {
	switch {
	case s.shows != 0:
		return "--client"
	case Spoken(r, a) >= 2:
		return "the agent's protocol version"
	}
	return "it advertises " + r.Advertised()
}

// Spoken returns the version that is spoken towards a client that has sent r and has got
// the answer a.
func Spoken(r Request, a Answer) int {
	if r.Version < r.Asked {
		return min(a.Version, r.Version)
	}
	return a.Version
}

// Unnegotiated is the client to assume without an initialize: the client that was
// set, or a legacy client.
func (s *Settings) Unnegotiated() Client { return s.Client(Request{}, Answer{}) }
