package conversation

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/translate/versions/v1agent"
	"acp-plan-proxy/translate/versions/v1client"
)

// A joiner converts initialize between the versions and makes bridges. Tests replace it.
type joiner struct {
	// initialize converts the client's initialize params to a version.
	initialize func(version capabilities.Version, params []byte) ([]byte, error)

	// bridge returns the bridge between a client of a version and an agent of the other one,
	// and the initialize result for the client. params and result are theirs.
	bridge func(client capabilities.Version, params, result []byte) (versions.Bridge, []byte, error)
}

// newJoiner returns the joiner for an agent with that program. For clients of version 2, options
// returns the options of a session, and newID the ids of messages.
func newJoiner(command string, told capabilities.Announcement, options func(session []byte) []byte, newID func() string) joiner {
	tell := func(params []byte) ([]byte, error) {
		request, err := capabilities.ReadRequest(params)
		if err == nil {
			params, _ = told.Edit(params, request)
		}
		return params, err
	}
	return joiner{
		initialize: func(version capabilities.Version, params []byte) ([]byte, error) {
			var err error
			if version == 2 {
				params, _, err = shapes.InitializeToV2(params)
			} else {
				params, _, err = shapes.InitializeToV1(params)
			}
			if err != nil {
				return nil, err
			}
			return tell(params)
		},
		bridge: func(version capabilities.Version, params, result []byte) (versions.Bridge, []byte, error) {
			if version == 1 {
				params, err := tell(params)
				if err != nil {
					return nil, nil, err
				}
				_, client, err := shapes.InitializeToV2(params)
				if err != nil {
					return nil, nil, err
				}
				answer, agent, err := shapes.InitializeResultToV1(result)
				return v1client.New(v1client.Options{Client: client, Agent: agent}), answer, err
			}
			_, client, err := shapes.InitializeToV1(params)
			if err != nil {
				return nil, nil, err
			}
			answer, agent, err := shapes.InitializeResultToV2(result, command)
			return v1agent.New(v1agent.Options{Client: client, Agent: agent, Options: options, NewID: newID}), answer, err
		},
	}
}
