package v1agent

import (
	"fmt"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// newSession forwards session/new and session/fork.
func (b *Bridge) newSession(m *jsonrpc.Message) {
	o, params, ok := b.sessionParams(m, string(m.Method) == "session/new")
	if !ok {
		return
	}
	cwd := b.share.Hold(o.String("cwd"))
	b.ask(m, "", params, func(c *calls.Call, m *jsonrpc.Message) {
		b.share.Release(len(cwd))
		result := rawjson.Members(calls.ResultOf(m))
		session, ok := result.Text("sessionId")
		switch {
		case m.Failed():
			b.forwardError(c, m)
		case !ok:
			b.link.Refuse(translate.Client, c.ID, jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the agent made a session without an id"})
		default:
			s := b.session(session)
			s.confirm()
			s.setCwd(cwd)
			b.answerAs(c.ID, result, shapes.OpenedSession)
		}
	})
}

// sessionParams returns the client's params of a request for a session, and the converted raw params.
// needsServers reports whether the request must have MCP servers, even an empty list. If sessionParams
// cannot convert the params, it refuses the request and returns false.
func (b *Bridge) sessionParams(m *jsonrpc.Message, needsServers bool) (o rawjson.Object, params []byte, ok bool) {
	o, ok = rawjson.ReadObject(nil, calls.ParamsOf(m))
	if !ok {
		b.refuse(m, calls.InvalidParams("no object"))
		return nil, nil, false
	}
	servers, unknownType, ok := shapes.MCPServersToV1(o.Get("mcpServers"))
	if !ok {
		b.refuse(m, unknownTypeError(unknownType, fmt.Sprintf("MCP server of the unknown type %q", unknownType)))
		return nil, nil, false
	}
	var w shapes.Writer
	w.Object()
	w.CopyOthers(o, "replayFrom", "mcpServers", "configOptions", "systemPrompt")
	if o.Get("configOptions") != nil {
		b.link.Report(translate.Loss{Kind: translate.LossCapability, Name: "configOptions", Detail: "options in a request that opens a session are omitted"})
	}
	if system := o.Get("systemPrompt"); system != nil {
		w.Name("systemPrompt")
		if !w.ToV1(shapes.SystemPrompt, system) {
			b.refuse(m, calls.InvalidParams("a system prompt that the agent cannot be given"))
			return nil, nil, false
		}
	}
	if needsServers || o.Get("mcpServers") != nil {
		w.Member("mcpServers", servers)
	}
	w.EndObject()
	b.link.ReportIn(m.Session, w.Losses...)
	return o, w.Out, true
}

// resumeSession forwards session/resume. The agent's request depends on the agent's abilities:
//
//	the client wants   the agent has load      only resume    neither
//	a replay           session/load            session/resume  refused, unless the
//	no replay          session/resume, or      session/resume  session is open here
//	                   session/load with its
//	                   replay dropped
//
// An open session is not loaded with its replay dropped, because updates of its running turn
// would be dropped too.
func (b *Bridge) resumeSession(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	from := o.Get("replayFrom")
	replays := !rawjson.IsNull(from)
	if kind := rawjson.StringAt(from, "type"); replays && kind != "start" {
		b.refuse(m, unknownTypeError(kind, "history cannot be replayed from there"))
		return
	}
	can, s := b.options.Agent, b.sessions.Find(m.Session)
	isOpen := s != nil && (s.confirmed || s.turn != nil) // the agent has the session, or has received a prompt for it
	method := "session/resume"
	switch {
	case can.Load && (replays || !can.Resume && !isOpen):
		method = "session/load"
	case !can.Resume && !isOpen:
		b.refuse(m, noMethod(method))
		return
	case replays:
		b.link.ReportIn(m.Session, translate.Loss{Kind: translate.LossHistory, Detail: "the agent cannot replay the history; the client shows none"})
	}
	if method == "session/load" || can.Resume {
		b.resumeBy(m, method, replays)
		return
	}
	s.tellResumed(replays)
	var result rawjson.Object
	if list := b.options.Options(m.Session); list != nil {
		result = result.Set("configOptions", list)
	}
	b.answerAs(m.ID, result, shapes.OpenedSession)
}

// resumeBy sends the agent a request to resume a session.
func (b *Bridge) resumeBy(m *jsonrpc.Message, method string, replays bool) {
	o, params, ok := b.sessionParams(m, method == "session/load")
	if !ok {
		return
	}
	s := b.session(m.Session)
	if !rawjson.IsNull(o.Get("cwd")) {
		s.setCwd(o.String("cwd"))
	}
	r := &replay{isLoad: method == "session/load", requested: replays}
	r.begin(s)
	b.ask(m, method, params, func(c *calls.Call, m *jsonrpc.Message) { s.onResumed(c, m, r) })
}

// onResumed forwards the result of session/load or session/resume.
func (s *session) onResumed(c *calls.Call, m *jsonrpc.Message, r *replay) {
	r.end(m.Failed())
	if m.Failed() {
		s.bridge.forwardError(c, m)
		return
	}
	if !s.forgotten { // it was not closed in between
		s.confirm()
		s.tellResumed(r.requested)
	}
	s.bridge.answerAs(c.ID, rawjson.Members(calls.ResultOf(m)), shapes.OpenedSession)
}

// listSessions forwards session/list. For an agent without it, the bridge lists the sessions
// of this connection.
func (b *Bridge) listSessions(m *jsonrpc.Message) {
	if b.options.Agent.List {
		b.ask(m, "", nil, b.resultAs(shapes.SessionList))
		return
	}
	w := b.link.AnswerWith(m.ID)
	w.JSON(`{"sessions":[`)
	cwd, filtered := rawjson.TextOf(rawjson.Get(calls.ParamsOf(m), "cwd"))
	for _, s := range b.sessions.All() {
		if !s.confirmed || s.cwd == "" || filtered && s.cwd != string(cwd) {
			continue
		}
		w.Object()
		w.Texts("sessionId", s.id, "cwd", s.cwd)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	b.link.SendObject(translate.Client)
}
