package proxy

import (
	"bytes"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/jsonrpc"
)

// initialize takes in the client's initialize request: what it asks for counts
// when it is answered, and it is announced to the agent as the options say.
func (c *conversation) initialize(id jsonrpc.ID, m *reading) outcome {
	c.hasAsked = true
	params := m.Params.Of(m.Text)
	o := forward
	request, err := capabilities.ReadRequest(params)
	told := request
	if err != nil {
		c.warn(translate.LossInitialize, "initialize request not understood; the client counts as one that advertises nothing: "+err.Error())
	} else if edited, changed := c.Advertise.Advertise(params, request); changed {
		o = outcome{action: plans.Rewrite, start: m.Params.Start, end: m.Params.End, with: [][]byte{edited}}
		told, _ = capabilities.ReadRequest(edited)
	}
	for _, a := range request.Capabilities {
		if a == capabilities.Malformed {
			c.warn(translate.LossPlanCapability, "the client's plan capability is not an object and counts as absent")
		}
	}
	c.await(id, awaited{
		initialize: bytes.Clone(m.ID),
		succeeded:  func(result []byte) { c.negotiate(request, told, result) },
		failed: func() {
			c.warn(translate.LossFailedInitialize, "initialize failed; plans pass as they are")
			c.setClient(capabilities.Client{})
		},
	})
	return o
}

// negotiate takes in the answer to an initialize request; told is that request
// as the agent got it.
func (c *conversation) negotiate(request, told capabilities.Request, result []byte) {
	answer, err := capabilities.ReadAnswer(result)
	if err != nil {
		c.warn(translate.LossInitializeAnswer, "answer to initialize not understood; plans pass as they are: "+err.Error())
		c.setClient(capabilities.Client{})
		return
	}
	client := c.Client.Client(request, answer)
	c.setClient(client)
	attrs := []any{
		"client", request.Name, "client_version", request.Release,
		"agent", answer.Name, "agent_version", answer.Release,
		"protocol", answer.Version, "shows", client.String(), "why", c.Client.Why(request, answer),
		"advertised", told.Advertised(),
	}
	if c.bridge != nil {
		attrs = append(attrs, "joined", c.joined)
	}
	c.Log.Info("negotiated", attrs...)
}
