package asking

import (
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// maxPrompts bounds the prompts whose session is known.
const maxPrompts = 1 << 10

// Prompts records the client's latest prompts.
type Prompts struct {
	Kept     *keep.Share      // budget of the records
	Last     string           // session of the latest prompt, "" if there was none
	Count    int              // number of prompts so far
	Requests keep.Map[Prompt] // by the id of the session/prompt request
}

// A Prompt is a session/prompt request.
type Prompt struct {
	Session string
	Number  int // from 1
}

// Add records a session/prompt request.
func (p *Prompts) Add(m *jsonrpc.Message) {
	if m.ID == nil || m.Session == nil {
		return
	}
	if p.Last != string(m.Session) {
		p.Last = string(m.Session)
	}
	p.Count++
	p.Requests.Keep(p.Kept, string(jsonrpc.IDOf(m.ID)), Prompt{p.Last, p.Count}, nil).Count(len(p.Last))
	p.Requests.Trim(maxPrompts)
}

// Session returns the session of the prompt with that request id, "" if it is unknown.
func (p *Prompts) Session(id jsonrpc.ID) string { return p.Requests.Get(string(id)).Session }

// Methods returns the methods that Cancelled recognizes.
func (p *Prompts) Methods() []string {
	return []string{"session/cancel", "session/close", "session/delete", "$/cancel_request"}
}

// Cancelled returns the session whose turn a message of the client cancels, or that it closes.
func (p *Prompts) Cancelled(m *jsonrpc.Message) (session string, closed, ok bool) {
	switch string(m.Method) {
	case "session/cancel":
		session = string(m.Session)
	case "session/close", "session/delete":
		session, closed = string(m.Session), true
	case "$/cancel_request":
		session = p.Session(RequestID(m))
	}
	return session, closed, session != ""
}
