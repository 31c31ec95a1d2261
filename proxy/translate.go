package proxy

import (
	"io"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// Translate rewrites recorded lines from an agent as Run would have done, for
// the client that the options name or else a legacy one. A recording may have
// requests of the client among its lines; they leave as they are, and count:
// initialize negotiates.
func Translate(in io.Reader, out io.Writer, o Options) error {
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
	d.handle = func(m *jsonrpc.Message, p *place) {
		if method := string(m.Method); method != methodInitialize && !slices.Contains(plans.Methods(), method) {
			c.rewrite(translate.Agent, m, p)
			return
		}
		c.rewrite(translate.Client, m, &place{to: translate.Agent}) // the line leaves as it is
		p.put(translate.Leaving{Same: true}, nil)
	}
	relay := transport.Relay{Src: in, Dst: dst, Inspector: d, MaxLine: o.MaxMessage}
	if err := relay.Run(); err != nil {
		return err
	}
	c.outlets[translate.Client] = dst
	c.agentEnded()
	return dst.Flush()
}
