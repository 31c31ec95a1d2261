package proxy

import (
	"io"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// Translate rewrites the recorded lines of an agent as Run would have done, for the client
// that the options name or else a legacy one. An initialize request of the client among the
// lines negotiates, and is written unchanged. in may be a trace: of that, Translate reads
// the lines of the agent and the first initialize with its response, and writes what
// reaches the client.
func Translate(in io.Reader, isTrace bool, out io.Writer, o Options) error {
	o.Bridge = BridgeOff
	c := newConversation(o)
	defer c.losses.Close()
	c.options.ObserveAll = true // lines of the client are among those of the agent
	c.chooseFilters()
	c.stages.unnegotiated(o.Client.Unnegotiated())
	dst := transport.NewOutlet(out, maxWaiting(o))
	nobody := transport.NewOutlet(io.Discard, maxWaiting(o)) // an agent that is answered
	c.outlets = [2]*transport.Outlet{nobody, nobody}
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
	relay := transport.Relay{Src: in, Dst: dst, Inspector: d, MaxLine: o.MaxMessage}
	if err := relay.Run(); err != nil {
		return err
	}
	c.outlets[translate.Client] = dst
	c.agentEnded()
	return dst.Flush()
}
