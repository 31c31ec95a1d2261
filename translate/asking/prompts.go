package asking

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport/jsonrpc"
)

// maxPrompts bounds the prompts whose session is known.
const maxPrompts = 1 << 10

// Prompts records the client's latest prompts.
type Prompts struct {
	Share           *keep.Share      // budget of the records
	LastSession     string           // session of the latest prompt, "" if there was none
	SeveralSessions bool             // the prompts were in several sessions
	Requests        keep.Map[string] // sessions by the id of the session/prompt request
}

// add records a session/prompt request.
func (p *Prompts) add(m *jsonrpc.Message) {
	if m.ID == nil || m.Session == nil {
		return
	}
	if p.LastSession != string(m.Session) {
		p.SeveralSessions = p.LastSession != ""
		p.LastSession = string(m.Session)
	}
	p.Requests.Keep(p.Share, string(jsonrpc.IDOf(m.ID)), p.LastSession, nil).SetSize(len(p.LastSession))
	p.Requests.Trim(maxPrompts)
}

// Session returns the session of the prompt with that request id, "" if it is unknown.
func (p *Prompts) Session(id jsonrpc.ID) string { return p.Requests.Get(string(id)) }

// Filter returns a filter for responses of the client, and if turns is set, for the messages that
// Read recognizes. It returns nil if neither is needed.
func Filter(turns, responses bool) *scan.Filter {
	if !turns && !responses {
		return nil
	}
	f := &scan.Filter{Responses: responses}
	if turns {
		f.Heads = []string{"session/prompt"}
		f.Methods = []string{"session/cancel", "session/close", "session/delete", "$/cancel_request"}
	}
	return f
}

// Read reads a message of the client. It records a prompt. For a message that cancels a turn or
// closes a session, it returns the session; ok is false for any other.
func (p *Prompts) Read(m *jsonrpc.Message) (session string, closed, ok bool) {
	switch string(m.Method) {
	case "session/prompt":
		p.add(m)
	case "session/cancel":
		session = string(m.Session)
	case "session/close", "session/delete":
		session, closed = string(m.Session), true
	case "$/cancel_request":
		session = p.Session(jsonrpc.IDOf(translate.RequestID(m)))
	}
	return session, closed, session != ""
}
