package redact

import (
	"bytes"
	"strings"

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
	known   bool                         // likewise those in knownMembers
	same    string                       // likewise these, to which this rule applies itself
	others  *rule                        // for the members whose names are not; optional
}

type members []member

// A member is what is kept of the members with one of the names.
type member struct {
	rule  *rule
	names string // with blanks between them
}

func (m members) of(name string) *rule {
	for _, one := range m {
		if isOneOf(name, one.names) {
			return one.rule
		}
	}
	return nil
}

func isOneOf(name, names string) bool {
	for one := range strings.FieldsSeq(names) {
		if one == name {
			return true
		}
	}
	return false
}

// of returns what a rule keeps of the member of that name, nil if its name is not kept.
func (r *Redactor) of(of *rule, name string) *rule {
	own := of.object.of(name)
	switch {
	case own != nil:
		return own
	case isOneOf(name, of.same):
		return of
	case of.known:
		return r.known[name]
	}
	return nil
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

// What is kept of objects.
var (
	// object is for what the protocol describes: a member is what its name says, wherever
	// it is.
	object = &rule{known: true}

	meta = &rule{object: members{
		{&rule{flags: true, object: members{
			{id, "terminal_id"}, {path, "cwd"}, {hidden, "data"},
			{number, "exit_code"}, {word, "signal"},
		}}, "terminal_info terminal_output terminal_output_delta terminal_exit"},
		{&rule{object: members{{hidden, "title description"}}}, "permission_prompt"},
		{word, "kind"},
		{&rule{object: members{{&rule{object: members{
			{number, "version"}, {markdown, "contentDelta"}, {word, "capabilities"},
		}}, "air"}}}, "jetbrains"},
	}}
	program  = &rule{object: members{{product, "name title version"}, {meta, "_meta"}}}
	rawInput = &rule{object: members{
		{&rule{keeps: func(text []byte) bool { return vendors.ToolName(text) != nil }}, "_toolName"},
		{object, "todos"}, {flag, "merge"}, {hidden, "command"},
	}}
	plan       = &rule{hides: (*writer).markdown, known: true, object: members{{markdown, "content"}}}
	gitPatch   = &rule{known: true, object: members{{patch, "text"}}}
	choices    = &rule{known: true, object: members{{choice, "value"}}}
	pairs      = &rule{object: members{{hidden, "name value"}}}
	mcpServers = &rule{known: true, object: members{{path, "command"}}}
	failures   = &rule{object: members{
		{number, "code"}, {says, "message"}, {meta, "_meta"},
		{&rule{object: members{{number, "supported requested"}}}, "data"},
	}}
	lost = &rule{object: members{{loss, "kind"}, {word, "name"}, {hidden, "detail"}}}

	// able is for capabilities: objects that are there or not, and flags. Their names
	// tell what a program can do.
	able = &rule{flags: true, object: members{{meta, "_meta"}, {number, "protocolVersion"}}, same: `
		fs readTextFile writeTextFile terminal plan planCapabilities elicitation form url auth session compaction
		configOptions boolean notices subagents promptSuggestions cursors loadSession promptCapabilities prompt image
		audio embeddedContext mcpCapabilities mcp http sse stdio acp sessionCapabilities list resume close delete fork
		archive status title systemPrompt mode override additionalDirectories providers logout login cancel
		positionEncodings nes`}

	formField = &rule{same: "items", object: members{
		{word, "type format"}, {hidden, "title description default enum pattern"},
		{&rule{object: members{{hidden, "const title description"}, {meta, "_meta"}}}, "oneOf anyOf"},
		{number, "minLength maxLength minimum maximum minItems maxItems"}, {meta, "_meta"},
	}}
	// form is for the schema of a form. The names of its fields are hidden, like those in
	// the answer.
	form = &rule{object: members{
		{word, "type"}, {hidden, "title description required"}, {meta, "_meta"},
		{&rule{others: formField}, "properties"},
	}}

	// results is for results. A message does not say which method it answers.
	results = &rule{known: true, object: members{{hidden, "content answers"}}}
)

// knownMembers are the members of the protocol's and the vendors' objects. What is not
// here is hidden, and so is its name.
var knownMembers = members{
	{object, `
		update toolCall content resource annotations locations changes summary prompt output entries todos phases
		questions exitStatus usage cost availableCommands input configOptions modes availableModes models
		availableModels sessions subject suggestions anchor replayFrom systemPrompt authMethods accounts providers
		current answers`},
	{id, `
		id sessionId messageId userMessageId senderSessionId recipientSessionId senderMessageId recipientMessageId
		toolCallId terminalId compactionId cursorId currentModeId modeId currentModelId modelId configId group groupId
		optionId questionId selectedOptionIds methodId providerId serverId connectionId acpId elicitationId requestId
		idempotencyKey`},
	{word, `
		sessionUpdate type kind status severity category operation fileType format currency signal stopReason action
		mode supported apiType audience`},
	{number, `
		protocolVersion line limit cols rows used amount outputByteLimit exitCode totalTokens inputTokens outputTokens
		thoughtTokens cachedReadTokens cachedWriteTokens`},
	{flag, "truncated active required merge isProject allowMultiple multiSelect"},
	{hidden, `
		text name description message hint label email organization feedback reason overview step preview question
		value blob oldText newText command args vars rawOutput cursor nextCursor params`},
	{path, "cwd path oldPath additionalDirectories"},
	{uri, "uri planUri url baseUrl"},
	{moment, "updatedAt lastModified"},
	{able, "capabilities clientCapabilities agentCapabilities"},
	{program, "info clientInfo agentInfo"},
	{&rule{keeps: isWord, numbers: true}, "priority"},
	{&rule{keeps: isWord, flags: true}, "archived"},
	{&rule{keeps: isWord, known: true}, "state outcome"},
	{&rule{numbers: true, known: true}, "size"},
	{choices, "options"},
	{choice, "currentValue"},
	{pairs, "env headers"},
	{mcpServers, "mcpServers"},
	{plan, "plan"},
	{markdown, "planContent"},
	{gitPatch, "patch"},
	{encoded, "data"},
	{toolTitle, "title"},
	{mediaType, "mimeType"},
	{method, "method"},
	{form, "requestedSchema"},
	{rawInput, "rawInput"},
	{failures, "error"},
	{meta, "_meta"},
}

// paramsOf is what is kept of the params of a method, by its name without _ in front.
var paramsOf = members{
	{object, `
		initialize proxy/initialize proxy/successor authenticate auth/login auth/status_update session/new
		session/load session/resume session/fork session/list session/prompt session/update session/set_mode
		session/set_model session/set_title session/request_permission elicitation/create elicitation/complete
		fs/read_text_file fs/write_text_file terminal/create terminal/output terminal/release terminal/kill
		terminal/cancel terminal/wait_for_exit providers/set providers/disable mcp/connect mcp/disconnect mcp/message
		$/cancel_request cursor/create_plan cursor/update_todos cursor/ask_question x.ai/session_notification`},
	{choices, "session/set_config_option"},
	// Some transports wrap the requests of vendors.
	{&rule{known: true, object: members{{object, "params"}}}, "x.ai/exit_plan_mode x.ai/ask_user_question"},
}

// anyParams is what is kept of the params of other methods.
var anyParams = &rule{object: members{{id, "sessionId toolCallId"}, {meta, "_meta"}}}

// toolTitle writes the title of a tool call. The names of the tools that vendors' plans
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

// isWord is for what the protocol or a vendor has a list of words for.
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
	for folder := range strings.FieldsSeq("home- users- home_ users_") {
		if bytes.Contains(lower, []byte(folder)) {
			return false
		}
	}
	for key := range strings.FieldsSeq("sk- ghp_ gho_ ghs_ github_pat_ glpat- xox AKIA AIza eyJ") {
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
