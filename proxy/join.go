package proxy

import (
	"errors"

	"acp-plan-proxy/translate/versions"
)

// A joiner knows the versions of the protocol. Tests have one of their own.
type joiner struct {
	// initialize returns the params of an initialize of a version, for a client
	// that has sent params of the other one.
	initialize func(version int, params []byte) ([]byte, error)

	// bridge returns the bridge for a client of a version that has sent params,
	// and an agent of the other version that has answered result; and the result
	// for the client.
	bridge func(client int, params, result []byte) (versions.Bridge, []byte, error)
}

var errNoBridge = errors.New("no bridge")

func (c *conversation) versionJoiner() joiner {
	return joiner{
		initialize: func(int, []byte) ([]byte, error) { return nil, errNoBridge },
		bridge:     func(int, []byte, []byte) (versions.Bridge, []byte, error) { return nil, nil, errNoBridge },
	}
}
