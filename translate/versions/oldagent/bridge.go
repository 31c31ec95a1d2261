// Package oldagent joins a client of version 2 and an agent of version 1.
//
// Version 2 tells more than version 1 does: when a prompt was taken in, what
// state a session is in, which message a chunk belongs to, what became of a tool
// call. The bridge makes all this up from what the agent says, and keeps what
// it must know of each session for that. Where to look:
//
//	bridge.go       which message goes where
//	requests.go     requests under translated ids, and their answers
//	sessions.go     new sessions, resumed ones, lists; closing.go their end
//	prompts.go      prompts, turns and states; late.go agents that go on after their answers;
//	                echo.go agents that repeat the prompt, keys.go clients that do
//	updates.go      what the agent reports, by kind
//	messages.go     messages, which get ids; replays.go those of a session that is loaded
//	toolcalls.go    tool calls, with diff.go and terminals.go
//	permissions.go  permission requests; elicitation.go the other questions
//	options.go      options; modes.go modes and models, which become options
//	commands.go     commands; providers.go providers of models
package oldagent

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
)

// Options are what the handshake found out. All fields must be set.
type Options struct {
	// Agent is what the agent's answer to initialize says, see
	// [words.InitializeResultToV2].
	Agent words.OldAgent

	// NewID returns an id that it never returned before, for a message: a UUID.
	NewID func() string
}

// What is kept is bounded. Past a limit the translation gets worse, or a request
// is refused; the connection goes on.
const (
	// MaxSessions is how many sessions without a turn are kept. If there are
	// more, the bridge forgets what the agent said about some of them. As many
	// sessions of subagents can be in replays.
	MaxSessions = 1024
	// MaxRequests is how many requests of a side can be open at once.
	MaxRequests = 4096
	// MaxHeld is how many prompts of a session can wait for their turn, and how
	// many requests until it is closed.
	MaxHeld = 256
	// MaxHeldBytes is how large all requests that wait can be together, with
	// their ids. There can be MaxRequests such requests.
	MaxHeldBytes = 64 << 20
	// MaxToolCalls is how many tool calls are kept, and as many terminals.
	MaxToolCalls = 16384
	// MaxReplayed is how many messages a replay can have.
	MaxReplayed = 100_000
	// MaxID is how many bytes an id of a session, message, tool call or terminal can
	// have.
	MaxID = 1024
	// MaxKept is how large everything else together can be that is kept of
	// sessions: ids, titles, directories, options, keys, and the prompts of turns.
	MaxKept = 64 << 20
	// MaxCwd is how many bytes the directory of a session can have.
	MaxCwd = 32 << 10
	// MaxOptions is how many bytes of options of a session are kept.
	MaxOptions = 256 << 10
	// MaxDiff is how many bytes the two texts of a diff can have together, as JSON
	// has them. A larger one is shown without its lines.
	MaxDiff = 1 << 20
)

// How long the bridge waits.
const (
	// AckDelay is how long an agent that stays silent has to refuse a prompt.
	// Then it has taken it in.
	AckDelay = 150 * time.Millisecond
	// CloseDelay is how long an agent has to close a session, or to end the
	// cancelled turn of a session that it cannot close. Then the session counts
	// as closed.
	CloseDelay = 10 * time.Second
)

// A Bridge is a [versions.Holder] between a client of version 2 and an agent of
// version 1.
type Bridge struct {
	options   Options
	link      link.Link
	sessions  map[string]*session
	closed    map[string]bool // sessions whose updates the client must not get
	deleted   map[string]bool // sessions that no list may have
	asked     jsonrpc.Calls[request]
	asks      jsonrpc.Calls[request]
	unacked   []*turn   // in the order in which they will be taken in
	lingering []*turn   // that the agent has answered and that go on for a moment
	deadlines []*ending // in their order; some are done
	gone      string    // why the agent has ended; "" if it has not

	earlyProviders bool // see providers.go

	endings map[string]*ending // the open requests to close or delete a session, by its id

	toolCalls, terminals int // how many are kept
	children             int // how many sessions of subagents are in a replay
	kept                 int // in bytes, see keep
	held, heldBytes      int // how many requests wait, and how large they are

	// These are of the call that is under way.
	now   time.Time
	out   *translate.Out
	about []byte // the session that the message is about
	u     update
	w     words.Writer // the message that is being written
	inner words.Writer // scratch, to see what becomes of a value
}

var _ versions.Holder = (*Bridge)(nil)

// New returns a Bridge for a connection that has been initialized.
func New(o Options) *Bridge {
	return &Bridge{options: o, sessions: make(map[string]*session), closed: make(map[string]bool), deleted: make(map[string]bool), endings: make(map[string]*ending)}
}

// FromClient takes in a message of the client.
func (b *Bridge) FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.now, b.out, b.about = now, out, m.Session
	b.link.Begin(now, out, m.Session)
	switch {
	case len(m.Session) > MaxID:
		b.loseMessage(m, toClient)
	case m.IsRequest() && b.gone != "":
		b.refuse(m.ID, internalError, b.gone, nil)
	case m.IsRequest():
		b.clientAsks(m)
	case m.IsNotification():
		b.clientTells(m)
	case m.ID != nil && m.Method == nil && !m.Ambiguous:
		b.clientAnswers(m)
	default:
		b.loseMessage(m, toClient)
	}
}

func (b *Bridge) clientAsks(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "initialize":
		b.refuse(m.ID, invalidRequest, "initialize may only be requested once per connection", nil)
	case "auth/login":
		b.askSame(m, "authenticate")
	case "auth/logout":
		b.logOut(m)
	case "session/new":
		b.newSession(m)
	case "session/list":
		b.listSessions(m)
	case "session/fork", "session/resume", "session/close", "session/delete", "session/set_config_option", "session/prompt":
		b.clientAsksOfSession(m)
	case "session/archive", "session/unarchive", "session/status", "session/set_title",
		"auth/status":
		b.askSame(m, "")
	case "providers/list":
		b.listProviders(m)
	case "providers/set", "providers/disable":
		b.askOfProvider(m)
	case "tool_call/cancel", "terminal/cancel":
		// The client was never told that anything can be cancelled by itself.
		b.refuse(m.ID, invalidParams, "Invalid params: it cannot be cancelled by itself", nil)
	case "authenticate", "logout", "session/load", "session/set_mode", "session/set_model":
		b.refuseMethod(m.ID, string(m.Method)) // version 2 has no such methods
	default:
		b.ask(m, "", nil, b.answer)
	}
}

func (b *Bridge) clientAsksOfSession(m *jsonrpc.Message) {
	if m.Session == nil {
		b.refuse(m.ID, invalidParams, "Invalid params: no sessionId", nil)
		return
	}
	if e := b.endings[string(m.Session)]; e != nil {
		switch string(m.Method) {
		case "session/resume", "session/close", "session/delete":
			b.postpone(e, m)
			return
		case "session/prompt":
			b.refuseSession(m.ID, m.Session)
			return
		}
	}
	switch string(m.Method) {
	case "session/fork":
		b.newSession(m)
	case "session/resume":
		b.resume(m)
	case "session/close":
		b.close(m)
	case "session/delete":
		b.delete(m)
	case "session/set_config_option":
		b.setOption(m)
	case "session/prompt":
		b.prompt(m)
	}
}

func (b *Bridge) clientTells(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/cancel":
		b.cancel(m)
	case "$/cancel_request":
		b.clientCancelsRequest(m)
	default:
		b.out.Forward()
	}
}

// FromAgent takes in a message of the agent.
func (b *Bridge) FromAgent(m *jsonrpc.Message, now time.Time, out *translate.Out) {
	b.now, b.out, b.about = now, out, m.Session
	b.link.Begin(now, out, m.Session)
	switch {
	case len(m.Session) > MaxID:
		b.loseMessage(m, toAgent)
	case m.IsRequest():
		b.agentAsks(m)
	case m.IsNotification():
		b.agentTells(m)
	case m.ID != nil && m.Method == nil && !m.Ambiguous:
		b.agentAnswers(m)
	default:
		b.loseMessage(m, toAgent)
	}
}

func (b *Bridge) agentAsks(m *jsonrpc.Message) {
	b.agentSpoke(m)
	switch string(m.Method) {
	case "session/request_permission":
		b.requestPermission(m)
	case "elicitation/create":
		b.createElicitation(m)
	case "fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release":
		b.lose(m.Session, translate.LossClientRequest, string(m.Method)+" was refused: clients of version 2 read no files and run no commands")
		b.refuseAgent(m.ID, methodNotFound, "Method not found: "+string(m.Method))
	default:
		b.askClient(m, nil, request{answered: b.clientAnswer})
	}
}

func (b *Bridge) agentTells(m *jsonrpc.Message) {
	switch string(m.Method) {
	case "session/update":
		b.update(m)
	case "$/cancel_request":
		b.agentCancelsRequest(m)
	case "elicitation/complete", "auth/status_update":
		b.agentSpoke(m)
		b.tell(m, words.Notification(string(m.Method)))
	default:
		b.agentSpoke(m)
		b.out.Forward()
	}
}

// Next returns when Wake is wanted, the zero time if it is not.
func (b *Bridge) Next() time.Time {
	for len(b.unacked) > 0 && b.unacked[0].settled() {
		b.unacked = b.unacked[1:]
	}
	for len(b.deadlines) > 0 && b.deadlines[0].done {
		b.deadlines = b.deadlines[1:]
	}
	var next time.Time
	if len(b.unacked) > 0 {
		next = b.unacked[0].ackAt
	}
	if len(b.deadlines) > 0 {
		next = earlier(next, b.deadlines[0].deadline)
	}
	if t := b.firstToEnd(); t != nil {
		next = earlier(next, t.endAt)
	}
	return next
}

// earlier returns the earlier of two times, or the second if the first is zero.
func earlier(x, y time.Time) time.Time {
	if x.IsZero() || y.Before(x) {
		return y
	}
	return x
}

// Wake takes in prompts that the agent has been silent about for a while, ends
// turns that were answered a moment ago, and closes sessions that the agent was
// given time to close.
func (b *Bridge) Wake(now time.Time, out *translate.Out) {
	b.now, b.out, b.about = now, out, nil
	b.link.Begin(now, out, nil)
	for next := b.Next(); !next.IsZero() && !next.After(now); next = b.Next() {
		switch t := b.firstToEnd(); {
		case len(b.unacked) > 0 && b.unacked[0].ackAt.Equal(next):
			b.acknowledge(b.unacked[0])
		case t != nil && t.endAt.Equal(next):
			b.settle(t.session)
		default:
			b.finish(b.deadlines[0])
		}
	}
}

// Holds reports whether prompts wait for their turn, or requests for the end of
// their session.
func (b *Bridge) Holds() bool {
	if b.held == 0 {
		return false
	}
	for _, s := range b.sessions {
		if len(s.held) > 0 {
			return true
		}
	}
	for _, e := range b.endings {
		if len(e.waiting) > 0 {
			return true
		}
	}
	return false
}

// RefuseHeld refuses the requests that wait.
func (b *Bridge) RefuseHeld(why string, now time.Time, out *translate.Out) {
	b.now, b.out, b.about = now, out, nil
	b.link.Begin(now, out, nil)
	for _, s := range b.sessions {
		b.withdrawHeld(s, requestCancelled, why)
	}
	for _, e := range b.endings {
		for len(e.waiting) > 0 {
			b.refuse(b.unhold(&e.waiting, 0).id, requestCancelled, why, nil)
		}
	}
}

// Gone takes in that the agent has ended. Turns end with an error, and whatever
// else the client waits for is refused, now and later.
func (b *Bridge) Gone(why string, now time.Time, out *translate.Out) {
	b.now, b.out, b.about, b.gone = now, out, nil, why
	b.link.Begin(now, out, nil)
	for _, t := range b.lingering {
		if !t.ended {
			b.withdrawHeld(t.session, internalError, why)
			b.settle(t.session)
		}
	}
	b.asked.Each(func(c *call) {
		b.asked.Answered(idOf(c.Number))
		b.kept -= len(c.Asked.cwd)
		if c.Asked.turn != nil {
			b.turnLost(c.Asked.turn)
		} else {
			b.refuse(c.ID, internalError, why, nil)
		}
	})
	for _, e := range b.deadlines {
		b.finish(e)
	}
	b.deadlines, b.unacked, b.lingering = nil, nil, nil
}

// loseMessage drops a message of a side that cannot be read, or whose sessionId is too
// long. If it looks like a request it is refused.
func (b *Bridge) loseMessage(m *jsonrpc.Message, from translate.Side) {
	b.lose(m.Session[:min(len(m.Session), MaxID)], translate.LossUnreadableMessage, "a message that is no request, notification or response, or whose sessionId is too long, was dropped")
	switch {
	case m.ID == nil || m.Method == nil:
	case from == toAgent:
		b.refuseAgent(m.ID, invalidRequest, "Invalid request")
	default:
		b.refuse(m.ID, invalidRequest, "Invalid request", nil)
	}
}

func (b *Bridge) lose(session []byte, kind translate.LossKind, detail string) {
	b.out.Lose(translate.Loss{Kind: kind, Session: string(session), Detail: detail})
}
