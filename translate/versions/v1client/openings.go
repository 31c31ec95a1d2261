package v1client

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A client opens a session with session/new, session/fork, session/load or session/resume. In
// version 2, session/resume includes session/load, and the result has the commands. In version 1, the
// commands are an update, which follows the result of session/new and session/fork, because the
// client does not know the session before.

// openingToV2 returns the params of a request for a session in version 2. If it cannot convert
// them, it answers the client with an error.
func (b *Bridge) openingToV2(m *jsonrpc.Message) (rawjson.Object, bool) {
	o, ok := rawjson.ReadObject(nil, calls.ParamsOf(m))
	if o.Get("configOptions") != nil {
		b.link.Report(translate.Loss{Kind: translate.LossCapability, Name: "configOptions", Detail: "options in a request that opens a session are omitted"})
		o = shapes.Without(o, "configOptions")
	}
	if system := o.Get("systemPrompt"); system != nil {
		w := shapes.Writer{Cwd: o.String("cwd")}
		ok = w.ToV2(shapes.SystemPrompt, system)
		b.link.Report(w.Losses...)
		o = o.Set("systemPrompt", w.Out)
	}
	if ok {
		var servers []byte
		if servers, ok = shapes.MCPServersToV2(o.Get("mcpServers")); ok {
			b.loseUnusable(servers)
			return o.Set("mcpServers", servers), true
		}
	}
	b.refuse(m, calls.InvalidParams("the params cannot be read"))
	return nil, false
}

// loseUnusable reports as losses the abilities of one side that the other side cannot use.
func (b *Bridge) loseUnusable(servers []byte) {
	client, agent := &b.options.Client, &b.options.Agent
	if client.Files {
		b.link.Lose(translate.LossClientFiles, "the agent works on the disk and does not see unsaved changes")
	}
	if client.Terminals {
		b.link.Lose(translate.LossClientTerminals, "the agent runs commands itself")
	}
	if agent.OmitsSignIns {
		b.link.Lose(translate.LossSignIn, "sign-in methods of types that the client does not know are omitted")
	}
	if !agent.Stdio && bytes.Contains(servers, []byte(`"type":"stdio"`)) {
		b.link.Lose(translate.LossMCPServers, "the agent starts no MCP servers and refuses them")
	}
}

// newSession forwards session/new and session/fork.
func (b *Bridge) newSession(m *jsonrpc.Message) {
	o, ok := b.openingToV2(m)
	if !ok {
		return
	}
	b.early.pendingOpenings++
	cwd := b.early.share.Hold(o.String("cwd"))
	b.ask(m, "", shapes.Text(o), func(c *calls.Call, m *jsonrpc.Message) { b.onOpened(c, m, cwd) })
}

// onOpened forwards the result of session/new or session/fork. cwd is the working directory of the
// session.
func (b *Bridge) onOpened(c *calls.Call, m *jsonrpc.Message, cwd string) {
	b.early.pendingOpenings--
	b.early.share.Release(len(cwd))
	o := rawjson.Members(calls.ResultOf(m))
	id, ok := o.Text("sessionId")
	switch {
	case b.forwardIfError(translate.Client, c, m):
	case !ok || len(id) > calls.MaxSession:
		b.link.Refuse(translate.Client, c.ID, calls.UnreadableError(translate.Agent))
	default:
		s := b.session(id)
		s.opened = true
		s.setCwd(cwd)
		s.answerOpened(c.ID, o)
		b.early.release(s.id)
		s.sendCommands(o)
	}
	if b.early.pendingOpenings == 0 {
		b.early.releaseAll()
	}
}

// loadSession forwards session/load and session/resume.
func (b *Bridge) loadSession(m *jsonrpc.Message) {
	o, ok := b.openingToV2(m)
	if !ok {
		return
	}
	if m.Session == nil {
		b.refuse(m, calls.InvalidParams("sessionId is missing"))
		return
	}
	s := b.session(m.Session)
	isLoad, wasOpen := string(m.Method) == "session/load", s.opened
	s.opened = true
	if cwd, ok := o.Text("cwd"); ok {
		s.setCwd(string(cwd))
	}
	if isLoad {
		s.flush(anyContent)
		s.loads++
		s.awaitsReplay = s.awaitsReplay || s.loads == 1
		o = o.Set("replayFrom", []byte(`{"type":"start"}`))
	}
	b.ask(m, "session/resume", shapes.Text(o), func(c *calls.Call, m *jsonrpc.Message) { b.onLoaded(c, m, isLoad, wasOpen) })
}

// beginHistory drops the state of what the session shows, because the agent sends all of it again.
// The first update after session/load counts as the beginning of the replay, although it may belong
// to a turn that is still running.
func (s *session) beginHistory() {
	s.awaitsReplay = false
	s.forgetShown()
}

// onLoaded forwards the result of a session/load, after the replay, or of a
// session/resume. wasOpen reports that the client had opened the session before.
func (b *Bridge) onLoaded(c *calls.Call, m *jsonrpc.Message, isLoad, wasOpen bool) {
	s := b.sessions.Get(c.Request.Session)
	if s == nil { // the session was closed
		s = emptySession(b, c.Request.Session)
	}
	s.flush(anyContent)
	replayedNothing := isLoad && s.awaitsReplay
	if isLoad {
		s.loads = max(0, s.loads-1) // it may be a new session with the same id
		s.awaitsReplay = s.loads > 0
	}
	result := calls.ResultOf(m)
	o, ok := rawjson.ReadObject(nil, result)
	switch {
	case b.forwardIfError(translate.Client, c, m):
		s.opened = wasOpen
	case !ok && !rawjson.IsNull(result):
		b.link.Refuse(translate.Client, c.ID, calls.UnreadableError(translate.Agent))
	default:
		s.opened = true
		if replayedNothing {
			s.beginHistory()
		}
		s.sendCommands(o) // part of the replay, which precedes the result
		s.answerOpened(c.ID, o)
	}
}

// answerOpened sends the result of a request for a session.
func (s *session) answerOpened(id []byte, o rawjson.Object) {
	if list := o.Get("configOptions"); !rawjson.IsNull(list) {
		s.keepSwitches(list)
		var w shapes.Writer
		if s.bridge.optionsToV1().Write(&w, list) {
			o = o.Set("configOptions", w.Out)
		}
		s.link.Report(w.Losses...)
	}
	shapes.OpenedSession.ToV1(s.link.AnswerWith(id), o)
	s.link.SendObject(translate.Client)
}

// sendCommands sends the commands in the agent's result as an update.
func (s *session) sendCommands(o rawjson.Object) {
	list := o.Get("availableCommands")
	if rawjson.IsNull(list) {
		return
	}
	w := s.link.UpdateWith([]byte(s.id), "available_commands_update")
	w.Name("availableCommands")
	if w.ToV1(shapes.Commands, list) {
		s.link.SendUpdate()
	} else {
		s.link.Report(w.Losses...)
	}
}
