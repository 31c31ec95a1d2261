package proxy

import (
	"bytes"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

var newline = []byte{'\n'}

// A sender sends what leaves besides the lines that the relays carry: the proxy's own
// messages and those from the bridge. It keeps what was sent until the observer has
// seen it.
type sender struct {
	outlets  *[2]*transport.Outlet // by translate.Side
	plans    *translation          // is on the way to the client
	losses   *logging.Losses
	observer observer

	sent     [2][]byte // lines that the observer has not seen, by side, if there is one
	planSent bool      // a plan is among them

	// Memory for reading a message to the client.
	cursor rawjson.Cursor
	msg    reading
	text   []byte
}

// leave sends what a bridge has decided, in the order in which it decided. m is the
// message from that side which the bridge was given, nil for a timer or the agent's
// end.
func (s *sender) leave(from translate.Side, m *jsonrpc.Message, out *translate.Out) {
	for _, l := range out.Leaves() {
		answers := l.To == from && m != nil && !m.IsResponse()
		if l.To == translate.Client && !l.NoPlan {
			s.sendToClient(out.Text(l), answers)
		} else {
			s.send(l.To, out.Text(l), answers)
		}
	}
	for _, l := range out.Losses() {
		s.losses.Note(inTranslation(l))
	}
	if s.observer.isThere() {
		if m != nil {
			s.showConverted(from, m.Span.Of(m.Text))
		}
		s.showSent()
	}
}

// inTranslation returns a loss whose detail says where it happened.
func inTranslation(l translate.Loss) translate.Loss {
	l.Detail = "lost in translation: " + l.Detail
	return l
}

// sendToClient sends a message to the client, through the plan translation. Only
// a message that the scanner cannot rule out is read for that.
func (s *sender) sendToClient(message []byte, answers bool) {
	if !s.plans.filter().Matters(message) {
		s.send(translate.Client, message, answers)
		return
	}
	s.cursor.Reset(message)
	s.msg.read(&s.cursor, message)
	o := s.plans.fromAgent(&s.msg)
	s.planSent = s.planSent || o.plan
	switch o.action {
	case plans.Forward:
		s.send(translate.Client, message, answers)
	case plans.Rewrite:
		s.text = appendOutcome(s.text[:0], message, 0, len(message), o, "\n")
		s.send(translate.Client, s.text, answers)
		if cap(s.text) > maxScratch {
			s.text = nil
		}
	}
}

// send sends a message as it is. With answers it counts as one that its receiver has
// caused.
func (s *sender) send(to translate.Side, message []byte, answers bool) {
	if answers {
		s.outlets[to].Answer(message, newline)
	} else {
		s.outlets[to].Send(message, newline)
	}
	if s.observer.isThere() {
		s.sent[to] = append(append(s.sent[to], message...), '\n')
	}
}

// showConverted shows the observer a message and what left in its place.
func (s *sender) showConverted(from translate.Side, in []byte) {
	out := s.sent[from.Other()]
	o := outcome{action: plans.Rewrite, plan: s.planSent}
	switch {
	case len(out) == 0:
		o.action = plans.Drop
	case bytes.Equal(bytes.TrimSuffix(out, newline), in):
		o.action = plans.Forward
	}
	s.observer.show(from, o, in, out)
	s.forgetSent(from.Other())
}

// showSent shows the observer what else was sent: what the proxy said by itself.
func (s *sender) showSent() {
	for _, to := range []translate.Side{translate.Client, translate.Agent} {
		if len(s.sent[to]) > 0 {
			s.observer.show(to.Other(), outcome{action: plans.Rewrite, plan: s.planSent}, nil, s.sent[to])
			s.forgetSent(to)
		}
	}
	s.planSent = false
}

func (s *sender) forgetSent(to translate.Side) {
	if s.sent[to] = s.sent[to][:0]; cap(s.sent[to]) > maxScratch {
		s.sent[to] = nil
	}
}

// An observer sees what the options say.
type observer struct {
	observe func(Event)
	all     bool // and not only plan messages
}

func newObserver(o Options) observer { return observer{o.Observe, o.ObserveAll} }

func (o *observer) isThere() bool { return o.observe != nil }

// show shows what became of a message, or of several that the proxy wrote by itself;
// then in is nil.
func (o *observer) show(from translate.Side, became outcome, in, out []byte) {
	if o.observe == nil || !became.plan && !o.all {
		return
	}
	if became.action == plans.Forward {
		out = in
	}
	o.observe(Event{FromClient: from == translate.Client, Action: became.action, In: in, Out: out})
}
