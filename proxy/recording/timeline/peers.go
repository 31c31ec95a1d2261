package timeline

import (
	"cmp"
	"strconv"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// readPeers reads initialize and the first event of the recording, and reports whether the peers have
// changed.
func (p *Peers) readPeers(s *step) bool {
	before := *p
	p.Began, p.Redacted = cmp.Or(p.Began, brief(s.Began)), p.Redacted || s.Redacted
	switch {
	case s.Type == trace.Request && s.Method == "initialize" && s.From == trace.Client:
		p.Client = nameIn(s.Params, "clientInfo")
	case s.answered != nil && s.CalledMethod() == "initialize" && !s.IsError && rawjson.Get(s.Payload, "protocolVersion") != nil:
		p.readResult(s)
	}
	return *p != before
}

// readResult reads the result of initialize. If the proxy responds with another version than the
// agent, it bridges the two.
func (p *Peers) readResult(s *step) {
	version := strconv.Itoa(s.Version)
	if s.From == trace.Agent {
		p.AgentProtocol = version
	}
	if s.To == trace.Client {
		p.ClientProtocol = version
		p.Joined = s.From == trace.Proxy && version != p.AgentProtocol
	}
	p.Agent = nameIn(s.Payload, "agentInfo")
}

// nameIn returns the name and the version in a member of version 1, or in "info" of version 2.
func nameIn(object []byte, member string) string {
	described := rawjson.Get(object, member)
	if described == nil {
		described = rawjson.Get(object, "info")
	}
	name := cmp.Or(rawjson.StringAt(described, "title"), rawjson.StringAt(described, "name"))
	return oneLine(name+" "+rawjson.StringAt(described, "version"), 80)
}

// forgets returns the value of Row.Forgets for a message of the client. The replay of a loaded
// session repeats its plans.
func forgets(s *step) string {
	switch {
	case s.Type != trace.Request:
	case s.Method == "initialize":
		return "all"
	case s.Method == "session/load", s.Method == "session/resume" && rawjson.Get(s.Params, "replayFrom") != nil:
		return "session"
	}
	return ""
}
