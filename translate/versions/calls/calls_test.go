package calls

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A rig is a Link with its output.
type rig struct {
	Link
	out     translate.Out
	message jsonrpc.Message
	now     time.Time
}

// from begins a message of a side.
func (r *rig) from(side translate.Side, text string) *jsonrpc.Message {
	r.message = jsonrpc.MessageOf([]byte(text))
	r.out.Reset(side, &r.message)
	r.Begin(r.now, &r.out, r.message.Session)
	return &r.message
}

// output returns the output for the current message, as side and line, with a star if the
// line is the message itself, and otherwise with a wrong topic in parentheses, or () without a topic.
func (r *rig) output() (output []string) {
	for _, l := range r.out.Outputs() {
		mark := ""
		if l.Same {
			mark += "*"
		}
		if m := jsonrpc.MessageOf(r.out.Text(l)); !l.Same && string(l.Topic) != string(scan.TopicOf(&m)) {
			mark += "(" + string(l.Topic) + ")"
		}
		output = append(output, l.To.String()+mark+" "+strings.ReplaceAll(string(r.out.Text(l)), `"jsonrpc":"2.0",`, ""))
	}
	for _, l := range r.out.Losses() {
		output = append(output, strings.TrimRight("lost "+string(l.Kind)+" "+l.Name+" in "+l.Session, " "))
	}
	return output
}

func (r *rig) wants(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, r.output()); diff != "" {
		t.Errorf("output: (-want +got)\n%s", diff)
	}
	r.out.Reset(translate.Client, &r.message)
}

// noted returns a request whose response is appended to answers.
func noted(answers *[]string) Request {
	return Request{OnResponse: func(c *Call, m *jsonrpc.Message) {
		*answers = append(*answers, string(c.ID)+" "+string(m.Span.Of(m.Text)))
	}}
}

// A request is sent under an id of the link, and the response with that id belongs to it.
func TestAsk(t *testing.T) {
	var r rig
	var answers []string
	m := r.from(translate.Client, `{"id":"a","x":1,"jsonrpc":"2.0","method":"m","params":{"sessionId":"s"}}`)
	c := r.Ask(translate.Agent, m, "", nil, noted(&answers))
	r.wants(t, `agent {"id":1,"method":"m","params":{"sessionId":"s"},"x":1}`)
	if c.Request.Session != "s" {
		t.Errorf("the session is %q", c.Request.Session)
	}
	r.Ask(translate.Agent, m, "other", []byte(`{"p":1}`), noted(&answers))
	r.wants(t, `agent() {"id":2,"method":"other","params":{"p":1},"x":1}`)
	m = r.from(translate.Client, `{"method":"m","id":2,"_meta":5}`)
	r.Ask(translate.Agent, m, "", []byte(`{}`), noted(&answers))
	r.wants(t, `agent {"id":3,"method":"m","params":{}}`)
	m = r.from(translate.Client, `{"method":"m","id":8}`)
	r.Ask(translate.Agent, m, "", nil, noted(&answers))
	r.wants(t, `agent {"id":4,"method":"m"}`)

	for _, text := range []string{`{"id":4,"result":0}`, `{"id":1,"result":1}`, `{"id":"2","error":{}}`} {
		r.Dispatch(translate.Agent, r.from(translate.Agent, text))
	}
	r.wants(t, "lost answer to no request  in")
	if diff := cmp.Diff([]string{`8 {"id":4,"result":0}`, `"a" {"id":1,"result":1}`}, answers); diff != "" {
		t.Error(diff)
	}
	if agent, client := r.Pending[translate.Agent].Len(), r.Pending[translate.Client].Len(); agent != 2 || client != 0 {
		t.Errorf("%d and %d are pending", agent, client)
	}
}

// A late response and a response to no request reach nobody, and are distinguished.
func TestLate(t *testing.T) {
	var r rig
	m := r.from(translate.Client, `{"id":7,"method":"m"}`)
	c := r.Ask(translate.Agent, m, "", nil, Request{OnResponse: func(*Call, *jsonrpc.Message) { t.Error("it was answered") }})
	if r.Pending[translate.Agent].FindSent([]byte("7.0")) != c || r.Pending[translate.Agent].Find([]byte("1")) != c || r.Pending[translate.Client].FindSent([]byte("7")) != nil {
		t.Error("it is not found")
	}
	r.Pending[translate.Agent].Take(c.FarID)
	for id, late := range map[string]bool{"1": true, "2": false, `"x"`: false, "0": false} {
		r.Dispatch(translate.Agent, r.from(translate.Agent, `{"id":`+id+`,"result":1}`))
		if got := r.output(); (len(got) == 0) != late {
			t.Errorf("%s: late is %v: %q", id, !late, got)
		}
	}
}

// A request of the agent that was forwarded before the link existed keeps its id, and no other
// request gets this id.
func TestAdopt(t *testing.T) {
	var r rig
	var answers []string
	r.Pending[translate.Client].Adopt([]byte(`1`), noted(&answers))
	m := r.from(translate.Agent, `{"id":"b","method":"m"}`)
	r.Ask(translate.Client, m, "", nil, noted(&answers))
	r.wants(t, `client {"id":2,"method":"m"}`)
	r.Cancel(translate.Client, r.Pending[translate.Client].FindSent([]byte("1")))
	r.Cancel(translate.Client, r.Pending[translate.Client].FindSent([]byte(`"b"`)))
	r.wants(t, `client() {"method":"$/cancel_request","params":{"requestId":1}}`, `client() {"method":"$/cancel_request","params":{"requestId":2}}`)
	r.Dispatch(translate.Client, r.from(translate.Client, `{"id":1,"result":"x"}`))
	if diff := cmp.Diff([]string{`1 {"id":1,"result":"x"}`}, answers); diff != "" {
		t.Error(diff)
	}
}

// Beyond the limit, requests are refused, and the loss names their session.
func TestMaxOpen(t *testing.T) {
	var r rig
	request := r.Requests.From(translate.Agent)
	request(func(m *jsonrpc.Message) { r.Ask(translate.Client, m, "", nil, Request{}) }, "")
	for range MaxOpen {
		r.out.Reset(translate.Agent, nil)
		r.Dispatch(translate.Agent, r.from(translate.Agent, `{"id":1,"method":"m","params":{"sessionId":"s"}}`))
	}
	r.wants(t, `client {"id":4096,"method":"m","params":{"sessionId":"s"}}`)
	r.Dispatch(translate.Agent, r.from(translate.Agent, `{"id":1,"method":"m","params":{"sessionId":"s"}}`))
	r.wants(t, `agent {"id":1,"error":{"code":-32603,"message":"too many requests are open"}}`, "lost memory  in s")
}

// Each message reaches its handler, the other side, or is dropped.
func TestDispatch(t *testing.T) {
	long := strings.Repeat("s", MaxSession+1)
	for _, c := range []struct {
		by   translate.Side
		text string
		want string
	}{
		{translate.Client, `{"id":1,"method":"known"}`, "known"},
		{translate.Client, `{"id":1,"method":"unknown"}`, "other"},
		{translate.Client, `{"method":"news"}`, "news"},
		{translate.Agent, `{"method":"news"}`, `client* {"method":"news"}`},
		{translate.Client, `{"method":"known"}`, "lost request without an id  in"},
		{translate.Agent, `{"method":"known"}`, "lost request without an id  in"},
		{translate.Agent, `{"id":1,"result":{}}`, `answered {"id":1,"result":{}}`},
		{translate.Agent, `{"id":1,"error":null}`, `answered {"id":1,"error":{"code":-32603,"message":"the agent's answer cannot be read"}}`},
		{translate.Agent, `{"id":1,"params":{}}`, `answered {"id":1,"error":{"code":-32603,"message":"the agent's answer cannot be read"}}`},
		{translate.Agent, `{"id":2,"result":{}}`, "lost answer to no request  in"},
		{translate.Client, `{"id":1,"result":{}}`, "lost answer to no request  in"},
		{translate.Client, `{"x":1}`, "lost unreadable message  in"},
		{translate.Client, `{"id":1,"method":"known","result":1}`, `client {"id":1,"error":{"code":-32600,"message":"Invalid request"}} lost unreadable message  in`},
		{translate.Client, `{"id":1,"method":"known","params":{"sessionId":"` + long + `"}}`, `client {"id":1,"error":{"code":-32600,"message":"Invalid request"}} lost unreadable message  in`},
	} {
		var r rig
		var got []string
		handler := func(name string) Handler { return func(*jsonrpc.Message) { got = append(got, name) } }
		request := r.Requests.From(translate.Client)
		request(handler("known"), "known")
		request(handler("other"), "")
		notification := r.Notifications.From(translate.Client)
		notification(handler("news"), "news")
		r.Ask(translate.Agent, r.from(translate.Client, `{"id":9,"method":"m"}`), "", nil, Request{OnResponse: func(_ *Call, m *jsonrpc.Message) {
			got = append(got, "answered "+strings.Replace(string(m.Text), `"jsonrpc":"2.0",`, "", 1))
		}})
		r.Dispatch(c.by, r.from(c.by, c.text))
		if got := strings.Join(append(got, r.output()...), " "); got != c.want {
			t.Errorf("%.80s of the %s: %s, want %s", c.text, c.by, got, c.want)
		}
	}
}

// Pending requests are dropped when the agent ends, the client's are refused, the earliest first.
func TestDropPending(t *testing.T) {
	var r rig
	var want []string
	for i := range 12 {
		r.Ask(translate.Agent, r.from(translate.Client, `{"id":`+strconv.Itoa(i)+`,"method":"m"}`), "", nil, Request{})
		want = append(want, `client {"id":`+strconv.Itoa(i)+`,"error":{"code":-32603,"message":"agent exited"}}`)
	}
	r.Ask(translate.Client, r.from(translate.Agent, `{"id":1,"method":"m"}`), "", nil, Request{})
	r.out.Reset(translate.Agent, nil)
	r.DropPending()
	r.wants(t, want...)
	for _, by := range []translate.Side{translate.Agent, translate.Client} {
		r.Dispatch(by, r.from(by, `{"id":1,"result":1}`))
		r.wants(t)
	}
}

func TestAnswers(t *testing.T) {
	convert := shapes.Shared("session/set_title").ToV2
	id := []byte(`"i"`)
	for _, c := range []struct {
		name string
		do   func(r *rig)
		want []string
	}{
		{"a result", func(r *rig) { r.Answer(translate.Agent, id, []byte(`[1]`)) }, []string{`agent {"id":"i","result":[1]}`}},
		{"an error", func(r *rig) {
			r.Refuse(translate.Client, id, jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: `"no"`, Data: []byte(`{}`)})
		}, []string{`client {"id":"i","error":{"code":-32602,"message":"\"no\"","data":{}}}`}},
		{"a notification with a shape", func(r *rig) {
			r.NotifyAs(r.from(translate.Agent, `{"method":"n","params":{"title":"t","_meta":5}}`), convert)
		}, []string{`client() {"method":"n","params":{"title":"t"}}`}},
		{"a notification that the shape does not change", func(r *rig) {
			r.NotifyAs(r.from(translate.Agent, `{"method":"n","x":1,"params":{"title":"t"}}`), convert)
		}, []string{`client* {"method":"n","x":1,"params":{"title":"t"}}`}},
		{"a notification without params", func(r *rig) {
			r.NotifyAs(r.from(translate.Agent, `{"method":"n"}`), convert)
		}, []string{"lost unreadable notification  in"}},
		{"session/cancel of the bridge", func(r *rig) { r.CancelSession(`s"`) }, []string{`agent() {"method":"session/cancel","params":{"sessionId":"s\""}}`}},
		{"the losses of a message are reported when it is sent", func(r *rig) {
			r.from(translate.Agent, `{"method":"n","params":{"sessionId":"s"}}`)
			r.Write().Lose(translate.LossCommand, "never sent")
			r.NotifyWith("n").Lose(translate.LossTerminal, "sent")
			r.writer.JSON("1")
			r.SendObject(translate.Client)
			r.Scratch().Lose(translate.LossCommand, "tried")
			r.Report(translate.Loss{Kind: translate.LossUnknownUpdate, Name: "x"})
			r.ReportIn([]byte("t"), translate.Loss{Kind: translate.LossTerminal})
		}, []string{`client() {"method":"n","params":1}`, "lost terminal  in s", "lost session update x in s", "lost terminal  in t"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r rig
			r.from(translate.Client, `{}`)
			c.do(&r)
			r.wants(t, c.want...)
		})
	}
}

// Every error that is sent can be read in every version: its code is an integer, its message a
// string.
func TestReadableErrors(t *testing.T) {
	for raw, want := range map[string]string{
		``:                             `{"code":-32603,"message":"Internal error"}`,
		`null`:                         `{"code":-32603,"message":"Internal error"}`,
		`"no"`:                         `{"code":-32603,"message":"Internal error"}`,
		`{}`:                           `{"code":-32603,"message":"Internal error"}`,
		`{"code":1.5,"message":5}`:     `{"code":-32603,"message":"Internal error"}`,
		`{"message":"m","code":"-3"}`:  `{"message":"m","code":-32603}`,
		`{"code":-32000,"data":[1,2]}`: `{"code":-32000,"data":[1,2],"message":"Internal error"}`,
		`{ "code" : 7 , "message":"\u0041","x":1}`: `{"code" : 7,"message":"\u0041","x":1}`,
	} {
		var r rig
		r.from(translate.Agent, `{}`)
		r.RefuseAs(translate.Client, []byte("1"), []byte(raw))
		r.wants(t, `client {"id":1,"error":`+want+`}`)
	}
}

func TestUpdates(t *testing.T) {
	const (
		line = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","x":1,"update": {"sessionUpdate":"k","content":{"type":"text"}} },"y":2}`
		bare = `{"method":"session/update","params":{"sessionId":"s","x":1,"update":{"sessionUpdate":"k"}}}`
		meta = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","_meta":5,"update":{"sessionUpdate":"plan"}}}`
	)
	seen := strings.ReplaceAll(line, `"jsonrpc":"2.0",`, "")
	pass := func(r *rig, u *Update) { r.ForwardUpdate(u) }
	rewrite := func(r *rig, u *Update) {
		r.RewriteWith(u).JSON(`{"sessionUpdate":"k"}`)
		r.SendRewritten(u)
	}
	for _, c := range []struct {
		name, line string
		do         func(r *rig, u *Update)
		want       string
	}{
		{"a plain update is forwarded unchanged", line, pass, `client* ` + seen},
		{"a buffered update, when another message is current", line, func(r *rig, u *Update) { u.Buffered = true; r.ForwardUpdate(u) }, `client ` + seen},
		{"an update that is shown in another session", line, func(r *rig, u *Update) { u.ShowIn([]byte("t")); r.ForwardUpdate(u) },
			`client {"method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"k","content":{"type":"text"}}}}`},
		{"an update without jsonrpc gets it", bare, pass, `client {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"k"}}}`},
		{"an unreadable _meta is dropped, and the kind of a plan stays", meta, pass, `client {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}`},
		{"a rewritten update keeps the other members of its message", line, rewrite,
			`client {"method":"session/update","params":{"sessionId":"s","x":1,"update": {"sessionUpdate":"k"} },"y":2}`},
		{"a rewritten update without jsonrpc keeps no other members", bare, rewrite, `client {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"k"}}}`},
		{"an update of the bridge", line, func(r *rig, u *Update) {
			r.UpdateWith([]byte("t"), "new").StringMember("a", []byte("b"))
			r.SendUpdate()
		}, `client {"method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"new","a":"b"}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r rig
			var u Update
			if !u.Read(r.from(translate.Agent, c.line)) {
				t.Fatal("it is no update")
			}
			if string(u.Kind) != "k" && string(u.Kind) != "plan" || string(u.Text()[:2]) != `{"` {
				t.Errorf("kind %s, text %s", u.Kind, u.Text())
			}
			c.do(&r, &u)
			r.wants(t, c.want)
		})
	}
}

// An update has a session, an update and a kind. One that the plan translation has
// read is read again.
func TestReadUpdates(t *testing.T) {
	for text, want := range map[string]bool{
		`{"method":"session/update"}`:                                                                false,
		`{"method":"session/update","params":{"update":{"sessionUpdate":"k"}}}`:                      false,
		`{"method":"session/update","params":{"sessionId":"s"}}`:                                     false,
		`{"method":"session/update","params":{"sessionId":"s","update":5}}`:                          false,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":5}}}`:        false,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":""}}}`:       true,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"k"}}}`:      true,
		`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"\u006b"}}}`: true,
	} {
		var u Update
		m := jsonrpc.MessageOf([]byte(text))
		if got := u.Read(&m); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	m := jsonrpc.MessageOf([]byte(`{"params":{"sessionId":"s","update":{"sessionUpdate":"k","content":{"type":"text"}}}}`))
	m.Content = nil
	var u Update
	if !u.Read(&m) || string(u.Kind) != "k" || string(u.Content.Get("type")) != `"text"` {
		t.Errorf("%+v", u)
	}
}

func TestParams(t *testing.T) {
	m := jsonrpc.MessageOf([]byte(`{"method":"$/cancel_request","params":{"requestId":"x"}}`))
	if id := translate.RequestID(&m); string(id) != `"x"` {
		t.Errorf("%s is cancelled", id)
	}
	m = jsonrpc.MessageOf([]byte(`{"method":"$/cancel_request"}`))
	if id := translate.RequestID(&m); id != nil || ParamsOf(&m) != nil || ResultOf(&m) != nil || ErrorOf(&m) != nil {
		t.Error("a message without parts has some")
	}
}

// A line does not keep the memory of a large one before it.
func TestMemory(t *testing.T) {
	var r rig
	r.from(translate.Client, `{}`)
	for _, w := range []func() *shapes.Writer{r.Write, r.Scratch} {
		w().String(make([]byte, 2*rawjson.MaxScratch))
		w().Cwd = "/p"
		if again := w(); cap(again.Out) > rawjson.MaxScratch || again.Cwd != "" {
			t.Errorf("%d bytes are kept, and the directory %q", cap(again.Out), again.Cwd)
		}
	}
}

// The update of the current message and a buffered update do not share memory.
func TestBufferedUpdate(t *testing.T) {
	line := func(kind string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"` + kind + `"}}}`
	}
	var r rig
	u := r.ReadUpdate(r.from(translate.Agent, line("now")))
	buffered := ReadBuffered([]byte(line("before")))
	if u == nil || buffered == nil || u.Buffered || !buffered.Buffered || string(u.Kind) != "now" || string(buffered.Kind) != "before" {
		t.Fatalf("%+v, buffered %+v", u, buffered)
	}
	r.ForwardUpdate(buffered)
	r.ForwardUpdate(u)
	r.wants(t, `client {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"before"}}}`, `client* {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"now"}}}`)
	if r.ReadUpdate(r.from(translate.Agent, `{"params":{}}`)) != nil || ReadBuffered([]byte(`{"params":{}}`)) != nil {
		t.Error("a message without an update has one")
	}
}

// A request has a jsonrpc member, even if its sender omitted it.
func TestAskWithoutVersion(t *testing.T) {
	for _, line := range []string{`{"id":1,"method":"m"}`, `{"jsonrpc":"2.0","id":1,"method":"m"}`} {
		var r rig
		r.Ask(translate.Agent, r.from(translate.Client, line), "", nil, Request{})
		if got, want := string(r.out.Text(r.out.Outputs()[0])), `{"jsonrpc":"2.0","id":1,"method":"m"}`; got != want {
			t.Errorf("%s becomes %s, want %s", line, got, want)
		}
	}
}
