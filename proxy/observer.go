package proxy

import (
	"bytes"
	"slices"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/rawjson"
)

// An observer is at the two ends of the chain: it sees what came in and what leaves, and
// shows that as events. Nothing else makes any.
type observer struct {
	observe func(Event) // nil if nobody wants to see
	all     bool        // and not only plan messages

	from translate.Side
	in   []byte // what came in; nil if nothing did
	plan bool   // it concerns a plan

	// beside: what leaves now is neither that nor from a stage.
	beside bool

	sent [2]sent // by translate.Side

	lost []translate.Loss // since the last event
}

// maxLost bounds how many losses an event has. A list of a thousand items that cannot be
// read is one loss.
const maxLost = 32

// loses keeps a loss for the next event, as the log has it.
func (o *observer) loses(loss translate.Loss) {
	if o.observe == nil || len(o.lost) >= maxLost {
		return
	}
	loss.Version, loss.Name, loss.Detail = false, logging.Clean(loss.Name), logging.Clean(loss.Detail)
	if !slices.Contains(o.lost, loss) {
		o.lost = append(o.lost, loss)
	}
}

// sent is what leaves to a side.
type sent struct {
	text   []byte // each message in a line, without what came in
	same   bool   // what came in leaves, as it came
	at     int    // where, in text
	became bool   // text has what it has become
	own    bool   // text has what is said to the client besides, which is about plans
}

// came begins with what has come in from a side.
func (o *observer) came(from translate.Side, in []byte) {
	if o.observe != nil {
		o.show()
		o.from, o.in, o.beside = from, in, false
	}
}

// left notes what leaves.
func (o *observer) left(l translate.Leaving, text []byte) {
	if o.observe == nil {
		return
	}
	s := &o.sent[l.To]
	switch {
	case l.Same:
		s.same, s.at = true, len(s.text)
		return
	case o.beside:
	case l.Own:
		s.own = l.To == translate.Client
	default:
		s.became = true
	}
	s.text = append(append(s.text, text...), '\n')
}

// retract forgets what has left in the direction of what came in.
func (o *observer) retract() { o.sent[o.from.Other()].reset() }

func (s *sent) reset() { *s = sent{text: rawjson.Reuse(s.text)} }

// show shows what came in and has left since, if anything did; what comes next is another event. What a
// message has lost is on the event that tells how it came in.
func (o *observer) show() {
	if o.observe != nil {
		o.showAll()
	}
}

func (o *observer) showAll() {
	if o.in == nil {
		o.from = translate.Agent
	}
	there, back := &o.sent[o.from.Other()], &o.sent[o.from]
	if o.in != nil || len(there.text)+len(back.text) > 0 {
		o.tell(there, back)
	}
	there.reset()
	back.reset()
	o.in, o.plan, o.beside = nil, false, false
}

// tell shows what came in, what has left in its direction, and what has left back.
func (o *observer) tell(there, back *sent) {
	lost := o.lost
	o.lost = nil
	o.plan = o.plan || back.own
	plan := o.plan || there.own
	cause := trace.Unknown // of what the proxy has sent behind the message
	if o.in != nil && (o.plan || o.all) {
		cause = trace.Last
	}
	switch in := o.in; {
	case in == nil:
		lost = o.said(o.from, plan, there.text, cause, lost)
	case there.same && !there.became:
		ahead := cause
		if ahead == trace.Last {
			ahead = trace.Next
		}
		o.said(o.from, plan, there.text[:there.at], ahead, nil)
		lost = o.event(o.from, o.plan, Event{Action: plans.Forward, In: in, Out: in, Lost: lost})
		o.said(o.from, plan, there.text[there.at:], cause, nil)
	case !there.became:
		lost = o.event(o.from, o.plan, Event{Action: plans.Drop, In: in, Lost: lost})
		o.said(o.from, plan, there.text, cause, nil)
	case bytes.Equal(bytes.TrimSuffix(there.text, newline), in):
		lost = o.event(o.from, plan, Event{Action: plans.Forward, In: in, Out: in, Lost: lost})
	default:
		out := there.text
		if there.same {
			out = slices.Concat(out[:there.at], in, newline, out[there.at:])
		}
		lost = o.event(o.from, plan, Event{Action: plans.Rewrite, In: in, Out: out, Lost: lost})
	}
	o.said(o.from.Other(), o.plan, back.text, cause, lost)
}

// said shows messages of the proxy's own. It returns the losses that no event had.
func (o *observer) said(from translate.Side, plan bool, out []byte, cause trace.Cause, lost []translate.Loss) []translate.Loss {
	if len(out) == 0 {
		return lost
	}
	return o.event(from, plan, Event{Action: plans.Rewrite, Out: out, Cause: cause, Lost: lost})
}

// event shows an event, if it is wanted. It returns no loss: they are shown once.
func (o *observer) event(from translate.Side, plan bool, e Event) []translate.Loss {
	if o.observe != nil && (plan || o.all) {
		e.FromClient, e.Out = from == translate.Client, bytes.TrimSuffix(e.Out, newline)
		o.observe(e)
	}
	return nil
}
