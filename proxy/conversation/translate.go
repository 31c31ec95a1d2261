package conversation

import (
	"io"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// Translate rewrites recorded lines of an agent for the client of the options, by default a legacy
// client. If the lines contain the client's initialize request, Translate negotiates with it and
// writes it unchanged. Of a recording with directions, Translate reads only the agent's lines and
// the first initialize request with its response, and writes only the lines for the client.
func Translate(in io.Reader, isDirected bool, out io.Writer, o Options) error {
	o.Bridge = BridgeOff
	c := New(o, out, io.Discard, "", nil)
	defer c.losses.Close()
	c.options.ObserveAll = true
	c.chooseFiltersLocked() // to match all lines: the agent's may contain the client's initialize
	c.stages.unnegotiated()
	d := newDirection(c, translate.Agent)
	d.handle = func(m *jsonrpc.Message, s *slot) {
		if !m.IsRequest() || string(m.Method) != "initialize" {
			c.translateLine(translate.Agent, m, s)
			return
		}
		c.translateLine(translate.Client, m, &slot{to: translate.Agent})
		if !isDirected {
			s.put(translate.Output{Same: true}, nil)
		}
	}
	if isDirected {
		in = recording.AgentLines(in)
	}
	if err := d.relay(in); err != nil {
		return err
	}
	c.AgentEnded()
	return c.outlets[translate.Client].Flush()
}
