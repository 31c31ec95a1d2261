package timeline

// A Row is a message of the client, the agent or the proxy, with its fate.
//
// A later event can change a row: its fate, its response, the end of its turn. The Number
// stays.
type Row struct {
	Number   int     `json:"n"`                  // the number of the first line
	Lines    []Line  `json:"lines"`              // in order; the first has the message as sent
	Seconds  float64 `json:"at"`                 // since the start of the recording
	ToClient bool    `json:"toClient,omitempty"` // else to the agent
	Session  int     `json:"session,omitempty"`  // the number of the session
	Type     string  `json:"type"`               // of package trace
	Method   string  `json:"method,omitempty"`   // of a response: that of its request
	Update   string  `json:"update,omitempty"`   // the kind of a session update
	About    About   `json:"about"`
	Summary  string  `json:"says,omitempty"` // a summary in one short line
	Fate     Fate    `json:"fate"`
	Why      string  `json:"why,omitempty"`    // the reason why the message was dropped
	Became   string  `json:"became,omitempty"` // the first message that replaced this one, if its content differs
	Bytes    int     `json:"bytes"`            // the size of the message as sent

	Request int      `json:"request,omitempty"` // of a response: the row of the request
	Answer  int      `json:"answer,omitempty"`  // of a request: the line of the response that arrived; 0 while pending
	Took    *float64 `json:"took,omitempty"`    // of a response that arrived: seconds since the request
	Failed  bool     `json:"failed,omitempty"`  // an error that arrived, or a tool call that failed
	Error   string   `json:"error,omitempty"`   // the text of an error or of a failed tool call
	Unseen  bool     `json:"unseen,omitempty"`  // of a request: the client does not have the method

	Own    bool   `json:"own,omitempty"`    // the proxy sent the message on its own
	Of     int    `json:"of,omitempty"`     // of such a message: the number of the row that it belongs to, or 0
	Caused []int  `json:"caused,omitempty"` // the numbers of the rows that belong to this one
	IDOnly bool   `json:"idOnly,omitempty"` // rewritten, but only the id differs
	Lost   []Loss `json:"lost,omitempty"`   // content lost in translation

	Tool int `json:"tool,omitempty"` // the number of the tool call
	Run  int `json:"run,omitempty"`  // the number of the first row of consecutive chunks of a message

	InTurn   bool    `json:"inTurn,omitempty"`
	Opens    bool    `json:"opens,omitempty"`    // begins a turn
	Closes   bool    `json:"closes,omitempty"`   // ends a turn
	Stop     string  `json:"stop,omitempty"`     // if the row opens or closes a turn that has ended: the reason
	TurnTook float64 `json:"turnTook,omitempty"` // the length of that turn in seconds

	// Forgets is "session" or "all" if the message resets the plans of its session or of all sessions.
	Forgets string `json:"forgets,omitempty"`
}

// Plan returns the plan in the message as sent, or nil.
func (r *Row) Plan() *Plan { return r.Lines[0].Plan }

// A Line is an event of the row, one line of the recording.
type Line struct {
	Number int    `json:"n"`
	From   string `json:"from"`
	To     string `json:"to"`
	Method string `json:"method,omitempty"` // of a response: the method of its request
	Plan   *Plan  `json:"plan,omitempty"`   // nil if the message has none
}

// A Plan is a plan, or the removal of one, in a message. A session has one plan of form
// "plan"; its other plans differ by ID.
type Plan struct {
	ID    string `json:"id"`             // empty if the plan has no id
	Form  string `json:"form"`           // "plan", "removed", or the type of a plan_update
	Done  int    `json:"done,omitempty"` // completed entries, or checked boxes of a text
	Total int    `json:"total,omitempty"`

	isList bool // the plan has a list of entries, which may be empty
}

// A Loss is content of the message that did not arrive as it was sent.
type Loss struct {
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"`   // distinguishes losses of the same kind
	Detail string `json:"detail,omitempty"` // the replacement, or the reason
}

// About is the topic of a message.
type About string

// The topics.
const (
	AboutPlan       About = "plan"
	AboutTurn       About = "turn"
	AboutText       About = "text"
	AboutTool       About = "tool"
	AboutPermission About = "permission" // and questions
	AboutUsage      About = "usage"
	AboutOther      About = "other"
)

// Fate is the result of a message's passage through the proxy.
type Fate string

// The fates.
const (
	Forwarded Fate = "forwarded"
	Rewritten Fate = "rewritten"
	Dropped   Fate = "dropped" // without a replacement; content is lost only if Lost is set
	Added     Fate = "added"   // by the proxy
	Unknown   Fate = "unknown"
)

// A Session maps the number of a session to its id.
type Session struct {
	Number int    `json:"number"` // from 1
	ID     string `json:"id"`
}

// Peers describes the client, the agent and the recording.
type Peers struct {
	Client         string `json:"client,omitempty"` // name and version
	Agent          string `json:"agent,omitempty"`
	ClientProtocol string `json:"clientProtocol,omitempty"`
	AgentProtocol  string `json:"agentProtocol,omitempty"`
	Joined         bool   `json:"joined,omitempty"`   // the proxy bridges two versions
	Began          string `json:"began,omitempty"`    // the wall-clock time of the start, in RFC 3339
	Redacted       bool   `json:"redacted,omitempty"` // by the redact command
}
