package oldclient

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A client opens a session with session/new, session/fork, session/load or
// session/resume. Version 2 has one method for the last two. In version 1 the modes are
// next to the options in the answer, and the commands in an update: after the answer, if
// the client does not know the session before.

// openings are the requests for sessions.
type openings struct {
	link     *link.Link
	options  Options
	sessions *sessions
	held     *held
	choices  *choices

	release func(which func(heldMessage) bool) // has what is held converted
	listed  func(*link.Call, *jsonrpc.Message) // handles the agent's answer to session/list
}

// params returns the params of a request for a session as version 2 has them. If it
// cannot, it has answered the client.
func (t *openings) params(m *jsonrpc.Message) (rawjson.Object, bool) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	if o.Get("configOptions") != nil {
		t.link.LoseNamed(translate.LossCapability, "configOptions", "options in a request for a session are left out")
		o = slices.DeleteFunc(o, func(f rawjson.Field) bool { return string(f.Name) == "configOptions" })
	}
	if system := o.Get("systemPrompt"); system != nil {
		cwd, _ := o.Text("cwd")
		w := words.Writer{Cwd: string(cwd)}
		ok = words.SystemPromptToV2(&w, system)
		t.link.LoseAll(w.Losses)
		o = o.Set("systemPrompt", w.Out)
	}
	if ok {
		var servers []byte
		if servers, ok = words.MCPServersToV2(nil, o.Get("mcpServers")); ok {
			t.notOffered(servers)
			return o.Set("mcpServers", servers), true
		}
	}
	t.link.Refuse(translate.Client, m.ID, invalid("the params cannot be read"))
	return nil, false
}

// notOffered notes what one side offers and the other one does not know of.
func (t *openings) notOffered(servers []byte) {
	if t.options.Client.Files {
		t.link.Lose(translate.LossClientFiles, "the agent works on the disk and does not see unsaved changes")
	}
	if t.options.Client.Terminals {
		t.link.Lose(translate.LossClientTerminals, "the agent runs commands by itself")
	}
	if t.options.Agent.SignIns {
		t.link.Lose(translate.LossSignIn, "left out those of types that the client does not know")
	}
	t.link.LoseUntold(t.options.Client.Untold, t.options.Agent.Untold)
	if !t.options.Agent.Stdio && bytes.Contains(servers, []byte(`"type":"stdio"`)) {
		t.link.Lose(translate.LossMCPServers, "the agent starts none, and will refuse them")
	}
}

// newSession handles session/new and session/fork.
func (t *openings) newSession(m *jsonrpc.Message) {
	o, ok := t.params(m)
	if !ok {
		return
	}
	t.held.opening++
	cwd, _ := o.Text("cwd")
	if !t.held.kept.Fix(len(cwd)) {
		cwd = nil
	}
	at := string(cwd)
	t.link.Ask(translate.Agent, m, "", words.Text(o), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { t.sessionOpened(c, m, at) },
	})
}

// sessionOpened handles the answer to session/new or session/fork, for a session in
// that directory.
func (t *openings) sessionOpened(c *link.Call, m *jsonrpc.Message, cwd string) {
	t.held.opening--
	t.held.kept.Free(len(cwd))
	if !refusedByAgent(t.link, c, m) {
		o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
		if id, ok := o.Text("sessionId"); ok && len(id) <= maxID {
			s := t.sessions.get(id)
			s.opened = true
			s.worksIn(cwd)
			t.answer(c.ID, s, o)
			t.release(func(h heldMessage) bool { return h.session == s.id })
			t.tellCommands(s, o)
		} else {
			t.link.Refuse(translate.Client, c.ID, errUnread)
		}
	}
	if t.held.opening == 0 {
		t.release(func(heldMessage) bool { return true })
	}
}

// A loading is a request for a session that there was before.
type loading struct {
	history bool // it is session/load
	wasOpen bool // the client had opened the session before
}

// loadSession handles session/load and session/resume.
func (t *openings) loadSession(m *jsonrpc.Message) {
	o, ok := t.params(m)
	if !ok {
		return
	}
	if m.Session == nil {
		t.link.Refuse(translate.Client, m.ID, invalid("sessionId is missing"))
		return
	}
	s := t.sessions.get(m.Session)
	l := loading{wasOpen: s.opened}
	s.opened = true
	if cwd, ok := o.Text("cwd"); ok {
		s.worksIn(string(cwd))
	}
	if string(m.Method) == "session/load" {
		l.history = true
		s.toolCalls.flush()
		s.loads++
		s.unseen = s.unseen || s.loads == 1
		o = o.Set("replayFrom", []byte(`{"type":"start"}`))
	}
	t.link.Ask(translate.Agent, m, "session/resume", words.Text(o), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { t.sessionLoaded(c, m, l) },
	})
}

// beginHistory forgets what the client has of the session, because all of it comes
// again. That begins with the first update behind session/load: whether an update
// still belongs to a running turn cannot be told.
func (t *openings) beginHistory(s *session) {
	s.unseen, s.options.told = false, digest{}
	t.sessions.forgetShown(s)
}

// sessionLoaded handles the answer to session/resume.
func (t *openings) sessionLoaded(c *link.Call, m *jsonrpc.Message, l loading) {
	s := t.sessions.find(c.Asked.Session)
	if s != nil {
		s.toolCalls.flush()
	} else {
		s = t.sessions.ended(c.Asked.Session)
	}
	unseen := l.history && s.unseen
	if l.history {
		s.loads = max(0, s.loads-1) // the session may be another one of that name
		s.unseen = s.loads > 0
	}
	if refusedByAgent(t.link, c, m) {
		s.opened = l.wasOpen
		return
	}
	result := link.ResultOf(m)
	o, ok := rawjson.ReadObject(nil, result)
	if !ok && !rawjson.Null(result) {
		t.link.Refuse(translate.Client, c.ID, errUnread)
		return
	}
	if s.opened = true; unseen {
		t.beginHistory(s)
	}
	t.tellCommands(s, o) // before the answer, as all of a history
	t.answer(c.ID, s, o)
}

// answer answers a request for a session.
func (t *openings) answer(id []byte, s *session, o rawjson.Object) {
	var modes, options []byte
	if list := o.Get("configOptions"); !rawjson.Null(list) {
		modes, options = t.choices.open(s, list)
	}
	w := t.link.AnswerWith(id)
	words.OpenedSession.BeginToV1(w, o)
	w.Member("modes", modes)
	w.Member("configOptions", options)
	w.EndObject()
	t.link.SendObject(translate.Client)
}

// tellCommands tells the client which commands the agent's answer says that a session
// has.
func (t *openings) tellCommands(s *session, o rawjson.Object) {
	list := o.Get("availableCommands")
	if rawjson.Null(list) {
		return
	}
	w := t.link.UpdateWith([]byte(s.id), "available_commands_update")
	w.Name("availableCommands")
	if words.CommandsToV1(w, list) {
		t.link.SendUpdate()
	} else {
		t.link.LoseAll(w.Losses)
	}
}

// listSessions handles session/list.
func (t *openings) listSessions(m *jsonrpc.Message) {
	t.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{Answered: t.listed})
}
