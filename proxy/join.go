package proxy

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/oldagent"
	"acp-plan-proxy/translate/versions/oldclient"
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

// newJoiner returns the joiner for an agent that is run by a command. The
// policy decides what the agent is told about plans; newID makes the ids of
// messages for clients of version 2.
func newJoiner(command string, policy capabilities.Policy, newID func() string) joiner {
	return joiner{
		initialize: func(version int, params []byte) ([]byte, error) {
			if version == 2 {
				converted, _, err := words.InitializeToV2(params)
				return converted, err
			}
			return oldRequest(params, policy)
		},
		bridge: func(client int, params, result []byte) (versions.Bridge, []byte, error) {
			if client == 1 {
				return newOldClient(params, result)
			}
			_, newClient, err := words.InitializeToV1(params)
			if err != nil {
				return nil, nil, err
			}
			answer, agent, err := words.InitializeResultToV2(result, command)
			if err != nil {
				return nil, nil, err
			}
			return oldagent.New(oldagent.Options{Client: newClient, Agent: agent, NewID: newID}), answer, nil
		},
	}
}

// oldRequest returns the params that an agent of version 1 gets.
func oldRequest(params []byte, policy capabilities.Policy) ([]byte, error) {
	request, err := capabilities.ReadRequest(params)
	if err != nil {
		return nil, err
	}
	converted := words.AskForVersion1(params)
	if request.Version >= 2 {
		if converted, _, err = words.InitializeToV1(params); err != nil {
			return nil, err
		}
	}
	request, err = capabilities.ReadRequest(converted)
	if err != nil {
		return nil, err
	}
	if edited, changed := policy.Advertise(converted, request); changed {
		return edited, nil
	}
	return converted, nil
}

func newOldClient(params, result []byte) (versions.Bridge, []byte, error) {
	_, client, err := words.InitializeToV2(params)
	if err != nil {
		return nil, nil, err
	}
	answer, agent, err := words.InitializeResultToV1(result)
	if err != nil {
		return nil, nil, err
	}
	return oldclient.New(oldclient.Options{Client: client, Agent: agent}), answer, nil
}
