package bridgetest

import (
	"time"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/selectors"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/transport/jsonrpc"
)

// chainedBridge is a Bridge in a chain with the selectors, in the order of package proxy.
type chainedBridge struct {
	versions.Bridge
	chain *translate.Chain
	out   *translate.Out
}

// WithSelectors returns a bridge for a client of that version, chained with the stage s on its side
// of version 1.
func WithSelectors(b versions.Bridge, s *selectors.Stage, client capabilities.Version) versions.Bridge {
	s.Negotiated(client, client.Other())
	j := &chainedBridge{Bridge: b}
	j.chain = translate.NewChain(j, s)
	j.chain.Insert(b, s, client == 1)
	return j
}

// Deliver implements [translate.Sink].
func (j *chainedBridge) Deliver(l translate.Output, text []byte) {
	if l.Same {
		j.out.Forward()
	} else {
		j.out.Send(l.To, text)
	}
	j.out.SetTopic(l.Topic)
}

// MarkPlan implements [translate.Sink].
func (j *chainedBridge) MarkPlan() {}

// Lose implements [translate.Sink].
func (j *chainedBridge) Lose(l translate.Loss) { j.out.Lose(l) }

// Receive implements [translate.Stage].
func (j *chainedBridge) Receive(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	j.out = out
	j.chain.Receive(side, m, now)
}

// Wake implements [translate.TimedStage].
func (j *chainedBridge) Wake(now time.Time, out *translate.Out) {
	j.out = out
	j.chain.Wake(now)
}

// PeerClosed implements [translate.Stage].
func (j *chainedBridge) PeerClosed(side translate.Side, now time.Time, out *translate.Out) {
	j.out = out
	j.chain.PeerClosed(side, now)
}

// HasQueued implements [translate.TimedStage].
func (j *chainedBridge) HasQueued() bool { return j.chain.HasQueued() }

// RefuseQueued implements [translate.TimedStage].
func (j *chainedBridge) RefuseQueued(why string, now time.Time, out *translate.Out) {
	j.out = out
	j.chain.RefuseQueued(why, now)
}
