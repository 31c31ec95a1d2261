package v1client

import (
	"cmp"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2, a permission request has a title and a description, and optionally a subject:
// a tool call, a command or another object. In version 1, it has a tool call. The bridge makes the
// title and the description the first item of the tool call's content while the request is pending,
// and makes a tool call of any other subject.

// Limits of allowIDs. If the client selects any other option, a tool call that the bridge invented ends
// as failed.
const (
	maxOptions  = 64
	maxOptionID = 128 // bytes of an id
)

// A permission is a permission request that the client has not answered.
type permission struct {
	link        *calls.Link
	session     *session        // the session of the tool call; nil if the request preceded the bridge
	id          string          // of the tool call
	hasQuestion bool            // the tool call's content begins with the question
	inventsCall bool            // the bridge invented the tool call for the request
	allowIDs    map[string]bool // ids of the options that allow
}

// requestPermission forwards session/request_permission.
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	o := rawjson.Members(calls.ParamsOf(m))
	choices, ok := rawjson.ReadArray(nil, o.Get("options"))
	if !ok || m.Session == nil {
		b.link.Refuse(translate.Agent, m.ID, calls.InvalidParams("the params of a permission request cannot be read"))
		return
	}
	s := b.session(m.Session)
	root := s.root()
	p := &permission{link: &b.link, session: root, allowIDs: make(map[string]bool)}
	options := p.permissionOptions(choices)
	root.flush(anyContent)
	root.turns.onUpdate()
	call, change, subject := p.toolCallFor(s, o)
	change = change.Set("title", quoted(call.title))
	question := questionText(o.String("title"), o.String("description"), call.title)
	p.hasQuestion = question != ""
	if p.hasQuestion || change.Get("content") == nil && len(call.items) > 0 && !call.announced {
		change = change.Put(call.contentMember(question))
	}
	call.announced = true // the request announces it
	var ownMeta []byte
	if p.hasQuestion || !rawjson.IsNull(subject) {
		var w rawjson.Builder
		w.Object()
		w.Member("title", o.Get("title"))
		w.Member("description", o.Get("description"))
		w.Member("subject", subject)
		w.EndObject()
		ownMeta = object("acp-bridge", object("permission", w.Out))
	}
	var w shapes.Writer
	w.Object()
	w.Texts("sessionId", root.id)
	w.Name("toolCall")
	shapes.ToolCall.ToV1(&w, call.announceTerminal(change))
	w.Member("options", options)
	w.CopyOthers(o, "sessionId", "title", "description", "subject", "options", "toolCall", "_meta")
	w.Member("_meta", withMeta(o.Get("_meta"), ownMeta))
	w.EndObject()
	b.link.Report(w.Losses...)
	call.updateSize()
	b.link.Ask(translate.Client, m, "", w.Out, p.request())
}

// permissionOptions returns the options in version 1, and fills allowIDs. The options of kinds that
// version 1 lacks follow the others, as rejections, so that no client selects them automatically.
func (p *permission) permissionOptions(choices [][]byte) []byte {
	var known, unknown rawjson.Builder
	known.Array()
	for _, choice := range choices {
		w := p.link.Scratch()
		o := rawjson.Members(choice)
		if !shapes.PermissionOption.ToV1(w, o) {
			p.link.Lose(translate.LossUnreadablePermissionOption, "an option that cannot be read is omitted")
			continue
		}
		switch o.String("kind") {
		case "allow_once", "allow_always":
			if id := o.String("optionId"); len(p.allowIDs) < maxOptions && len(id) <= maxOptionID {
				p.allowIDs[id] = true
			}
			fallthrough
		case "reject_once", "reject_always":
			known.Raw(w.Out)
		default:
			p.link.Lose(translate.LossPermissionKind, "the client receives the kind reject_once")
			unknown.Raw(w.Out)
		}
	}
	if len(unknown.Out) > 0 {
		known.Raw(unknown.Out)
	}
	known.EndArray()
	return known.Out
}

// toolCallFor finds or creates the tool call of the request. change has its members in the request to
// the client. rest is the raw subject, unless change has all of it.
func (p *permission) toolCallFor(s *session, o rawjson.Object) (call *toolCall, change rawjson.Object, rest []byte) {
	rest = o.Get("subject")
	subject := rawjson.Members(rest)
	kind, title := subject.String("type"), o.String("title")
	switch kind {
	case "tool_call":
		change = subject.Object("toolCall")
	case "command":
		change = subject
	}
	id, hasID := change.Text("toolCallId")
	p.inventsCall = !hasID
	if hasID {
		id = s.callID(id)
	} else {
		id = s.bridge.ids.next("perm-")
	}
	p.id = string(id)
	call = p.session.toolCall(id)
	shown := rawjson.Object{}.Set("toolCallId", quoted(id))
	switch kind {
	case "tool_call":
		shown, rest = call.apply(change).Set("toolCallId", quoted(id)), nil
	case "command":
		title = "`" + subject.String("command") + "`"
		var input rawjson.Builder
		input.Object()
		input.Member("command", subject.Get("command"))
		input.Member("cwd", subject.Get("cwd"))
		input.EndObject()
		shown = shown.Set("kind", quoted("execute")).Set("status", quoted("pending")).Set("rawInput", input.Out)
	default:
		shown = shown.Set("kind", quoted("other")).Set("status", quoted("pending"))
	}
	call.title = cmp.Or(call.title, title)
	return call, shown, rest
}

// questionText returns the title and the description of a request as a text. It returns "" if the
// shown title of the tool call is the whole question. Blanks and backticks around a title do not count.
func questionText(title, description, shown string) string {
	const around = " `\t\r\n"
	plain := strings.Trim(title, around)
	switch {
	case plain == "":
		return description
	case description == "" && plain == strings.Trim(shown, around):
		return ""
	}
	return strings.TrimSuffix("**"+title+"**\n\n"+description, "\n\n")
}

// request returns the state of the pending request.
func (p *permission) request() calls.Request {
	return calls.Request{Tag: shapes.NoPermission, OnResponse: p.onResponse}
}

// onResponse forwards the client's result to the agent. Then it removes the question from the tool
// call, or ends a tool call that the bridge invented for the request.
func (p *permission) onResponse(c *calls.Call, m *jsonrpc.Message) {
	raw := calls.ErrorOf(m)
	var w shapes.Writer
	option, chosen := shapes.PermissionAnswer(&w, calls.ResultOf(m))
	if !rawjson.IsNull(raw) && jsonrpc.ErrorCode(raw) != jsonrpc.RequestCancelled {
		p.link.RefuseAs(translate.Agent, c.ID, raw)
	} else {
		p.link.Answer(translate.Agent, c.ID, w.Out)
	}
	if !p.inventsCall && !p.hasQuestion {
		return
	}
	call := p.session.toolCalls.Get(p.id)
	if call == nil { // the session was closed, or loaded again
		return
	}
	u := p.link.UpdateWith([]byte(p.session.id), "tool_call_update")
	u.Texts("toolCallId", p.id)
	switch {
	case !p.inventsCall:
		call.stopDelay()
		u.Field(call.contentMember(""))
	case chosen && p.allowIDs[string(option)]:
		u.Texts("status", "completed")
	default:
		u.Texts("status", "failed")
	}
	p.link.SendUpdate()
}
