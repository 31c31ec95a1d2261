// Package check runs an agent without an editor and reports its properties, and the plans
// and questions that each editor shows without the proxy and with it.
//
//	check.go    the order of the requests, and their timeouts
//	agent.go    a process of the agent, its output, and a request to it
//	editors.go  the editors, and a conversation of each with the agent
//	report.go   the report, as text and as JSON
//
// The agent receives an initialize request of each version and nothing else, version 2 first:
// most agents of version 1 respond to it with their own version or an error, and then still
// accept version 1. An agent that does not is started again and asked for version 1 only.
package check

import (
	"context"
	"fmt"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/conversation"
)

// Limits are the timeouts of a check.
type Limits struct {
	Next  time.Duration // for a response, before the next request
	First time.Duration // for the first response, before the agent is started again
	All   time.Duration // for all responses
	Exit  time.Duration // for the exit, after stdin is closed
}

// Within returns the limits for an agent that must respond within a timeout.
func Within(timeout time.Duration) Limits {
	return Limits{Next: timeout / 10, First: timeout * 3 / 4, All: timeout, Exit: 3 * time.Second}
}

// Run starts the agent with a command line, sends the requests under the given client name
// and release, and ends all processes of the agent before it returns. o configures the proxy
// for the conversations with editors.
func Run(ctx context.Context, args []string, name, release string, limits Limits, o conversation.Options) (*Report, error) {
	c := &agentCheck{args: args, limits: limits, options: o}
	// Some agents offer ways to sign in only to clients with these capabilities.
	const signIn = `"auth":{"terminal":true},"_meta":{"terminal-auth":true}`
	c.hello[1] = version1(name, release, signIn)
	c.hello[2] = fmt.Sprintf(`{"protocolVersion":2,"info":{"name":%q,"version":%q},"capabilities":{%s}}`, name, release, signIn)
	notStarted := c.ask(ctx)
	ends := c.closeAgents(ctx)
	return c.report(notStarted, ends)
}

// An agentCheck holds the processes of an agent and the requests to them.
type agentCheck struct {
	args    []string
	hello   [3]string // params of initialize, by version
	limits  Limits
	options conversation.Options

	agents []*agent  // one or two
	probes [3]*probe // by version; nil if the agent could not be started
}

// ask sends the requests of both versions and sets probes. It returns the error of a process that could
// not be started.
func (c *agentCheck) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.limits.All)
	defer cancel()
	a, err := c.start()
	if err != nil {
		return err
	}
	probe2 := a.ask(2, c.hello[2])
	limit := c.limits.First
	if probe2.wait(ctx, c.limits.Next) {
		limit = c.limits.Next
	}
	probe1 := a.ask(1, c.hello[1])
	probe1.wait(ctx, limit)
	c.probes = [...]*probe{1: probe1, 2: probe2}
	if !probe1.agrees() && !a.floods() && ctx.Err() == nil {
		if a, err = c.start(); err != nil {
			return err
		}
		retry := a.ask(1, c.hello[1])
		retry.wait(ctx, c.limits.All)
		// Meanwhile the first process may have responded.
		if !probe1.agrees() && (retry.isAnswered() || !probe1.isAnswered()) {
			c.probes[1] = retry
		}
	}
	for _, p := range c.probes[1:] {
		p.timedOut = !p.isAnswered() && !isClosed(p.agent.ended)
	}
	return nil
}

func (c *agentCheck) start() (*agent, error) {
	a, err := start(c.args)
	if err != nil {
		return nil, err
	}
	c.agents = append(c.agents, a)
	return a, nil
}

// closeAgents closes the stdin of all processes, reports whether they then exit on their own, and
// kills the others.
func (c *agentCheck) closeAgents(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, c.limits.Exit)
	defer cancel()
	for _, a := range c.agents {
		a.process.Stdin().Close()
	}
	all := len(c.agents) > 0
	for _, a := range c.agents {
		all = a.awaitExit(ctx) && all
		a.close()
	}
	return all
}

// whyUnanswered explains why the agent, which is closed, has sent no response at all.
func (c *agentCheck) whyUnanswered(notStarted error) string {
	if notStarted != nil {
		return proxy.WhyNotStarted(c.args[0], notStarted)
	}
	a := c.agents[len(c.agents)-1]
	fault := "ended (" + a.process.Ending() + ") before it answered initialize"
	switch {
	case a.floods():
		fault = "writes to stdout without an end, and does not answer initialize"
	case c.probes[1].timedOut:
		fault = fmt.Sprintf("has not answered initialize within %v", c.limits.All)
	case !a.exited:
		fault = "closed its stdout before it answered initialize"
	}
	return proxy.WhyUnanswered(c.args[0], fault, a.process.StderrTail())
}
