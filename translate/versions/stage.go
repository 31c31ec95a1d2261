package versions

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// Stage returns the stage of a bridge, which has to see every message.
func Stage(b Bridge) translate.Stage {
	everything := &jsonrpc.Filter{All: true}
	return &stage{b, [2]*jsonrpc.Filter{everything, everything}}
}

// A stage is a Bridge in a chain. What it loses is lost between two versions.
type stage struct {
	bridge Bridge
	wants  [2]*jsonrpc.Filter
}

func (s *stage) Wants() [2]*jsonrpc.Filter { return s.wants }

func (s *stage) Awaits(translate.Side, jsonrpc.ID) bool { return true }

func (s *stage) From(side translate.Side, m *jsonrpc.Message, now time.Time, out *translate.Out) {
	if side == translate.Client {
		s.bridge.FromClient(m, now, out)
	} else {
		s.bridge.FromAgent(m, now, out)
	}
	lostBetween(out)
}

func (s *stage) Next() time.Time { return s.bridge.Next() }

func (s *stage) Wake(now time.Time, out *translate.Out) {
	s.bridge.Wake(now, out)
	lostBetween(out)
}

func (s *stage) Gone(side translate.Side, now time.Time, out *translate.Out) {
	if side == translate.Agent {
		s.bridge.Gone("agent exited", now, out)
		lostBetween(out)
	}
}

func (s *stage) Holds() bool {
	holder, ok := s.bridge.(translate.Holder)
	return ok && holder.Holds()
}

func (s *stage) RefuseHeld(why string, now time.Time, out *translate.Out) {
	if holder, ok := s.bridge.(translate.Holder); ok {
		holder.RefuseHeld(why, now, out)
		lostBetween(out)
	}
}

func lostBetween(out *translate.Out) {
	for i := range out.Losses() {
		out.Losses()[i].Version = true
	}
}
