package proxy

import (
	"bytes"

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
	makers   *makersWords          // is on the way from a bridge to the agent
	losses   *losses
	observer observer

	sent     [2][]byte // lines that the observer has not seen, by side, if there is one
	planSent bool      // a plan is among them
	held     held

	// forClient is what makers has for the client, for the bridge to convert.
	forClient [][]byte

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
		switch text := out.Text(l); {
		case l.To == translate.Agent:
			s.sendToAgent(text, answers)
		case l.NoPlan:
			s.send(l.To, text, answers)
		default:
			s.sendToClient(text, answers)
		}
	}
	for _, l := range out.Losses() {
		s.losses.noteTranslated(l)
	}
	if s.observer.isThere() {
		if m != nil {
			s.showConverted(from, m.Span.Of(m.Text))
		}
		s.showSent()
	}
}

// sendToAgent sends a message to the agent, through the translation of makers' words.
func (s *sender) sendToAgent(message []byte, answers bool) {
	if !s.makers.wantsOfClient() {
		s.send(translate.Agent, message, answers)
		return
	}
	var m jsonrpc.Message
	s.cursor.Reset(message)
	m.Read(&s.cursor, message, nil)
	out := s.makers.fromClient(&m)
	s.planSent = s.planSent || s.makers.knew()
	if out == nil {
		s.send(translate.Agent, message, answers)
		return
	}
	for _, l := range out.Leaves() {
		if text := out.Text(l); l.To == translate.Agent {
			s.send(translate.Agent, text, answers)
		} else {
			s.forClient = append(s.forClient, bytes.Clone(text))
		}
	}
}

// sendToClient sends a message to the client, through the plan translation.
func (s *sender) sendToClient(message []byte, answers bool) {
	lines, plan := s.translated(translate.Client, message, false)
	s.planSent = s.planSent || plan
	if len(lines) > 0 {
		s.send(translate.Client, lines, answers)
	}
}

// translated returns what a side gets of a message: the client through the plan
// translation, the agent as it is. That can be several messages, with newlines between
// them, or none. It is valid until the next call. plan reports whether the message
// concerns a plan. Only a message that the scanner cannot rule out is read for that. more:
// see [translate.Leaving].
func (s *sender) translated(to translate.Side, message []byte, more bool) (lines []byte, plan bool) {
	if to == translate.Agent || !s.plans.filter().Matters(message) {
		return message, false
	}
	s.cursor.Reset(message)
	s.msg.read(&s.cursor, message)
	s.plans.translator.Followed(more)
	o := s.plans.fromAgent(&s.msg)
	s.plans.translator.Followed(false)
	switch {
	case o.action == plans.Drop:
		return nil, o.plan
	case o.passes():
		return message, o.plan
	}
	s.text = rawjson.Reuse(s.text)
	for _, before := range o.before {
		s.text = append(append(s.text, before...), '\n')
	}
	s.text = appendOutcome(s.text, message, 0, len(message), o, "\n")
	return s.text, o.plan || len(o.before) > 0
}

// answer sends a side what it has caused.
func (s *sender) answer(to translate.Side, message []byte, more bool) {
	lines, plan := s.translated(to, message, more)
	s.planSent = s.planSent || plan
	if len(lines) > 0 {
		s.send(to, lines, true)
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
	s.showHeld()
	s.show(from, o, in, out)
	s.forgetSent(from.Other())
}

// showSent shows the observer what else was sent: what the proxy said by itself.
func (s *sender) showSent() {
	s.showHeld()
	for _, to := range []translate.Side{translate.Client, translate.Agent} {
		if len(s.sent[to]) > 0 {
			s.show(to.Other(), outcome{action: plans.Rewrite, plan: s.planSent}, nil, s.sent[to])
			s.forgetSent(to)
		}
	}
	s.planSent = false
}

// A held is a message that goes nowhere. The observer sees it when it is known what was
// lost in what the proxy says for it.
type held struct {
	from   translate.Side
	became outcome
	in     []byte // nil if there is none
}

// showDropped shows the observer a message that goes nowhere, before the next event.
func (s *sender) showDropped(from translate.Side, became outcome, in []byte) {
	s.showHeld()
	s.held = held{from, became, in}
}

func (s *sender) showHeld() {
	if h := s.held; h.in != nil {
		s.held = held{}
		s.show(h.from, h.became, h.in, nil)
	}
}

// show shows the observer what became of a message, and what was lost.
func (s *sender) show(from translate.Side, became outcome, in, out []byte) {
	became.lost = s.losses.take()
	s.observer.show(from, became, in, out)
}

func (s *sender) forgetSent(to translate.Side) { s.sent[to] = rawjson.Reuse(s.sent[to]) }

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
	o.observe(Event{FromClient: from == translate.Client, Action: became.action, In: in, Out: out, Lost: became.lost})
}
