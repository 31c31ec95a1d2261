package vendors

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
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
// request, at once or later. Of a notification, only tell is done. Of a request that
// asks the user, cancelled is the answer if he has given none.
type method struct {
	do        func(t *Translator, r *request)
	tell      func(t *Translator, r *request)
	cancelled string
}

// makers returns the makers whose requests are known.
func makers() []*maker { return []*maker{cursor, grok} }

// Asks reports whether requests of that method ask the user something, in words of a
// maker. The name may begin with an underscore.
func Asks(name string) bool {
	_, method, _ := find(strings.TrimPrefix(name, "_"))
	return method.cancelled != ""
}

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
	over    bool // the agent has taken it back, or the turn or session has ended

	answered bool // in the place of a client that was offered it, and is gone
}

func (r *request) method() method { return r.maker.methods[r.name] }

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
	t.known = true
	if m.ID == nil {
		if method.tell == nil || t.knows[mk] {
			return false
		}
		t.out.Forward()
		method.tell(t, t.read(m, mk, name))
		return true
	}
	r := t.read(m, mk, name)
	tooMuch := t.waiting() >= maxOpen || t.kept+r.size > maxKept || len(m.ID) > maxID
	if tooMuch {
		t.lose(string(m.Session), translate.LossTooManyRequests, "one of the agent's maker is left to the client, or cancelled")
	}
	switch offers := t.offers(name); {
	case offers && !tooMuch:
		t.offer(r)
		return false
	case offers:
		return false
	case tooMuch && method.cancelled != "":
		t.cancel(r)
	default:
		method.do(t, r)
	}
	return true
}

// offer notes that the client is given a request as it is.
func (t *Translator) offer(r *request) {
	id := jsonrpc.IDOf(r.id)
	t.withdraw(id) // the agent has used the id twice
	t.offered[id] = r
	t.kept += r.size
}

// withdraw returns a request that the client was offered, and forgets it; nil if the
// client was offered none of that id.
func (t *Translator) withdraw(id jsonrpc.ID) *request {
	r := t.offered[id]
	if r != nil {
		delete(t.offered, id)
		t.kept -= r.size
	}
	return r
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
	return t.mode == Auto && !t.peers.Client.NoVendors && !t.peers.Absent && !t.gone && !t.taken[name]
}

// refuseForSilent answers a request that is not known for a client that would never
// answer.
func (t *Translator) refuseForSilent(m *jsonrpc.Message) bool {
	if !t.peers.Client.Silent {
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
	r.session = t.sessions.of(o)
	return r
}

// of returns the session that a request is about: the one that it names, or
// that of the tool call that it names, or the only one with a running prompt, or the
// one that was prompted last.
func (ss *sessions) of(params rawjson.Object) string {
	if id, ok := params.Text("sessionId"); ok {
		return string(id)
	}
	call, _ := params.Text("toolCallId")
	for _, c := range slices.Backward(ss.ofCall) {
		if c.call == string(call) {
			return c.session
		}
	}
	return or(ss.only(), ss.last)
}

// clientAnswers handles an answer of the client: to a request that it was offered,
// or to one of our own.
func (t *Translator) clientAnswers(m *jsonrpc.Message) bool {
	id := jsonrpc.IDOf(m.ID)
	if q := t.open[id]; q != nil {
		t.known = true
		delete(t.open, id)
		t.kept -= q.of.size
		q.answered(t, m)
		return true
	}
	if isOwn(id) {
		return true // it comes too late
	}
	r := t.withdraw(id)
	t.known = r != nil
	switch {
	case r == nil:
		return false
	case r.answered:
	case !refusesMethod(m):
		t.knows[r.maker] = true
		return false
	default:
		t.taken[r.name] = true
		t.takeOver(r)
	}
	return true
}

// takeOver does in the client's place what the client was offered. The user is not
// asked what nobody waits for any more.
func (t *Translator) takeOver(r *request) {
	if r.over && r.method().cancelled != "" {
		t.cancel(r)
		return
	}
	r.method().do(t, r)
}

// refusesMethod reports whether an answer says that the method is not known, however the
// number is spelled.
func refusesMethod(m *jsonrpc.Message) bool {
	if !m.Failed() {
		return false
	}
	o, _ := rawjson.ReadObject(nil, m.Error.Of(m.Text))
	code, err := strconv.ParseFloat(string(o.Get("code")), 64)
	return err == nil && code == methodNotFound
}

// agentCancels handles $/cancel_request of the agent. For a request that is done here
// the client has another one.
func (t *Translator) agentCancels(m *jsonrpc.Message) bool {
	id, ok := cancels(m)
	if !ok {
		return false
	}
	if r := t.offered[id]; r != nil {
		r.over = true
	}
	return t.dropQuestions(func(q *question) bool { return jsonrpc.IDOf(q.of.id) == id })
}

// cancels returns which request a $/cancel_request is about.
func cancels(m *jsonrpc.Message) (id jsonrpc.ID, ok bool) {
	o, _ := rawjson.ReadObject(nil, m.Params.Of(m.Text))
	raw := o.Get("requestId")
	return jsonrpc.IDOf(raw), raw != nil
}

// clientCancels handles $/cancel_request of the client, which may be about a prompt.
func (t *Translator) clientCancels(m *jsonrpc.Message) bool {
	id, _ := cancels(m)
	session, ok := t.sessions.running[id]
	return ok && t.overWith(session)
}

// overWith answers what the agent has asked in a session that the client has cancelled
// or closed with the message at hand.
func (t *Translator) overWith(session string) bool {
	for _, r := range t.offered {
		r.over = r.over || r.session == session
	}
	if len(t.open) == 0 {
		return false
	}
	t.out.Forward()
	t.dropQuestions(func(q *question) bool { return q.of.session == session })
	return true
}

// ClientGone answers the agent's requests that the client would have answered. From now
// on the user is asked nothing.
func (t *Translator) ClientGone(out *translate.Out) {
	t.out, t.gone = out, true
	t.dropQuestions(func(*question) bool { return true })
	for _, id := range slices.Sorted(maps.Keys(t.offered)) {
		if r := t.offered[id]; !r.answered && r.method().cancelled != "" {
			r.answered = true
			t.cancel(r)
		}
	}
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

// cancel answers a maker's request: the user has given no answer.
func (t *Translator) cancel(r *request) { t.answer(r, []byte(r.method().cancelled)) }

func beginAnswer(b *rawjson.Builder, id []byte, member string) {
	b.JSON(`{"jsonrpc":"2.0"`)
	b.Member("id", id)
	b.Name(member)
}
