package conversation

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/translate/versions/v1agent"
	"acp-plan-proxy/translate/versions/v1client"
)

// A joiner knows the versions of the protocol. Tests have one of their own.
type joiner struct {
	// initialize returns the params of an initialize of a version, for a client
	// that has sent params of the other one.
	initialize func(version capabilities.Version, params []byte) ([]byte, error)

	// bridge joins a client of a version, which has sent params, and an agent
	// of the other version, which has answered result. It returns the bridge
	// and the result for the client.
	bridge func(client capabilities.Version, params, result []byte) (versions.Bridge, []byte, error)
}

// newJoiner returns the joiner for an agent that is run by a command. told decides
// what the agent is told of the client; newID makes the ids of messages for clients of
// version 2.
func newJoiner(command string, told capabilities.Announcement, newID func() string) joiner {
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
			return v1agent.New(v1agent.Options{Client: client, Agent: agent, NewID: newID}), answer, err
		},
	}
}
