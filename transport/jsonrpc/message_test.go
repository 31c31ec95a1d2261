package jsonrpc

import (
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

func read(text string) (m Message, ok bool) {
	var c rawjson.Cursor
	c.Reset([]byte(text))
	m.Read(&c, []byte(text), nil)
	return m, c.End()
}

func TestMessageIs(t *testing.T) {
	const request, notification, response, neither = "request", "notification", "response", "neither"
	for text, want := range map[string]string{
		`{"id":1,"method":"a"}`:                                     request,
		`{"id":null,"method":"a"}`:                                  request,
		`{"params":{},"method":"a"}`:                                notification,
		`{"id":1,"result":null}`:                                    response,
		`{"id":1,"error":{}}`:                                       response,
		`{"id":1,"error":null,"result":1}`:                          response,
		`{"result":1}`:                                              neither,
		`{"id":1,"method":7}`:                                       neither,
		`{"id":1}`:                                                  response,
		`{"id":1,"error":null}`:                                     response,
		`{"id":1,"params":{}}`:                                      neither,
		`{"id":1,"method":"a","result":1}`:                          neither,
		`{"id":1,"method":"a","method":"a"}`:                        neither,
		`{"id":1,"method":"a","id":1}`:                              neither,
		`{"id":1,"id":2,"result":1}`:                                neither,
		`{"method":"a","params":{},"params":{}}`:                    neither,
		`{"method":"a","params":{"sessionId":1,"x":[{}]}}`:          notification,
		`{"method":"a","params":{"sessionId":"a","sessionId":"a"}}`: neither,
		`{"method":"a","params":{"update":{},"update":{}}}`:         neither,
		`[{"method":"a"}]`:                                          neither,
		`7`:                                                         neither,
	} {
		m, ok := read(text)
		if !ok {
			t.Errorf("%s: not read", text)
		}
		got := neither
		switch {
		case m.IsRequest():
			got = request
		case m.IsNotification():
			got = notification
		case m.IsResponse():
			got = response
		}
		if got != want {
			t.Errorf("%s is a %s, want %s", text, got, want)
		}
	}
}

// TestMembers reads one message after another into the same memory.
func TestMembers(t *testing.T) {
	many := `{"method":"a","params":{"update":{` + strings.Repeat(`"x":1,`, 5000) + `"y":2}}}`
	var m Message
	for _, test := range []struct {
		text             string
		members, content int
	}{
		{`{"method":"a","params":{"update":{"x":1,"content":{"y":2,"z":3}}}}`, 2, 2},
		{`{"method":"a","params":{"update":{"content":[]}}}`, 1, 0},
		{`{"method":"a","params":{"update":7}}`, 0, 0},
		{`{"method":"a","params":{"update":{"content":{"y":2}},"update":{}}}`, 0, 0},
		{many, 5001, 0},
		{strings.Replace(many, `"update":`, `"update":{"content":`, 1) + "}", 1, 5001},
		{`{"method":"a","params":{"sessionId":"s"}}`, 0, 0},
	} {
		var c rawjson.Cursor
		c.Reset([]byte(test.text))
		m.Read(&c, []byte(test.text), nil)
		if len(m.Members) != test.members || len(m.Content) != test.content {
			t.Errorf("%.80s has %d members and %d of the content", test.text, len(m.Members), len(m.Content))
		}
	}
	if cap(m.Members) > 1000 || cap(m.Content) > 1000 {
		t.Errorf("memory for %d and %d members is kept", cap(m.Members), cap(m.Content))
	}
}

func TestMessageParts(t *testing.T) {
	const text = ` { "jsonrpc" : "2.0", "params" : {"sessionId":"\u0073", "update":{"x":1} } ,"id":"a\u0062", "method":"m\/n"} `
	m, _ := read(text)
	for want, got := range map[string]string{
		`{"sessionId":"\u0073", "update":{"x":1} }`: string(m.Params.Of(m.Text)),
		`{"x":1}`:             string(m.Update.Of(m.Text)),
		`"a\u0062"`:           string(m.ID),
		`m/n`:                 string(m.Method),
		`s`:                   string(m.Session),
		text[1 : len(text)-1]: string(m.Span.Of(m.Text)),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if m.Result.Present() || m.Result.Of(m.Text) != nil {
		t.Error("there is a result")
	}
}

func TestIDsAreEqualHoweverTheyAreSpelled(t *testing.T) {
	for _, same := range [][]string{
		{`1`, `1.0`, `1e0`, `10e-1`}, {`"ab"`, `"a\u0062"`}, {`null`}, {`"1"`}, {`-7`, `-7.0`},
		{`9007199254740993`}, {`9007199254740992`}, {`1.5`, `15e-1`},
		{`"` + strings.Repeat("a", 1000) + `"`, `"\u0061` + strings.Repeat("a", 999) + `"`},
	} {
		for _, raw := range same {
			if IDOf([]byte(raw)) != IDOf([]byte(same[0])) {
				t.Errorf("%s and %s differ", raw, same[0])
			}
		}
	}
	if IDOf(nil) != "" || IDOf([]byte(`"1"`)) == IDOf([]byte(`1`)) {
		t.Error("different ids are equal")
	}
	long := strings.Repeat("a", 1<<20)
	if one, other := IDOf([]byte(`"`+long+`"`)), IDOf([]byte(`"`+long+`b"`)); one == other || len(one) > 256 {
		t.Errorf("long ids are equal, or have %d bytes", len(one))
	}
}

func TestCalls(t *testing.T) {
	var calls Calls[string]
	id := []byte(`"a"`)
	first := calls.Open(id, "first")
	id[1] = 'x' // the caller's memory is not kept
	own := calls.Open(nil, "own")
	second := calls.Open([]byte(`"\u0061"`), "second")
	if string(first.FarID) == string(own.FarID) || string(own.FarID) == string(second.FarID) {
		t.Error("ids are used twice")
	}
	if got := calls.FindSent([]byte(`"a"`)); got != second {
		t.Errorf("of two with one id, %q is found", got.Request)
	}
	if calls.FindSent([]byte(`null`)) != nil || calls.Find([]byte(`"2"`)) != nil || calls.Find(nil) != nil {
		t.Error("found what was never sent")
	}
	if got := calls.Take([]byte(`1.0`)); got != first || string(got.ID) != `"a"` {
		t.Error("the first is not found")
	}
	if calls.Take([]byte(`1`)) != nil {
		t.Error("answered twice")
	}
	var left []string
	calls.Each(func(c *Call[string]) {
		left = append(left, c.Request)
		calls.Take([]byte(`3`))
	})
	if len(left) != 1 || left[0] != "own" || calls.Len() != 1 {
		t.Errorf("left: %q, %d", left, calls.Len())
	}
}
