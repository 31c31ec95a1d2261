package vendors

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A maker's request goes through these states:
//
//	          the client answers it               (the answer passes)
//	         ┌───────────────────────> over
//	offered ─┤
//	         └> done here ───────────> over
//	 -32601, or the client is  todos: at once
//	 not asked (see offers)    a plan, questions: when the user has answered,
//	                           cancelled, or is gone
//
// The client is offered the request byte for byte, because clients that know it must
// get it. That it does not know a method is remembered for the connection.

// A maker is whose words an agent uses.
type maker struct {
	name     string            // in the log, and in the ids of its plans
	methods  map[string]method // by name without _ in front
	prefixes []string          // of its other methods
}

// A method is what is done for a request in the client's place. It answers the
// request, at once or later. Of a notification, only tell is done.
type method struct {
	do   func(t *Translator, r *request)
	tell func(t *Translator, r *request)
}

// makers returns the makers whose requests are known.
func makers() []*maker { return []*maker{cursor, grok} }

// Methods returns the methods of the agent that matter, see [jsonrpc.Filter]: for a
// client that never answers, all of the makers.
func (w Want) Methods() (names []string) {
	if !w.Requests {
		return nil
	}
	for _, m := range makers() {
		for name := range m.methods {
			names = append(names, name, "_"+name)
		}
		if w.all {
			for _, prefix := range m.prefixes {
				names = append(names, prefix, "_"+prefix)
			}
		}
	}
	if w.open {
		names = append(names, "$/cancel_request")
	}
	return names
}

// A request is a maker's request or notification.
type request struct {
	id      []byte // raw; nil for a notification
	maker   *maker
	name    string // of its method, without _ in front
	params  rawjson.Object
	size    int // bytes of the params
	session string
}

// makersRequest handles a request or notification with one of these methods.
func (t *Translator) makersRequest(m *jsonrpc.Message) bool {
	name := strings.TrimPrefix(string(m.Method), "_")
	mk, method, ok := find(name)
	switch {
	case mk == nil:
		return false
	case !ok:
		return m.ID != nil && t.refuseForSilent(m)
	}
	t.use(mk.name)
	if m.ID == nil {
		if method.tell == nil || t.knows[mk] {
			return false
		}
		t.out.Forward()
		method.tell(t, t.read(m, mk, name))
		return true
	}
	if t.waiting() >= maxOpen || t.kept+len(m.Params.Of(m.Text)) > maxKept || len(m.ID) > maxID {
		t.lose(string(m.Session), translate.LossTooManyRequests, "one of the agent's maker is left to the client")
		return false
	}
	r := t.read(m, mk, name)
	if t.offers(name) {
		t.offered[jsonrpc.IDOf(m.ID)] = r
		t.kept += r.size
		return false
	}
	method.do(t, r)
	return true
}

// waiting returns how many requests wait for the client.
func (t *Translator) waiting() int { return len(t.offered) + len(t.open) }

// find returns whose method a name is, and whether it is known.
func find(name string) (*maker, method, bool) {
	for _, mk := range makers() {
		if method, ok := mk.methods[name]; ok {
			return mk, method, true
		}
		if slices.ContainsFunc(mk.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return mk, method{}, false
		}
	}
	return nil, method{}, false
}

// offers reports whether the client is asked first.
func (t *Translator) offers(name string) bool {
	return t.mode == Auto && !t.peers.Silent && !t.peers.Absent && !t.taken[name]
}

// refuseForSilent answers a request that is not known for a client that would never
// answer.
func (t *Translator) refuseForSilent(m *jsonrpc.Message) bool {
	if !t.peers.Silent {
		return false
	}
	var b rawjson.Builder
	beginAnswer(&b, m.ID, "error")
	b.Object()
	b.Name("code")
	b.Int(methodNotFound)
	b.StringMember("message", append([]byte("Method not found: "), m.Method...))
	b.EndObject()
	b.EndObject()
	t.out.Send(translate.Agent, b.Out)
	return true
}

const methodNotFound = -32601

// read reads a request. Its memory is its own.
func (t *Translator) read(m *jsonrpc.Message, mk *maker, name string) *request {
	params := bytes.Clone(m.Params.Of(m.Text))
	o, _ := rawjson.ReadObject(nil, params)
	if inner := o.Get("params"); len(inner) > 0 && inner[0] == '{' { // some transports wrap it
		if method, ok := o.Text("method"); ok && strings.TrimPrefix(string(method), "_") == name {
			o, _ = rawjson.ReadObject(nil, inner)
		}
	}
	r := &request{id: bytes.Clone(m.ID), maker: mk, name: name, params: o, size: len(params)}
	r.session = t.sessionOf(o)
	return r
}

// sessionOf returns the session that a request is about: the one that it names, or
// that of the tool call that it names, or the only one with a running prompt, or the
// one that was prompted last.
func (t *Translator) sessionOf(params rawjson.Object) string {
	if id, ok := params.Text("sessionId"); ok {
		return string(id)
	}
	call, _ := params.Text("toolCallId")
	for _, c := range slices.Backward(t.sessions.ofCall) {
		if c.call == string(call) {
			return c.session
		}
	}
	return or(t.sessions.only(), t.sessions.last)
}

// clientAnswers handles an answer of the client: to a request that it was offered,
// or to one of our own.
func (t *Translator) clientAnswers(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	if q := t.open[id]; q != nil {
		delete(t.open, id)
		t.kept -= q.of.size
		q.answered(t, m)
		return true
	}
	if isOwn(m.ID) {
		return true // it comes too late
	}
	r := t.offered[id]
	if r == nil {
		return false
	}
	delete(t.offered, id)
	t.kept -= r.size
	if errorCode(m) != "-32601" {
		t.knows[r.maker] = true
		return false
	}
	t.taken[r.name] = true
	r.maker.methods[r.name].do(t, r)
	return true
}

func errorCode(m *jsonrpc.Message) string {
	if !m.Failed() {
		return ""
	}
	o, _ := rawjson.ReadObject(nil, m.Error.Of(m.Text))
	return string(o.Get("code"))
}

// agentCancels handles $/cancel_request of the agent, for a request that is done here:
// the client has another one.
func (t *Translator) agentCancels(m *jsonrpc.Message) bool {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	id := o.Get("requestId")
	if id == nil {
		return false
	}
	want := jsonrpc.IDOf(id)
	return t.dropQuestions(func(q *question) bool { return jsonrpc.IDOf(q.of.id) == want })
}

// overWith answers what the agent has asked in a session that the client has cancelled
// or closed.
func (t *Translator) overWith(m *jsonrpc.Message) bool {
	if m.Session == nil || len(t.open) == 0 {
		return false
	}
	t.out.Forward()
	t.dropQuestions(func(q *question) bool { return q.of.session == string(m.Session) })
	return true
}

// answer answers a maker's request.
func (t *Translator) answer(r *request, result []byte) {
	if r.id == nil {
		return
	}
	var b rawjson.Builder
	beginAnswer(&b, r.id, "result")
	b.Raw(result)
	b.EndObject()
	t.out.Send(translate.Agent, b.Out)
}

func beginAnswer(b *rawjson.Builder, id []byte, member string) {
	b.JSON(`{"jsonrpc":"2.0"`)
	b.Member("id", id)
	b.Name(member)
}
