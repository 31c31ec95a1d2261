package conversation

import (
	"io"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// Translate rewrites the recorded lines of an agent as Run would have done, for the client
// that the options name or else a legacy one. An initialize request of the client among the
// lines negotiates, and is written unchanged. in may be a trace: of that, Translate reads
// the lines of the agent and the first initialize with its response, and writes what
// reaches the client.
func Translate(in io.Reader, isTrace bool, out io.Writer, o Options) error {
	o.Bridge = BridgeOff
	c := New(o, out, io.Discard, "", nil)
	defer c.losses.Close()
	c.options.ObserveAll = true // lines of the client are among those of the agent
	c.chooseFilters()
	c.stages.unnegotiated(o.Client.Unnegotiated())
	d := newDirection(c, translate.Agent)
	d.handle = func(m *jsonrpc.Message, p *slot) {
		if !m.IsRequest() || string(m.Method) != methodInitialize {
			c.rewrite(translate.Agent, m, p)
			return
		}
		c.rewrite(translate.Client, m, &slot{to: translate.Agent})
		if !isTrace {
			p.put(translate.Leaving{Same: true}, nil)
		}
	}
	if isTrace {
		in = recording.AgentLines(in)
	}
	if err := d.relay(in); err != nil {
		return err
	}
	c.AgentEnded()
	return c.outlets[translate.Client].Flush()
}
