package judge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/transport/rawjson"
)

// lasting are the methods of requests that wait for a user, a model or a process.
var lasting = []string{"session/prompt", "session/request_permission", "elicitation/create", "terminal/wait_for_exit", "authenticate", "auth/login"}

// inSession are the client's methods that need an open session. The others can name one that
// was open in an earlier connection.
var inSession = []string{"session/prompt", "session/cancel", "session/close", "session/set_mode", "session/set_model", "session/set_config_option"}

// ofTurn are the updates that belong to a turn.
var ofTurn = []string{
	"agent_message_chunk", "agent_message", "agent_thought_chunk", "agent_thought", "tool_call", "tool_call_update", "tool_call_content_chunk",
	"plan", "plan_update", "plan_removed",
}

// requirements are the capabilities that methods, updates, content and MCP transports need, in
// versions 1 and 2: paths in the capabilities of the other side, one of which must be
// announced. In an empty version none is needed.
var requirements = map[string][2][]string{
	"session/load":      {0: {"loadSession"}},
	"session/resume":    {0: {"sessionCapabilities.resume"}},
	"session/list":      {0: {"sessionCapabilities.list"}},
	"session/close":     {0: {"sessionCapabilities.close"}},
	"session/delete":    {{"sessionCapabilities.delete"}, {"session.delete"}},
	"session/fork":      {{"sessionCapabilities.fork"}, {"session.fork"}},
	"logout":            {0: {"auth.logout"}},
	"image":             {{"promptCapabilities.image"}, {"session.prompt.image"}},
	"audio":             {{"promptCapabilities.audio"}, {"session.prompt.audio"}},
	"resource":          {{"promptCapabilities.embeddedContext"}, {"session.prompt.embeddedContext"}},
	"MCP http":          {{"mcpCapabilities.http"}, {"session.mcp.http"}},
	"MCP sse":           {0: {"mcpCapabilities.sse"}},
	"MCP acp":           {{"mcpCapabilities.acp"}, {"session.mcp.acp"}},
	"MCP stdio":         {1: {"session.mcp.stdio"}},
	"fs/read_text_file": {0: {"fs.readTextFile"}}, "fs/write_text_file": {0: {"fs.writeTextFile"}},
	"terminal/create": {0: {"terminal"}},
	"form":            {{"elicitation.form"}, {"elicitation.form"}},
	"url":             {{"elicitation.url"}, {"elicitation.url"}},
	"plan_update":     {0: {"plan", "planCapabilities"}}, "plan_removed": {0: {"plan", "planCapabilities"}},
	"subagent_update": {0: {"subagents"}},
}

func (c *conversation) initialize(m *recording.Message) {
	if m.Type == trace.Request {
		c.asked, c.found, c.early = true, append(c.found, c.early...), nil
		c.announced[trace.Client] = capabilitiesOf(m.Params, "clientCapabilities")
		return
	}
	if m.IsError {
		return
	}
	c.initialized, c.version = true, m.Version
	c.announced[trace.Agent] = capabilitiesOf(m.Payload, "agentCapabilities")
	c.logins = values(rawjson.Get(m.Payload, "authMethods"), "id", "methodId")
}

func capabilitiesOf(params []byte, version1 string) []byte {
	value := rawjson.Get(params, version1)
	if value == nil {
		value = rawjson.Get(params, "capabilities")
	}
	return bytes.Clone(value)
}

// need reports the use of what the other side has not announced.
func (c *conversation) need(m *recording.Message, what string) {
	if c.version != 1 && c.version != 2 || requirements[what][c.version-1] == nil {
		return
	}
	paths, peer, members := requirements[what][c.version-1], trace.Agent, "agentCapabilities."
	if m.From == trace.Agent {
		peer, members = trace.Client, "clientCapabilities."
	}
	if c.version == 2 {
		members = "capabilities."
	}
	for _, path := range paths {
		if value := rawjson.Get(c.announced[peer], strings.Split(path, ".")...); !rawjson.Null(value) && value[0] != 'f' {
			return
		}
	}
	c.report(m, "not-announced", "%s needs %s%s, which the %s has not announced", what, members, paths[0], strings.ToLower(string(peer)))
}

// session returns the state of the session that a message names, nil if it names none.
func (c *conversation) session(m *recording.Message) *session {
	if m.In == nil {
		return nil
	}
	if m.In.Note == nil {
		m.In.Note = new(session)
	}
	return m.In.Note.(*session)
}

// opened returns the state of a session that was opened.
func (c *conversation) opened(name string) *session {
	s := c.named(name)
	if s != nil && !s.open {
		s.open = true
		c.open = append(c.open, strings.Clone(name))
	}
	return s
}

// named returns the state of a session that was announced.
func (c *conversation) named(name string) *session {
	s := c.session(&recording.Message{In: c.follower.Session(name)})
	if s != nil {
		s.known = true
	}
	return s
}

// call judges a request or a notification.
func (c *conversation) call(m *recording.Message, s *session) {
	if m.Request != nil {
		m.Request.Note = &request{session: s, turn: m.Turn}
	}
	if schema.IsExtension(m.Method) {
		return
	}
	switch m.Method {
	case "session/load", "session/resume", "session/fork", "session/new":
		c.setup(m, s)
	case "elicitation/create":
		c.need(m, cmp.Or(recording.TextOf(m.Params, "mode"), "form"))
	default:
		c.need(m, m.Method)
	}
	if s == nil {
		c.signsIn(m)
		return
	}
	if needed := m.From == trace.Agent || slices.Contains(inSession, m.Method); needed && !s.known && c.creating == 0 {
		c.report(m, "unknown-session", "%s was never opened; open: %s", name(m.Session), list(c.open))
	} else if needed && s.closed != 0 {
		c.report(m, "unknown-session", "%s was closed in #%d; open: %s", name(m.Session), s.closed, list(c.open))
	}
	switch m.Method {
	case "session/update":
		c.update(m, s)
	case "session/request_permission":
		c.permission(m, s)
	case "session/prompt":
		for block := range rawjson.Objects(rawjson.Get(m.Params, "prompt"), nil) {
			c.need(m, block.String("type"))
		}
	case "session/set_mode":
		c.offered(m, s, "mode", recording.TextOf(m.Params, "modeId"))
	case "session/set_model":
		c.offered(m, s, "model", recording.TextOf(m.Params, "modelId"))
	case "session/set_config_option":
		c.offered(m, s, "option "+recording.TextOf(m.Params, "configId"), recording.TextOf(m.Params, "value"))
	}
}

// signsIn judges the method of a sign-in.
func (c *conversation) signsIn(m *recording.Message) {
	if id := recording.TextOf(m.Params, "methodId"); (m.Method == "authenticate" || m.Method == "auth/login") && !slices.Contains(c.logins, id) {
		c.report(m, "not-offered", "the sign-in method %s was not offered; offered: %s", name(id), list(c.logins))
	}
}

// setup judges a request for a session.
func (c *conversation) setup(m *recording.Message, s *session) {
	c.need(m, m.Method)
	for server := range rawjson.Objects(rawjson.Get(m.Params, "mcpServers"), nil) {
		c.need(m, "MCP "+cmp.Or(server.String("type"), "stdio"))
	}
	switch {
	case m.Method == "session/new" || m.Method == "session/fork":
		c.creating++
	case s != nil:
		replays := m.Method == "session/load" || !rawjson.Null(rawjson.Get(m.Params, "replayFrom"))
		*s = session{known: true, open: s.open, loading: m.Request, partial: !replays && !s.open, offers: s.offers}
	}
}

// response judges a response, and applies the effect of its request.
func (c *conversation) response(m *recording.Message, s *session) {
	if m.Request == nil {
		if !rawjson.Null(m.ID) {
			c.report(m, "unknown-answer", "no request with the id %s is pending", m.ID)
		}
		return
	}
	asked, _ := m.Request.Note.(*request)
	created := c.creating > 0 && (m.Called() == "session/new" || m.Called() == "session/fork")
	if created {
		c.creating--
	}
	if s != nil && s.loading == m.Request {
		s.loading = nil
		s.known = s.open || !m.IsError
	}
	switch method := m.Called(); {
	case m.IsError || asked == nil:
	case created:
		c.offer(m, c.opened(recording.TextOf(m.Payload, "sessionId")), m.Payload)
	case method == "session/list":
		for o := range rawjson.Objects(rawjson.Get(m.Payload, "sessions"), nil) {
			c.named(o.String("sessionId"))
		}
	case method == "session/request_permission":
		if id := recording.TextOf(m.Payload, "outcome", "optionId"); id != "" && !slices.Contains(asked.options, id) {
			c.report(m, "not-offered", "the option %s was not offered; offered: %s", name(id), list(asked.options))
		}
	case s == nil:
	case method == "session/load" || method == "session/resume":
		c.offer(m, c.opened(m.Session), m.Payload)
	case method == "session/set_config_option":
		c.offer(m, s, m.Payload)
	case s.known && (method == "session/close" || method == "session/delete"):
		c.open = slices.DeleteFunc(c.open, func(name string) bool { return name == m.Session })
		*s = session{known: true, closed: m.Request.Line}
	}
}

// offer notes the modes, models and options of a session, and judges the current ones.
func (c *conversation) offer(m *recording.Message, s *session, offers []byte) {
	if s == nil {
		return
	}
	if s.offers == nil {
		s.offers = make(map[string][]string)
	}
	note := func(what string, offered []string, current string) {
		s.offers[what] = offered
		if current != "" {
			c.offered(m, s, what, current)
		}
	}
	if modes := rawjson.Members(rawjson.Get(offers, "modes")); modes != nil {
		note("mode", values(modes.Get("availableModes"), "id"), modes.String("currentModeId"))
	}
	if models := rawjson.Members(rawjson.Get(offers, "models")); models != nil {
		note("model", values(models.Get("availableModels"), "modelId"), models.String("currentModelId"))
	}
	for o := range rawjson.Objects(rawjson.Get(offers, "configOptions"), nil) {
		if o.String("type") == "select" {
			note("option "+cmp.Or(o.String("id"), o.String("configId")), values(o.Get("options"), "value"), o.String("currentValue"))
		}
	}
}

// values returns the ids in a list of objects, and in its groups.
func values(list []byte, names ...string) (ids []string) {
	for o := range rawjson.Objects(list, nil) {
		for _, name := range names {
			if id := o.String(name); id != "" {
				ids = append(ids, id)
			}
		}
		ids = append(ids, values(o.Get("options"), names...)...)
	}
	return ids
}

// offered judges a value. Values that are not texts, and those of options that are no
// selects, are free.
func (c *conversation) offered(m *recording.Message, s *session, what, value string) {
	offered, known := s.offers[what]
	if value == "" || s.partial && !known || !known && strings.HasPrefix(what, "option ") || slices.Contains(offered, value) {
		return
	}
	c.report(m, "not-offered", "%s %s was not offered; offered: %s", what, name(value), list(offered))
}

// update judges a session update.
func (c *conversation) update(m *recording.Message, s *session) {
	update := rawjson.Members(rawjson.Get(m.Params, "update"))
	kind := update.String("sessionUpdate")
	c.need(m, kind)
	if slices.Contains(ofTurn, kind) && s.ended != 0 && s.loading == nil {
		c.report(m, "after-turn", "%s is sent after the end of its turn, #%d", kind, s.ended)
	}
	switch kind {
	case "tool_call", "tool_call_update":
		c.toolCall(m, s, update, kind == "tool_call")
	case "plan_update":
		if id := planID(update.Object("plan")); id != "" {
			if s.plans == nil || len(s.plans) >= maxNames {
				s.partial, s.plans = s.partial || s.plans != nil, make(map[string]bool)
			}
			s.plans[id] = true
		}
	case "plan_removed":
		if id := planID(update); !s.plans[id] && !s.partial {
			c.report(m, "unknown-plan", "%s is not a live plan; live: %s", name(id), live(s.plans))
		} else {
			delete(s.plans, id)
		}
	case "subagent_update":
		c.opened(update.String("sessionId"))
	case "current_mode_update":
		c.offered(m, s, "mode", update.String("currentModeId"))
	case "config_option_update":
		c.offer(m, s, rawjson.Get(m.Params, "update"))
	case "state_update":
		if update.String("state") == "running" {
			s.ended = 0
		}
	}
}

func planID(plan rawjson.Object) string { return cmp.Or(plan.String("planId"), plan.String("id")) }

func live(plans map[string]bool) string {
	var ids []string
	for id := range plans {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return list(ids)
}

// toolCall judges a tool call, or an update of one. In version 2 both are updates, and the
// first one announces the call.
func (c *conversation) toolCall(m *recording.Message, s *session, update rawjson.Object, announces bool) {
	id := update.String("toolCallId")
	t := s.tools[id]
	for o := range rawjson.Objects(update.Get("content"), nil) {
		if o.String("type") == "session" {
			c.named(o.String("sessionId"))
		}
	}
	switch {
	case announces && t != nil && t.number != 0 && isOpen(t.status):
		c.report(m, "tool-call-twice", "the tool call %s is open since #%d; send a tool_call_update", name(id), t.number)
	case t == nil && !announces && c.version == 1 && !s.partial:
		c.report(m, "unknown-tool-call", "the tool call %s was never announced; send a tool_call first", name(id))
	}
	if t == nil {
		t = s.tool(id)
	}
	if announces {
		t.status = "pending"
	}
	if t.number == 0 {
		t.number = m.Line
	}
	t.status, t.turn = cmp.Or(update.String("status"), t.status, "pending"), m.Turn
}

// tool adds a tool call.
func (s *session) tool(id string) *tool {
	if s.tools == nil || len(s.tools) >= maxNames {
		s.partial, s.tools = s.partial || s.tools != nil, make(map[string]*tool)
	}
	s.tools[id] = new(tool)
	return s.tools[id]
}

func isOpen(status string) bool { return status == "pending" || status == "in_progress" }

// permission judges a permission request, and notes its options. It can contain the tool
// call that it is about.
func (c *conversation) permission(m *recording.Message, s *session) {
	if m.Request != nil {
		m.Request.Note.(*request).options = values(rawjson.Get(m.Params, "options"), "optionId")
	}
	title, call := recording.Permitted(m.Params)
	id := recording.TextOf(call, "toolCallId")
	if id == "" || s.tools[id] != nil {
		return
	}
	if c.version == 1 && title == "" && !s.partial {
		c.report(m, "unknown-tool-call", "the tool call %s was never announced, and the request does not contain its title", name(id))
	}
	s.tool(id)
}

// turns judges the beginning and the end of turns.
func (c *conversation) turns(m *recording.Message, s *session) {
	prompts := m.Type == trace.Request && m.Method == "session/prompt"
	switch {
	case prompts && c.version == 1 && m.Turn != nil && m.Turn.Prompt != m.Request:
		c.report(m, "turn-running", "the turn of #%d has not ended; wait for the response, or send session/cancel", m.Turn.Prompt.Line)
	case prompts:
		s.turn, s.ended, s.cancel = m.Turn, 0, 0
	case m.Method == "session/cancel" && s.turn != nil:
		s.cancel = m.Line
	case m.Stop != "" && s.turn != nil:
		c.stop(m, s)
	}
}

// stop judges the end of a turn. Background work of version 2 can continue.
func (c *conversation) stop(m *recording.Message, s *session) {
	background := rawjson.Get(m.Params, "update", "background")
	switch {
	case s.cancel != 0 && m.Stop != "cancelled":
		c.report(m, "not-cancelled", "the turn was cancelled in #%d and ends with %s; the stop reason must be cancelled", s.cancel, name(m.Stop))
	case s.cancel == 0 && m.Stop != "cancelled" && rawjson.Null(background):
		var ids []string
		for id, t := range s.tools {
			if t.number != 0 && t.turn == s.turn && isOpen(t.status) {
				ids = append(ids, id)
			}
		}
		slices.SortFunc(ids, func(a, b string) int { return s.tools[a].number - s.tools[b].number })
		for _, id := range ids {
			t := s.tools[id]
			c.report(m, "left-open", "the turn ends, and its tool call %s (#%d) is still %s; it must be completed or failed", name(id), t.number, t.status)
		}
	}
	s.turn = nil
	if rawjson.Null(background) {
		s.ended = m.Line
	}
}
