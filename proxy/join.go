package proxy

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/v1agent"
	"acp-plan-proxy/translate/versions/v1client"
	"acp-plan-proxy/translate/versions/words"
)

// A joiner knows the versions of the protocol. Tests have one of their own.
type joiner struct {
	// initialize returns the params of an initialize of a version, for a client
	// that has sent params of the other one, or has asked for the other one.
	initialize func(version int, params []byte) ([]byte, error)

	// bridge joins a client of a version, which has sent params, and an agent
	// of the other version, which has answered result. It returns the bridge
	// and the result for the client.
	bridge func(client int, params, result []byte) (versions.Bridge, []byte, error)
}

// newJoiner returns the joiner for an agent that is run by a command. told decides
// what the agent is told of the client; newID makes the ids of messages for clients of
// version 2.
func newJoiner(command string, told capabilities.Told, newID func() string) joiner {
	return joiner{
		initialize: func(version int, params []byte) ([]byte, error) { return tellClient(version, params, told) },
		bridge: func(client int, params, result []byte) (versions.Bridge, []byte, error) {
			if client == 1 {
				return newV1Client(params, result, told)
			}
			_, known, err := words.InitializeToV1(params)
			if err != nil {
				return nil, nil, err
			}
			answer, agent, err := words.InitializeResultToV2(result, command)
			if err != nil {
				return nil, nil, err
			}
			return v1agent.New(v1agent.Options{Client: known, Agent: agent, NewID: newID}), answer, nil
		},
	}
}

// tellClient returns the params that an agent of a version gets.
func tellClient(version int, params []byte, told capabilities.Told) ([]byte, error) {
	request, err := capabilities.ReadRequest(params)
	if err != nil {
		return nil, err
	}
	converted := params
	switch {
	case version == 2:
		converted, _, err = words.InitializeToV2(params)
	case request.Version >= 2:
		converted, _, err = words.InitializeToV1(params)
	default:
		converted = words.AskForVersion1(params)
	}
	if err != nil {
		return nil, err
	}
	if request, err = capabilities.ReadRequest(converted); err != nil {
		return nil, err
	}
	converted, _ = told.Edit(converted, request)
	return converted, nil
}

func newV1Client(params, result []byte, told capabilities.Told) (versions.Bridge, []byte, error) {
	request, err := capabilities.ReadRequest(params)
	if err != nil {
		return nil, nil, err
	}
	params, _ = told.Edit(params, request)
	_, client, err := words.InitializeToV2(params)
	if err != nil {
		return nil, nil, err
	}
	answer, agent, err := words.InitializeResultToV1(result)
	if err != nil {
		return nil, nil, err
	}
	return v1client.New(v1client.Options{Client: client, Agent: agent}), answer, nil
}
