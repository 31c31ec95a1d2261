package timeline

import (
	"cmp"
	"strconv"

	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// readPeers reads initialize and the first event of the recording, and reports whether the peers have
// changed.
func (p *Peers) readPeers(e *event) bool {
	before := *p
	p.Began, p.Redacted = cmp.Or(p.Began, brief(e.Began)), p.Redacted || e.Redacted
	switch {
	case e.Type == trace.Request && e.Method == "initialize" && e.From == trace.Client:
		p.Client = nameIn(e.Params, "clientInfo")
	case e.answered != nil && e.CalledMethod() == "initialize" && !e.IsError && rawjson.Get(e.Payload, "protocolVersion") != nil:
		p.readResult(e)
	}
	return *p != before
}

// readResult reads the result of initialize. If the proxy responds with another version than the
// agent, it bridges the two.
func (p *Peers) readResult(e *event) {
	version := strconv.Itoa(e.Version)
	if e.From == trace.Agent {
		p.AgentProtocol = version
	}
	if e.To == trace.Client {
		p.ClientProtocol = version
		p.Joined = e.From == trace.Proxy && version != p.AgentProtocol
	}
	p.Agent = nameIn(e.Payload, "agentInfo")
}

// nameIn returns the name and the version of a peer in initialize: in member in version 1, in "info" in
// version 2.
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
func forgets(e *event) string {
	switch {
	case e.Type != trace.Request:
	case e.Method == "initialize":
		return "all"
	case translate.Replays(e.Method, e.Params):
		return "session"
	}
	return ""
}
