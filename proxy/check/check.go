// Package check finds out, without an editor, what an agent is, and what editors get of
// it, without the proxy and with it.
//
//	check.go    what is asked, in which order, and for how long
//	agent.go    a process of the agent, and a question to it
//	messages.go what the agent writes: its answers, and what is not a message
//	editors.go  what each kind of editor gets
//	report.go   what was found, as words and as JSON
//
// The agent is asked initialize in each version, and nothing else. Version 2 comes
// first: agents of version 1 answer that with their own version, or refuse it, and then
// still take version 1. So most agents are started once. One that does not give version
// 1 to a second question is started once more, and asked for version 1 alone.
package check

import (
	"context"
	"fmt"
	"time"

	"acp-plan-proxy/proxy"
)

// Limits say how long an agent may take.
type Limits struct {
	Question time.Duration // for an answer, before the next question
	First    time.Duration // for the first answer, before it is started once more
	Answers  time.Duration // for all answers
	End      time.Duration // to end, when its stdin is closed
}

// Within returns limits for an agent that may take so long to answer.
func Within(timeout time.Duration) Limits {
	return Limits{Question: timeout / 10, First: timeout * 3 / 4, Answers: timeout, End: 3 * time.Second}
}

// Run runs the agent, which args say how to start, until it is known what it is, or the
// limits have passed, or ctx ends. Nothing of the agent is left when Run returns. name
// and release are those of the program that asks. What editors get is played with the
// options.
func Run(ctx context.Context, args []string, name, release string, limits Limits, o proxy.Options) (*Report, error) {
	i := &inquiry{args: args, limits: limits, options: o}
	const signIn = `"auth":{"terminal":true},"_meta":{"terminal-auth":true}` // agents hide some ways to sign in from others
	i.hello[1] = version1(name, release, signIn)
	i.hello[2] = fmt.Sprintf(`{"protocolVersion":2,"info":{"name":%q,"version":%q},"capabilities":{%s}}`, name, release, signIn)
	notStarted := i.ask(ctx)
	ends := i.end(ctx)
	return i.report(notStarted, ends)
}

// An inquiry is what is asked of the processes of an agent.
type inquiry struct {
	args    []string
	hello   [3]string // the params of initialize, by version
	limits  Limits
	options proxy.Options

	agents  []*agent     // one or two
	answers [3]*question // by version; nil if it could not be asked
}

// ask asks for both versions.
func (i *inquiry) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, i.limits.Answers)
	defer cancel()
	a, err := i.start()
	if err != nil {
		return err
	}
	two := a.ask(ctx, 2, i.hello[2])
	limit := i.limits.First
	if two.wait(i.limits.Question) {
		limit = i.limits.Question
	}
	one := a.ask(ctx, 1, i.hello[1])
	one.wait(limit)
	i.answers = [...]*question{1: one, 2: two}
	if !one.agrees() && !a.saysTooMuch() && ctx.Err() == nil {
		if a, err = i.start(); err != nil {
			return err
		}
		if again := a.ask(ctx, 1, i.hello[1]); again.wait(i.limits.Answers) || !one.isAnswered() {
			i.answers[1] = again
		}
	}
	cancel() // a question without an answer by now counts as silence
	<-one.done
	<-two.done
	if one.agrees() { // it has come late
		i.answers[1] = one
	}
	<-i.answers[1].done
	return nil
}

func (i *inquiry) start() (*agent, error) {
	a, err := start(i.args)
	if err != nil {
		return nil, err
	}
	i.agents = append(i.agents, a)
	return a, nil
}

// end closes the stdin of all processes and reports whether they end of that. Nothing of
// them is left then.
func (i *inquiry) end(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, i.limits.End)
	defer cancel()
	for _, a := range i.agents {
		a.process.Stdin().Close()
	}
	all := len(i.agents) > 0
	for _, a := range i.agents {
		all = a.awaitExit(ctx) && all
		a.close()
	}
	return all
}

// whyNone says why the agent has answered nothing.
func (i *inquiry) whyNone(notStarted error) string {
	if notStarted != nil {
		return proxy.WhyNotStarted(i.args[0], notStarted)
	}
	last := i.agents[len(i.agents)-1]
	return last.whyUnanswered(i.args[0], i.answers[1].silent, i.limits.Answers)
}
