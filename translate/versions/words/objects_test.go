package words

import (
	"slices"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A said is an object, and what it becomes in each direction: "=" if it stays as it
// is, "" if it has no form.
type said struct{ name, in, v1, v2 string }

func (c said) check(t *testing.T, shape Object) {
	t.Helper()
	w := Writer{Cwd: "/p"}
	for _, d := range []struct {
		version int
		convert Convert
		want    string
	}{{2, shape.ToV2, c.v2}, {1, shape.ToV1, c.v1}} {
		if d.want == "=" {
			d.want = c.in
		}
		w.Reset()
		o, ok := rawjson.ReadObject(nil, []byte(c.in))
		if ok = ok && d.convert(&w, o); ok != (d.want != "") || string(w.Out) != d.want {
			t.Errorf("%s: version %d has %s, %v; want %s", c.name, d.version, w.Out, ok, d.want)
		}
	}
}

func TestTables(t *testing.T) {
	object := Object{
		{"id", "newId", must{String}, front{must{String}}},
		{"", "type", nil, front{is(`"x"`)}},
		{"old", "", nil, nil},
		{"size", "size", natural, or{natural, "0"}},
		{"free", "free", nil, nil},
		{"to", "from", nil, String},
		{"list", "list", array{natural}, both},
		{"map", "map", values{boolean}, both},
		{"gone", "gone", leave, both},
	}
	for _, c := range []said{
		{"of version 1", `{"size":1,"old":true,"free":[],"id":"a","to":5}`, ``, `{"newId":"a","type":"x","size":1,"free":[]}`},
		{"of version 2", `{"size":1,"type":"x","free":[],"newId":"a","from":5}`, `{"size":1,"free":[],"id":"a","to":5}`, ``},
		{"with members of both", `{"id":"a","newId":"b","old":1,"type":"y","size":-1}`, `{"id":"b"}`, `{"newId":"a","type":"x","size":0}`},
		{"what is moved is there once, as it was last", `{"id":"a","id":"b","newId":"c","size":1,"size":2}`, `{"id":"c","size":1,"size":2}`, `{"newId":"b","type":"x","size":1,"size":2}`},
		{"what is moved cannot be read", `{"id":"a","id":5,"newId":5}`, ``, ``},
		{"lists and maps", `{ "newId" : "\u0078","id":"a","x" : [ 1.0 ],"list":[1,-1,"a",2],"map":{"b":1,"a":true,"c":false},"gone":1}`,
			`{"id":"\u0078","x" : [ 1.0 ],"list":[1,2],"map":{"a":true,"c":false}}`, `{"newId":"a","type":"x","x" : [ 1.0 ],"list":[1,2],"map":{"a":true,"c":false},"size":0}`},
		{"neither", `{"newId":"a","id":"b","list":{},"map":[true],"_meta":5,"_meta":null}`, `{"id":"a","_meta":null}`, `{"newId":"b","type":"x","_meta":null,"size":0}`},
		{"no object", `[]`, ``, ``},
	} {
		c.check(t, object)
	}
}

func TestCommands(t *testing.T) {
	for _, c := range []said{
		{"plain", `{"availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}}]}`, "=",
			`{"availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}}]}`},
		{"of version 2, with types", `{"availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}},{"type":"_x","name":"b"}],"x":1}`,
			`{"availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}},{"name":"b","description":""}],"x":1}`,
			`{"availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}}],"x":1}`},
		{"input that says nothing", `{"availableCommands":[{"name":"a","description":"","input":null},{"name":"b","description":"","input":{}}]}`,
			`{"availableCommands":[{"name":"a","description":"","input":null},{"name":"b","description":""}]}`,
			`{"availableCommands":[{"type":"command","name":"a","description":""},{"type":"command","name":"b","description":""}]}`},
		{"names that version 2 cannot have", `{"availableCommands":[{"name":"a b","description":"d"},{"name":"a","description":"1"},{"name":"a","description":"2"}]}`, "=",
			`{"availableCommands":[{"type":"command","name":"a","description":"1"}]}`},
		{"no list", `{"availableCommands":5}`, "", `{"availableCommands":[]}`},
	} {
		c.check(t, CommandsUpdate)
	}
}

func TestUpdatesWithoutMemory(t *testing.T) {
	for _, c := range []struct {
		kind string
		said
	}{
		{"session_info_update", said{"times", `{"title":"T","updatedAt":"yesterday"}`, "=", `{"title":"T"}`}},
		{"session_info_update", said{"metadata that is cleared", `{"title":5,"updatedAt":"2026-11-21T12:00:00Z","_meta":null}`, `{"updatedAt":"2026-11-21T12:00:00Z"}`, `{"updatedAt":"2026-11-21T12:00:00Z","_meta":null}`}},
		{"usage_update", said{"all", `{"used":1,"size":2,"cost":{"amount":0.10,"currency":"USD"}}`, "=", "="}},
		{"usage_update", said{"no cost", `{"used":1,"size":2,"cost":{"amount":"1"}}`, `{"used":1,"size":2}`, `{"used":1,"size":2}`}},
		{"usage_update", said{"no size", `{"used":1}`, "", ""}},
		{"notice", said{"without a severity", `{"title":"T"}`, `{"title":"T","severity":"info"}`, ""}},
		{"notice", said{"without a title", `{"severity":"error","title":""}`, "", "="}},
		{"compaction_update", said{"a summary", `{"compactionId":"c","status":"s","summary":[{"type":"_x","text":"t"}]}`,
			`{"compactionId":"c","status":"s","summary":[{"type":"text","text":"t"}]}`, `{"compactionId":"c","status":"s","summary":[{"type":"text","text":"t"}]}`}},
		{"compaction_summary_chunk", said{"no block", `{"compactionId":"c","content":5}`, "", `{"compactionId":"c","content":{"type":"text","text":"[content]"}}`}},
		{"session_message_chunk", said{"a path", `{"messageId":"m","content":{"type":"resource_link","name":"n","uri":"a"}}`, "=",
			`{"messageId":"m","content":{"type":"resource_link","name":"n","uri":"file:///p/a"}}`}},
	} {
		c.check(t, Update(c.kind))
	}
	said{"providers of either time", `{"providers":[{"id":"p","required":true},{"providerId":"q","id":"x","required":true}]}`,
		`{"providers":[{"providerId":"q","id":"x","required":true,"supported":[]}]}`,
		`{"providers":[{"providerId":"p","required":true,"supported":[]},{"providerId":"q","id":"x","required":true,"supported":[]}]}`}.check(t, Result("providers/list"))
	if Update("plan") != nil || Result("session/new") != nil {
		t.Error("a plan needs no memory")
	}
}

func TestListedSessions(t *testing.T) {
	for _, c := range []said{
		{"all", `{"sessionId":"s","cwd":"/p","additionalDirectories":["/q"],"title":null,"updatedAt":"2026-11-21T12:00:00+01:00","archived":true}`, "=", "="},
		{"times that version 2 cannot read", `{"sessionId":"s","cwd":"/p","updatedAt":"2026-11-21 12:00"}`, "=", `{"sessionId":"s","cwd":"/p"}`},
		{"null", `{"sessionId":"s","cwd":"/p","archived":null}`, `{"sessionId":"s","cwd":"/p"}`, "="},
		{"no directory", `{"sessionId":"s"}`, "", ""},
	} {
		c.check(t, listedSession)
	}
	for text, want := range map[string]bool{
		`"2026-11-21T12:00:00Z"`: true, `"2026-11-21T12:00:00.5+01:00"`: true, `"2026-11-21T12:00:00,5Z"`: false, `"2026-11-21T1:00:00Z"`: false,
		`"2026-11-21"`: false, `5`: false, `null`: false,
	} {
		if got := Time(&Writer{}, []byte(text)); got != want {
			t.Errorf("%s is a time: %v", text, got)
		}
	}
}

func TestOpenedSessions(t *testing.T) {
	for _, c := range []said{
		{"what the bridges say is left out", `{"modes":{},"models":{},"sessionId":"s","configOptions":[],"availableCommands":[],"x":1}`, `{"sessionId":"s","x":1}`, `{"sessionId":"s","x":1}`},
		{"metadata that is null", `{"sessionId":"s","_meta":null}`, `{"sessionId":"s"}`, "="},
		{"metadata", `{"_meta":{"a":1}}`, "=", "="},
	} {
		c.check(t, OpenedSession)
	}
}

// TestOptions has lists of options of version 2, and options of version 1.
func TestOptions(t *testing.T) {
	const sel = `"name":"A","type":"select","currentValue":"x","options":`
	for _, c := range []struct{ name, in, booleans, without string }{
		{"a select", `[{"configId":"a",` + sel + `[{"value":"x","name":"X"},{"value":"y"}]}]`, `[{"id":"a",` + sel + `[{"value":"x","name":"X"}]}]`, "="},
		{"in groups", `[{"configId":"a",` + sel + `[{"groupId":"g","name":"G","options":[{"value":"x","name":"X"}]}]}]`,
			`[{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]}]}]`, "="},
		{"in groups without a name", `[{"configId":"a",` + sel + `[{"groupId":"g","options":[{"value":"x","name":"X"}]},{"groupId":"h","name":null,"options":[]},{"options":[]}]}]`,
			`[{"id":"a",` + sel + `[{"group":"g","options":[{"value":"x","name":"X"}],"name":"g"},{"group":"h","name":"h","options":[]}]}]`, "="},
		{"a boolean", `[{"configId":"b","name":"B","type":"boolean","currentValue":true}]`, `[{"id":"b","name":"B","type":"boolean","currentValue":true}]`,
			`[{"id":"b","name":"B","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}]`},
		{"neither", `[{"configId":"c","name":"C","type":"_x"},{"configId":"d","type":"select"},5]`, `[]`, `[]`},
		{"no list", `{}`, "", ""},
	} {
		if c.without == "=" {
			c.without = c.booleans
		}
		for booleans, want := range map[bool]string{true: c.booleans, false: c.without} {
			var w Writer
			if ok := OptionsToV1(booleans).Write(&w, []byte(c.in)); ok != (want != "") || string(w.Out) != want {
				t.Errorf("%s, %v: %s, %v; want %s", c.name, booleans, w.Out, ok, want)
			}
		}
	}
	for in, want := range map[string]string{
		`{"id":"a",` + sel + `[{"value":"x","name":"X","description":5}]}`:                                                           `{"configId":"a",` + sel + `[{"value":"x","name":"X","description":5}]}`,
		`{"id":"a","configId":"b",` + sel + `[{"value":"x","name":"X"}]}`:                                                            `{"configId":"a",` + sel + `[{"value":"x","name":"X"}]}`,
		`{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]},{"value":"y","name":"Y"}]}`:             `{"configId":"a",` + sel + `[{"groupId":"g","name":"G","options":[{"value":"x","name":"X"}]}]}`,
		`{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"group":"h","name":"H","options":[{"value":"x","name":"X"}]}]}]}`: ``,
		`{"id":"a",` + sel + `[{"group":"g","options":[{"value":"x","name":"X"}]}]}`:                                                 `{"configId":"a",` + sel + `[{"groupId":"g","options":[{"value":"x","name":"X"}],"name":"g"}]}`,
		`{"id":"a",` + sel + `[]}`: ``,
		`{"id":"b","name":"B","type":"boolean","currentValue":false,"options":5}`: `{"configId":"b","name":"B","type":"boolean","currentValue":false,"options":5}`,
		`{"id":"b","name":"B","type":"boolean","currentValue":"x"}`:               ``,
		`{"id":"c","name":"C","type":"_x","currentValue":"x"}`:                    ``,
	} {
		o, _ := rawjson.ReadObject(nil, []byte(in))
		var w Writer
		if ok := OptionToV2(&w, o); ok != (want != "") || string(w.Out) != want {
			t.Errorf("%s became %s, %v; want %s", in, w.Out, ok, want)
		}
	}
}

func TestModes(t *testing.T) {
	var w Writer
	ModesToV1(&w, []byte(`"a"`), [][]byte{[]byte(`{"value":"a","name":"A","description":5}`), []byte(`{"value":"b"}`), []byte(`{"value":"c","name":"C"}`)})
	if want := `{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},{"id":"c","name":"C"}]}`; string(w.Out) != want {
		t.Errorf("got %s, want %s", w.Out, want)
	}
	var b rawjson.Builder
	for _, mode := range []string{`{"id":"a","name":"A","description":"d","x":1,"_meta":{}}`, `{"description":5,"_meta":5}`} {
		o, _ := rawjson.ReadObject(nil, []byte(mode))
		ModeToV2(&b, []byte("m"), o)
	}
	if want := `{"value":"m","name":"A","description":"d","_meta":{}},{"value":"m","name":"m"}`; string(b.Out) != want {
		t.Errorf("got %s, want %s", b.Out, want)
	}
}

func TestToolCalls(t *testing.T) {
	for _, c := range []struct {
		name, in, v1, v2, again string
		lost                    []translate.LossKind // towards version 1
	}{
		{name: "all", in: `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1}}`,
			v1:    "=",
			v2:    `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1}}`,
			again: `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1},"name":null,"content":null,"rawOutput":null}`},
		{name: "null clears in version 2 only", in: `{"toolCallId":"c","title":null,"name":null,"kind":null,"status":null,"locations":null,"rawInput":null,"rawOutput":null,"_meta":null,"x":null}`,
			v1:   `{"toolCallId":"c","kind":"other","status":"pending","locations":[],"x":null}`,
			v2:   `{"toolCallId":"c"}`,
			lost: []translate.LossKind{translate.LossClearedMember, translate.LossClearedMember, translate.LossClearedMember, translate.LossClearedMember, translate.LossClearedMember}},
		{name: "words of one's own", in: `{"toolCallId":"c","kind":"dance","status":"halted"}`, v1: `{"toolCallId":"c","kind":"other","status":"in_progress"}`,
			v2: `{"toolCallId":"c","kind":"_dance","status":"_halted"}`, lost: []translate.LossKind{translate.LossToolCallKind, translate.LossToolCallStatus}},
		{name: "cancelled", in: `{"toolCallId":"c","status":"cancelled","kind":"_x"}`, v1: `{"toolCallId":"c","status":"failed","kind":"other"}`,
			v2: "=", lost: []translate.LossKind{translate.LossCancelledStatus, translate.LossToolCallKind}},
		{name: "paths and lines", in: `{"toolCallId":"c","locations":[{"line":0,"path":"a","x":1},{"line":-1},{"path":"/b","line":7}]}`,
			v1: `{"toolCallId":"c","locations":[{"line":0,"path":"a","x":1},{"path":"/b","line":7}]}`,
			v2: `{"toolCallId":"c","locations":[{"path":"/p/a","x":1},{"path":"/b","line":7}]}`},
		{name: "what can be cancelled", in: `{"toolCallId":"c","capabilities":{"cancel":{}}}`, v1: `{"toolCallId":"c"}`, v2: `{"toolCallId":"c"}`,
			lost: []translate.LossKind{translate.LossCancellable}},
		{name: "a terminal in the metadata", in: `{"toolCallId":"c","_meta":{"terminal_output":{},"a":1}}`, v1: "=", v2: `{"toolCallId":"c","_meta":{"a":1}}`},
		{name: "nothing else in the metadata", in: `{"toolCallId":"c","_meta":{"terminal_exit":{}}}`, v1: "=", v2: `{"toolCallId":"c"}`},
		{name: "content", in: `{"toolCallId":"c","content":[1]}`, v1: "=", v2: `{"toolCallId":"c","content":["1"]}`},
	} {
		o, _ := rawjson.ReadObject(nil, []byte(c.in))
		w := Writer{Cwd: "/p"}
		if c.v1 == "=" {
			c.v1 = c.in
		}
		if c.v2 == "=" {
			c.v2 = c.in
		}
		var lost []translate.LossKind
		ToolCall.ToV1(&w, o)
		for _, l := range w.Losses {
			lost = append(lost, l.Kind)
		}
		if string(w.Out) != c.v1 || !slices.Equal(lost, c.lost) {
			t.Errorf("%s: version 1 has %s, lost %v; want %s, lost %v", c.name, w.Out, lost, c.v1, c.lost)
		}
		item := Func(func(w *Writer, value []byte) bool { w.String(value); return true })
		w = Writer{Cwd: "/p"}
		if ToolCallToV2(&w, o, item, false); string(w.Out) != c.v2 {
			t.Errorf("%s: version 2 has %s, want %s", c.name, w.Out, c.v2)
		}
		w = Writer{Cwd: "/p"}
		if ToolCallToV2(&w, o, item, true); c.again != "" && string(w.Out) != c.again {
			t.Errorf("%s: when it begins again, version 2 has %s, want %s", c.name, w.Out, c.again)
		}
	}
}

func TestPermissions(t *testing.T) {
	for _, c := range []said{
		{"an option", `{"optionId":"a","name":"A","kind":"allow_once"}`, "=", "="},
		{"of another kind", `{"optionId":"a","name":"A","kind":"_x"}`, `{"optionId":"a","name":"A","kind":"reject_once"}`, "="},
		{"without a kind", `{"optionId":"a","name":"A"}`, `{"optionId":"a","name":"A","kind":"reject_once"}`, ""},
		{"without a name", `{"optionId":"a","kind":"allow_once"}`, "", ""},
	} {
		c.check(t, PermissionOption)
	}
	for in, want := range map[string]struct{ out, option string }{
		`{"outcome":{"outcome":"selected","optionId":"a"},"x":1}`: {`{"outcome":{"outcome":"selected","optionId":"a"},"x":1}`, "a"},
		`{"outcome":{"outcome":"cancelled","_meta":{}}}`:          {`{"outcome":{"outcome":"cancelled","_meta":{}}}`, ""},
		`{"outcome":{"outcome":"cancelled","optionId":"a"}}`:      {`{"outcome":{"outcome":"cancelled","optionId":"a"}}`, ""},
		`{"outcome":{"outcome":"selected"}}`:                      {NoPermission, ""},
		`{"outcome":{"outcome":"_x","optionId":"a"}}`:             {NoPermission, ""},
		`{"outcome":"selected","optionId":"a"}`:                   {NoPermission, ""},
		`[]`:                                                      {NoPermission, ""},
	} {
		var w Writer
		option, chosen := PermissionAnswer(&w, []byte(in))
		if string(w.Out) != want.out || chosen != (want.option != "") || chosen && string(option) != want.option {
			t.Errorf("%s became %s, %s, %v", in, w.Out, option, chosen)
		}
	}
}

// TestForms has forms with the properties that each version gets.
func TestForms(t *testing.T) {
	form := func(rest string) string { return `{"mode":"form","message":"m","requestedSchema":{` + rest + `}}` }
	for _, c := range []struct{ name, in, v1, v2 string }{
		{"a text", form(`"type":"object","properties":{"a":{"type":"string","format":"email"}},"required":["a"]`), "=", "="},
		{"a format of one's own", form(`"type":"object","properties":{"a":{"type":"string","format":"_x"}}`), form(`"type":"object","properties":{"a":{"type":"string"}}`), "="},
		{"what is missing", form(`"title":"T"`), form(`"title":"T","type":"object"`), form(`"type":"object","properties":{},"title":"T"`)},
		{"nothing to choose from", form(`"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":[]}},"b":{"type":"string","enum":[]}},"required":["a","b"]`), "=",
			form(`"type":"object","properties":{"b":{"type":"string"}},"required":["b"]`)},
		{"a property that cannot be read", form(`"type":"object","properties":{"a":{"type":"array"},"b":{"type":"_new","x":1}},"required":["a","b",1]`),
			form(`"type":"object","properties":{"b":{"type":"_new","x":1}},"required":["b"]`), form(`"type":"object","properties":{"a":{"type":"array"},"b":{"type":"_new","x":1}},"required":["a","b"]`)},
		{"no form", `{"mode":"form","message":"m","requestedSchema":5}`, "", form(`"type":"object","properties":{}`)},
		{"an address", `{"mode":"url","message":"m","elicitationId":"e","url":"https://x"}`, "=", "="},
		{"a mode of one's own", `{"mode":"_x","message":"m"}`, "=", "="},
		{"no message", `{"mode":"_x"}`, "", "="},
		{"no readable message", `{"mode":"_x","message":5}`, "", ""},
		{"no mode", `{"message":"m"}`, "", ""},
	} {
		if c.v1 == "=" {
			c.v1 = c.in
		}
		if c.v2 == "=" {
			c.v2 = c.in
		}
		o, _ := rawjson.ReadObject(nil, []byte(c.in))
		var w Writer
		if ok := ElicitationToV1(&w, o); ok != (c.v1 != "") || string(w.Out) != c.v1 {
			t.Errorf("%s: version 1 has %s, want %s", c.name, w.Out, c.v1)
		}
		w = Writer{}
		if ok := ElicitationToV2(&w, o); ok != (c.v2 != "") || string(w.Out) != c.v2 {
			t.Errorf("%s: version 2 has %s, want %s", c.name, w.Out, c.v2)
		}
	}
}

func TestFormAnswers(t *testing.T) {
	for in, want := range map[string]struct{ v1, v2 string }{
		`{"action":"accept","content":{"a":"x","b":["y"],"c":1,"d":true}}`: {`{"action":"accept","content":{"a":"x","b":["y"],"c":1,"d":true}}`, `{"action":"accept","content":{"a":"x","b":["y"],"c":1,"d":true}}`},
		`{"action":"accept","content":{"a":{"b":1},"c":[1,"x"],"d":null}}`: {`{"action":"accept","content":{"a":"{\"b\":1}","c":"[1,\"x\"]"}}`, `{"action":"accept","content":{"a":{"b":1},"c":[1,"x"],"d":null}}`},
		`{"action":"accept","content":5}`:                                  {NoForm, NoForm},
		`{"action":"accept"}`:                                              {`{"action":"accept"}`, `{"action":"accept"}`},
		`{"action":"decline","content":5}`:                                 {`{"action":"decline"}`, `{"action":"decline"}`},
		`{"action":"_x"}`:                                                  {NoForm, NoForm},
		`5`:                                                                {NoForm, NoForm},
	} {
		var one, two Writer
		FormAnswerToV1(&one, []byte(in))
		FormAnswerToV2(&two, []byte(in))
		if string(one.Out) != want.v1 || string(two.Out) != want.v2 {
			t.Errorf("%s became %s, %s; want %s, %s", in, one.Out, two.Out, want.v1, want.v2)
		}
	}
}

func TestWriteError(t *testing.T) {
	for in, want := range map[string]string{
		`{"code":-1,"message":"m","data":[1.0]}`: `{"code":-1,"message":"m","data":[1.0]}`,
		`{"code":1.5,"data":1}`:                  `{"data":1,"code":-32603,"message":"\"o\""}`,
		`"x"`:                                    `{"code":-32603,"message":"\"o\""}`,
		``:                                       `{"code":-32603,"message":"\"o\""}`,
	} {
		var w Writer
		if WriteError(&w, []byte(in), `"o"`); string(w.Out) != want {
			t.Errorf("%s became %s, want %s", in, w.Out, want)
		}
	}
}

// A _meta that is not an object leaves in no object, also not in those of initialize and of
// requests for sessions.
func TestUnreadableMetadata(t *testing.T) {
	servers, err := MCPServersToV1([]byte(`[{"type":"acp","name":"a","_meta":5},{"type":"acp","name":"b","_meta":null}]`))
	if want := `[{"type":"acp","name":"a"},{"type":"acp","name":"b","_meta":null}]`; err != nil || string(servers) != want {
		t.Errorf("got %s, %v; want %s", servers, err, want)
	}
	methods, _, err := signInsToV1([]byte(`[{"type":"agent","methodId":"a","name":"A","_meta":"x"}]`))
	if want := `{"id":"a","name":"A"}`; err != nil || string(methods) != want {
		t.Errorf("got %s, %v; want %s", methods, err, want)
	}
	if got, want := signInsToV2([]byte(`[{"id":"a","methodId":"b","name":"A","_meta":[]}]`)), `{"methodId":"a","type":"agent","name":"A"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
