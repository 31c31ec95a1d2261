package v1client

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
	choices  *choices
	prompts  *prompts
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
		ok = w.ToV2(words.SystemPrompt, system)
		t.link.LoseAll(w.Losses)
		o = o.Set("systemPrompt", w.Out)
	}
	if ok {
		var servers []byte
		if servers, ok = words.MCPServersToV2(o.Get("mcpServers")); ok {
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

// newSession returns the params of session/new or session/fork as version 2 has them, and
// the directory. If it cannot, it has answered the client.
func (t *openings) newSession(m *jsonrpc.Message) (params []byte, cwd string, ok bool) {
	o, ok := t.params(m)
	if !ok {
		return nil, "", false
	}
	at, _ := o.Text("cwd")
	return words.Text(o), string(at), true
}

// sessionOpened handles the answer to session/new or session/fork, for a session in that
// directory. It returns the session, nil if none was opened, and the agent's result.
func (t *openings) sessionOpened(c *link.Call, m *jsonrpc.Message, cwd string) (*session, rawjson.Object) {
	if refusedByAgent(t.link, c, m) {
		return nil, nil
	}
	o, _ := rawjson.ReadObject(nil, link.ResultOf(m))
	id, ok := o.Text("sessionId")
	if !ok || len(id) > maxID {
		t.link.Refuse(translate.Client, c.ID, errUnread)
		return nil, nil
	}
	s := t.sessions.get(id)
	s.opened = true
	s.worksIn(cwd)
	t.answer(c.ID, s, o)
	return s, o
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
	history, wasOpen := string(m.Method) == "session/load", s.opened
	s.opened = true
	if cwd, ok := o.Text("cwd"); ok {
		s.worksIn(string(cwd))
	}
	if history {
		s.toolCalls.flush()
		s.loads++
		s.unseen = s.unseen || s.loads == 1
		o = o.Set("replayFrom", []byte(`{"type":"start"}`))
	}
	t.link.Ask(translate.Agent, m, "session/resume", words.Text(o), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { t.sessionLoaded(c, m, history, wasOpen) },
	})
}

// beginHistory forgets what the client has of the session, because all of it comes
// again. That begins with the first update behind session/load: whether an update
// still belongs to a running turn cannot be told.
func (t *openings) beginHistory(s *session) {
	s.unseen, s.options.told = false, digest{}
	t.sessions.forgetShown(s)
}

// sessionLoaded handles the answer to what became of session/load, which brings the
// history, or of session/resume. The client may have opened the session before.
func (t *openings) sessionLoaded(c *link.Call, m *jsonrpc.Message, history, wasOpen bool) {
	s := t.sessions.find(c.Asked.Session)
	if s != nil {
		s.toolCalls.flush()
	} else {
		s = t.sessions.ended(c.Asked.Session)
	}
	unseen := history && s.unseen
	if history {
		s.loads = max(0, s.loads-1) // the session may be another one of that name
		s.unseen = s.loads > 0
	}
	if refusedByAgent(t.link, c, m) {
		s.opened = wasOpen
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
	if w.ToV1(words.Commands, list) {
		t.link.SendUpdate()
	} else {
		t.link.LoseAll(w.Losses)
	}
}

// listSessions handles session/list.
func (t *openings) listSessions(m *jsonrpc.Message) {
	t.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{
		Answered: answeredAs(t.link, words.SessionList),
	})
}
