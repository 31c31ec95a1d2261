// Package translate is the vocabulary that the translations share: what can
// become of a message that passes through the proxy.
//
// Each translation is a package below this one: plans rewrites plan messages to
// what a client can show, versions joins a client and an agent that speak
// different versions of the protocol, vendors turns what an agent says in words of
// its vendor's own into the protocol's, selectors adds the form of modes, models and options
// that an agent does not report, forms and permissions ask the user what an editor
// cannot show or would misread. Each is pure: a message goes in, an [Out] comes out, the
// time is handed in. Each is a [Stage], or becomes one ([StageOf]), and a [Chain] hands
// messages from one to the next.
package translate

import (
	"strings"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Side is one of the two peers that the proxy sits between.
type Side uint8

// The sides.
const (
	Client Side = iota
	Agent
)

// Other returns the side across.
func (s Side) Other() Side { return 1 - s }

// String returns "client" or "agent".
func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "agent"
}

// The kinds of session update that concern plans.
const (
	LegacyPlan  = "plan"
	PlanUpdate  = "plan_update"
	PlanRemoved = "plan_removed"
)

// PlanKinds returns the kinds of session update that concern plans.
func PlanKinds() []string { return []string{LegacyPlan, PlanUpdate, PlanRemoved} }

// IsPlan reports whether a kind of session update is one of these.
func IsPlan(kind []byte) bool {
	switch string(kind) {
	case LegacyPlan, PlanUpdate, PlanRemoved:
		return true
	}
	return false
}

// An Out collects what becomes of one message, or what is sent at a moment when
// a timer fires. What is not forwarded is dropped. Everything leaves in the
// order in which it was decided. The zero value is ready for Reset.
type Out struct {
	message *jsonrpc.Message // nil for a timer
	from    Side             // where the message came from
	own     bool             // a stage has said the message by itself
	more    bool             // see Leaving
	plan    bool             // the message concerns a plan
	leaves  []Leaving
	text    []byte // of the messages that are not the message itself
	losses  []Loss
}

// A Leaving is one message that leaves.
type Leaving struct {
	To   Side
	Same bool // it is the message itself, as it came
	Span jsonrpc.Span

	// Own: it is not what the message has become. A stage says it besides, or in the
	// peer's place.
	Own bool

	// NoPlan: it is a session update that does not concern a plan, so that the
	// plan translation need not look at it, unless it has to see everything.
	NoPlan bool

	// More: it is about a plan, and another such message of the session follows at once.
	// A client that gets one list for all plans of a session needs only the last one.
	More bool
}

// A Loss is something that the receiver's version cannot say, or a limit that
// was passed. The log has each kind once a connection, and counts.
type Loss struct {
	Kind    LossKind
	Name    string // what tells losses of the kind apart, if a peer has chosen it
	Session string
	Detail  string // a sentence without a period: what was done

	Version bool // the version of the receiver cannot say it, or the bridge to it
}

// Reset begins the outcome of a message from that side; m is nil when a timer
// fires. It forgets what was decided before and reuses its memory.
func (o *Out) Reset(from Side, m *jsonrpc.Message) {
	o.message, o.from, o.own, o.more, o.plan = m, from, false, false, false
	o.leaves, o.text, o.losses = o.leaves[:0], rawjson.Reuse(o.text), o.losses[:0]
}

// Forward sends the message on as it came.
func (o *Out) Forward() {
	o.leaves = append(o.leaves, Leaving{To: o.from.Other(), Same: true})
}

// Send sends another message, which is one line of JSON without a newline.
// Several parts make one message. They are copied.
func (o *Out) Send(to Side, parts ...[]byte) {
	start := len(o.text)
	for _, part := range parts {
		o.text = append(o.text, part...)
	}
	o.leaves = append(o.leaves, Leaving{To: to, Span: jsonrpc.Span{Start: start, End: len(o.text)}})
}

// Own marks what was added last as said besides the message.
func (o *Out) Own() { o.leaves[len(o.leaves)-1].Own = true }

// ownAll marks everything so but the message itself.
func (o *Out) ownAll() {
	for i := range o.leaves {
		o.leaves[i].Own = !o.leaves[i].Same
	}
}

// IsOwn reports whether the message is one that a stage says by itself, and no peer.
func (o *Out) IsOwn() bool { return o.own }

// OfPlan notes that the message concerns a plan.
func (o *Out) OfPlan() { o.plan = true }

// NoPlan marks what was added last as a session update that does not concern a
// plan.
func (o *Out) NoPlan() { o.leaves[len(o.leaves)-1].NoPlan = true }

// More marks what was added last as a message about a plan that another one follows.
func (o *Out) More() { o.leaves[len(o.leaves)-1].More = true }

// HasMore reports whether the message was marked so.
func (o *Out) HasMore() bool { return o.more }

// isForwarded reports whether nothing follows but that the message goes on as it came.
func (o *Out) isForwarded() bool {
	return len(o.leaves) == 1 && o.leaves[0].Same && len(o.losses) == 0
}

// Lose notes a loss.
func (o *Out) Lose(l Loss) { o.losses = append(o.losses, l) }

// Leaves returns what leaves, in order. It is valid until the next Reset.
func (o *Out) Leaves() []Leaving { return o.leaves }

// Text returns the text of a message that leaves. It is valid until the next
// call of Send or Reset.
func (o *Out) Text(l Leaving) []byte {
	if l.Same {
		return o.message.Span.Of(o.message.Text)
	}
	return o.text[l.Span.Start:l.Span.End]
}

// Losses returns what was lost. It is valid until the next Reset.
func (o *Out) Losses() []Loss { return o.losses }

// IsAbsolute reports whether a path is absolute, on the agent's machine, whichever that
// is: of POSIX or of Windows.
func IsAbsolute(path string) bool {
	hasDrive := len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
	return hasDrive || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`)
}
