package oldclient

import (
	"bytes"
	"strconv"

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
func (b *Bridge) requestPermission(m *jsonrpc.Message) {
	o, ok := rawjson.ReadObject(nil, link.ParamsOf(m))
	p := &permission{}
	var options []byte
	if ok && m.Session != nil {
		options, ok = p.options(&b.w, o.Get("options"))
	}
	if !ok || m.Session == nil {
		b.link.Refuse(translate.Agent, m.ID, link.Error{Code: link.InvalidParams, Message: "the params of a permission request cannot be read"})
		return
	}
	shown := b.shownIn(m.Session)
	p.session = b.sessions.get(shown)
	b.flush(p.session)
	p.session.works()
	toolCall, meta := b.permissionSubject(p, o)
	toolCall = b.withTerminal(p.call, toolCall)
	if string(shown) != string(m.Session) {
		toolCall = toolCall.Set("toolCallId", rawjson.AppendQuoted(nil, p.call.id))
	}
	b.w.Out = appendMember(append(b.w.Out[:0], '{'), "sessionId", shown)
	b.w.Text(`,"toolCall":`)
	words.ToolCallToV1.ConvertObject(&b.w, toolCall)
	b.w.Out = appendRaw(b.w.Out, "options", options)
	for _, f := range o {
		switch string(f.Name) {
		case "sessionId", "title", "description", "subject", "options", "toolCall":
		case "_meta":
			meta = withMeta(f.Value, meta)
		default:
			b.w.Text(",")
			b.w.Out = append(b.w.Out, f.Text...)
		}
	}
	if meta != nil {
		b.w.Out = appendRaw(b.w.Out, "_meta", meta)
	}
	b.w.Text("}")
	b.link.Ask(translate.Client, m, "", b.w.Out, link.Request{Of: p, Answered: b.permissionAnswered})
	p.session.tools.count(p.call)
	b.sessions.account(p.session)
}

// withMeta returns the raw _meta with the members of own added.
func withMeta(raw, own []byte) []byte {
	o, ok := rawjson.ReadObject(nil, raw)
	if !ok {
		return own
	}
	mine, _ := rawjson.ReadObject(nil, own)
	for _, f := range mine {
		o = o.Set(string(f.Name), f.Value)
	}
	return appendObject(nil, o)
}

// options returns the options as version 1 has them. One of a kind that version
// 1 lacks comes last, as a rejection: nothing must choose it by itself.
func (p *permission) options(w *words.Writer, raw []byte) ([]byte, bool) {
	elements, ok := rawjson.ReadArray(nil, raw)
	if !ok {
		return nil, false
	}
	p.allows = make(map[string]bool)
	known, unknown := []byte("["), []byte(nil)
	for _, e := range elements {
		var one words.Writer
		o, _ := rawjson.ReadObject(nil, e)
		if !words.PermissionOption.ToV1.ConvertObject(&one, o) {
			w.Lose(translate.LossUnreadablePermissionOption, "left out")
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
			known = append(appendElement(known), one.Out...)
		default:
			w.Lose(translate.LossPermissionKind, "told the client reject_once")
			unknown = append(append(unknown, ','), one.Out...)
		}
	}
	if len(known) == 1 && len(unknown) > 0 {
		unknown = unknown[1:]
	}
	return append(append(known, unknown...), ']'), true
}

func appendElement(dst []byte) []byte {
	if dst[len(dst)-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// permissionSubject returns the tool call that the client is asked about, and
// what of the request is in _meta.
func (b *Bridge) permissionSubject(p *permission, o rawjson.Object) (toolCall rawjson.Object, meta []byte) {
	title, _ := o.Text("title")
	description, _ := o.Text("description")
	raw := o.Get("subject")
	subject, _ := rawjson.ReadObject(nil, raw)
	kind, _ := subject.Text("type")
	patch, _ := rawjson.ReadObject(nil, subject.Get("toolCall"))
	id, hasID := patch.Text("toolCallId")
	hasID = hasID && len(b.prefixed(o, id)) <= maxID
	command, isCommand := subject.Text("command")
	switch {
	case string(kind) == "tool_call" && hasID:
		raw = nil // all of it is in the tool call
		p.call = p.session.toolCall(b, b.prefixed(o, id))
		toolCall = b.apply(p.session, p.call, patch)
		if p.call.title == nil {
			b.entitle(p.call, title)
		}
	case string(kind) == "command" && isCommand:
		if id, ok := subject.Text("toolCallId"); ok && len(b.prefixed(o, id)) <= maxID {
			p.call = p.session.toolCall(b, b.prefixed(o, id))
		} else {
			p.invent(b)
		}
		if p.call.title == nil {
			b.entitle(p.call, append(append([]byte("`"), command...), '`'))
		}
		toolCall = commandToolCall(p.call, subject)
	default:
		p.invent(b)
		b.entitle(p.call, title)
		toolCall = rawjson.Object{}.Set("toolCallId", rawjson.AppendQuoted(nil, p.call.id)).Set("kind", []byte(`"other"`)).Set("status", []byte(`"pending"`))
	}
	toolCall = toolCall.Set("title", rawjson.AppendQuoted(nil, p.call.title))
	question := asked(title, description, p.call.title)
	if question != nil {
		p.asks = true
		toolCall = toolCall.Set("content", b.contentAfter(p.call, question))
	} else if toolCall.Get("content") == nil && len(p.call.items) > 0 && !p.call.announced {
		toolCall = toolCall.Put(b.contentMember(p.call))
	}
	p.call.announced = true // a client makes the tool call from the request
	if question == nil && rawjson.Null(raw) {
		return toolCall, nil
	}
	return toolCall, permissionMeta(title, description, raw)
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

// contentAfter returns the content of a tool call with a text before it.
func (b *Bridge) contentAfter(c *toolCall, text []byte) []byte {
	content := b.appendContent(nil, c)
	out := appendTextItem([]byte("["), text)
	if len(content) > 2 {
		out = append(out, ',')
	}
	return append(out, content[1:]...)
}

func permissionMeta(title, description, subject []byte) []byte {
	meta := appendMember([]byte(`{"acp-bridge":{"permission":{`), "title", title)
	if description != nil {
		meta = appendMember(meta, "description", description)
	}
	if !rawjson.Null(subject) {
		meta = appendRaw(meta, "subject", subject)
	}
	return append(meta, '}', '}', '}')
}

// invent makes a tool call for a request that is not about one.
func (p *permission) invent(b *Bridge) {
	b.invented++
	p.invented = true
	p.call = p.session.toolCall(b, strconv.AppendInt([]byte("perm-"), int64(b.invented), 10))
}

// commandToolCall returns a tool call for the command that is asked about.
func commandToolCall(c *toolCall, subject rawjson.Object) rawjson.Object {
	input := []byte("{")
	for _, f := range subject {
		if name := string(f.Name); name == "command" || name == "cwd" {
			input = append(appendComma(input), f.Text...)
		}
	}
	return rawjson.Object{}.Set("toolCallId", rawjson.AppendQuoted(nil, c.id)).Set("kind", []byte(`"execute"`)).
		Set("status", []byte(`"pending"`)).Set("rawInput", append(input, '}'))
}

// permissionAnswered takes in the client's answer.
func (b *Bridge) permissionAnswered(c *link.Call, m *jsonrpc.Message) {
	p := c.Asked.Of.(*permission)
	raw := link.ErrorOf(m)
	if m.IsResponse() && m.Failed() && link.ErrorCode(raw) != link.RequestCancelled {
		b.link.RefuseAs(translate.Agent, c.ID, raw, "Internal error")
		b.permissionOver(p, "")
		return
	}
	var w words.Writer
	option, chosen := words.PermissionAnswer(&w, link.ResultOf(m))
	if !m.IsResponse() || m.Failed() || !chosen {
		b.link.Answer(translate.Agent, c.ID, []byte(words.NoPermission))
		b.permissionOver(p, "")
		return
	}
	b.link.Answer(translate.Agent, c.ID, w.Out)
	b.permissionOver(p, string(option))
}

// permissionOver takes the question out of the tool call again, and ends a tool
// call that was there for the question only. The option is "" if none was
// chosen.
func (b *Bridge) permissionOver(p *permission, option string) {
	if p.session == nil || p.session.closed {
		return
	}
	if p.invented {
		status := `"failed"`
		if option != "" && p.allows[string(shortID([]byte(option)))] {
			status = `"completed"`
		}
		update := appendMember([]byte(`{"sessionUpdate":"tool_call_update"`), "toolCallId", []byte(p.call.id))
		b.w.Out = append(append(b.w.Out[:0], appendRaw(update, "status", []byte(status))...), '}')
		b.emitTo([]byte(p.session.id))
		return
	}
	if p.asks {
		b.settle(p.session, p.call)
		update := appendMember([]byte(`{"sessionUpdate":"tool_call_update"`), "toolCallId", []byte(p.call.id))
		b.w.Out = append(append(b.w.Out[:0], b.appendContent(appendName(update, "content"), p.call)...), '}')
		b.emitTo([]byte(p.session.id))
	}
}
