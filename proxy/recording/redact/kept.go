package redact

import (
	"bytes"
	"slices"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
)

// A rule says what is kept of a value. Without any, it keeps nothing but its shape.
// Of an array it holds for each element.
type rule struct {
	keeps   func(text []byte) bool       // a string is kept as it is
	hides   func(w *writer, text []byte) // what another string becomes; optional
	numbers bool                         // are kept
	flags   bool                         // true and false are kept
	object  members                      // whose names are kept
	same    []string                     // more of them, to which this rule applies itself
	planIDs bool                         // more of them: those that drafts have for the id of a plan
	others  *rule                        // for the members whose names are not; optional
}

// members are a list and no map, so that nothing is made of it when the program starts.
type members []member

type member struct {
	name string
	rule *rule
}

// of returns what is kept of the member of that name, nil if its name is not.
func (r *rule) of(name string) *rule {
	for i := range r.object {
		if r.object[i].name == name {
			return r.object[i].rule
		}
	}
	switch {
	case slices.Contains(r.same, name):
		return r
	case r.planIDs && isPlanID(name):
		return id
	}
	return nil
}

func isPlanID(name string) bool {
	for i := range capabilities.PlanIDMembers {
		if name == capabilities.PlanIDMember(i) {
			return true
		}
	}
	return false
}

// What is kept of values other than objects.
var (
	hidden    = &rule{}
	word      = &rule{keeps: isWord}
	id        = &rule{keeps: isID, hides: (*writer).hide, numbers: true}
	choice    = &rule{keeps: isID, hides: (*writer).hide, flags: true} // the value of an option
	version   = &rule{keeps: func(text []byte) bool { return string(text) == "2.0" }}
	method    = &rule{keeps: isMethod}
	component = &rule{keeps: isComponent}
	number    = &rule{numbers: true}
	flag      = &rule{flags: true}
	moment    = &rule{keeps: isMoment}
	mediaType = &rule{keeps: isMediaType}
	product   = &rule{keeps: isProduct}
	path      = &rule{hides: (*writer).path}
	uri       = &rule{hides: (*writer).uri}
	encoded   = &rule{hides: (*writer).bytes64}
	markdown  = &rule{hides: (*writer).markdown}
	patch     = &rule{hides: (*writer).patch}
	toolTitle = &rule{hides: (*writer).toolTitle}
	says      = &rule{hides: (*writer).failure}
	loss      = &rule{keeps: isLoss}
)

// What is kept of objects that are parts of messages.
var (
	meta = &rule{object: members{
		{"terminal_info", &rule{object: members{{"terminal_id", id}, {"cwd", path}}}},
		{"terminal_output", &rule{flags: true, object: members{{"terminal_id", id}, {"data", hidden}}}},
		{"terminal_output_delta", &rule{flags: true, object: members{{"terminal_id", id}, {"data", hidden}}}},
		{"terminal_exit", &rule{flags: true, object: members{{"terminal_id", id}, {"exit_code", number}, {"signal", word}}}},
		{"permission_prompt", &rule{object: members{{"title", hidden}, {"description", hidden}}}},
		{"kind", word},
		{"jetbrains", &rule{object: members{{"air", &rule{object: members{
			{"version", number}, {"contentDelta", markdown}, {"capabilities", &rule{keeps: isWord}},
		}}}}}},
	}}

	program    = &rule{object: members{{"name", product}, {"title", product}, {"version", product}, {"_meta", meta}}}
	exitStatus = &rule{object: members{{"exitCode", number}, {"signal", word}, {"_meta", meta}}}
	tokens     = &rule{object: members{
		{"totalTokens", number}, {"inputTokens", number}, {"outputTokens", number}, {"thoughtTokens", number},
		{"cachedReadTokens", number}, {"cachedWriteTokens", number}, {"_meta", meta},
	}}

	entries = &rule{object: members{{"content", hidden}, {"priority", word}, {"status", word}, {"_meta", meta}}}
	plan    = &rule{planIDs: true, object: members{
		{"type", word}, {"entries", entries}, {"content", markdown}, {"path", path}, {"uri", uri}, {"_meta", meta},
	}}

	// The words of makers.
	todos = &rule{object: members{
		{"id", id}, {"content", hidden}, {"title", hidden}, {"description", hidden}, {"step", hidden},
		{"status", word}, {"priority", word},
	}}
	rawInput = &rule{object: members{
		{"_toolName", &rule{keeps: func(text []byte) bool { return vendors.ToolName(text) != nil }}},
		{"todos", todos}, {"merge", flag}, {"command", hidden},
	}}
	questions = &rule{object: members{
		{"id", id}, {"prompt", hidden}, {"question", hidden}, {"allowMultiple", flag}, {"multiSelect", flag},
		{"options", &rule{object: members{{"id", id}, {"label", hidden}, {"description", hidden}, {"preview", hidden}}}},
	}}

	commands = &rule{object: members{
		{"type", word}, {"name", hidden}, {"description", hidden}, {"_meta", meta},
		{"input", &rule{object: members{{"type", word}, {"hint", hidden}, {"_meta", meta}}}},
	}}
	modes = &rule{object: members{
		{"currentModeId", id}, {"_meta", meta},
		{"availableModes", &rule{object: members{{"id", id}, {"name", hidden}, {"description", hidden}, {"_meta", meta}}}},
	}}
	models = &rule{object: members{
		{"currentModelId", id}, {"_meta", meta},
		{"availableModels", &rule{object: members{{"modelId", id}, {"name", hidden}, {"description", hidden}, {"_meta", meta}}}},
	}}
	permissions = &rule{object: members{{"optionId", id}, {"name", hidden}, {"kind", word}, {"_meta", meta}}}

	pairs      = &rule{object: members{{"name", hidden}, {"value", hidden}}}
	mcpServers = &rule{object: members{
		{"type", word}, {"id", id}, {"serverId", id}, {"name", hidden}, {"command", path}, {"args", hidden}, {"url", uri},
		{"env", pairs}, {"headers", pairs},
		{"_meta", meta},
	}}
	signIns = &rule{object: members{
		{"type", word}, {"id", id}, {"methodId", id}, {"name", hidden}, {"description", hidden}, {"args", hidden},
		{"env", pairs}, {"vars", hidden}, {"_meta", meta},
	}}
	systemPrompt = &rule{object: members{{"mode", word}, {"content", contents}, {"_meta", meta}}}
	provider     = &rule{object: members{
		{"providerId", id}, {"id", id}, {"supported", word}, {"required", flag}, {"_meta", meta},
		{"current", &rule{object: members{{"apiType", word}, {"baseUrl", uri}, {"_meta", meta}}}},
	}}
	failures = &rule{object: members{
		{"code", number}, {"message", says}, {"_meta", meta},
		{"data", &rule{object: members{{"supported", number}, {"requested", number}}}},
	}}
	// A state of a session, or the word of one.
	state    = &rule{keeps: isWord, object: members{{"state", word}, {"stopReason", word}, {"usage", tokens}, {"_meta", meta}}}
	accounts = &rule{object: members{{"label", hidden}, {"active", flag}, {"name", hidden}, {"email", hidden}, {"organization", hidden}}}

	lost = &rule{object: members{{"kind", loss}, {"name", word}, {"detail", hidden}}}
)

var annotations = &rule{object: members{{"audience", word}, {"priority", number}, {"lastModified", moment}, {"_meta", meta}}}

// contents is for content blocks and for the content of tool calls.
var contents = &rule{same: []string{"content"}, object: members{
	{"type", word}, {"text", hidden}, {"data", hidden}, {"sessionId", id}, {"mimeType", mediaType}, {"uri", uri}, {"name", hidden},
	{"title", hidden}, {"description", hidden}, {"size", number}, {"annotations", annotations}, {"_meta", meta},
	{"resource", &rule{object: members{{"uri", uri}, {"mimeType", mediaType}, {"text", hidden}, {"blob", hidden}, {"_meta", meta}}}},
	{"path", path}, {"oldText", hidden}, {"newText", hidden}, {"terminalId", id},
	{"changes", &rule{object: members{
		{"operation", word}, {"path", path}, {"oldPath", path}, {"fileType", word}, {"mimeType", mediaType}, {"_meta", meta},
	}}},
	{"patch", &rule{object: members{{"format", word}, {"text", patch}, {"_meta", meta}}}},
}}

// update is for session updates, and for the tool calls of permission requests.
var update = &rule{planIDs: true, object: members{
	{"sessionUpdate", word}, {"_meta", meta},
	// texts
	{"content", contents}, {"messageId", id}, {"senderSessionId", id}, {"recipientSessionId", id},
	{"senderMessageId", id}, {"recipientMessageId", id},
	// tool calls and terminals
	{"toolCallId", id}, {"title", toolTitle}, {"name", hidden}, {"kind", word}, {"status", word},
	{"locations", &rule{object: members{{"path", path}, {"line", number}, {"_meta", meta}}}},
	{"rawInput", rawInput}, {"rawOutput", hidden},
	{"terminalId", id}, {"command", hidden}, {"cwd", path}, {"data", encoded},
	{"output", &rule{object: members{{"data", encoded}, {"_meta", meta}}}},
	{"exitStatus", exitStatus},
	{"size", &rule{numbers: true, object: members{{"cols", number}, {"rows", number}, {"_meta", meta}}}},
	// plans
	{"entries", entries}, {"plan", plan},
	// states of sessions
	{"state", state}, {"stopReason", word}, {"usage", tokens}, {"error", failures}, {"used", number},
	{"cost", &rule{object: members{{"amount", number}, {"currency", word}, {"_meta", meta}}}},
	{"currentModeId", id}, {"configOptions", options}, {"availableCommands", commands},
	{"updatedAt", moment}, {"severity", word}, {"description", hidden}, {"message", hidden},
	{"compactionId", id}, {"summary", contents},
	// subagents
	{"sessionId", id}, {"additionalDirectories", path}, {"capabilities", able},
	// suggestions and cursors
	{"suggestions", &rule{object: members{{"prompt", contents}, {"_meta", meta}}}},
	{"cursorId", id}, {"anchor", &rule{object: members{{"type", word}, {"messageId", id}, {"toolCallId", id}, {"_meta", meta}}}},
}}

// optionValues can be in groups.
var optionValues = &rule{same: []string{"options"}, object: members{{"value", choice}, {"group", id}, {"groupId", id}, {"name", hidden}, {"description", hidden}, {"_meta", meta}}}

var options = &rule{object: members{
	{"id", id}, {"configId", id}, {"name", hidden}, {"description", hidden}, {"category", word}, {"type", word},
	{"currentValue", choice}, {"options", optionValues}, {"_meta", meta},
}}

// able is for capabilities: objects that are there or not, and flags. Their names
// tell what a program can do.
var able = &rule{flags: true, object: members{{"_meta", meta}, {"protocolVersion", number}}, same: []string{
	"fs", "readTextFile", "writeTextFile", "terminal", "plan", "planCapabilities", "elicitation", "form", "url",
	"auth", "session", "compaction", "configOptions", "boolean", "notices", "subagents", "promptSuggestions", "cursors",
	"loadSession", "promptCapabilities", "prompt", "image", "audio", "embeddedContext",
	"mcpCapabilities", "mcp", "http", "sse", "stdio", "acp", "sessionCapabilities", "list", "resume", "close", "delete",
	"fork", "archive", "status", "title", "systemPrompt", "mode", "override", "additionalDirectories",
	"providers", "logout", "login", "cancel", "positionEncodings", "nes",
}}

var formValues = &rule{object: members{{"const", hidden}, {"title", hidden}, {"description", hidden}, {"_meta", meta}}}

var formField = &rule{same: []string{"items"}, object: members{
	{"type", word}, {"title", hidden}, {"description", hidden}, {"default", hidden}, {"enum", hidden}, {"pattern", hidden},
	{"format", word}, {"oneOf", formValues}, {"anyOf", formValues}, {"minLength", number}, {"maxLength", number}, {"minimum", number},
	{"maximum", number}, {"minItems", number}, {"maxItems", number}, {"_meta", meta},
}}

// form is for the schema of a form. The names of its fields are hidden as those in
// the answer.
var form = &rule{object: members{
	{"type", word}, {"title", hidden}, {"description", hidden}, {"required", hidden}, {"_meta", meta},
	{"properties", &rule{others: formField}},
}}

var start = &rule{object: members{
	{"protocolVersion", number}, {"clientCapabilities", able}, {"clientInfo", program},
	{"capabilities", able}, {"info", program},
}}

var session = &rule{object: members{
	{"cwd", path}, {"additionalDirectories", path}, {"mcpServers", mcpServers}, {"systemPrompt", systemPrompt},
	{"replayFrom", &rule{object: members{{"type", word}, {"_meta", meta}}}},
}}

// methods is what is kept of the params of a method, by its name without _ in front,
// besides what is kept of all params. Some transports wrap the requests of vendors.
var methods = members{
	{"initialize", start}, {"proxy/initialize", start},
	{"proxy/successor", &rule{object: members{{"method", method}, {"params", hidden}}}},
	{"session/new", session}, {"session/load", session}, {"session/resume", session}, {"session/fork", session},
	{"session/list", &rule{object: members{{"cwd", path}, {"cursor", hidden}, {"archived", word}}}},
	{"session/prompt", &rule{object: members{{"prompt", contents}, {"messageId", id}, {"idempotencyKey", id}}}},
	{"session/update", &rule{object: members{{"update", update}}}},
	{"session/set_mode", &rule{object: members{{"modeId", id}}}},
	{"session/set_model", &rule{object: members{{"modelId", id}}}},
	{"session/set_config_option", &rule{object: members{{"configId", id}, {"type", word}, {"value", choice}}}},
	{"session/set_title", &rule{object: members{{"title", hidden}}}},
	{"session/request_permission", &rule{object: members{
		{"toolCall", update}, {"options", permissions}, {"title", hidden}, {"description", hidden},
		{"subject", &rule{object: members{
			{"type", word}, {"toolCall", update}, {"command", hidden}, {"cwd", path}, {"toolCallId", id}, {"terminalId", id}, {"_meta", meta},
		}}},
	}}},
	{"elicitation/create", &rule{object: members{
		{"mode", word}, {"message", hidden}, {"requestedSchema", form}, {"elicitationId", id}, {"url", uri}, {"requestId", id},
	}}},
	{"elicitation/complete", &rule{object: members{{"elicitationId", id}}}},
	{"fs/read_text_file", &rule{object: members{{"path", path}, {"line", number}, {"limit", number}}}},
	{"fs/write_text_file", &rule{object: members{{"path", path}, {"content", hidden}}}},
	{"terminal/create", &rule{object: members{{"command", hidden}, {"args", hidden}, {"env", pairs}, {"cwd", path}, {"outputByteLimit", number}}}},
	{"terminal/output", &rule{object: members{{"terminalId", id}}}},
	{"terminal/release", &rule{object: members{{"terminalId", id}}}},
	{"terminal/kill", &rule{object: members{{"terminalId", id}}}},
	{"terminal/cancel", &rule{object: members{{"terminalId", id}}}},
	{"terminal/wait_for_exit", &rule{object: members{{"terminalId", id}}}},
	{"authenticate", &rule{object: members{{"methodId", id}}}},
	{"auth/login", &rule{object: members{{"methodId", id}}}},
	{"auth/status_update", &rule{object: members{{"state", word}, {"accounts", accounts}}}},
	{"providers/set", &rule{object: members{{"providerId", id}, {"id", id}, {"apiType", word}, {"baseUrl", uri}, {"headers", hidden}}}},
	{"providers/disable", &rule{object: members{{"providerId", id}, {"id", id}}}},
	{"mcp/connect", &rule{object: members{{"acpId", id}}}},
	{"mcp/disconnect", &rule{object: members{{"connectionId", id}}}},
	{"mcp/message", &rule{object: members{{"connectionId", id}, {"serverId", id}, {"requestId", id}, {"method", method}, {"params", hidden}}}},
	{"$/cancel_request", &rule{object: members{{"requestId", id}}}},
	{"cursor/create_plan", cursorPlan},
	{"cursor/update_todos", &rule{object: members{{"todos", todos}, {"merge", flag}}}},
	{"cursor/ask_question", &rule{object: members{{"title", hidden}, {"questions", questions}}}},
	{"x.ai/exit_plan_mode", &rule{object: members{{"planContent", markdown}, {"method", method}}, same: []string{"params"}}},
	{"x.ai/session_notification", &rule{object: members{{"update", update}}}},
	{"x.ai/ask_user_question", &rule{object: members{{"questions", questions}, {"mode", word}, {"method", method}}, same: []string{"params"}}},
}

// allParams are the members of all params.
var allParams = members{{"sessionId", id}, {"toolCallId", id}, {"_meta", meta}}

var cursorPlan = &rule{object: members{
	{"name", hidden}, {"overview", hidden}, {"plan", markdown}, {"todos", todos}, {"isProject", flag},
	{"phases", &rule{object: members{{"name", hidden}, {"todos", todos}}}},
}}

var outcome = &rule{keeps: isWord, object: members{
	{"outcome", word}, {"optionId", id}, {"reason", hidden}, {"todos", todos}, {"planUri", uri}, {"_meta", meta},
	{"answers", &rule{object: members{{"questionId", id}, {"selectedOptionIds", id}}}},
}}

// results is what is kept of a result. A message does not say which method it answers.
var results = &rule{object: members{
	{"_meta", meta},
	// initialize and sign-in
	{"protocolVersion", number}, {"agentCapabilities", able}, {"agentInfo", program}, {"capabilities", able}, {"info", program},
	{"authMethods", signIns}, {"state", state},
	{"accounts", accounts},
	// sessions
	{"sessionId", id}, {"modes", modes}, {"models", models}, {"configOptions", options}, {"nextCursor", hidden},
	{"sessions", &rule{object: members{
		{"sessionId", id}, {"cwd", path}, {"additionalDirectories", path}, {"title", hidden}, {"updatedAt", moment},
		{"archived", flag}, {"_meta", meta},
	}}},
	{"status", word}, {"title", hidden}, {"providers", provider},
	// turns
	{"stopReason", word}, {"usage", tokens}, {"messageId", id}, {"userMessageId", id},
	// answers of the client
	{"outcome", outcome}, {"action", word}, {"content", hidden}, {"answers", hidden}, {"feedback", hidden},
	{"terminalId", id}, {"connectionId", id}, {"output", hidden}, {"truncated", flag}, {"exitStatus", exitStatus}, {"exitCode", number}, {"signal", word},
}}

// toolTitle writes the title of a tool call. The names of the tools that makers' plans
// are known by stay.
func (w *writer) toolTitle(text []byte) {
	name := vendors.ToolName(text)
	w.out = append(w.out, name...)
	w.hideLines(text[len(name):])
}

// allOf reports whether a text is not empty, at most so long, and of letters, digits
// and the other bytes.
func allOf(text []byte, longest int, others string) bool {
	for _, b := range text {
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z', '0' <= b && b <= '9':
		case bytes.IndexByte([]byte(others), b) < 0:
			return false
		}
	}
	return 0 < len(text) && len(text) <= longest
}

// isWord is for what the protocol or a maker has a list of words for.
func isWord(text []byte) bool { return allOf(text, 40, "_-") }

// isID is for ids that programs make. One that may have a path, an address or a key in
// it is hidden.
func isID(text []byte) bool {
	if number, ok := bytes.CutPrefix(text, []byte("acp-plan-proxy/")); ok {
		text = number // of a request of the proxy
	}
	if !allOf(text, 100, "_-.:#[]()|$") {
		return false
	}
	lower := bytes.ToLower(text)
	for _, folder := range []string{"home-", "users-", "home_", "users_"} {
		if bytes.Contains(lower, []byte(folder)) {
			return false
		}
	}
	for _, key := range []string{"sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "AKIA", "AIza", "eyJ"} {
		if bytes.HasPrefix(text, []byte(key)) {
			return false
		}
	}
	return true
}

func isMethod(text []byte) bool    { return allOf(text, 80, "_-./$") || string(text) == trace.NotAMessage }
func isComponent(text []byte) bool { return allOf(text, 20, ":()") }
func isMoment(text []byte) bool {
	return len(text) <= 40 && len(bytes.Trim(text, "0123456789-+:.TtZz ")) == 0
}
func isMediaType(text []byte) bool {
	return allOf(text, 80, "/.+-") && bytes.Count(text, []byte("/")) == 1
}

// isProduct is for what programs call themselves, and their versions.
func isProduct(text []byte) bool {
	return allOf(text, 80, " @/._-+()") && text[0] != '/' && bytes.Count(text, []byte("/")) <= 1
}

// isLoss is for the kinds of losses. The details of a loss may tell of files.
func isLoss(text []byte) bool { return translate.IsLoss(string(text)) }

// failure writes the message of an error: what is the same everywhere stays.
func (w *writer) failure(text []byte) {
	for _, standard := range standards {
		bare := bytes.TrimPrefix(text, []byte(`"`))
		if len(bare) < len(standard) || !bytes.EqualFold(bare[:len(standard)], []byte(standard)) {
			continue
		}
		rest := bytes.TrimPrefix(bare[len(standard):], []byte(`"`))
		detail, found := bytes.CutPrefix(rest, []byte(": "))
		if !found && len(rest) > 0 {
			continue
		}
		w.out = append(w.out, text[:len(text)-len(detail)]...)
		w.hideLines(detail)
		return
	}
	w.hideLines(text)
}

// standards are the messages of errors that are the same everywhere, but for their case and
// for quotes around them.
var standards = []string{
	"parse error", "invalid request", "method not found", "invalid params", "internal error",
	"authentication required", "resource not found", "unsupported protocol version", "request cancelled",
}
