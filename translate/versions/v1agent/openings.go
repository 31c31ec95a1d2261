package v1agent

import (
	"errors"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// openings are how a client gets at sessions: new ones, forks, ones that it resumes, and
// lists of them.
type openings struct {
	link     *link.Link
	client   words.V2Client
	agent    words.V1Agent
	sessions *sessions
}

// A directory is where a session works that the agent was asked to make.
type directory string

// newSession handles session/new and session/fork.
func (op *openings) newSession(m *jsonrpc.Message) {
	o, params, ok := op.params(m, string(m.Method) == "session/new")
	if !ok {
		return
	}
	c := op.link.Open(translate.Agent, m, link.Request{Answered: op.sessionMade})
	if c == nil {
		return
	}
	cwd, _ := o.Text("cwd")
	if !op.sessions.beside.Fix(len(cwd)) {
		cwd = nil
	}
	c.Asked.Of = directory(cwd)
	op.link.AskAgain(translate.Agent, c, m, "", params)
}

// params returns the params with which the agent is asked for a session, and the
// client's params. It reports false if it has refused the request.
func (op *openings) params(m *jsonrpc.Message, needsServers bool) (o rawjson.Object, params []byte, ok bool) {
	o, ok = rawjson.ReadObject(nil, link.ParamsOf(m))
	if !ok {
		op.link.Refuse(translate.Client, m.ID, invalid("no object"))
		return nil, nil, false
	}
	servers, err := words.MCPServersToV1(o.Get("mcpServers"))
	if err != nil {
		e := invalid(err.Error())
		if unsupported := (*words.UnsupportedServer)(nil); errors.As(err, &unsupported) {
			e.Data = naming("type", []byte(unsupported.Type))
		}
		op.link.Refuse(translate.Client, m.ID, e)
		return nil, nil, false
	}
	var w words.Writer
	w.Object()
	w.Others(o, "replayFrom", "mcpServers", "configOptions", "systemPrompt")
	if o.Get("configOptions") != nil {
		op.link.LoseNamed(translate.LossCapability, "configOptions", "options in a request for a session are left out")
	}
	if system := o.Get("systemPrompt"); system != nil {
		w.Name("systemPrompt")
		if !w.ToV1(words.SystemPrompt, system) {
			op.link.Refuse(translate.Client, m.ID, invalid("a system prompt that the agent cannot be given"))
			return nil, nil, false
		}
	}
	if needsServers || o.Get("mcpServers") != nil {
		w.Member("mcpServers", servers)
	}
	w.EndObject()
	op.link.LoseAllOf(m.Session, w.Losses)
	op.link.LoseUntold(op.client.Untold, op.agent.Untold)
	return o, w.Out, true
}

// sessionMade handles the agent's answer to session/new or session/fork.
func (op *openings) sessionMade(c *link.Call, m *jsonrpc.Message) {
	at := c.Asked.Of.(directory)
	op.sessions.beside.Free(len(at))
	if failed(m) {
		passError(op.link, c.ID, c.Asked.Session, m)
		return
	}
	o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
	id, ok := o.Text("sessionId")
	if !ok {
		op.link.Refuse(translate.Client, c.ID, link.Error{Code: link.InternalError, Message: "the agent made a session without an id"})
		return
	}
	s := op.sessions.made(id)
	s.worksIn(string(at))
	op.answer(s, c.ID, o, s.takeOptions(o))
}

// answer answers the request that made or resumed a session, with its options if there
// are any.
func (op *openings) answer(s *session, id []byte, result rawjson.Object, withOptions bool) {
	w := op.link.AnswerWith(id)
	words.OpenedSession.BeginToV2(w, result)
	if withOptions {
		w.Name("configOptions")
		s.options.write(w)
	}
	w.EndObject()
	op.link.SendObject(translate.Client)
}

// resumeSession handles session/resume. What an agent of version 1 can do differs:
//
//	the client wants   the agent has load      only resume    neither
//	a replay           session/load            session/resume  refused, unless the
//	no replay          session/resume, or      session/resume  session is live here
//	                   session/load with its
//	                   replay left out
//
// A session that is live here is not loaded only to leave its replay out: that
// would also leave out what its running turn says.
func (op *openings) resumeSession(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	from := o.Get("replayFrom")
	replays := !rawjson.Null(from)
	if replays {
		cursor, _ := rawjson.ReadObject(nil, from)
		if kind, _ := cursor.Text("type"); string(kind) != "start" {
			op.link.Refuse(translate.Client, m.ID, invalidOf(kind, "history cannot be replayed from there"))
			return
		}
	}
	can := op.agent
	switch {
	case can.Load && replays, can.Load && !can.Resume && !op.sessions.isLive(m.Session):
		op.resumeBy(m, "session/load", replays)
	case can.Resume:
		if replays {
			op.loseHistory(m)
		}
		op.resumeBy(m, "session/resume", replays)
	default:
		op.resumeLive(m, replays)
	}
}

func (op *openings) loseHistory(m *jsonrpc.Message) {
	op.link.LoseOf(m.Session, translate.LossHistory, "the agent cannot repeat it, the client shows none")
}

// resumeBy asks the agent to resume a session.
func (op *openings) resumeBy(m *jsonrpc.Message, method string, replays bool) {
	o, params, ok := op.params(m, method == "session/load")
	if !ok {
		return
	}
	c := op.link.Open(translate.Agent, m, link.Request{})
	if c == nil {
		return
	}
	s := op.sessions.reopen(m.Session)
	if !rawjson.Null(o.Get("cwd")) {
		cwd, _ := o.Text("cwd")
		s.worksIn(string(cwd))
	}
	r := s.beginReplay(method == "session/load", replays)
	s.resuming++
	c.Asked.Answered = func(c *link.Call, m *jsonrpc.Message) { op.sessionResumed(c, m, s, r) }
	op.link.AskAgain(translate.Agent, c, m, method, params)
}

// sessionResumed handles the agent's answer to session/load or session/resume.
func (op *openings) sessionResumed(c *link.Call, m *jsonrpc.Message, s *session, r *replay) {
	s.resuming--
	r.end(failed(m))
	if failed(m) {
		if !s.live && s.turn == nil && s.replay == nil && s.resuming == 0 {
			if s.reopened {
				op.sessions.end(s)
			} else {
				op.sessions.forget(s)
			}
		}
		passError(op.link, c.ID, c.Asked.Session, m)
		return
	}
	if !s.forgotten { // it was not closed since
		s.live = true
		op.sessions.confirm(s)
		if r.wanted {
			s.tellComplete()
		}
		s.tellState(s.state)
	}
	o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
	op.answer(s, c.ID, o, s.takeOptions(o))
}

// resumeLive answers for an agent that is not asked to resume a session.
func (op *openings) resumeLive(m *jsonrpc.Message, replays bool) {
	if !op.sessions.isLive(m.Session) {
		op.link.Refuse(translate.Client, m.ID, noMethod("session/resume"))
		return
	}
	s := op.sessions.find(m.Session)
	if replays {
		op.loseHistory(m)
		s.tellComplete()
	}
	s.tellState(s.state)
	op.answer(s, m.ID, nil, s.options.any())
}

// listSessions handles session/list. If the agent cannot tell which sessions there
// are, the bridge lists those of this connection.
func (op *openings) listSessions(m *jsonrpc.Message) {
	if op.agent.List {
		op.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{Answered: op.sessionsListed})
		return
	}
	w := op.link.AnswerWith(m.ID)
	w.JSON(`{"sessions":[`)
	for _, s := range op.listed(m) {
		w.Object()
		w.StringMember("sessionId", []byte(s.id))
		w.StringMember("cwd", []byte(s.cwd))
		w.Member("title", s.title)
		w.Member("updatedAt", s.updatedAt)
		w.EndObject()
	}
	w.EndArray()
	w.EndObject()
	op.link.SendObject(translate.Client)
}

// listed returns the sessions of this connection that a client wants to know of, by
// their ids.
func (op *openings) listed(m *jsonrpc.Message) (list []*session) {
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	cwd, filtered := o.Text("cwd")
	for _, s := range op.sessions.all.All() {
		if s.live && s.cwd != "" && (!filtered || s.cwd == string(cwd)) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(x, y *session) int { return strings.Compare(x.id, y.id) })
	return list
}

// sessionsListed handles the agent's answer to session/list.
func (op *openings) sessionsListed(c *link.Call, m *jsonrpc.Message) {
	if failed(m) {
		passError(op.link, c.ID, c.Asked.Session, m)
		return
	}
	w := op.link.AnswerWith(c.ID)
	o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
	if list := o.Get("sessions"); op.sessions.deleted.Len() > 0 && list != nil {
		o = o.Set("sessions", op.sessions.shown(list))
	}
	words.SessionList.ToV2(w, o)
	op.link.SendObject(translate.Client)
}
