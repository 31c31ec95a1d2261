package timeline

import (
	"cmp"
	"strconv"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

// introduce notes what an end says of itself in initialize, and the first event of the
// recording. If the proxy answers by itself, it has joined two versions. It reports whether
// something is new.
func (n *Ends) introduce(s *step) bool {
	before := *n
	n.Began, n.Redacted = cmp.Or(n.Began, brief(s.Began)), n.Redacted || s.Redacted
	switch {
	case s.Type == trace.Request && s.Method == "initialize" && s.From == trace.Client:
		n.Client = nameIn(s.Params, "clientInfo", "info")
	case s.answers != nil && s.Called() == "initialize" && !s.IsError && rawjson.Get(s.Payload, "protocolVersion") != nil:
		n.answered(s)
	}
	return *n != before
}

func (n *Ends) answered(s *step) {
	version := strconv.Itoa(s.Version)
	if s.From == trace.Agent {
		n.AgentProtocol = version
	}
	if s.To == trace.Client {
		n.ClientProtocol = version
		n.Joined = s.From == trace.Proxy && version != n.AgentProtocol
	}
	n.Agent = nameIn(s.Payload, "agentInfo", "info")
}

// nameIn returns the name and the version in the first of two members that is there.
func nameIn(object []byte, first, second string) string {
	described := rawjson.Get(object, first)
	if described == nil {
		described = rawjson.Get(object, second)
	}
	name := cmp.Or(recording.TextOf(described, "title"), recording.TextOf(described, "name"))
	return oneLine(name+" "+recording.TextOf(described, "version"), 80)
}

// forgets says whose plans a message of the client ends. A session that is loaded is told
// again from its beginning.
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
