package timeline

import (
	"cmp"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/rawjson"
)

const (
	maxSays    = 120 // characters of a summary
	maxError   = 400 // and of what an error says
	maxOptions = 30  // of a permission request
)

// aboutOf returns what a message is about. It is AboutOther for whatever is not known
// here.
func aboutOf(s *step) About {
	method, kind := brief(s.Called()), s.update.kind
	hasPrefix := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(kind, p) {
				return true
			}
		}
		return false
	}
	switch {
	case s.line.Plan != nil:
		return AboutPlan
	case method == "session/prompt" || method == "session/cancel" || kind == "state_update":
		return AboutTurn
	case hasPrefix("user_message", "agent_message", "agent_thought", "user_thought"):
		return AboutText
	case hasPrefix("tool_call", "terminal_"):
		return AboutTool
	case kind == "usage_update":
		return AboutUsage
	case method == "session/request_permission" || strings.HasPrefix(method, "elicitation/") || vendors.Asks(method):
		return AboutPermission
	}
	return AboutOther
}

// says says a message that concerns no plan in one line. It returns "" if its name says
// enough.
func says(s *step) string {
	if s.line.Plan != nil {
		return ""
	}
	return oneLine(s.text(), maxSays)
}

func (s *step) text() string {
	if s.Type == trace.Response {
		return s.answerText()
	}
	switch {
	case s.Method == "initialize":
		return s.offers()
	case s.Method == "session/prompt":
		return blockText(rawjson.Get(s.Params, "prompt"))
	case s.Method == "session/request_permission":
		return "asks: " + permissionTitle(s.Params)
	case strings.HasPrefix(s.Method, "elicitation/"):
		return textOf(s.Params, "message")
	case vendors.Asks(s.Method):
		return "asks: " + vendorsTitle(s.Params)
	}
	return s.update.text()
}

// offers says what an initialize request offers of what the proxy can hide.
func (s *step) offers() string {
	switch request, err := capabilities.ReadRequest(s.Params); {
	case err == nil && request.Offers != 0:
		return "offers " + request.Offers.String()
	case s.From == trace.Proxy:
		return "offers nothing"
	}
	return ""
}

func (s *step) answerText() string {
	switch {
	case s.IsError:
		return "failed"
	case s.Called() == "session/prompt":
		if stop := textOf(s.Payload, "stopReason"); stop != "" {
			return "ended: " + stop
		}
		return "accepted"
	case s.Called() == "session/request_permission":
		return s.outcome()
	}
	return ""
}

// errorText returns what an error says, or the failure of a tool call.
func (s *step) errorText() string {
	switch {
	case s.IsError:
		return textOf(s.Payload, "message") + detailsOf(rawjson.Get(s.Payload, "data"))
	case !s.update.failed():
		return ""
	}
	var texts []string
	for _, item := range elements(s.update.member("content"), maxOptions) {
		texts = append(texts, blockText(rawjson.Get(item, "content")))
	}
	text := strings.Trim(strings.Join(texts, " "), "` \n") // agents show it as code
	if output := s.update.member("rawOutput"); text == "" && output != nil {
		text = cmp.Or(recording.TextOf(output), recording.TextOf(output, "error"), recording.TextOf(output, "message"))
	}
	return text
}

// detailsOf returns what the data of an error adds to its message.
func detailsOf(data []byte) string {
	if details := cmp.Or(recording.TextOf(data), recording.TextOf(data, "details")); details != "" {
		return ": " + details
	}
	return ""
}

// outcome says which option an answer to a permission request chooses.
func (s *step) outcome() string {
	outcome := rawjson.Get(s.Payload, "outcome")
	id := textOf(outcome, "optionId")
	var options []option
	if s.answers != nil {
		options = s.answers.options
	}
	for _, o := range options {
		if id != "" && o.id == cut(id, maxSays) {
			return o.name
		}
	}
	if id != "" {
		return id
	}
	return textOf(outcome, "outcome")
}

// optionsOf returns the options that a permission request offers.
func optionsOf(s *step) []option {
	if s.Method != "session/request_permission" {
		return nil
	}
	var options []option
	for _, raw := range elements(rawjson.Get(s.Params, "options"), maxOptions) {
		o := option{id: cut(textOf(raw, "optionId"), maxSays), name: oneLine(textOf(raw, "name"), maxSays)}
		if o.name == "" {
			o.name = o.id
		}
		options = append(options, o)
	}
	return options
}

// permissionTitle returns what a permission request is about: of version 1 it is a
// tool call, of version 2 it has a title and a subject.
func permissionTitle(params []byte) string {
	if title := rawjson.Get(params, "title"); title != nil {
		return textOf(title)
	}
	call := rawjson.Get(params, "toolCall")
	if call == nil {
		call = rawjson.Get(params, "subject", "toolCall")
	}
	return textOf(call, "title")
}

func vendorsTitle(params []byte) string {
	for _, name := range []string{"name", "title", "planContent"} {
		if text := textOf(params, name); text != "" {
			return text
		}
	}
	for _, question := range elements(rawjson.Get(params, "questions"), 1) {
		return textOf(question, "question")
	}
	return ""
}

func (u update) text() string {
	switch {
	case u.kind == "state_update":
		text := textOf(u.member("state"))
		if stop := textOf(u.member("stopReason")); stop != "" {
			text += ": " + stop
		}
		return text
	case strings.HasPrefix(u.kind, "terminal_"):
		return textOf(u.member("command"))
	case u.kind == "session_info_update" || u.kind == "notice":
		if title := textOf(u.member("title")); title != "" {
			return title
		}
		return textOf(u.member("message"))
	}
	return blockText(u.member("content"))
}

// blockText returns what a content block, or a list of them, says as text.
func blockText(content []byte) string {
	if len(content) > 0 && content[0] == '[' {
		var texts []string
		for _, block := range elements(content, maxOptions) {
			if text := blockText(block); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, " ")
	}
	switch kind := textOf(content, "type"); kind {
	case "":
		return ""
	case "text":
		return textOf(content, "text")
	case "resource_link":
		return textOf(content, "uri")
	default:
		return "(" + kind + ")"
	}
}

// describe says what a message is and what it is about.
func describe(s *step) string {
	if s.line.Plan != nil {
		return s.line.Plan.String()
	}
	name, says := s.Method, ""
	switch {
	case s.Type == trace.Response:
		name, says = "answer", brief(s.Called())
	case s.update.kind != "":
		name, says = s.update.kind, textOf(s.update.member("title"))
		if says == "" {
			says = s.update.text()
		}
	default:
		says = s.text()
	}
	if says == "" {
		return brief(name)
	}
	return brief(name) + ": " + oneLine(says, maxSays)
}

// elements returns the first elements of an array, none of any other value.
func elements(array []byte, most int) [][]byte {
	var c rawjson.Cursor
	c.Reset(array)
	if c.Kind() != '[' {
		return nil
	}
	var all [][]byte
	for more := c.Array(); more && len(all) < most; more = c.NextElement() {
		all = append(all, c.Value())
	}
	return all
}
