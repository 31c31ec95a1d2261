package v1client

import (
	"bytes"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// In version 2 a permission request has a title and a description of its own,
// and a subject that may be a tool call, a command, something else or missing.
// In version 1 it has a tool call. So the title and the description become the
// first item of its content as long as the request is open, and the bridge makes
// a tool call of any other subject.

const maxChoices = 64 // of a permission request, that are known to allow

// A permission is a permission request that the client has not answered.
type permission struct {
	session  *session // nil if it was asked before there was a bridge
	call     *toolCall
	asks     bool            // the tool call's content begins with the question
	invented bool            // the tool call is the bridge's own
	allows   map[string]bool // options that allow, by what shortID returns
}

// requestPermission handles session/request_permission.
func (t *questions) requestPermission(m *jsonrpc.Message) {
	p, ok := t.question(m)
	if !ok {
		t.link.Refuse(translate.Agent, m.ID, invalid("the params of a permission request cannot be read"))
		return
	}
	t.link.Ask(translate.Client, m, "", t.w.Out, t.aboutPermission(p))
	t.w.Reset() // what is large is not kept
}

// question writes what the client is asked. It reports false if the params cannot be
// read.
func (t *questions) question(m *jsonrpc.Message) (p *permission, ok bool) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	if !ok || m.Session == nil {
		return nil, false
	}
	p = &permission{}
	options, ok := t.options(p, o.Get("options"))
	if !ok {
		return nil, false
	}
	p.session = t.sessions.get(t.subagents.shownIn(m.Session))
	p.session.toolCalls.flush()
	p.session.turns.said()
	toolCall, meta := t.subject(p, o)
	toolCall = p.session.terminals.introduced(p.call, toolCall)
	if p.session.id != string(m.Session) {
		toolCall = toolCall.Set("toolCallId", rawjson.AppendQuoted(nil, p.call.id))
	}
	t.write(p, toolCall, options, o, meta)
	p.session.toolCalls.forgetWritten()
	p.call.count()
	return p, true
}

// write writes what the client is asked. The request's other members stay.
func (t *questions) write(p *permission, toolCall rawjson.Object, options []byte, o rawjson.Object, meta []byte) {
	t.w.Reset()
	t.w.Object()
	t.w.StringMember("sessionId", []byte(p.session.id))
	t.w.Name("toolCall")
	words.ToolCall.ToV1(&t.w, toolCall)
	t.w.Member("options", options)
	for _, f := range o {
		switch string(f.Name) {
		case "sessionId", "title", "description", "subject", "options", "toolCall":
		case "_meta":
			meta = withMeta(f.Value, meta)
		default:
			t.w.Field(f)
		}
	}
	t.w.Member("_meta", meta)
	t.w.EndObject()
	t.link.LoseAll(t.w.Losses)
}

// options returns the options as version 1 has them. One of a kind that version
// 1 lacks comes last, as a rejection: nothing must choose it by itself.
func (t *questions) options(p *permission, raw []byte) ([]byte, bool) {
	elements, ok := rawjson.ReadArray(nil, raw)
	if !ok {
		return nil, false
	}
	p.allows = make(map[string]bool)
	var known rawjson.Builder
	var unknown [][]byte
	known.Array()
	for _, e := range elements {
		var one words.Writer
		o, _ := rawjson.ReadObject(nil, e)
		if !words.PermissionOption.ToV1(&one, o) {
			t.link.Lose(translate.LossUnreadablePermissionOption, "left out")
			continue
		}
		id, _ := o.Text("optionId")
		switch kind, _ := o.Text("kind"); string(kind) {
		case "allow_once", "allow_always":
			if len(p.allows) < maxChoices {
				p.allows[string(shortID(id))] = true
			}
			fallthrough
		case "reject_once", "reject_always":
			known.Raw(one.Out)
		default:
			t.link.Lose(translate.LossPermissionKind, "told the client reject_once")
			unknown = append(unknown, one.Out)
		}
	}
	for _, option := range unknown {
		known.Raw(option)
	}
	known.EndArray()
	return known.Out, true
}

// subject returns the tool call that the client is asked about, and what of the
// request is in _meta.
func (t *questions) subject(p *permission, o rawjson.Object) (toolCall rawjson.Object, meta []byte) {
	title, _ := o.Text("title")
	description, _ := o.Text("description")
	toolCall, left := t.toolCall(p, o, title)
	toolCall = toolCall.Set("title", rawjson.AppendQuoted(nil, p.call.title))
	question := asked(title, description, p.call.title)
	if p.asks = question != nil; p.asks || toolCall.Get("content") == nil && len(p.call.items) > 0 && !p.call.announced {
		toolCall = toolCall.Put(p.session.toolCalls.contentMember(p.call, question))
	}
	p.call.announced = true // a client makes the tool call from the request
	if !p.asks && rawjson.Null(left) {
		return toolCall, nil
	}
	return toolCall, permissionMeta(title, description, left)
}

// toolCall finds or makes the tool call of a request with that title. It returns what
// the client is told of it, and the raw subject if that does not say all of it.
func (t *questions) toolCall(p *permission, o rawjson.Object, title []byte) (toolCall rawjson.Object, left []byte) {
	left = o.Get("subject")
	subject, _ := rawjson.ReadObject(nil, left)
	change, _ := rawjson.ReadObject(nil, subject.Get("toolCall"))
	kind, _ := subject.Text("type")
	session, _ := o.Text("sessionId")
	tools := &p.session.toolCalls
	switch command, isCommand := subject.Text("command"); {
	case string(kind) == "tool_call" && t.isAbout(p, session, change):
		toolCall, left = tools.apply(p.call, change), nil
		if p.call.title == nil {
			p.call.entitle(title)
		}
	case string(kind) == "command" && isCommand:
		if !t.isAbout(p, session, subject) {
			t.invent(p)
		}
		if p.call.title == nil {
			p.call.entitle(slices.Concat([]byte("`"), command, []byte("`")))
		}
		toolCall = commandToolCall(p.call, subject)
	default:
		t.invent(p)
		p.call.entitle(title)
		toolCall = rawjson.Object{}.Set("toolCallId", rawjson.AppendQuoted(nil, p.call.id)).Set("kind", []byte(`"other"`)).Set("status", []byte(`"pending"`))
	}
	return toolCall, left
}

// isAbout finds the tool call that an object names. It reports false if it names none.
func (t *questions) isAbout(p *permission, session []byte, o rawjson.Object) bool {
	id, ok := o.Text("toolCallId")
	if !ok {
		return false
	}
	p.call = p.session.toolCalls.get(t.subagents.callID(session, id))
	return true
}

// invent makes a tool call for a request that is not about one.
func (t *questions) invent(p *permission) {
	p.invented = true
	p.call = p.session.toolCalls.get(t.ids.next("perm-"))
}

// asked returns the question as a text, with its title; nil if the tool call's
// title says it all.
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

// sameTitle reports whether a title, or a command, says no more than another one.
// Blanks around it count for nothing, nor do backticks, which make it look like a
// command.
func sameTitle(title, shown []byte) bool {
	const around = " `\t\r\n"
	title = bytes.Trim(title, around)
	return len(title) == 0 || bytes.Equal(title, bytes.Trim(shown, around))
}

// permissionMeta returns what the client is told of a request in its _meta.
func permissionMeta(title, description, subject []byte) []byte {
	var w rawjson.Builder
	w.Object()
	w.Name("acp-bridge")
	w.Object()
	w.Name("permission")
	w.Object()
	w.StringMember("title", title)
	if description != nil {
		w.StringMember("description", description)
	}
	if !rawjson.Null(subject) {
		w.Member("subject", subject)
	}
	w.EndObject()
	w.EndObject()
	w.EndObject()
	return w.Out
}

// commandToolCall returns a tool call for the command that is asked about.
func commandToolCall(c *toolCall, subject rawjson.Object) rawjson.Object {
	var input rawjson.Builder
	input.Object()
	for _, f := range subject {
		if name := string(f.Name); name == "command" || name == "cwd" {
			input.Field(f)
		}
	}
	input.EndObject()
	return rawjson.Object{}.Set("toolCallId", rawjson.AppendQuoted(nil, c.id)).Set("kind", []byte(`"execute"`)).
		Set("status", []byte(`"pending"`)).Set("rawInput", input.Out)
}

// aboutPermission is what is known of a permission request while the client has it.
func (t *questions) aboutPermission(p *permission) link.Request {
	return link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { t.permissionAnswered(p, c, m) },
		Of:       dismissal(func(c *link.Call) { t.notChosen(p, c.ID) }),
	}
}

// permissionAnswered passes the client's answer on to the agent.
func (t *questions) permissionAnswered(p *permission, c *link.Call, m *jsonrpc.Message) {
	raw := link.ErrorOf(m)
	if m.IsResponse() && m.Failed() && link.ErrorCode(raw) != link.RequestCancelled {
		t.link.RefuseAs(translate.Agent, c.ID, raw, noAnswer)
		t.over(p, nil)
		return
	}
	var w words.Writer
	option, chosen := words.PermissionAnswer(&w, link.ResultOf(m))
	if !m.IsResponse() || m.Failed() || !chosen {
		t.notChosen(p, c.ID)
		return
	}
	t.link.LoseAll(w.Losses)
	t.link.Answer(translate.Agent, c.ID, w.Out)
	t.over(p, option)
}

// notChosen tells the agent, which has asked under that id, that the client has not
// chosen.
func (t *questions) notChosen(p *permission, id []byte) {
	t.link.Answer(translate.Agent, id, []byte(words.NoPermission))
	t.over(p, nil)
}

// over takes the question out of the tool call again, and ends a tool call that was
// there for the question only. The option is nil if none was chosen.
func (t *questions) over(p *permission, option []byte) {
	if p.session == nil || p.session.closed || !p.invented && !p.asks {
		return
	}
	if !p.invented {
		p.session.toolCalls.sent(p.call)
	}
	w := t.link.UpdateWith([]byte(p.session.id), "tool_call_update")
	w.StringMember("toolCallId", []byte(p.call.id))
	switch {
	case !p.invented:
		w.Name("content")
		p.call.write(&w.Builder, &p.session.terminals, p.call.title, nil)
	case p.allows[string(shortID(option))] && len(option) > 0:
		w.StringMember("status", []byte("completed"))
	default:
		w.StringMember("status", []byte("failed"))
	}
	t.link.SendUpdate()
}
