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
	initialize func(version capabilities.Version, params []byte) []byte

	// bridge returns the bridge between a client of a version and an agent of the other version,
	// and the initialize result for the client. params are the client's, result is the agent's.
	bridge func(client capabilities.Version, params, result []byte) (versions.Bridge, []byte)
}

// newJoiner returns the joiner for the agent's program command. For clients of version 2, options
// returns the options of a session, and newID a new message id.
func newJoiner(command string, policy capabilities.Announcement, options func(session []byte) []byte, newID func() string) joiner {
	announce := func(params []byte) []byte {
		request, _ := capabilities.ReadRequest(params) // params is an object
		params, _ = policy.Edit(params, request)
		return params
	}
	return joiner{
		initialize: func(version capabilities.Version, params []byte) []byte {
			if version == 2 {
				params, _ = shapes.InitializeToV2(params)
			} else {
				params, _ = shapes.InitializeToV1(params)
			}
			return announce(params)
		},
		bridge: func(version capabilities.Version, params, result []byte) (versions.Bridge, []byte) {
			if version == 1 {
				_, client := shapes.InitializeToV2(announce(params))
				answer, agent := shapes.InitializeResultToV1(result)
				return v1client.New(v1client.Options{Client: client, Agent: agent}), answer
			}
			_, client := shapes.InitializeToV1(params)
			answer, agent := shapes.InitializeResultToV2(result, command)
			return v1agent.New(v1agent.Options{Client: client, Agent: agent, Options: options, NewID: newID}), answer
		},
	}
}
