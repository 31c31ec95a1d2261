package command

import (
	"errors"
	"log/slog"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/plans"
)

// record opens the trace with create if --trace is set, and returns a function that closes it.
func (o *options) record(create func(path string, log *slog.Logger) (*trace.Writer, error)) (end func()) {
	if o.trace == "" {
		return func() {}
	}
	log := o.log.Alarm.With("setting", o.flags.Setting("trace"))
	writer, err := create(o.trace, log)
	if err != nil {
		// The conversation takes precedence over its trace.
		log.Warn("nothing is recorded", "error", err)
		return func() {}
	}
	o.proxy.ObserveAll = o.traceAll
	o.proxy.Observe = func(e conversation.Event) {
		from, to := trace.Agent, trace.Client
		if e.FromClient {
			from, to = to, from
		}
		var lost []trace.Loss
		for _, l := range e.Lost {
			lost = append(lost, trace.Loss{Kind: string(l.Kind), Name: l.Name, Detail: l.Detail})
		}
		switch {
		case e.In == nil:
			writer.Own(to, e.Out, e.Cause, lost...)
		case e.Action == plans.Forward:
			writer.Message(from, to, e.In, lost...)
		default:
			writer.Rewritten(from, to, e.In, e.Out, lost...)
		}
	}
	return func() { writer.Close() }
}

// checkTrace checks the flags of commands that can record.
func (o *options) checkTrace() error {
	if o.flags.Changed("trace-all") && o.trace == "" {
		return errors.New("--trace-all needs --trace")
	}
	return nil
}
