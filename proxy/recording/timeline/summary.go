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
	maxBlocks  = 30  // content blocks whose text is read
)

// aboutOf returns the topic of a message, by which view filters and colors messages. All other messages
// have the topic AboutOther.
func aboutOf(e *event) About {
	method, kind := brief(e.CalledMethod()), e.update.kind
	kindBegins := func(prefixes ...string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(kind, p) })
	}
	switch {
	case e.line.Plan != nil:
		return AboutPlan
	case method == "session/prompt" || method == "session/cancel" || kind == "state_update":
		return AboutTurn
	case kindBegins("user_message", "agent_message", "agent_thought"):
		return AboutText
	case kindBegins("tool_call", "terminal_"):
		return AboutTool
	case kind == "usage_update":
		return AboutUsage
	case method == "session/request_permission" || strings.HasPrefix(method, "elicitation/") || vendors.Asks(method):
		return AboutPermission
	}
	return AboutOther
}

// text returns the text of a message without a plan, or "" if the name of the message is enough.
func (e *event) text() string {
	if e.Type == trace.Response {
		return e.answerText()
	}
	switch {
	case e.Method == "initialize":
		return e.offersText()
	case e.Method == "session/prompt":
		return blockText(rawjson.Get(e.Params, "prompt"))
	case e.Method == "session/request_permission":
		title, _ := recording.ReadPermission(e.Params)
		return "asks: " + title
	case strings.HasPrefix(e.Method, "elicitation/"):
		return rawjson.StringAt(e.Params, "message")
	case vendors.Asks(e.Method):
		return "asks: " + vendorsTitle(e.Params)
	}
	return e.update.summary()
}

// offersText lists the capabilities in an initialize request that the proxy can hide or add.
func (e *event) offersText() string {
	request, err := capabilities.ReadRequest(e.Params)
	offers := request.Offers.String()
	if plans := request.Advertised(); plans != "nothing" {
		offers = strings.Trim(offers+","+plans, ",")
	}
	switch {
	case err == nil && offers != "":
		return "offers " + offers
	case e.From == trace.Proxy:
		return "offers nothing"
	}
	return ""
}

// answerText returns the text of a response: the effect on the turn, or the chosen option.
func (e *event) answerText() string {
	switch {
	case e.IsError:
		return "failed"
	case e.CalledMethod() == "session/prompt":
		if stop := rawjson.StringAt(e.Payload, "stopReason"); stop != "" {
			return "ended: " + stop
		}
		return "accepted"
	case e.CalledMethod() == "session/request_permission":
		return e.outcome()
	}
	return ""
}

// errorText returns the text of an error, or of a failed tool call.
func (e *event) errorText() string {
	switch {
	case e.IsError:
		text, data := rawjson.StringAt(e.Payload, "message"), rawjson.Get(e.Payload, "data")
		if details := cmp.Or(rawjson.StringAt(data), rawjson.StringAt(data, "details")); details != "" {
			text += ": " + details
		}
		return text
	case !e.update.failed():
		return ""
	}
	var texts []string
	for _, item := range elements(e.update.member("content"), maxBlocks) {
		texts = append(texts, blockText(rawjson.Get(item, "content")))
	}
	text := strings.Trim(strings.Join(texts, " "), "` \n") // agents quote the error as code
	if output := e.update.member("rawOutput"); text == "" && output != nil {
		text = cmp.Or(rawjson.StringAt(output), rawjson.StringAt(output, "error"), rawjson.StringAt(output, "message"))
	}
	return text
}

// outcome returns the name of the option in the response to a permission request or, without an
// option, the outcome.
func (e *event) outcome() string {
	outcome := rawjson.Get(e.Payload, "outcome")
	id := rawjson.StringAt(outcome, "optionId")
	if id == "" {
		return rawjson.StringAt(outcome, "outcome")
	}
	if e.answered != nil {
		for _, o := range e.answered.options {
			if o.id == translate.Truncate(id, maxSummary) {
				return o.name
			}
		}
	}
	return id
}

// optionsOf returns the options of a permission request.
func optionsOf(e *event) []option {
	if e.Method != "session/request_permission" {
		return nil
	}
	var options []option
	for _, raw := range elements(rawjson.Get(e.Params, "options"), maxOptions) {
		id := translate.Truncate(rawjson.StringAt(raw, "optionId"), maxSummary)
		options = append(options, option{id, cmp.Or(oneLine(rawjson.StringAt(raw, "name"), maxSummary), id)})
	}
	return options
}

// vendorsTitle returns the title of a question in a vendor's format, or the text of its plan.
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
		for _, block := range elements(content, maxBlocks) {
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
func describe(e *event) string {
	if e.line.Plan != nil {
		return e.line.Plan.String()
	}
	name, text := e.Method, ""
	switch {
	case e.Type == trace.Response:
		name, text = "answer", brief(e.CalledMethod())
	case e.update.kind != "":
		name, text = e.update.kind, cmp.Or(e.update.text("title"), e.update.summary())
	default:
		text = e.text()
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
