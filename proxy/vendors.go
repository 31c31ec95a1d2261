package proxy

import (
	"bytes"
	"cmp"
	"log/slog"
	"slices"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A makersWords is the translation of what agents say in words of their makers' own.
// It is between the agent and the bridge or, without a bridge, the plan
// translation. What follows from a message is in the [translate.Out] that it returns,
// which is valid until the next message; nil if the message goes its usual way.
type makersWords struct {
	translator *vendors.Translator
	log        *slog.Logger
	losses     *losses
	out        translate.Out
	logged     string // whose words the log knows that the agent uses
}

func newMakersWords(o Options, losses *losses) makersWords {
	return makersWords{translator: vendors.New(cmp.Or(o.Vendors, vendors.Off)), log: o.Log, losses: losses}
}

// negotiated begins a connection whose initialize has been answered. Joined: the two
// speak different versions. saysTexts: see [vendors.Peers].
func (w *makersWords) negotiated(request capabilities.Request, answer capabilities.Answer, client capabilities.Client, saysTexts int, joined bool) {
	w.translator.Negotiated(vendors.Peers{
		Client: request.Manner(), Forms: request.Offers&capabilities.OfferForms != 0, Deltas: request.PlanDeltas,
		Plans: client, SaysTexts: saysTexts,
		Old: (answer.Version >= 2) == joined, Agent: cmp.Or(answer.Name, answer.Extension), Joined: joined,
	})
}

// unnegotiated begins with what is known without initialize: what the client shows.
func (c *conversation) unnegotiated(client capabilities.Client) {
	c.plans.translator.SetClient(client)
	c.makers.translator.Negotiated(vendors.Peers{Absent: true, Plans: client, SaysTexts: c.plans.translator.SaysTexts(), Old: true})
}

// fromAgent handles a message of the agent.
func (w *makersWords) fromAgent(m *jsonrpc.Message) *translate.Out {
	w.out.Reset(translate.Agent, m)
	return w.decided(w.translator.FromAgent(m, &w.out))
}

// knew reports whether the last message was in a maker's words, or answers what was
// asked in them. Such a message counts as one about plans.
func (w *makersWords) knew() bool { return w.translator.Knew() }

// decided notes what was lost and whose words the agent uses, and returns what is
// decided, if anything is.
func (w *makersWords) decided(is bool) *translate.Out {
	if used := w.translator.Used(); used != w.logged {
		w.logged = used
		if used != "" {
			w.log.Info("negotiated", "vendor", used)
		}
	}
	for _, l := range w.out.Losses() {
		w.losses.note(l)
	}
	if !is {
		return nil
	}
	return &w.out
}

// fromClient handles a message on its way to the agent, as the client or the bridge
// said it.
func (w *makersWords) fromClient(m *jsonrpc.Message) *translate.Out {
	w.out.Reset(translate.Client, m)
	return w.decided(w.translator.FromClient(m, &w.out))
}

// clientGone answers what the client would have answered.
func (w *makersWords) clientGone() *translate.Out {
	w.out.Reset(translate.Client, nil)
	w.translator.ClientGone(&w.out)
	return &w.out
}

// wantsOfClient reports whether anything of what the client says matters.
func (w *makersWords) wantsOfClient() bool {
	want := w.translator.Wants()
	return want.Answers || want.Cancels || want.Prompts
}

// leaveMakersWordsLocked carries out what the translation of makers' words has decided
// of a message from a side. Without a bridge, what goes on in the direction of the
// message leaves in its place: the lines around it keep their order.
func (c *conversation) leaveMakersWordsLocked(from translate.Side, m *reading, out *translate.Out) outcome {
	c.plans.vendor = c.makers.logged
	o := dropped
	o.plan = c.makers.knew()
	if c.joint.isThere() {
		c.sender.planSent = o.plan
		if !slices.ContainsFunc(out.Leaves(), func(l translate.Leaving) bool { return l.Same }) {
			c.sender.showDropped(from, o, m.Span.Of(m.Text))
		}
		o.shown = true
	}
	for _, l := range out.Leaves() {
		switch text := out.Text(l); {
		case c.joint.isThere():
			c.leaveByBridgeLocked(from, m, l, text)
		case l.To == from:
			c.sender.answer(from, text, l.More)
		case l.Same:
			o.action = plans.Forward
		default:
			lines, plan := c.sender.translated(l.To, text, l.More)
			o.plan = o.plan || plan
			if len(lines) > 0 {
				o.own = append(o.own, bytes.Split(bytes.Clone(lines), newline)...)
			}
		}
	}
	c.plans.vendor = ""
	if !o.shown {
		c.showMakersWordsLocked(from, m, o)
	}
	c.sender.showSent()
	o.shown = true
	return o
}

// showMakersWordsLocked shows the observer a message that was not changed, or dropped,
// and what the proxy has said behind it.
func (c *conversation) showMakersWordsLocked(from translate.Side, m *reading, o outcome) {
	o.plan = o.plan || c.sender.planSent
	c.sender.show(from, o, m.Span.Of(m.Text), nil)
	if len(o.own) > 0 {
		own := append(bytes.Join(o.own, newline), newline...)
		c.sender.show(from, outcome{action: plans.Rewrite, plan: o.plan}, nil, own)
	}
}

// leaveByBridgeLocked sends one message, between a bridge and the agent.
func (c *conversation) leaveByBridgeLocked(from translate.Side, m *reading, l translate.Leaving, text []byte) {
	switch {
	case l.To == translate.Agent:
		c.sender.send(translate.Agent, text, from == translate.Agent)
	case l.Same:
		c.convertLocked(from, m)
	default:
		c.sayForAgentLocked(text)
	}
}

// makersClientGoneLocked answers what the client would have answered.
func (c *conversation) makersClientGoneLocked() {
	out := c.makers.clientGone()
	for _, l := range out.Leaves() {
		if l.To == translate.Agent {
			c.sender.send(translate.Agent, out.Text(l), false)
		}
	}
	c.sender.showSent()
}

// sayForAgentLocked sends the client a message in the agent's place, through the
// bridge.
func (c *conversation) sayForAgentLocked(text []byte) {
	var m jsonrpc.Message
	var cursor rawjson.Cursor
	cursor.Reset(text)
	m.Read(&cursor, text, nil)
	c.leaveLocked(translate.Agent, nil, c.joint.convert(translate.Agent, &m, c.alarm.now()))
}

// convertLocked has the bridge convert a message, and sends what it has decided.
func (c *conversation) convertLocked(side translate.Side, m *reading) {
	c.leaveLocked(side, &m.Message, c.joint.convert(side, &m.Message, c.alarm.now()))
}

// leaveLocked sends what the bridge has decided; m is the message from that side that
// led to it, nil if none did. What the translation of makers' words makes of that, for
// the client, goes through the bridge in turn.
func (c *conversation) leaveLocked(from translate.Side, m *jsonrpc.Message, out *translate.Out) {
	c.sender.leave(from, m, out)
	if len(c.sender.forClient) > 0 {
		c.plans.vendor = c.makers.logged
		defer func() { c.plans.vendor = "" }()
	}
	for len(c.sender.forClient) > 0 {
		text := c.sender.forClient[0]
		c.sender.forClient = c.sender.forClient[1:]
		c.sayForAgentLocked(text)
	}
}
