package oldclient

import (
	"bytes"
	"slices"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A session is what the bridge knows of a session.
type session struct {
	id, cwd string

	// The turn, see prompts.go. Events are counted by seq.
	seq, began, output, cancelledAt uint64
	active, closed                  bool
	ended                           turnEnd
	prompts                         []*prompt
	echoes                          []string
	givenUp                         int // cancelled prompts that were answered, but whose turn may come
	user                            []heldUpdate
	maybeEcho                       map[string]*userMessage // the messages of user, by id

	kept    int // bytes, see kept.go
	counted int // those of it that are beside tool calls and terminals

	opened bool // by the client
	loads  int  // how many session/load the client waits for
	unseen bool // nothing of the history of the first of these has come

	messages  messages
	tools     toolCalls
	terminals terminals
	options   options
}

// sessions are the sessions of the connection.
type sessions struct {
	all   map[string]*session
	order []string // the oldest first

	opening   int // requests for new sessions, whose ids the client does not know
	held      []heldMessage
	heldUntil time.Time // the first deadline of held; zero if there is none
	heldBytes int       // of these messages and of user messages that may be echoes
	kept      int       // bytes of what is kept of all sessions, see contents.go

	promptTexts int // bytes
}

// find returns the session, nil if nothing is known of it.
func (t *sessions) find(id string) *session { return t.all[id] }

// get returns the session, a new one if nothing is known of it.
func (t *sessions) get(b *Bridge, id []byte) *session {
	if s := t.all[string(id)]; s != nil {
		return s
	}
	if t.all == nil {
		t.all = make(map[string]*session)
	}
	if len(t.all) >= maxSessions {
		b.forgetSession()
	}
	s := b.makeSession(id)
	t.all[s.id] = s
	t.order = append(t.order, s.id)
	return s
}

// forgetSession forgets the oldest session that has nothing to do.
func (b *Bridge) forgetSession() {
	t := &b.sessions
	for _, id := range t.order {
		if s := t.all[id]; len(s.prompts) == 0 {
			b.flush(s)
			b.drop(s)
			b.w.Lose(translate.LossTooManySessions, "forgot the oldest of more than 512")
			return
		}
	}
}

func (b *Bridge) makeSession(id []byte) *session {
	s := &session{id: string(id)}
	kept := tally{&s.kept, &b.sessions.kept}
	s.terminals = terminals{link: &b.link, session: []byte(s.id), convention: b.options.Client.TerminalOutput, kept: kept}
	s.tools = toolCalls{contents: &b.contents, session: []byte(s.id), terminals: &s.terminals, kept: kept}
	return s
}

// drop forgets a session that has ended, and what belongs to it.
func (b *Bridge) drop(s *session) {
	b.sessions.drop(s)
	b.contents.close(&s.tools)
	b.subagents.forget(s.id)
}

// drop forgets a session that has ended. Of its prompts, the agent may answer some.
func (t *sessions) drop(s *session) {
	s.closed = true
	s.forgetKnown()
	delete(t.all, s.id)
	t.order = slices.DeleteFunc(t.order, func(id string) bool { return id == s.id })
	t.kept -= s.kept
	for _, h := range s.user {
		t.heldBytes -= h.size
	}
	s.user, s.maybeEcho = nil, nil
}

// A heldMessage is a message of the agent that waits for the answer to
// session/new.
type heldMessage struct {
	text     []byte
	session  string
	request  jsonrpc.ID // its id if it is a request
	deadline time.Time  // of a request, which the agent may want answered first
}

// holds keeps a message of the agent for a session that the client has not
// heard of yet: the message waits for the answer to session/new. It reports
// whether it has kept the message.
//
// Some agents ask before they give that answer ("Trust this folder?"), and wait.
// So a request does not wait for long, and takes along what came before it.
func (b *Bridge) holds(m *jsonrpc.Message) bool {
	const patience = time.Second
	t := &b.sessions
	if t.opening == 0 || m.Session == nil || t.find(string(m.Session)) != nil || b.subagents.of(m.Session) != nil {
		return false
	}
	text := m.Span.Of(m.Text)
	h := heldMessage{text: cloned(text), session: string(m.Session)}
	if t.heldBytes+h.size() > maxHeld {
		b.w.Lose(translate.LossTooManyNewMessages, "sent them before the client knows the session")
		b.releaseHeld(func(heldMessage) bool { return true })
		return false
	}
	if m.IsRequest() {
		h.request, h.deadline = jsonrpc.IDOf(m.ID), b.now.Add(patience)
		t.heldUntil = link.Earliest(t.heldUntil, h.deadline)
	}
	t.held = append(t.held, h)
	t.heldBytes += h.size()
	return true
}

func (h heldMessage) size() int { return len(h.text) + len(h.session) }

// releaseHeld converts messages that were held, and those of the subagents that they
// announce.
func (b *Bridge) releaseHeld(which func(heldMessage) bool) {
	t := &b.sessions
	held := t.held
	t.held, t.heldUntil = nil, time.Time{}
	var released []heldMessage
	for _, h := range held {
		if which(h) {
			released = append(released, h)
			t.heldBytes -= h.size()
			continue
		}
		t.held = append(t.held, h)
		t.heldUntil = link.Earliest(t.heldUntil, h.deadline)
	}
	for _, h := range released {
		b.sessions.get(b, []byte(h.session))
		b.replay(h.text)
	}
	announced := func(h heldMessage) bool { return b.subagents.of([]byte(h.session)) != nil }
	if slices.ContainsFunc(t.held, announced) {
		b.releaseHeld(announced) // what comes of them later is not held
	}
}

// releaseAsked converts what was held of sessions in which the agent has asked
// something and waited long enough, and of the sessions that these work for. What
// comes of them later is not held.
func (b *Bridge) releaseAsked() {
	t := &b.sessions
	if t.heldUntil.IsZero() || t.heldUntil.After(b.now) {
		return
	}
	asked := make(map[string]bool)
	for _, h := range t.held {
		if !h.deadline.IsZero() && !h.deadline.After(b.now) {
			asked[h.session] = true
		}
	}
	for _, h := range slices.Backward(t.held) { // a subagent is announced before it announces others
		if asked[announcedIn(h.text)] {
			asked[h.session] = true
		}
	}
	b.releaseHeld(func(h heldMessage) bool { return asked[h.session] })
}

// announcedIn returns the session of the subagent that a message tells of, "" if it
// tells of none.
func announcedIn(text []byte) string {
	m := messageOf(text)
	var u sessionUpdateMessage
	if !u.read(&m) || string(u.kind) != "subagent_update" {
		return ""
	}
	id, _ := u.members.Text("sessionId")
	return string(id)
}

// withdrawHeld answers a request that is held, because the agent has cancelled it. It
// reports whether there was such a request.
func (b *Bridge) withdrawHeld(id []byte) bool {
	t := &b.sessions
	if id == nil {
		return false
	}
	want := jsonrpc.IDOf(id)
	i := slices.IndexFunc(t.held, func(h heldMessage) bool { return h.request == want })
	if i < 0 {
		return false
	}
	h := t.held[i]
	t.held = slices.Delete(t.held, i, i+1)
	t.heldBytes -= h.size()
	m := messageOf(h.text)
	if result := dismissals[string(m.Method)]; result != "" {
		b.link.Answer(translate.Agent, m.ID, []byte(result))
	} else {
		b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.RequestCancelled, Message: "Request cancelled"})
	}
	return true
}

// sessionParams returns the params of a request for a session as version 2 has
// them. If it cannot, it has answered the client.
func (b *Bridge) sessionParams(m *jsonrpc.Message) (rawjson.Object, bool) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	if system := o.Get("systemPrompt"); system != nil {
		cwd, _ := o.Text("cwd")
		b.w.Cwd = string(cwd)
		ok = words.SystemPromptToV2(&b.w, system)
		o = o.Set("systemPrompt", b.w.Out)
	}
	if ok {
		var servers []byte
		if servers, ok = words.MCPServersToV2(nil, o.Get("mcpServers")); ok {
			b.notOffered(servers)
			return o.Set("mcpServers", servers), true
		}
	}
	b.invalid(m.ID, "the params cannot be read")
	return nil, false
}

// notOffered notes what one side offers and the other one does not know of.
func (b *Bridge) notOffered(servers []byte) {
	if b.options.Client.Files {
		b.w.Lose(translate.LossClientFiles, "the agent works on the disk and does not see unsaved changes")
	}
	if b.options.Client.Terminals {
		b.w.Lose(translate.LossClientTerminals, "the agent runs commands by itself")
	}
	if b.options.Agent.SignIns {
		b.w.Lose(translate.LossSignIn, "left out those of types that the client does not know")
	}
	if !b.options.Agent.Stdio && bytes.Contains(servers, []byte(`"type":"stdio"`)) {
		b.w.Lose(translate.LossMCPServers, "the agent starts none, and will refuse them")
	}
}

// directory returns the directory of a session, "" if there is none or if it is too
// long to be kept. Relative paths in prompts stay relative then.
func (b *Bridge) directory(params rawjson.Object) string {
	cwd, _ := params.Text("cwd")
	if len(cwd) > maxID {
		b.w.Lose(translate.LossLongDirectory, "did not remember a session's directory of more than 4 KiB")
		return ""
	}
	return string(cwd)
}

// newSession handles session/new and session/fork.
func (b *Bridge) newSession(m *jsonrpc.Message) {
	if o, ok := b.sessionParams(m); ok {
		b.sessions.opening++
		cwd := b.directory(o)
		b.ask(m, "", appendObject(nil, o), func(c *link.Call, m *jsonrpc.Message) { b.sessionOpened(c, m, cwd) })
	}
}

// sessionOpened handles the answer to session/new or session/fork, for a session in
// that directory.
func (b *Bridge) sessionOpened(c *link.Call, m *jsonrpc.Message, cwd string) {
	b.sessions.opening--
	var id []byte
	if b.refusedByAgent(c, m) {
	} else if o, ok := rawjson.ReadObject(nil, link.ResultOf(m)); !ok {
		b.unreadable(c.ID)
	} else if id, ok = o.Text("sessionId"); !ok || len(id) > maxID {
		b.unreadable(c.ID)
	} else {
		s := b.sessions.get(b, id)
		s.cwd, s.opened = cwd, true
		b.sessionResult(c.ID, s, o, func() {
			b.releaseHeld(func(h heldMessage) bool { return h.session == s.id })
		})
	}
	if b.sessions.opening == 0 {
		b.releaseHeld(func(heldMessage) bool { return true })
	}
}

// loadSession handles session/load and session/resume. Version 2 has one method
// for both.
func (b *Bridge) loadSession(m *jsonrpc.Message) {
	o, ok := b.sessionParams(m)
	if !ok {
		return
	}
	if m.Session == nil {
		b.invalid(m.ID, "sessionId is missing")
		return
	}
	s := b.sessions.get(b, m.Session)
	asked := loading{wasOpen: s.opened}
	s.opened = true
	if _, ok := o.Text("cwd"); ok {
		s.cwd = b.directory(o)
	}
	if string(m.Method) == "session/load" {
		asked.history = true
		b.flush(s)
		s.loads++
		s.unseen = s.unseen || s.loads == 1
		o = o.Set("replayFrom", []byte(`{"type":"start"}`))
	}
	b.ask(m, "session/resume", appendObject(nil, o), func(c *link.Call, m *jsonrpc.Message) { b.sessionLoaded(c, m, asked) })
}

// A loading is a request for a session that there was before.
type loading struct {
	history bool // it is session/load
	wasOpen bool // the client had opened the session before
}

// beginHistory forgets what the client has of the session, because all of it comes
// again. That begins with the first update behind session/load: whether an update
// still belongs to a running turn cannot be told.
func (b *Bridge) beginHistory(s *session) {
	b.flush(s)
	s.unseen = false
	s.messages = messages{}
	s.tools.forget()
	s.terminals.forget()
	b.subagents.forget(s.id)
	b.sessions.account(s)
}

// sessionLoaded handles the answer to session/resume.
func (b *Bridge) sessionLoaded(c *link.Call, m *jsonrpc.Message, asked loading) {
	s := b.sessions.find(c.Asked.Session)
	if s != nil {
		b.flush(s)
	} else {
		s = b.makeSession([]byte(c.Asked.Session))
		s.closed = true
	}
	unseen := asked.history && s.unseen
	if asked.history {
		s.loads = max(0, s.loads-1) // the session may be another one of that name
		s.unseen = s.loads > 0
	}
	if b.refusedByAgent(c, m) {
		s.opened = asked.wasOpen
		return
	}
	result := link.ResultOf(m)
	o, ok := rawjson.ReadObject(nil, result)
	if !ok && !rawjson.Null(result) {
		b.unreadable(c.ID)
		return
	}
	if s.opened = true; unseen {
		b.beginHistory(s)
	}
	b.sessionResult(c.ID, s, o, nil)
}

// sessionResult answers a request for a session. Version 1 has the modes next
// to the options, and the commands in an update after the answer. Between the
// two goes what the function between sends; it may be nil.
func (b *Bridge) sessionResult(id []byte, s *session, o rawjson.Object, between func()) {
	result := []byte("{")
	var commands []byte
	for _, f := range o {
		switch string(f.Name) {
		case "configOptions", "modes", "models", "replayFrom":
		case "availableCommands":
			commands = f.Value
		default:
			if string(f.Name) == "_meta" && f.Value[0] != '{' {
				continue
			}
			result = append(appendComma(result), f.Text...)
		}
	}
	if list := o.Get("configOptions"); !rawjson.Null(list) {
		b.storeOptions(s, list)
		if modes := s.options.modes(); modes != nil {
			result = appendRaw(result, "modes", modes)
		}
		b.w.Out = b.w.Out[:0]
		if b.optionsToV1(list) {
			result = appendRaw(result, "configOptions", b.w.Out)
		}
	}
	b.link.Answer(translate.Client, id, append(result, '}'))
	if between != nil {
		between()
	}
	if !rawjson.Null(commands) {
		b.w.Out = append(b.w.Out[:0], `{"sessionUpdate":"available_commands_update","availableCommands":`...)
		if commandsToV1(&b.w, commands) {
			b.w.Text("}")
			b.emitTo([]byte(s.id))
		}
	}
}

func appendComma(dst []byte) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return dst
}

var sessionInfo = words.Shape{
	{Name: "sessionId", Convert: words.String, Required: true},
	{Name: "cwd", Convert: words.String, Required: true},
	{Name: "additionalDirectories", Convert: words.Array(words.String)},
	{Name: "title", Convert: words.StringOrNull},
	{Name: "updatedAt", Convert: words.StringOrNull},
	{Name: "archived", Convert: words.Boolean},
}

var sessionList = words.Shape{
	{Name: "sessions", Convert: words.Array(sessionInfo.Convert), Default: "[]"},
	{Name: "nextCursor", Convert: words.StringOrNull},
}

// listSessions handles session/list.
func (b *Bridge) listSessions(m *jsonrpc.Message) {
	b.ask(m, "", link.SameParams(m), b.answeredAs(sessionList))
}

// endSession handles session/close and session/delete.
func (b *Bridge) endSession(m *jsonrpc.Message) {
	var cancels []*prompt
	if s := b.sessions.find(string(m.Session)); s != nil {
		cancels = slices.Clone(s.prompts)
	}
	for _, p := range cancels {
		p.endings++
	}
	b.ask(m, "", link.SameParams(m), func(c *link.Call, m *jsonrpc.Message) { b.sessionEnded(c, m, cancels) })
}

// sessionEnded handles the answer to session/close or session/delete, which cancels
// these prompts.
func (b *Bridge) sessionEnded(c *link.Call, m *jsonrpc.Message, cancels []*prompt) {
	if !rawjson.Null(link.ErrorOf(m)) {
		for _, p := range cancels {
			p.endings--
		}
	} else if s := b.sessions.find(c.Asked.Session); s != nil {
		b.flush(s)
		b.answerForgotten(s)
		b.drop(s)
	}
	b.answeredAs(words.Shape{})(c, m)
}

// answerForgotten answers the prompts that the agent has forgotten when it ended
// the session, also those that it held. To a prompt that the client has sent since
// then, the agent still gives an answer.
func (b *Bridge) answerForgotten(s *session) {
	for _, p := range s.prompts {
		if p.call != nil && !p.isCancelled() {
			continue
		}
		if p.call != nil {
			b.link.Forget(translate.Agent, p.call)
		}
		b.forgetText(p)
		b.answerPrompt(p, turnEnd{})
	}
}
