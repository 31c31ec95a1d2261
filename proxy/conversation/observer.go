package conversation

import (
	"bytes"
	"slices"

	"acp-plan-proxy/proxy/logging"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/rawjson"
)

// An observer records the input and the output of the chain and reports them as events. It
// is the only source of events.
type observer struct {
	observe     func(Event) // nil if unused
	observesAll bool        // also for messages that concern no plan

	from         translate.Side // the sender of the input message
	in           []byte         // the input message; nil if there is none
	concernsPlan bool           // the message concerns a plan

	fromProxy bool // the output is of the proxy itself, not of a stage

	sent [2]sideOutput // by translate.Side

	lost []translate.Loss // since the last event
}

// maxLost limits the losses of an event.
const maxLost = 32

// noteLoss adds a loss to the next event, with its texts cleaned as in the log.
func (o *observer) noteLoss(loss translate.Loss) {
	if o.observe == nil || len(o.lost) >= maxLost {
		return
	}
	loss.BetweenVersions, loss.Name, loss.Detail = false, logging.Clean(loss.Name), logging.Clean(loss.Detail)
	if !slices.Contains(o.lost, loss) {
		o.lost = append(o.lost, loss)
	}
}

// A sideOutput is the output to a side since the last event.
type sideOutput struct {
	text           []byte // one message per line, without the input message
	hasInput       bool   // the input message is forwarded unchanged
	offset         int    // position of the input message in text, if hasInput is set
	hasTranslation bool   // text contains a translation of the input message
	hasOwn         bool   // text has messages of a stage to the client, which count as messages about plans
}

// input begins an event with a message from a side.
func (o *observer) input(from translate.Side, in []byte) {
	if o.observe != nil {
		o.flush()
		o.from, o.in, o.fromProxy = from, in, false
	}
}

// output records an output message.
func (o *observer) output(out translate.Output, text []byte) {
	if o.observe == nil {
		return
	}
	s := &o.sent[out.To]
	switch {
	case out.Same:
		s.hasInput, s.offset = true, len(s.text)
		return
	case o.fromProxy:
	case out.IsOwn:
		s.hasOwn = out.To == translate.Client
	default:
		s.hasTranslation = true
	}
	s.text = append(append(s.text, text...), '\n')
}

// outputOfProxy records a message of the proxy itself to a side.
func (o *observer) outputOfProxy(to translate.Side, message []byte) {
	o.fromProxy = true
	o.output(translate.Output{To: to}, message)
}

// retract discards the output in the direction of the input message.
func (o *observer) retract() { o.sent[o.from.Other()].reset() }

func (s *sideOutput) reset() { *s = sideOutput{text: rawjson.Reuse(s.text)} }

// flush reports the input message with the output since, and ends the event.
func (o *observer) flush() {
	if o.observe == nil {
		return
	}
	if o.in == nil {
		o.from = translate.Agent
	}
	toReceiver, toSender := &o.sent[o.from.Other()], &o.sent[o.from]
	if o.in != nil || len(toReceiver.text)+len(toSender.text) > 0 {
		o.report(toReceiver, toSender)
	}
	toReceiver.reset()
	toSender.reset()
	o.in, o.concernsPlan, o.fromProxy = nil, false, false
}

// report reports the input message, the output to its receiver, and the output to its sender.
func (o *observer) report(toReceiver, toSender *sideOutput) {
	lost := o.lost
	o.lost = nil
	o.concernsPlan = o.concernsPlan || toSender.hasOwn
	plan := o.concernsPlan || toReceiver.hasOwn
	cause := trace.Unknown // of the messages that the proxy sent after the input message
	if o.in != nil && (o.concernsPlan || o.observesAll) {
		cause = trace.Last
	}
	switch in := o.in; {
	case in == nil:
		o.reportAdded(o.from, plan, toReceiver.text, cause, lost)
	case toReceiver.hasInput && !toReceiver.hasTranslation:
		ahead := cause
		if ahead == trace.Last {
			ahead = trace.Next
		}
		o.reportAdded(o.from, plan, toReceiver.text[:toReceiver.offset], ahead, nil)
		o.event(o.from, o.concernsPlan, Event{Action: plans.Forward, In: in, Out: in, Lost: lost})
		o.reportAdded(o.from, plan, toReceiver.text[toReceiver.offset:], cause, nil)
	case !toReceiver.hasTranslation:
		o.event(o.from, o.concernsPlan, Event{Action: plans.Drop, In: in, Lost: lost})
		o.reportAdded(o.from, plan, toReceiver.text, cause, nil)
	case bytes.Equal(bytes.TrimSuffix(toReceiver.text, newline), in):
		o.event(o.from, plan, Event{Action: plans.Forward, In: in, Out: in, Lost: lost})
	default:
		out := toReceiver.text
		if toReceiver.hasInput {
			out = slices.Concat(out[:toReceiver.offset], in, newline, out[toReceiver.offset:])
		}
		o.event(o.from, plan, Event{Action: plans.Rewrite, In: in, Out: out, Lost: lost})
	}
	if o.in != nil || len(toReceiver.text) > 0 { // the losses have been reported
		lost = nil
	}
	o.reportAdded(o.from.Other(), o.concernsPlan, toSender.text, cause, lost)
}

// reportAdded reports messages that the proxy added, if there are any.
func (o *observer) reportAdded(from translate.Side, plan bool, out []byte, cause trace.Cause, lost []translate.Loss) {
	if len(out) > 0 {
		o.event(from, plan, Event{Action: plans.Rewrite, Out: out, Cause: cause, Lost: lost})
	}
}

// event reports an event if it concerns a plan or observesAll is set.
func (o *observer) event(from translate.Side, plan bool, e Event) {
	if o.observe != nil && (plan || o.observesAll) {
		e.FromClient, e.Out = from == translate.Client, bytes.TrimSuffix(e.Out, newline)
		o.observe(e)
	}
}
