package vendors

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A question is a request of our own to the client, in place of a maker's.
type question struct {
	number   int      // of those that were asked
	id       []byte   // raw
	of       *request // the agent waits for its answer
	answered func(t *Translator, m *jsonrpc.Message)
}

// Ids of our own must be those of nobody else. Agents and clients count, or take
// UUIDs.
const ownID = `"acp-plan-proxy/`

func isOwn(id jsonrpc.ID) bool { return strings.HasPrefix(string(id), ownID) }

// ask asks the client. What write writes are the members of the params.
func (t *Translator) ask(q *question, method string, write func(*rawjson.Builder)) {
	if t.gone {
		t.cancel(q.of)
		return
	}
	t.asked++
	q.number = t.asked
	q.id = append(strconv.AppendInt([]byte(ownID), int64(t.asked), 10), '"')
	t.open[jsonrpc.IDOf(q.id)] = q
	t.kept += q.of.size
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0"`)
	b.Member("id", q.id)
	b.StringMember("method", []byte(method))
	b.Name("params")
	b.Object()
	b.StringMember("sessionId", []byte(q.of.session))
	write(&b)
	b.EndObject()
	b.EndObject()
	t.out.Send(translate.Client, b.Out)
}

// dropQuestions answers the agent for the client, never with consent, and takes the
// questions back. It reports whether there were any.
func (t *Translator) dropQuestions(which func(*question) bool) (dropped bool) {
	inOrder := func(a, b *question) int { return a.number - b.number }
	for _, q := range slices.SortedFunc(maps.Values(t.open), inOrder) {
		if !which(q) {
			continue
		}
		dropped, t.known = true, true
		delete(t.open, jsonrpc.IDOf(q.id))
		t.kept -= q.of.size
		t.cancel(q.of)
		var b rawjson.Builder
		b.JSON(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{`)
		b.Member("requestId", q.id)
		b.EndObject()
		b.EndObject()
		t.out.Send(translate.Client, b.Out)
	}
	return dropped
}

// An option is a choice that the user has.
type option struct{ id, name, kind string }

// A permission is what the user is asked to choose from.
type permission struct {
	toolCall []byte // its id; nil if the agent has named none
	title    string
	text     string // shown as content, if it is not empty
	kind     string // of the tool call
	options  []option
}

// ask asks for a choice. chosen is given the id of the option, "" if the
// user has cancelled or the answer cannot be read.
func (p permission) ask(t *Translator, r *request, chosen func(id string)) {
	q := &question{of: r, answered: func(t *Translator, m *jsonrpc.Message) {
		result, _ := rawjson.ReadObject(nil, m.Result.Of(m.Text))
		outcome, _ := rawjson.ReadObject(nil, result.Get("outcome"))
		kind, _ := outcome.Text("outcome")
		id, _ := outcome.Text("optionId")
		if m.Failed() || string(kind) != "selected" {
			id = nil
		}
		chosen(string(id))
	}}
	t.ask(q, "session/request_permission", func(b *rawjson.Builder) {
		b.Name("toolCall")
		b.Object()
		if p.toolCall == nil {
			p.toolCall = rawjson.Unquote(q.id)
		}
		b.StringMember("toolCallId", p.toolCall)
		b.StringMember("title", []byte(p.title))
		b.StringMember("kind", []byte(p.kind))
		b.StringMember("status", []byte("pending"))
		if p.text != "" {
			b.Name("content")
			b.JSON(`[{"type":"content","content":{"type":"text"`)
			b.StringMember("text", []byte(p.text))
			b.EndObject()
			b.EndObject()
			b.EndArray()
		}
		b.EndObject()
		b.Name("options")
		b.Array()
		for _, o := range p.options {
			b.Object()
			b.StringMember("optionId", []byte(o.id))
			b.StringMember("name", []byte(o.name))
			b.StringMember("kind", []byte(o.kind))
			b.EndObject()
		}
		b.EndArray()
	})
}
