package timeline

import (
	"cmp"
	"slices"
	"strings"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/vendors"
	"acp-plan-proxy/transport/rawjson"
)

const (
	maxSummary = 120 // characters of a summary
	maxError   = 400 // characters of an error
	maxOptions = 30  // options of a permission request
)

// aboutOf returns the topic of a message, by which view filters and colors messages. Session updates of
// other kinds have the topic AboutOther.
func aboutOf(s *step) About {
	method, kind := brief(s.CalledMethod()), s.update.kind
	hasPrefix := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(kind, p) })
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

// text returns the text of a message without a plan, or "" if the name of the message is enough.
func (s *step) text() string {
	if s.Type == trace.Response {
		return s.answerText()
	}
	switch {
	case s.Method == "initialize":
		return s.offersText()
	case s.Method == "session/prompt":
		return blockText(rawjson.Get(s.Params, "prompt"))
	case s.Method == "session/request_permission":
		title, _ := recording.ReadPermission(s.Params)
		return "asks: " + title
	case strings.HasPrefix(s.Method, "elicitation/"):
		return rawjson.StringAt(s.Params, "message")
	case vendors.Asks(s.Method):
		return "asks: " + vendorsTitle(s.Params)
	}
	return s.update.summary()
}

// offersText lists the capabilities in an initialize request that the proxy can hide or add.
func (s *step) offersText() string {
	request, err := capabilities.ReadRequest(s.Params)
	offers := request.Offers.String()
	if plans := request.Advertised(); plans != "nothing" {
		offers = strings.Trim(offers+","+plans, ",")
	}
	switch {
	case err == nil && offers != "":
		return "offers " + offers
	case s.From == trace.Proxy:
		return "offers nothing"
	}
	return ""
}

func (s *step) answerText() string {
	switch {
	case s.IsError:
		return "failed"
	case s.CalledMethod() == "session/prompt":
		if stop := rawjson.StringAt(s.Payload, "stopReason"); stop != "" {
			return "ended: " + stop
		}
		return "accepted"
	case s.CalledMethod() == "session/request_permission":
		return s.outcome()
	}
	return ""
}

// errorText returns the text of an error, or of a failed tool call.
func (s *step) errorText() string {
	switch {
	case s.IsError:
		text, data := rawjson.StringAt(s.Payload, "message"), rawjson.Get(s.Payload, "data")
		if details := cmp.Or(rawjson.StringAt(data), rawjson.StringAt(data, "details")); details != "" {
			text += ": " + details
		}
		return text
	case !s.update.failed():
		return ""
	}
	var texts []string
	for _, item := range elements(s.update.member("content"), maxOptions) {
		texts = append(texts, blockText(rawjson.Get(item, "content")))
	}
	text := strings.Trim(strings.Join(texts, " "), "` \n") // agents show it as code
	if output := s.update.member("rawOutput"); text == "" && output != nil {
		text = cmp.Or(rawjson.StringAt(output), rawjson.StringAt(output, "error"), rawjson.StringAt(output, "message"))
	}
	return text
}

// outcome returns the name of the option in the response to a permission request.
func (s *step) outcome() string {
	outcome := rawjson.Get(s.Payload, "outcome")
	id := rawjson.StringAt(outcome, "optionId")
	if id == "" {
		return rawjson.StringAt(outcome, "outcome")
	}
	if s.answered != nil {
		for _, o := range s.answered.options {
			if o.id == translate.Truncate(id, maxSummary) {
				return o.name
			}
		}
	}
	return id
}

// optionsOf returns the options of a permission request.
func optionsOf(s *step) []option {
	if s.Method != "session/request_permission" {
		return nil
	}
	var options []option
	for _, raw := range elements(rawjson.Get(s.Params, "options"), maxOptions) {
		id := translate.Truncate(rawjson.StringAt(raw, "optionId"), maxSummary)
		options = append(options, option{id, cmp.Or(oneLine(rawjson.StringAt(raw, "name"), maxSummary), id)})
	}
	return options
}

func vendorsTitle(params []byte) string {
	first := ""
	for _, question := range elements(rawjson.Get(params, "questions"), 1) {
		first = rawjson.StringAt(question, "question")
	}
	return cmp.Or(rawjson.StringAt(params, "name"), rawjson.StringAt(params, "title"), rawjson.StringAt(params, "planContent"), first)
}

// summary returns the text of a session update.
func (u update) summary() string {
	switch {
	case u.kind == "state_update":
		state := u.text("state")
		if stop := u.text("stopReason"); stop != "" {
			state += ": " + stop
		}
		return state
	case strings.HasPrefix(u.kind, "terminal_"):
		return u.text("command")
	case u.kind == "session_info_update" || u.kind == "notice":
		return cmp.Or(u.text("title"), u.text("message"))
	}
	return blockText(u.member("content"))
}

// blockText returns the text of a content block or of a list of blocks.
func blockText(content []byte) string {
	if rawjson.IsArray(content) {
		var texts []string
		for _, block := range elements(content, maxOptions) {
			if text := blockText(block); text != "" {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, " ")
	}
	switch kind := rawjson.StringAt(content, "type"); kind {
	case "":
		return ""
	case "text":
		return rawjson.StringAt(content, "text")
	case "resource_link":
		return rawjson.StringAt(content, "uri")
	default:
		return "(" + kind + ")"
	}
}

// describe returns the name and the summary of a message.
func describe(s *step) string {
	if s.line.Plan != nil {
		return s.line.Plan.String()
	}
	name, text := s.Method, ""
	switch {
	case s.Type == trace.Response:
		name, text = "answer", brief(s.CalledMethod())
	case s.update.kind != "":
		name, text = s.update.kind, cmp.Or(s.update.text("title"), s.update.summary())
	default:
		text = s.text()
	}
	if text == "" {
		return brief(name)
	}
	return brief(name) + ": " + oneLine(text, maxSummary)
}

// elements returns the elements of an array, at most limit. It returns none of any other value.
func elements(array []byte, limit int) [][]byte {
	all, _ := rawjson.ReadArray(nil, array)
	return all[:min(len(all), limit)]
}
