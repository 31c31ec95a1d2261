package judge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/schema"
	"acp-plan-proxy/transport/rawjson"
)

var (
	// slowMethods are the methods whose requests wait for a user, a model or a process.
	slowMethods = []string{"session/prompt", "session/request_permission", "elicitation/create", "terminal/wait_for_exit", "authenticate", "auth/login"}
	// sessionMethods are the client's methods that need an open session. Other methods can name a
	// session of an earlier connection.
	sessionMethods = []string{"session/prompt", "session/cancel", "session/close", "session/set_mode", "session/set_model", "session/set_config_option"}
)

// requirements maps a method, update, content type or MCP transport to the paths of the capability
// that it needs in versions 1 and 2; "" is none. Where a string has several paths, the other side must
// announce one of them.
var requirements = sync.OnceValue(func() map[string][2]string {
	return map[string][2]string{
		"session/load":       {"loadSession", ""},
		"session/resume":     {"sessionCapabilities.resume", ""},
		"session/list":       {"sessionCapabilities.list", ""},
		"session/close":      {"sessionCapabilities.close", ""},
		"session/delete":     {"sessionCapabilities.delete", "session.delete"},
		"session/fork":       {"sessionCapabilities.fork", "session.fork"},
		"logout":             {"auth.logout", ""},
		"image":              {"promptCapabilities.image", "session.prompt.image"},
		"audio":              {"promptCapabilities.audio", "session.prompt.audio"},
		"resource":           {"promptCapabilities.embeddedContext", "session.prompt.embeddedContext"},
		"MCP stdio":          {"", "session.mcp.stdio"},
		"MCP http":           {"mcpCapabilities.http", "session.mcp.http"},
		"MCP sse":            {"mcpCapabilities.sse", ""},
		"MCP acp":            {"mcpCapabilities.acp", "session.mcp.acp"},
		"fs/read_text_file":  {"fs.readTextFile", ""},
		"fs/write_text_file": {"fs.writeTextFile", ""},
		"terminal/create":    {"terminal", ""},
		"form":               {"elicitation.form", "elicitation.form"},
		"url":                {"elicitation.url", "elicitation.url"},
		"plan_update":        {"plan planCapabilities", ""},
		"plan_removed":       {"plan planCapabilities", ""},
		"subagent_update":    {"subagents", ""},

		"session_message":           {"subagents", ""},
		"session_message_chunk":     {"subagents", ""},
		"cursor_update":             {"session.cursors", ""},
		"notice":                    {"session.notices", ""},
		"compaction_update":         {"session.compaction", ""},
		"compaction_summary_chunk":  {"session.compaction", ""},
		"prompt_suggestions_update": {"session.promptSuggestions", "session.promptSuggestions"},
	}
})

// requireCapability reports the use of a capability that the other side has not announced.
func (c *connection) requireCapability(m *recording.Message, feature string) {
	if !isKnown(c.version) {
		return
	}
	paths := strings.Fields(requirements()[feature][c.version-1])
	for _, path := range paths {
		if value := rawjson.Get(c.capabilities[m.To], strings.Split(path, ".")...); !rawjson.IsNull(value) && value[0] != 'f' {
			return
		}
	}
	if len(paths) > 0 {
		to := strings.ToLower(string(m.To))
		member := "capabilities"
		if c.version == 1 {
			member = to + "Capabilities"
		}
		c.report(m, "not-announced", "%s needs %s.%s, which the %s has not announced", feature, member, paths[0], to)
	}
}

// readInitialize stores the capabilities that an initialize request or its response announces.
func (c *connection) readInitialize(m *recording.Message) {
	content, member := m.Payload, "agentCapabilities"
	if m.Type == trace.Request {
		content, member = m.Params, "clientCapabilities"
		c.initializeSent, c.found, c.earlyFindings = true, append(c.found, c.earlyFindings...), nil
	} else if !m.IsError {
		c.initialized, c.version = true, m.Version
		c.signIns = idsIn(rawjson.Get(content, "authMethods"), "id", "methodId")
	}
	value := rawjson.Get(content, member)
	if value == nil {
		value = rawjson.Get(content, "capabilities")
	}
	c.capabilities[m.From] = bytes.Clone(value)
}

// stateOf returns the state of a recorded session, which it adds if there is none. It returns nil if
// recorded is nil.
func stateOf(recorded *recording.Session) *session {
	if recorded == nil {
		return nil
	}
	if recorded.Note == nil {
		recorded.Note = new(session)
	}
	return recorded.Note.(*session)
}

// isJudged reports whether judgeSent has judged a request.
func isJudged(r *recording.Request) bool { return r.Note != nil }

// addSession records that a response or an update has announced a session. It returns nil if id is
// empty or too long.
func (c *connection) addSession(id string) *session {
	s := stateOf(c.follower.OpenSession(id))
	if s != nil && s.state == sessionUnknown {
		s.state = sessionAnnounced
	}
	return s
}

// openSession records that a session is open, as addSession does for an announced one.
func (c *connection) openSession(id string) *session {
	s := c.addSession(id)
	if s != nil && s.state != sessionOpen {
		s.state = sessionOpen
		c.openSessions = append(c.openSessions, strings.Clone(id))
	}
	return s
}

// judgeSent judges a request or a notification.
func (c *connection) judgeSent(m *recording.Message, s *session) {
	if m.Request != nil {
		m.Request.Note = &judgedRequest{options: idsIn(rawjson.Get(m.Params, "options"), "optionId")}
	}
	if schema.IsExtension(m.Method) {
		return
	}
	feature := m.Method
	if m.Method == "elicitation/create" {
		feature = cmp.Or(rawjson.StringAt(m.Params, "mode"), "form")
	}
	c.requireCapability(m, feature)
	needsSession := m.From == trace.Agent || slices.Contains(sessionMethods, m.Method)
	switch {
	case s == nil || !needsSession:
	case s.state == sessionUnknown && c.pendingNewCount == 0:
		c.report(m, "unknown-session", "%s was never opened; open: %s", shortText(m.Session), listText(c.openSessions))
	case s.state == sessionClosed:
		c.report(m, "unknown-session", "%s was closed in #%d; open: %s", shortText(m.Session), s.closedBy, listText(c.openSessions))
	}
	switch m.Method {
	case "session/new", "session/fork", "session/load", "session/resume":
		c.judgeOpening(m, s)
	case "authenticate", "auth/login":
		if id := rawjson.StringAt(m.Params, "methodId"); !slices.Contains(c.signIns, id) {
			c.report(m, "not-offered", "the sign-in method %s was not offered; offered: %s", shortText(id), listText(c.signIns))
		}
	}
	if s == nil {
		return
	}
	switch m.Method {
	case "session/update":
		c.judgeUpdate(m, s)
	case "session/request_permission":
		c.judgePermission(m, s)
	case "session/prompt":
		for block := range rawjson.Objects(rawjson.Get(m.Params, "prompt"), nil) {
			c.requireCapability(m, block.String("type"))
		}
		c.judgePrompt(m, s)
	case "session/cancel":
		if m.Turn != nil {
			s.cancelledBy = m.Line
		}
	case "session/set_mode":
		c.judgeValue(m, s, "mode", rawjson.StringAt(m.Params, "modeId"))
	case "session/set_model":
		c.judgeValue(m, s, "model", rawjson.StringAt(m.Params, "modelId"))
	case "session/set_config_option":
		c.judgeValue(m, s, "option "+rawjson.StringAt(m.Params, "configId"), rawjson.StringAt(m.Params, "value"))
	}
}

// judgeOpening judges a request that opens a session. It resets the state of a session that the agent
// replays or whose messages the recording lacks.
func (c *connection) judgeOpening(m *recording.Message, s *session) {
	for server := range rawjson.Objects(rawjson.Get(m.Params, "mcpServers"), nil) {
		c.requireCapability(m, "MCP "+cmp.Or(server.String("type"), "stdio"))
	}
	switch {
	case m.Method == "session/new", m.Method == "session/fork":
		if m.Request != nil { // a notification has no response
			c.pendingNewCount++
		}
	case s != nil:
		replays := translate.Replays(m.Method, m.Params)
		if s.state != sessionOpen {
			s.state = sessionAnnounced
		}
		if s.state == sessionAnnounced || replays {
			*s = session{state: s.state, partial: !replays, promptCount: s.promptCount, offers: s.offers}
		}
		s.opening = m.Request
	}
}

// judgeResponse judges a response, and applies the effect of its request to the session.
func (c *connection) judgeResponse(m *recording.Message, s *session) {
	if m.Request == nil {
		if !rawjson.IsNull(m.ID) {
			c.report(m, "unknown-answer", "no request with the id %s is pending", m.ID)
		}
		return
	}
	if !isJudged(m.Request) {
		return
	}
	method := m.CalledMethod()
	if s != nil && method == "session/prompt" && !m.Request.ToClient {
		s.promptCount--
		if s.promptCount == 0 && m.Turn == nil {
			s.turnEnd = m.Line
		}
	}
	creates := method == "session/new" || method == "session/fork"
	if creates {
		c.pendingNewCount--
	}
	if s != nil && s.opening == m.Request {
		s.opening = nil
		s.partial = s.partial || m.IsError // the request has reset the state
		if m.IsError && s.state == sessionAnnounced {
			s.state = sessionUnknown
		}
	}
	switch {
	case m.IsError:
	case creates:
		c.storeOffers(m, c.openSession(rawjson.StringAt(m.Payload, "sessionId")), m.Payload)
	case method == "session/list":
		for o := range rawjson.Objects(rawjson.Get(m.Payload, "sessions"), nil) {
			c.addSession(o.String("sessionId"))
		}
	case method == "session/request_permission":
		request, id := m.Request.Note.(*judgedRequest), rawjson.StringAt(m.Payload, "outcome", "optionId")
		if id != "" && !slices.Contains(request.options, id) {
			c.report(m, "not-offered", "the option %s was not offered; offered: %s", shortText(id), listText(request.options))
		}
		if t := request.tool; t != nil && t.status == "" && id != "" {
			t.answered = true
		}
	case s == nil:
	case method == "session/load" || method == "session/resume":
		c.storeOffers(m, c.openSession(m.Session), m.Payload)
	case method == "session/set_config_option":
		c.storeOffers(m, s, m.Payload)
	case s.state != sessionUnknown && (method == "session/close" || method == "session/delete"):
		c.openSessions = slices.DeleteFunc(c.openSessions, func(id string) bool { return id == m.Session })
		*s = session{state: sessionClosed, closedBy: m.Request.Line}
	}
}

// storeOffers stores the modes, models and options that a session offers, and judges their current
// values.
func (c *connection) storeOffers(m *recording.Message, s *session, offers []byte) {
	if s == nil {
		return
	}
	if s.offers == nil {
		s.offers = make(map[string][]string)
	}
	storeValues := func(selector string, values []string, current string) {
		s.offers[selector] = values
		c.judgeValue(m, s, selector, current)
	}
	if modes := rawjson.Members(rawjson.Get(offers, "modes")); modes != nil {
		storeValues("mode", idsIn(modes.Get("availableModes"), "id"), modes.String("currentModeId"))
	}
	if models := rawjson.Members(rawjson.Get(offers, "models")); models != nil {
		storeValues("model", idsIn(models.Get("availableModels"), "modelId"), models.String("currentModelId"))
	}
	for o := range rawjson.Objects(rawjson.Get(offers, "configOptions"), nil) {
		if o.String("type") == "select" {
			storeValues("option "+cmp.Or(o.String("id"), o.String("configId")), idsIn(o.Get("options"), "value"), o.String("currentValue"))
		}
	}
}

// idsIn returns the ids of the objects in a list and in its groups. names are the members that can
// have an id.
func idsIn(list []byte, names ...string) (ids []string) {
	for o := range rawjson.Objects(list, nil) {
		for _, name := range names {
			if id := o.String(name); id != "" {
				ids = append(ids, id)
			}
		}
		ids = append(ids, idsIn(o.Get("options"), names...)...)
	}
	return ids
}

// judgeValue judges a value of a mode, model or option. An option without a list of values takes
// any value.
func (c *connection) judgeValue(m *recording.Message, s *session, selector, value string) {
	offered, known := s.offers[selector]
	takesAny := !known && (s.partial || strings.HasPrefix(selector, "option "))
	if value != "" && !takesAny && !slices.Contains(offered, value) {
		c.report(m, "not-offered", "%s %s was not offered; offered: %s", selector, shortText(value), listText(offered))
	}
}

// judgeUpdate judges a session update.
func (c *connection) judgeUpdate(m *recording.Message, s *session) {
	raw := rawjson.Get(m.Params, "update")
	update := rawjson.Members(raw)
	kind := update.String("sessionUpdate")
	c.requireCapability(m, kind)
	if translate.RoleOf([]byte(kind)) == translate.Work && s.turnEnd != 0 && s.opening == nil {
		c.report(m, "after-turn", "%s is sent after the end of its turn, #%d", kind, s.turnEnd)
	}
	switch kind {
	case "tool_call", "tool_call_update":
		c.judgeToolCall(m, s, update, kind == "tool_call")
	case "plan_update":
		if id := recording.PlanID(update.Get("plan")); id != "" && !slices.Contains(s.plans, id) {
			if len(s.plans) >= maxNames {
				s.plans, s.partial = nil, true
			}
			s.plans = append(s.plans, id)
		}
	case "plan_removed":
		id := recording.PlanID(raw)
		if !s.partial && !slices.Contains(s.plans, id) {
			c.report(m, "unknown-plan", "%s is not a live plan; live: %s", shortText(id), listText(s.plans))
		}
		s.plans = slices.DeleteFunc(s.plans, func(plan string) bool { return plan == id })
	case "subagent_update":
		c.openSession(update.String("sessionId"))
	case "current_mode_update":
		c.judgeValue(m, s, "mode", update.String("currentModeId"))
	case "config_option_update":
		c.storeOffers(m, s, raw)
	case "state_update":
		if update.String("state") == "running" {
			s.turnEnd = 0
		}
	}
}

// judgeToolCall judges a tool call or the update of a tool call. In version 2, the first update
// announces the tool call.
func (c *connection) judgeToolCall(m *recording.Message, s *session, update rawjson.Object, announces bool) {
	for o := range rawjson.Objects(update.Get("content"), nil) {
		c.addSession(o.String("sessionId")) // of a subagent
	}
	id := update.String("toolCallId")
	t := s.tools[id]
	switch {
	case announces && t != nil && t.isOpen() && !t.answered:
		c.report(m, "tool-call-twice", "the tool call %s is open since #%d; send a tool_call_update", shortText(id), t.announcedBy)
	case t == nil && !announces && c.version == 1 && !s.partial:
		c.report(m, "unknown-tool-call", "the tool call %s was never announced; send a tool_call first", shortText(id))
	}
	if t == nil {
		t = s.addTool(id, m)
	}
	if t.status == "" {
		t.announcedBy = m.Line
	}
	if announces {
		t.status = ""
	}
	t.answered, t.turn = false, m.Turn
	t.status = cmp.Or(update.String("status"), t.status, "pending")
}

// addTool adds a tool call that a message announces.
func (s *session) addTool(id string, m *recording.Message) *tool {
	if s.tools == nil || len(s.tools) >= maxNames {
		s.partial, s.tools = s.partial || s.tools != nil, make(map[string]*tool)
	}
	s.tools[id] = &tool{announcedBy: m.Line, turn: m.Turn}
	return s.tools[id]
}

func (t *tool) isOpen() bool { return t.answered || t.status == "pending" || t.status == "in_progress" }

// judgePermission judges a permission request, which can announce its tool call.
func (c *connection) judgePermission(m *recording.Message, s *session) {
	title, call := recording.ReadPermission(m.Params)
	id := rawjson.StringAt(call, "toolCallId")
	if id == "" {
		return
	}
	t := s.tools[id]
	if t == nil {
		if c.version == 1 && title == "" && !s.partial {
			c.report(m, "unknown-tool-call", "the tool call %s was never announced, and the request does not contain its title", shortText(id))
		}
		t = s.addTool(id, m)
	}
	if m.Request != nil {
		m.Request.Note.(*judgedRequest).tool = t
	}
}

// judgePrompt judges a prompt, which begins a turn if none is running.
func (c *connection) judgePrompt(m *recording.Message, s *session) {
	t := m.Turn
	if t == nil { // the agent sent the prompt
		return
	}
	s.promptCount++
	if c.version == 1 && t.Prompt != m.Request {
		c.report(m, "turn-running", "the turn of #%d has not ended; wait for the response", t.Prompt.Line)
	} else {
		s.turnEnd, s.cancelledBy = 0, 0
	}
}

// judgeStop judges the end of a turn. In version 2, background work can continue after it. In both
// versions, the turn of a prompt that the client has sent meanwhile may begin.
func (c *connection) judgeStop(m *recording.Message, s *session) {
	work, _ := rawjson.ReadArray(nil, rawjson.Get(m.Params, "update", "background"))
	hasBackground := len(work) > 0
	var open []string
	for id, t := range s.tools {
		if t.turn == m.Turn && t.isOpen() {
			open = append(open, id)
		}
	}
	slices.SortFunc(open, func(a, b string) int { return s.tools[a].announcedBy - s.tools[b].announcedBy })
	switch isCancelled := m.Stop == "cancelled"; {
	case s.cancelledBy != 0 && !isCancelled:
		c.report(m, "not-cancelled", "the turn was cancelled in #%d and ends with %s; the stop reason must be cancelled", s.cancelledBy, shortText(m.Stop))
	case !isCancelled && !hasBackground:
		for _, id := range open {
			t := s.tools[id]
			c.report(m, "left-open", "the turn ends, and its tool call %s (#%d) is still %s; it must be completed or failed", shortText(id), t.announcedBy, cmp.Or(t.status, "pending"))
		}
	}
	if !hasBackground && s.promptCount < 1 {
		s.turnEnd = m.Line
	}
}
