package v1agent

import (
	"cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// requestPermission forwards session/request_permission.
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	if b.dismissUnwanted(m) {
		return
	}
	o := rawjson.Members(calls.ParamsOf(m))
	options := b.permissionOptions(o.Get("options"))
	if m.Session == nil || options == nil {
		b.link.Lose(translate.LossNoPermissionOptions, "a request without options is answered with cancelled")
		b.dismiss(m)
		return
	}
	s := b.session(m.Session)
	w := shapes.Writer{Cwd: s.cwd}
	writePermission(&w, s, o, options)
	b.link.Report(w.Losses...)
	b.askUser(m, w.Out)
}

// writePermission writes the params for the client.
func writePermission(w *shapes.Writer, s *session, params rawjson.Object, options []byte) {
	report := params.Object("toolCall")
	title, description := permissionTitle(s, params, report)
	w.Object()
	w.CopyOthers(params, "title", "description", "subject", "toolCall", "options")
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
		c.announced = true
		w.EndObject()
	}
	w.Member("options", options)
	w.EndObject()
}

// permissionTitle returns the title of the question, and a description or nil. In version 1,
// the title is that of the tool call; some agents have another in _meta.
func permissionTitle(s *session, params, report rawjson.Object) (title, description []byte) {
	for _, o := range []rawjson.Object{report, params} {
		prompt := o.Object("_meta").Object("permission_prompt")
		if title, ok := prompt.Text("title"); ok {
			description, _ = prompt.Text("description")
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
	byKind := map[string]string{
		"execute":     "Run this command?",
		"edit":        "Make this edit?",
		"delete":      "Delete this?",
		"move":        "Move this?",
		"read":        "Read this?",
		"search":      "Search this?",
		"fetch":       "Fetch this?",
		"switch_mode": "Switch the mode?",
	}
	return []byte(cmp.Or(byKind[report.String("kind")], "Permission required")), nil
}

// permissionOptions returns the options in version 2, which requires at least one, with distinct ids.
// It returns nil if there are none.
func (b *Bridge) permissionOptions(list []byte) []byte {
	elements, _ := rawjson.ReadArray(nil, list)
	ids := make(map[string]bool, len(elements))
	var w shapes.Writer
	w.Array()
	for _, e := range elements {
		o := rawjson.Members(e)
		id := o.String("optionId")
		if ids[id] || !shapes.PermissionOption.ToV2(&w, o) {
			b.link.Lose(translate.LossUnreadablePermissionOption, "an option without a name, a kind or a unique id is omitted")
			continue
		}
		ids[id] = true
	}
	if len(ids) == 0 {
		return nil
	}
	w.EndArray()
	return w.Out
}
