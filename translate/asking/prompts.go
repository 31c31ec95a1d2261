package asking

import (
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// maxPrompts bounds the prompts whose session is known.
const maxPrompts = 1 << 10

// Prompts records the sessions of the client's latest prompts.
type Prompts struct {
	Kept *keep.Share // budget of the records
	Last string      // session of the latest prompt, "" if there was none

	sessions keep.Map[string] // by the id of the session/prompt request
}

// Add records a session/prompt request.
func (p *Prompts) Add(m *jsonrpc.Message) {
	if m.ID == nil || m.Session == nil {
		return
	}
	p.Last = string(m.Session)
	p.sessions.Keep(p.Kept, string(jsonrpc.IDOf(m.ID)), p.Last, nil).Count(len(p.Last))
	p.sessions.Trim(maxPrompts)
}

// Session returns the session of the prompt with that request id, "" if it is unknown.
func (p *Prompts) Session(id jsonrpc.ID) string { return p.sessions.Get(string(id)) }

// Methods returns the methods that Cancelled recognizes.
func (p *Prompts) Methods() []string { return append(CancelMethods(), "$/cancel_request") }

// Cancelled returns the session whose turn a message of the client cancels, or that it closes.
func (p *Prompts) Cancelled(m *jsonrpc.Message) (session string, closed, ok bool) {
	if string(m.Method) != "$/cancel_request" {
		return CancelledSession(m)
	}
	session = p.Session(RequestID(m))
	return session, false, session != ""
}
