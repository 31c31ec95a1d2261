package forms

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A harness is a Translator between a client of that name and an agent.
type harness struct {
	t       *testing.T
	forms   *Translator
	out     translate.Out
	client  []string // what it got
	server  []string // what the agent got
	losses  []translate.Loss
	pressed int // how many requests the client has answered
}

func newHarness(t *testing.T, client string) *harness {
	h := &harness{t: t, forms: New()}
	h.forms.Negotiated(capabilities.Request{Name: client, Offers: capabilities.OfferTerminals}, 1, true)
	return h
}

// gives has a side say a line. It reports whether the line goes on.
func (h *harness) gives(side translate.Side, line string) (passes bool) {
	h.t.Helper()
	text := []byte(line)
	var m jsonrpc.Message
	var c rawjson.Cursor
	c.Reset(text)
	if m.Read(&c, text, nil); !c.End() {
		h.t.Fatalf("%s: %v", line, c.Err())
	}
	h.out.Reset(side, &m)
	want := h.forms.Wants()[side]
	if want == nil || !want.Matters(text) || m.IsResponse() && !h.forms.Awaits(side, jsonrpc.IDOf(m.ID)) {
		return true
	}
	from := h.forms.FromAgent
	if side == translate.Client {
		from = h.forms.FromClient
	}
	if !from(&m, &h.out) {
		if len(h.out.Leaves()) > 0 {
			h.t.Errorf("%s: not decided, and something leaves", line)
		}
		return true
	}
	return h.took()
}

// took takes what was decided.
func (h *harness) took() (passes bool) {
	for _, l := range h.out.Leaves() {
		switch {
		case l.Same:
			passes = true
		case l.To == translate.Client:
			h.client = append(h.client, string(h.out.Text(l)))
		default:
			h.server = append(h.server, string(h.out.Text(l)))
		}
	}
	h.losses = append(h.losses, h.out.Losses()...)
	return passes
}

func (h *harness) agent(line string) (passes bool) {
	h.t.Helper()
	return h.gives(translate.Agent, line)
}

func (h *harness) user(line string) (passes bool) {
	h.t.Helper()
	return h.gives(translate.Client, line)
}

// asks has the agent ask for a choice of a and b, as request id of a session.
func (h *harness) asks(id int, session string) {
	h.t.Helper()
	h.agent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"sessionId":%q,"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{"x":{"type":"string","enum":["a","b"]}}}}}`, id, session))
}

// A request is a permission request as a client reads it.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string
		RequestID string
		ToolCall  struct{ Title string }
		Options   []struct{ OptionID, Name, Kind string }
	}
}

// requests returns what the client was asked and has not answered, nor was it taken back.
func (h *harness) requests() (open []*request) {
	for _, line := range h.client {
		var r request
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			h.t.Fatalf("%v: %s", err, line)
		}
		switch r.Method {
		case "session/request_permission":
			open = append(open, &r)
		case "$/cancel_request":
			open = slices.DeleteFunc(open, func(o *request) bool { return string(o.ID) == `"`+r.Params.RequestID+`"` })
		}
	}
	return open[min(h.pressed, len(open)):]
}

func (h *harness) open() *request {
	if open := h.requests(); len(open) > 0 {
		return open[0]
	}
	return nil
}

// press has the client answer the request that is open with an option.
func (h *harness) press(option string) {
	h.t.Helper()
	h.answers(`"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}`)
}

func (h *harness) answers(result string) {
	h.t.Helper()
	id := h.open().ID
	h.pressed++
	if h.user(`{"jsonrpc":"2.0","id":` + string(id) + `,` + result + `}`) {
		h.t.Error("the agent gets an answer that it has not asked for")
	}
}

// An answer is one to a form.
type answer struct {
	Action  string
	Content json.RawMessage
}

// answer returns the agent's answer to a request. There is one.
func (h *harness) answer(id int) (a answer) {
	h.t.Helper()
	n := 0
	for _, line := range h.server {
		var m struct {
			ID     int
			Result answer
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			h.t.Fatalf("%v: %s", err, line)
		}
		if m.ID == id {
			n++
			a = m.Result
		}
	}
	if n != 1 {
		h.t.Fatalf("request %d has %d answers: %q", id, n, h.server)
	}
	return a
}

// actions returns what the agent was answered, in order.
func (h *harness) actions() string {
	var all []string
	for _, line := range h.server {
		var m struct {
			ID     int
			Result answer
		}
		json.Unmarshal([]byte(line), &m)
		all = append(all, fmt.Sprintf("%d %s%s", m.ID, m.Result.Action, m.Result.Content))
	}
	return strings.Join(all, ", ")
}

// What ends a form, and what the agent hears of it.
func TestEnds(t *testing.T) {
	const cancelled = `"result":{"outcome":{"outcome":"cancelled"}}`
	for _, test := range []struct {
		what string
		do   func(h *harness)
		want string // what the agent hears of two forms of session s and one of session o
		open int    // how many requests are open in the end
	}{
		{"nothing", func(*harness) {}, "", 2},
		{"chosen", func(h *harness) { h.press("allow-1") }, `1 accept{"x":"b"}`, 2},
		{"in the chat", func(h *harness) { h.press("reject") }, "1 decline", 2},
		{"an option that is none", func(h *harness) { h.press("allow-2") }, "1 decline", 2},
		{"cancelled", func(h *harness) { h.answers(cancelled) }, "1 cancel", 2},
		{"an error", func(h *harness) { h.answers(`"error":{"code":-32601,"message":"no"}`) }, "1 cancel", 2},
		{"the agent cancels", func(h *harness) {
			h.agent(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
		}, "1 cancel", 2},
		{"the agent cancels one that waits", func(h *harness) {
			h.agent(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`)
		}, "2 cancel", 2},
		{"the agent cancels something else", func(h *harness) {
			if !h.agent(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`) {
				h.t.Error("it does not go on")
			}
		}, "", 2},
		{"the turn is cancelled", func(h *harness) {
			if !h.user(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`) {
				h.t.Error("it does not go on")
			}
		}, "1 cancel, 2 cancel", 1},
		{"the prompt is cancelled", func(h *harness) {
			if !h.user(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"p"}}`) {
				h.t.Error("it does not go on")
			}
		}, "1 cancel, 2 cancel", 1},
		{"the session is closed", func(h *harness) {
			h.user(`{"jsonrpc":"2.0","id":1,"method":"session/close","params":{"sessionId":"s"}}`)
		}, "1 cancel, 2 cancel", 1},
		{"the client is gone", func(h *harness) {
			h.out.Reset(translate.Client, nil)
			h.forms.ClientGone(&h.out)
			h.took()
			h.asks(4, "s")
		}, "1 cancel, 2 cancel, 3 cancel, 4 cancel", 0},
		{"a late answer", func(h *harness) {
			id := h.open().ID
			h.agent(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
			h.user(`{"jsonrpc":"2.0","id":` + string(id) + `,` + cancelled + `}`)
		}, "1 cancel", 2},
		{"a second initialize, of a client with forms", func(h *harness) {
			h.forms.Negotiated(capabilities.Request{Offers: capabilities.OfferForms}, 1, false)
			h.press("allow-0")
			if !h.agent(`{"jsonrpc":"2.0","id":4,"method":"elicitation/create","params":{"sessionId":"s","mode":"form"}}`) {
				h.t.Error("its forms do not go on")
			}
		}, `1 accept{"x":"a"}`, 2},
	} {
		t.Run(test.what, func(t *testing.T) {
			h := newHarness(t, "")
			h.user(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`)
			h.asks(1, "s")
			h.asks(2, "s")
			h.asks(3, "o")
			if open := h.requests(); len(open) != 2 || open[0].Params.SessionID != "s" || open[1].Params.SessionID != "o" {
				t.Fatalf("the client has %q", h.client)
			}
			test.do(h)
			if got := h.actions(); got != test.want {
				t.Errorf("the agent hears %q, want %q", got, test.want)
			}
			if open := h.requests(); len(open) != test.open {
				t.Errorf("%d requests are open, want %d", len(open), test.open)
			}
		})
	}
}

// What cannot be asked by choices, and whose a form is.
func TestCreate(t *testing.T) {
	const schema = `,"requestedSchema":{"type":"object","properties":{"x":{"type":"boolean"}}}`
	url := capabilities.Request{OpensURLs: true}
	for _, test := range []struct {
		what, params string
		client       capabilities.Request
		forms        bool // its forms are not asked
		passes       bool
		session      string // in which the client is asked
		want         string // what the agent hears at once
		loss         string
	}{
		{what: "a form", params: `"sessionId":"s","mode":"form"` + schema, session: "s"},
		{what: "no mode", params: `"sessionId":"s"` + schema, session: "s"},
		{what: "of the prompt", params: `"requestId":1,"mode":"form"` + schema, session: "first"},
		{what: "of another request", params: `"requestId":9,"mode":"form"` + schema, session: "second"},
		{what: "a client with forms", params: `"sessionId":"s","mode":"form"` + schema, forms: true, passes: true},
		{what: "an address", params: `"sessionId":"s","mode":"url","url":"https://example.org","elicitationId":"e"`, client: url, passes: true},
		{what: "an address, for a client that opens none", params: `"sessionId":"s","mode":"url","url":"https://example.org","elicitationId":"e"`, want: "1 decline", loss: "it is none"},
		{what: "a form beside addresses", params: `"sessionId":"s","mode":"form"` + schema, client: url, session: "s"},
		{what: "no schema", params: `"sessionId":"s","mode":"form"`, want: "1 decline", loss: "it has no schema"},
		{what: "a client that asks nobody", params: `"sessionId":"s","mode":"form"` + schema, client: capabilities.Request{Name: "vscode-acp"}, want: "1 decline", loss: "the client asks nobody"},
	} {
		t.Run(test.what, func(t *testing.T) {
			h := newHarness(t, "")
			h.forms.Negotiated(test.client, 1, !test.forms)
			h.user(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"first"}}`)
			h.user(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"second"}}`)
			passes := h.agent(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Go on?",` + test.params + `}}`)
			session := ""
			if r := h.open(); r != nil {
				session = r.Params.SessionID
			}
			loss := ""
			for _, l := range h.losses {
				loss += l.Detail
			}
			if passes != test.passes || session != test.session || h.actions() != test.want || !strings.HasSuffix(loss, test.loss) || loss != "" && test.loss == "" {
				t.Errorf("passes: %t, asked in %q, the agent hears %q, lost: %q", passes, session, h.actions(), loss)
			}
			if test.loss != "" && !strings.Contains(strings.Join(h.client, ""), `"text":"\n\nGo on?`) {
				t.Errorf("the question is no message: %q", h.client)
			}
		})
	}
	t.Run("no session", func(t *testing.T) {
		h := newHarness(t, "")
		h.agent(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Go on?","requestId":9,"mode":"form"` + schema + `}}`)
		if h.actions() != "1 decline" || len(h.losses) != 1 || h.client != nil {
			t.Errorf("the agent hears %q, lost: %v, the client gets %q", h.actions(), h.losses, h.client)
		}
	})
}

func TestLimits(t *testing.T) {
	h := newHarness(t, "")
	form := `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"sessionId":"s","requestedSchema":{},"message":"` + strings.Repeat("x", keep.Fixed/2) + `"}}`
	h.agent(fmt.Sprintf(form, 1))
	h.agent(fmt.Sprintf(form, 2))
	h.asks(3, "s")
	if h.actions() != "2 cancel" || len(h.losses) != 1 {
		t.Errorf("of too many forms: %q, lost: %v", h.actions(), h.losses)
	}
	for i := range maxPrompts + 1 {
		h.user(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s"}}`, i))
	}
	if n := h.forms.prompts.Len(); n != maxPrompts {
		t.Errorf("%d prompts are remembered", n)
	}
}
