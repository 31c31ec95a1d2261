package v1agent

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// requestPermission handles session/request_permission.
func (qs *questions) requestPermission(m *jsonrpc.Message) {
	if qs.unwanted(m, words.NoPermission) {
		return
	}
	o, _ := rawjson.ReadObject(nil, link.ParamsOf(m))
	options := qs.options(o.Get("options"))
	if m.Session == nil || options == nil {
		qs.link.Lose(translate.LossNoPermissionOptions, "the request was answered with cancelled")
		qs.link.Answer(translate.Agent, m.ID, []byte(words.NoPermission))
		return
	}
	s := qs.sessions.get(m.Session)
	w := words.Writer{Cwd: s.cwd}
	qs.writePermission(&w, s, o, options)
	qs.link.LoseAll(w.Losses)
	qs.ask(m, w.Out, words.NoPermission, qs.permissionAnswered)
}

// writePermission writes what the client is asked.
func (qs *questions) writePermission(w *words.Writer, s *session, params rawjson.Object, options []byte) {
	report, _ := rawjson.ReadObject(nil, params.Get("toolCall"))
	title, description := permissionTitle(s, params, report)
	w.Object()
	w.Others(params, "title", "description", "subject", "toolCall", "options")
	w.StringMember("title", title)
	if description != nil {
		w.StringMember("description", description)
	}
	if id, ok := report.Text("toolCallId"); ok {
		c := s.toolCall(id)
		s.tellTerminal(c, report)
		w.Name("subject")
		w.Object()
		w.JSON(`"type":"tool_call"`)
		w.Name("toolCall")
		s.writeChange(w, c, report, false)
		w.EndObject()
	}
	w.Member("options", options)
	w.EndObject()
}

// permissionTitle returns what the user is asked, and more about it: nil if there is
// none. In version 1 the title is that of the tool call; some agents have another in
// _meta.
func permissionTitle(s *session, params, report rawjson.Object) (title, description []byte) {
	for _, meta := range [][]byte{report.Get("_meta"), params.Get("_meta")} {
		o, _ := rawjson.ReadObject(nil, meta)
		prompt, _ := rawjson.ReadObject(nil, o.Get("permission_prompt"))
		if title, ok := prompt.Text("title"); ok {
			description, _ := prompt.Text("description")
			return title, description
		}
	}
	if title, ok := report.Text("title"); ok && len(title) > 0 {
		return title, nil
	}
	id, _ := report.Text("toolCallId")
	if c := s.toolCalls.Find(id); c != nil && c.title != "" {
		return []byte(c.title), nil
	}
	kind, _ := report.Text("kind")
	return []byte(titleOf(string(kind))), nil
}

// titleOf returns what is asked about a tool call without a title.
func titleOf(kind string) string {
	switch kind {
	case "execute":
		return "Run this command?"
	case "edit":
		return "Make this edit?"
	case "delete":
		return "Delete this?"
	case "move":
		return "Move this?"
	case "read":
		return "Read this?"
	case "search":
		return "Search this?"
	case "fetch":
		return "Fetch this?"
	case "switch_mode":
		return "Switch the mode?"
	}
	return "Permission required"
}

// options returns the options of a permission that version 2 reads, nil if there are
// none: it wants at least one, each with an id of its own.
func (qs *questions) options(list []byte) []byte {
	elements, _ := rawjson.ReadArray(nil, list)
	ids := make(map[string]bool, len(elements))
	var w words.Writer
	w.Array()
	for _, e := range elements {
		o, _ := rawjson.ReadObject(nil, e)
		id, _ := o.Text("optionId")
		if ids[string(id)] || !words.PermissionOption.ToV2(&w, o) {
			qs.link.Lose(translate.LossUnreadablePermissionOption, "one without a name, a kind or an id of its own was left out")
			continue
		}
		ids[string(id)] = true
	}
	if len(ids) == 0 {
		return nil
	}
	w.EndArray()
	return w.Out
}

// permissionAnswered handles the client's answer. An answer that version 1 does not
// know is not an approval.
func (qs *questions) permissionAnswered(c *link.Call, m *jsonrpc.Message) {
	if failed(m) {
		passedTo(qs.link, translate.Agent)(c, m)
	} else {
		words.PermissionAnswer(qs.link.AnswerWith(c.ID), link.ResultOf(m))
		qs.link.SendObject(translate.Agent)
	}
	qs.answered(c)
}
