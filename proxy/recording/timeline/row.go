package timeline

// A Row is one message that one end sent, and what became of it on its way to the
// other end. JSON has the members that are not zero.
//
// A row can change when more of the recording is read: it is known later what became
// of it, which line answers it, and when its turn ended. Its Number stays.
type Row struct {
	Number   int     `json:"n"`                  // of its first line
	Lines    []Line  `json:"lines"`              // in order; the first is the message as it was sent
	Seconds  float64 `json:"at"`                 // since the recording began
	ToClient bool    `json:"toClient,omitempty"` // else to the agent
	Session  int     `json:"session,omitempty"`  // its number
	Type     string  `json:"type"`               // of package trace
	Method   string  `json:"method,omitempty"`   // of a response: that of its request
	Update   string  `json:"update,omitempty"`   // the kind of a session update
	About    About   `json:"about"`
	Says     string  `json:"says,omitempty"` // what it says, in one short line
	Fate     Fate    `json:"fate"`
	Why      string  `json:"why,omitempty"`    // it was dropped
	Became   string  `json:"became,omitempty"` // what left first in its place, if that is another message
	Bytes    int     `json:"bytes"`            // of the message as it was sent

	Request int      `json:"request,omitempty"` // of an answer: the row of the request
	Answer  int      `json:"answer,omitempty"`  // of a request: the line with the answer that arrived; 0 while there is none
	Took    *float64 `json:"took,omitempty"`    // of what arrives as an answer: how many seconds who asked has waited
	Failed  bool     `json:"failed,omitempty"`  // an error that who asked has got, or a tool call that failed
	Error   string   `json:"error,omitempty"`   // of an error, or a tool call that failed: what it says
	Unseen  bool     `json:"unseen,omitempty"`  // of a request to the client, which has no such method: no user has seen it

	Own    bool   `json:"own,omitempty"`    // the proxy says it by itself
	Of     int    `json:"of,omitempty"`     // of such a message: the row that it belongs to
	Caused []int  `json:"caused,omitempty"` // the rows that belong to this one
	IDOnly bool   `json:"idOnly,omitempty"` // rewritten, and nothing but its id differs
	Lost   []Loss `json:"lost,omitempty"`   // what was lost of it in translation

	Tool int `json:"tool,omitempty"` // the number of its tool call
	Run  int `json:"run,omitempty"`  // of a chunk: the first row with a chunk of the message; of a vendor's notification: the first of that kind in a row

	InTurn bool    `json:"inTurn,omitempty"`
	Opens  bool    `json:"opens,omitempty"`    // it begins a turn
	Closes bool    `json:"closes,omitempty"`   // it ends a turn
	Stop   string  `json:"stop,omitempty"`     // of both: why the turn ended, once it has
	Turn   float64 `json:"turnTook,omitempty"` // of both: how long it took, in seconds

	// Forgets: the message ends the plans of its session, or those of all sessions.
	Forgets string `json:"forgets,omitempty"` // "session" or "all"
}

// Settled reports whether it is known what became of the message.
func (r *Row) Settled() bool { return r.Fate != Unknown }

// Plan returns what the message says of a plan as it was sent, nil if it concerns none.
func (r *Row) Plan() *Plan { return r.Lines[0].Plan }

// A Line is one line of a recording: a message on a part of its way.
type Line struct {
	Number int    `json:"n"`
	From   string `json:"from"`
	To     string `json:"to"`
	Method string `json:"method,omitempty"` // of a response: that of its request on this part of the way
	Plan   *Plan  `json:"plan,omitempty"`   // nil if the message concerns no plan
}

// A Plan is what a message says of a plan. That in the form "plan" is another one than
// those of other forms; among these, plans with different ids are.
type Plan struct {
	ID    string `json:"id"`             // empty for the plan that has none
	Form  string `json:"form"`           // plan, removed, or the type of a plan_update
	Done  int    `json:"done,omitempty"` // entries, or tasks of a text, that are completed
	Total int    `json:"total,omitempty"`

	isList bool // there are entries to be counted
}

// A Loss is something that the receiver's version cannot say.
type Loss struct {
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"`   // what tells losses of the kind apart
	Detail string `json:"detail,omitempty"` // what was done
}

// About is what a message is about, in the words of someone who follows a
// conversation.
type About string

// What messages are about.
const (
	AboutPlan       About = "plan"
	AboutTurn       About = "turn"
	AboutText       About = "text"
	AboutTool       About = "tool"
	AboutPermission About = "permission" // and questions
	AboutUsage      About = "usage"
	AboutOther      About = "other"
)

// Fate is what became of a message.
type Fate string

// What can become of a message.
const (
	Forwarded Fate = "forwarded"
	Rewritten Fate = "rewritten"
	Dropped   Fate = "dropped" // nothing left for it: a loss only if Lost says so
	Added     Fate = "added"   // by the proxy
	Unknown   Fate = "unknown"
)

// A Session is a session as it is called where it has a number.
type Session struct {
	Number int    `json:"number"` // from 1
	ID     string `json:"id"`
}

// Ends are what the two ends say of themselves, and a recording of itself.
type Ends struct {
	Client         string `json:"client,omitempty"` // name and version
	Agent          string `json:"agent,omitempty"`
	ClientProtocol string `json:"clientProtocol,omitempty"`
	AgentProtocol  string `json:"agentProtocol,omitempty"`
	Joined         bool   `json:"joined,omitempty"`   // by the proxy: they share no version
	Began          string `json:"began,omitempty"`    // when the recording began, as in RFC 3339
	Redacted       bool   `json:"redacted,omitempty"` // what is private has been taken out
}
