package oldagent

import (
	"errors"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A session is what the bridge knows of a session.
type session struct {
	id   string
	cwd  string // where relative paths begin; "" if that is not known
	live bool   // the agent has made or loaded it in this connection, or worked on it

	reopened bool // it was closed, and the client goes on with it all the same

	title, updatedAt []byte // raw, as the agent last said; nil if it did not

	state     state
	turn      *turn         // nil if none
	turns     int           // how many there were, with this one
	held      []heldRequest // prompts
	keys      promptKeys
	questions []*question // that the client has not answered
	ending    *ending     // nil unless it is being closed or deleted

	promptIDs map[string]bool // that the agent gave to prompts
	message   message
	replay    *replay // nil if none is under way
	resuming  int     // how many requests to resume it are open
	toolCalls toolCalls
	terminals map[string]*terminal
	options   options

	kept    int  // in bytes, see Bridge.keep
	dropped bool // the bridge has forgotten the session
}

// entrySize is what a small thing that is kept counts, besides its texts.
const entrySize = 64

// keep reports whether n more bytes can be kept of a session, and counts them.
func (b *Bridge) keep(s *session, n int) bool {
	if s.dropped {
		return true // it is only an answer that is still being written
	}
	if b.kept+n > MaxKept {
		return false
	}
	b.kept += n
	s.kept += n
	return true
}

// unkeep takes in that n bytes of a session are kept no longer.
func (b *Bridge) unkeep(s *session, n int) {
	if !s.dropped {
		b.kept -= n
		s.kept -= n
	}
}

// session returns the session with that id. One that is new to the bridge is
// made: updates can come before the answer that names their session.
func (b *Bridge) session(id []byte) *session {
	if s := b.sessions[string(id)]; s != nil {
		return s
	}
	if len(b.sessions) >= MaxSessions {
		b.forgetIdle(id)
	}
	s := &session{id: string(id), state: idle}
	b.sessions[s.id] = s
	return s
}

// forgetIdle makes room for another session.
func (b *Bridge) forgetIdle(id []byte) {
	for _, s := range b.sessions {
		if s.turn == nil && s.replay == nil && s.ending == nil && len(s.questions) == 0 {
			b.lose(id, translate.LossTooManySessions, "what was known of another session was forgotten")
			b.drop(s)
			return
		}
	}
}

// drop forgets a session.
func (b *Bridge) drop(s *session) {
	b.toolCalls -= len(s.toolCalls.known)
	b.terminals -= len(s.terminals)
	b.kept -= s.kept
	delete(b.sessions, s.id)
	*s = session{id: s.id, state: idle, dropped: true} // open requests may still know it
}

// refuseSession answers a request about a session that does not exist.
func (b *Bridge) refuseSession(id, session []byte) {
	data := append(rawjson.AppendQuoted([]byte(`{"sessionId":`), session), '}')
	b.refuse(id, resourceNotFound, "Resource not found", data)
}

// newSession asks the agent for a new session, or for a fork.
func (b *Bridge) newSession(m *jsonrpc.Message) {
	o, params, ok := b.sessionParams(m, string(m.Method) == "session/new")
	if !ok {
		return
	}
	c := b.open(m, request{answered: b.sessionMade, session: string(m.Session)})
	if c == nil {
		return
	}
	if at := b.directory(m, o); b.kept+len(at) <= MaxKept {
		c.Asked.cwd = at
		b.kept += len(at)
	} else {
		b.loseDirectory(m.Session)
	}
	b.readdress(toAgent, m, c.Number, "", params)
}

// sessionParams returns the params with which the agent is asked for a session,
// and the client's params. It reports false if it has refused the request.
func (b *Bridge) sessionParams(m *jsonrpc.Message, needsServers bool) (o rawjson.Object, params []byte, ok bool) {
	o, ok = rawjson.ReadObject(nil, m.Params.Of(m.Text))
	if !ok {
		b.refuse(m.ID, invalidParams, "Invalid params: no object", nil)
		return nil, nil, false
	}
	servers, err := words.MCPServersToV1(o.Get("mcpServers"))
	if err != nil {
		var data []byte
		if unsupported := (*words.UnsupportedServer)(nil); errors.As(err, &unsupported) {
			data = append(rawjson.AppendQuoted([]byte(`{"type":`), unsupported.Type), '}')
		}
		b.refuse(m.ID, invalidParams, "Invalid params: "+err.Error(), data)
		return nil, nil, false
	}
	w := &words.Writer{}
	w.Text("{")
	for _, f := range o {
		switch string(f.Name) {
		case "replayFrom", "mcpServers":
		case "systemPrompt":
			member(w, "systemPrompt")
			if !words.SystemPromptToV1(w, f.Value) {
				b.refuse(m.ID, invalidParams, "Invalid params: a system prompt that the agent cannot be given", nil)
				return nil, nil, false
			}
		default:
			field(w, f)
		}
	}
	if needsServers || o.Get("mcpServers") != nil {
		member(w, "mcpServers")
		w.Out = append(w.Out, servers...)
	}
	w.Text("}")
	b.noteLosses(m, w)
	return o, w.Out, true
}

// directory returns where a session is to work, "" if that is not kept.
func (b *Bridge) directory(m *jsonrpc.Message, params rawjson.Object) string {
	cwd, _ := params.Text("cwd")
	if len(cwd) > MaxCwd {
		b.loseDirectory(m.Session)
		return ""
	}
	return string(cwd)
}

func (b *Bridge) loseDirectory(session []byte) {
	b.lose(session, translate.LossLongDirectory, "it is too long: relative paths stay relative, and the proxy's own list of sessions lacks it")
}

// worksIn notes where a session works.
func (b *Bridge) worksIn(s *session, cwd string) {
	b.unkeep(s, len(s.cwd))
	if s.cwd = cwd; !b.keep(s, len(cwd)) {
		s.cwd = ""
		b.loseDirectory([]byte(s.id))
	}
}

// sessionMade takes in the agent's answer to session/new or session/fork.
func (b *Bridge) sessionMade(c *call, m *jsonrpc.Message) {
	b.kept -= len(c.Asked.cwd)
	if m.Failed() || !m.Result.Present() {
		b.answerError(c, m)
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
	id, ok := o.Text("sessionId")
	if !ok {
		b.refuse(c.ID, internalError, "the agent made a session without an id", nil)
		return
	}
	delete(b.closed, string(id))
	delete(b.deleted, string(id))
	s := b.session(id)
	s.live = true
	b.worksIn(s, c.Asked.cwd)
	b.replySession(s, c.ID, o)
}

// replySession answers the request that made or resumed a session.
func (b *Bridge) replySession(s *session, id []byte, result rawjson.Object) {
	has := b.takeOptions(s, result)
	w := b.begin()
	respond(w, id, "result")
	w.Text("{")
	for _, f := range result {
		switch string(f.Name) {
		case "modes", "models", "configOptions", "availableCommands":
		default:
			field(w, f)
		}
	}
	if has {
		w.Name("configOptions")
		s.options.write(w)
	}
	w.Text("}}")
	b.send(toClient)
}

// resume takes up a session again. What an agent of version 1 can do differs:
//
//	the client wants   the agent has load      only resume    neither
//	a replay           session/load            session/resume  refused, unless the
//	no replay          session/resume, or      session/resume  session is live here
//	                   session/load with its
//	                   replay left out
//
// A session that is live here is not loaded only to leave its replay out: that
// would also leave out what its running turn says.
func (b *Bridge) resume(m *jsonrpc.Message) {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	from := o.Get("replayFrom")
	replays := !rawjson.Null(from)
	if replays {
		cursor, _ := rawjson.ReadObject(nil, from)
		if kind, _ := cursor.Text("type"); string(kind) != "start" {
			data := append(rawjson.AppendQuoted([]byte(`{"type":`), kind), '}')
			b.refuse(m.ID, invalidParams, "Invalid params: history cannot be replayed from there", data)
			return
		}
	}
	can := b.options.Agent
	switch {
	case can.Load && replays, can.Load && !can.Resume && !b.isLive(m.Session):
		b.resumeBy(m, "session/load", replays)
	case can.Resume:
		if replays {
			b.lose(m.Session, translate.LossHistory, "the agent cannot repeat it, the client shows none")
		}
		b.resumeBy(m, "session/resume", replays)
	default:
		b.resumeLive(m, replays)
	}
}

func (b *Bridge) resumeBy(m *jsonrpc.Message, method string, replays bool) {
	o, params, ok := b.sessionParams(m, method == "session/load")
	if !ok {
		return
	}
	c := b.open(m, request{session: string(m.Session)})
	if c == nil {
		return
	}
	s := b.reopen(m.Session)
	if !rawjson.Null(o.Get("cwd")) {
		b.worksIn(s, b.directory(m, o))
	}
	s.breakMessage()
	if s.replay != nil {
		b.freeReplay(s.replay) // another follows
	}
	r := newReplay(s, method == "session/load", replays)
	s.replay = r
	s.resuming++
	c.Asked.answered = func(c *call, m *jsonrpc.Message) { b.resumed(c, m, s, r) }
	b.readdress(toAgent, m, c.Number, method, params)
}

// resumed takes in the agent's answer to session/load or session/resume.
func (b *Bridge) resumed(c *call, m *jsonrpc.Message, s *session, r *replay) {
	s.resuming--
	if s.replay == r {
		b.freeReplay(r)
		s.replay = nil
		s.breakMessage()
	}
	failed := m.Failed() || !m.Result.Present()
	b.endChildReplays(r, failed)
	if failed {
		switch {
		case s.live || s.turn != nil || s.replay != nil || s.resuming > 0 || s.dropped:
		case s.reopened:
			b.dropClosed(s)
		default:
			b.drop(s)
		}
		b.answerError(c, m)
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
	if !s.dropped { // it was not closed since
		s.live, s.reopened = true, false
		delete(b.deleted, s.id)
		if r.wanted {
			b.tellReplayed(s)
		}
		b.tellState(s, s.state)
	}
	b.replySession(s, c.ID, o)
}

// isLive reports whether the agent has the session, or is to work on a prompt of
// it.
func (b *Bridge) isLive(id []byte) bool {
	s := b.sessions[string(id)]
	return s != nil && (s.live || s.turn != nil)
}

// resumeLive answers for an agent that is not asked to resume a session.
func (b *Bridge) resumeLive(m *jsonrpc.Message, replays bool) {
	if !b.isLive(m.Session) {
		b.refuseMethod(m.ID, "session/resume")
		return
	}
	s := b.sessions[string(m.Session)]
	if replays {
		b.lose(m.Session, translate.LossHistory, "the agent cannot repeat it, the client shows none")
		b.tellReplayed(s)
	}
	b.tellState(s, s.state)
	w := b.begin()
	respond(w, m.ID, "result")
	w.Text("{")
	if s.options.any() {
		w.Name("configOptions")
		s.options.write(w)
	}
	w.Text("}}")
	b.send(toClient)
}

// listSessions asks the agent which sessions there are. If the agent cannot
// tell, the bridge lists the sessions of this connection.
func (b *Bridge) listSessions(m *jsonrpc.Message) {
	if b.options.Agent.List {
		b.ask(m, "", sameParams(m), b.sessionsListed)
		return
	}
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	cwd, filtered := o.Text("cwd")
	var ids []string
	for _, s := range b.sessions {
		if s.live && s.cwd != "" && (!filtered || s.cwd == string(cwd)) {
			ids = append(ids, s.id)
		}
	}
	slices.Sort(ids)
	w := b.begin()
	respond(w, m.ID, "result")
	w.Text(`{"sessions":[`)
	for _, id := range ids {
		s := b.sessions[id]
		comma(w)
		w.Text(`{"sessionId":`)
		w.Quoted([]byte(id))
		member(w, "cwd")
		w.Quoted([]byte(s.cwd))
		optional(w, "title", s.title)
		optional(w, "updatedAt", s.updatedAt)
		w.Text("}")
	}
	w.Text("]}}")
	b.send(toClient)
}

// listed writes a session of a list. Version 2 wants to know where it works. It
// wants no session that was deleted, but some agents still list it for a
// moment.
func (b *Bridge) listed(w *words.Writer, value []byte) bool {
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], value)
	if id, _ := o.Text("sessionId"); b.deleted[string(id)] {
		return false
	}
	ok := words.ListedSession.ToV2.Convert(w, value)
	if !ok {
		w.Lose(translate.LossListedSession, "one without an id or a directory was left out")
	}
	return ok
}

func (b *Bridge) sessionsListed(c *call, m *jsonrpc.Message) {
	if m.Failed() || !m.Result.Present() {
		b.answerError(c, m)
		return
	}
	w := b.begin()
	respond(w, c.ID, "result")
	if !words.SessionList(b.listed).Convert(w, m.Result.Of(m.Text)) {
		w.Text(`{"sessions":[]}`)
	}
	w.Text("}")
	b.send(toClient)
}
