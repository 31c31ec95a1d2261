package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, a permission request has a title and a description, and optionally a subject:
// a tool call, a command or something else. In version 1, it has a tool call. The title and
// the description are the first item of the tool call's content while the request is pending,
// and any other subject becomes a tool call.

const maxChoices = 64 // options of a request that are known to allow

// A permission is a permission request that the client has not answered.
type permission struct {
	link     *calls.Link
	session  *session        // that has the tool call; nil if the request preceded the bridge
	id       string          // of the tool call
	asks     bool            // the tool call's content begins with the question
	invented bool            // the tool call is the bridge's own
	allows   map[string]bool // options that allow, see shortID
}

// requestPermission forwards session/request_permission.
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	choices, ok := rawjson.ReadArray(nil, o.Get("options"))
	if !ok || m.Session == nil {
		b.link.Refuse(translate.Agent, m.ID, invalid("the params of a permission request cannot be read"))
		return
	}
	s := b.session(m.Session)
	root := s.root()
	p := &permission{link: &b.link, session: root, allows: make(map[string]bool)}
	options := p.choicesToV1(choices)
	root.flush(anyContent)
	root.turns.updated()
	call, toolCall, meta := p.subject(s, o)
	toolCall = call.introduced(toolCall)
	var w shapes.Writer
	w.Object()
	w.StringMember("sessionId", []byte(root.id))
	w.Name("toolCall")
	shapes.ToolCall.ToV1(&w, toolCall)
	w.Member("options", options)
	if asked := o.Get("_meta"); asked != nil {
		meta = withMeta(asked, meta)
	}
	w.Others(o, "sessionId", "title", "description", "subject", "options", "toolCall", "_meta")
	w.Member("_meta", meta)
	w.EndObject()
	b.link.LoseAll(w.Losses)
	call.count()
	b.link.Ask(translate.Client, m, "", w.Out, p.request())
}

// choicesToV1 returns the options in version 1. Those of a kind that version 1 lacks are
// placed last, as rejections: nothing may choose them automatically.
func (p *permission) choicesToV1(choices [][]byte) []byte {
	var known, unknown rawjson.Builder
	known.Array()
	for _, choice := range choices {
		w := p.link.Trial()
		o := rawjson.Members(choice)
		if !shapes.PermissionOption.ToV1(w, o) {
			p.link.Lose(translate.LossUnreadablePermissionOption, "left out")
			continue
		}
		switch o.String("kind") {
		case "allow_once", "allow_always":
			if id, _ := o.Text("optionId"); len(p.allows) < maxChoices {
				p.allows[string(shortID(id))] = true
			}
			fallthrough
		case "reject_once", "reject_always":
			known.Raw(w.Out)
		default:
			p.link.Lose(translate.LossPermissionKind, "told the client reject_once")
			unknown.Raw(w.Out)
		}
	}
	if len(unknown.Out) > 0 {
		known.Raw(unknown.Out)
	}
	known.EndArray()
	return known.Out
}

// subject returns the tool call of the request, its form for the client, and the members that
// only _meta can hold.
func (p *permission) subject(s *session, o rawjson.Object) (call *toolCall, toolCall rawjson.Object, meta []byte) {
	title, _ := o.Text("title")
	description, _ := o.Text("description")
	call, toolCall, left := p.toolCallOf(s, o.Get("subject"), title)
	toolCall = toolCall.Set("title", quoted(call.title))
	question := asked(title, description, call.title)
	if p.asks = question != nil; p.asks || toolCall.Get("content") == nil && len(call.items) > 0 && !call.announced {
		toolCall = toolCall.Put(call.contentMember(question))
	}
	call.announced = true // the request announces it
	if !p.asks && rawjson.Null(left) {
		return call, toolCall, nil
	}
	all := rawjson.Object{}.Set("title", quoted(title))
	if description != nil {
		all = all.Set("description", quoted(description))
	}
	if !rawjson.Null(left) {
		all = all.Set("subject", left)
	}
	return call, toolCall, object("acp-bridge", object("permission", shapes.Text(all)))
}

// toolCallOf finds or creates the tool call of a request with that title. It returns the tool
// call for the client, and the raw subject unless the tool call has all of it.
func (p *permission) toolCallOf(s *session, left, title []byte) (call *toolCall, about rawjson.Object, _ []byte) {
	subject := rawjson.Members(left)
	change := subject
	command, isCommand := subject.Text("command")
	switch kind := subject.String("type"); {
	case kind == "tool_call":
		isCommand = false
		change = rawjson.Members(subject.Get("toolCall"))
	case kind != "command" || !isCommand:
		isCommand, change = false, nil
	}
	id, named := change.Text("toolCallId")
	if p.invented = !named; named {
		id = s.callID(id)
	} else {
		id = s.bridge.ids.next("perm-")
	}
	call = p.session.toolCall(id)
	p.id = call.id
	about = rawjson.Object{}.Set("toolCallId", quoted(id))
	switch {
	case isCommand:
		title = slices.Concat([]byte("`"), command, []byte("`"))
		var input rawjson.Builder
		input.Object()
		input.Member("command", subject.Get("command"))
		input.Member("cwd", subject.Get("cwd"))
		input.EndObject()
		about = about.Set("kind", quoted("execute")).Set("status", quoted("pending")).Set("rawInput", input.Out)
	case p.invented:
		about = about.Set("kind", quoted("other")).Set("status", quoted("pending"))
	default:
		about, left = call.apply(change).Set("toolCallId", quoted(id)), nil
	}
	if call.title == nil {
		call.entitle(title)
	}
	return call, about, left
}

// asked returns the question as a text with its title; nil if the tool call's title is the
// whole question.
func asked(title, description, shown []byte) (question []byte) {
	if len(description) == 0 && sameTitle(title, shown) {
		return nil
	}
	if len(title) > 0 {
		question = append(append(append(question, "**"...), title...), "**"...)
	}
	if len(question) > 0 && len(description) > 0 {
		question = append(question, "\n\n"...)
	}
	return append(question, description...)
}

// sameTitle reports whether a title or command adds nothing to another one. Surrounding blanks
// and backticks do not count.
func sameTitle(title, shown []byte) bool {
	const around = " `\t\r\n"
	title = bytes.Trim(title, around)
	return len(title) == 0 || bytes.Equal(title, bytes.Trim(shown, around))
}

// request returns the pending request of a permission.
func (p *permission) request() calls.Request {
	return calls.Request{Of: shapes.NoPermission, Answered: p.answered}
}

// answered forwards the client's result to the agent, and then removes the question from the
// tool call, or ends a tool call that existed for the question only. A result that the client
// has cancelled chooses nothing.
func (p *permission) answered(c *calls.Call, m *jsonrpc.Message) {
	raw := calls.ErrorOf(m)
	var w shapes.Writer
	option, chosen := shapes.PermissionAnswer(&w, calls.ResultOf(m))
	switch {
	case !rawjson.Null(raw) && jsonrpc.ErrorCode(raw) != jsonrpc.RequestCancelled:
		p.link.RefuseAs(translate.Agent, c.ID, raw, noAnswer)
	case chosen:
		p.link.Answer(translate.Agent, c.ID, w.Out)
	default:
		p.link.Answer(translate.Agent, c.ID, []byte(shapes.NoPermission))
	}
	if !p.invented && !p.asks {
		return
	}
	call := p.session.toolCalls.Get(p.id)
	if call == nil { // the session was closed, or loaded again
		return
	}
	u := p.link.UpdateWith([]byte(p.session.id), "tool_call_update")
	u.StringMember("toolCallId", []byte(p.id))
	switch {
	case !p.invented:
		call.stopDelay()
		u.Name("content")
		call.write(&u.Builder, nil)
	case chosen && p.allows[string(shortID(option))]:
		u.Texts("status", "completed")
	default:
		u.Texts("status", "failed")
	}
	p.link.SendUpdate()
}
