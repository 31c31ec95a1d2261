package shapes

import (
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// check verifies the conversions of a Rule. The script has a paragraph for each value:
//
//	# the title
//	the value
//	1 the value in version 1, if different; nothing if it cannot be converted
//	lost the name of a loss
//	2 the value in version 2, likewise
func check(t *testing.T, f Rule, script string) {
	t.Helper()
	for _, talk := range strings.Split(script, "\n# ")[1:] {
		name, want, _ := strings.Cut(talk, "\n")
		value, _, _ := strings.Cut(want, "\n")
		got := value
		for version, convert := range []func(*Writer, Rule, []byte) bool{(*Writer).ToV1, (*Writer).ToV2} {
			w := Writer{Cwd: "/p"}
			w.JSON(`"before":`)
			start := len(w.Out)
			ok := convert(&w, f, []byte(value))
			out := string(w.Out[start:])
			if ok != (out != "") {
				t.Errorf("%s: %t, wrote %s", name, ok, out)
			}
			if out != value {
				got += strings.TrimRight("\n"+string(rune('1'+version))+" "+out, " ")
			}
			for _, l := range w.Losses {
				got += "\nlost " + string(l.Kind)
				if l.Detail == "" {
					t.Errorf("%s: %s says nothing", name, l.Kind)
				}
			}
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

func TestTables(t *testing.T) {
	check(t, Object{
		{"newId", renamed{"id", mustString}},
		{"type", towards{drop, constant(`"x"`)}},
		{"old", drop},
		{"size", towards{natural, orDefault{natural, "0"}}},
		{"free", nil},
		{"from", renamed{"to", towards{nil, String}}},
		{"list", array{natural}},
		{"map", valuesOf{boolean}},
		{"gone", drop},
	}, `
# an object of version 1
{"size":1,"old":true,"free":[],"id":"a","to":5}
1
2 {"size":1,"free":[],"newId":"a","type":"x"}
# an object of version 2
{"size":1,"type":"x","free":[],"newId":"a","from":5}
1 {"size":1,"free":[],"id":"a","to":5}
2
# an object with members of both versions
{"id":"a","newId":"b","old":1,"type":"y","size":-1}
1 {"id":"b"}
2 {"newId":"a","type":"x","size":0}
# repeated members, and members with the names of both versions
{"id":"a","id":"b","newId":"c","size":1,"size":2}
1 {"id":"c","size":1,"size":2}
2 {"newId":"a","newId":"b","size":1,"size":2,"type":"x"}
# named members that cannot be read
{"id":"a","id":5,"newId":5}
1
2 {"newId":"a","type":"x","size":0}
# lists and maps
{ "newId" : "\u0078","id":"a","x" : [ 1.0 ],"list":[1,-1,"a",2],"map":{"b":1,"a":true,"c":false},"gone":1}
1 {"id":"\u0078","x" : [ 1.0 ],"list":[1,2],"map":{"a":true,"c":false}}
2 {"newId":"a","x" : [ 1.0 ],"list":[1,2],"map":{"a":true,"c":false},"type":"x","size":0}
# values of wrong types
{"newId":"a","id":"b","list":{},"map":[true],"_meta":5,"_meta":null}
1 {"id":"a","_meta":null}
2 {"newId":"b","_meta":null,"type":"x","size":0}
# a value that is not an object
[]
1
2`)
}

func TestBlocks(t *testing.T) {
	check(t, Func(func(w *Writer, value []byte) bool {
		if w.toV2 {
			return Block.Write(w, value)
		}
		return BlockOrText.Write(w, value)
	}), `
# text
{"type":"text","text":"\u00e9","more":[1.0],"_meta":{"a":1e0}}
# the type last
{"text":"x","type":"text"}
# image
{"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///a"}
# image of a path
{"type":"image","data":"AA==","mimeType":"image/png","uri":"a.png"}
2 {"type":"image","data":"AA==","mimeType":"image/png","uri":"file:///p/a.png"}
# link
{"type":"resource_link","name":"n","uri":"x:y","size":5,"title":"t","icons":[{}]}
1 {"type":"resource_link","name":"n","uri":"x:y","size":5,"title":"t"}
lost icons of a resource link
# link of an absolute path
{"type":"resource_link","name":"n","uri":"/a b/c"}
2 {"type":"resource_link","name":"n","uri":"file:///a%20b/c"}
# link of a relative path
{"type":"resource_link","name":"n","uri":"./c"}
2 {"type":"resource_link","name":"n","uri":"file:///p/c"}
# link of a drive
{"type":"resource_link","name":"n","uri":"C:\\a"}
2 {"type":"resource_link","name":"n","uri":"file:///C:/a"}
# link of nothing
{"type":"resource_link","name":"n","uri":""}
2
# a size below zero
{"type":"resource_link","name":"n","uri":"x:y","size":-5}
2 {"type":"resource_link","name":"n","uri":"x:y"}
# resource
{"type":"resource","resource":{"uri":"x:y","text":"t"}}
# resource in bytes
{"type":"resource","resource":{"uri":"x:y","blob":"AA=="}}
# resource without text and blob
{"type":"resource","resource":{"uri":"x:y"}}
1 {"type":"text","text":"[resource]"}
lost content block
2
# an unknown role
{"type":"text","text":"x","annotations":{"audience":["user","_x"],"priority":1}}
1 {"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}
lost role in an audience
2 {"type":"text","text":"x","annotations":{"audience":["user"],"priority":1}}
lost role in an audience
# no role is left
{"type":"text","text":"x","annotations":{"audience":["_x"]}}
1 {"type":"text","text":"x","annotations":{}}
lost role in an audience
2 {"type":"text","text":"x","annotations":{}}
lost role in an audience
# a priority above 1
{"type":"text","text":"x","annotations":{"priority":1.5}}
2 {"type":"text","text":"x","annotations":{}}
# an unknown type
{"type":"_chart","name":"C"}
1 {"type":"text","text":"C"}
lost content block
2
# an unknown type with nothing to show
{"type":"_chart"}
1 {"type":"text","text":"[_chart]"}
lost content block
2
# text without text
{"type":"text","text":5}
1 {"type":"text","text":"[text]"}
lost content block
2
# a block without a type
{"text":"x"}
1
2
# a value that is not an object
"x"
1
2
# a list with the strings type and text
["type","text"]
1
2
# an unknown type with a text, a name and a URI
{"type":"_chart","uri":"u:x","name":"C","text":"T"}
1 {"type":"text","text":"T"}
lost content block
2
# an empty audience
{"type":"text","text":"x","annotations":{"audience":[]}}
1 {"type":"text","text":"x","annotations":{}}
2 {"type":"text","text":"x","annotations":{}}
# a priority below 0, or none
{"type":"text","text":"x","annotations":{"priority":-0.5,"audience":5}}
1 {"type":"text","text":"x","annotations":{"priority":-0.5}}
2 {"type":"text","text":"x","annotations":{}}
# a priority of 0
{"type":"text","text":"x","annotations":{"priority":0}}
# audio
{"type":"audio","data":"AA==","mimeType":"audio/wav"}
# link of no string
{"type":"resource_link","name":"n","uri":5}
1 {"type":"text","text":"n"}
lost content block
2
# roles that version 1 lacks
{"type":"text","text":"x","annotations":{"audience":["user","_x","_y"]}}
1 {"type":"text","text":"x","annotations":{"audience":["user"]}}
lost role in an audience
lost role in an audience
2 {"type":"text","text":"x","annotations":{"audience":["user"]}}
lost role in an audience
lost role in an audience
# icons that are null
{"type":"resource_link","name":"n","uri":"x:y","icons":null}
1 {"type":"resource_link","name":"n","uri":"x:y"}`)
	var w Writer
	w.ToV2(BlockOrText, nil)
	if string(w.Out) != `{"type":"text","text":"[content]"}` || len(w.Losses) != 1 {
		t.Errorf("nothing became %s, %v", w.Out, w.Losses)
	}
	w.Reset()
	if len(w.Out) > 0 || len(w.Losses) > 0 {
		t.Errorf("Reset leaves %s, %v", w.Out, w.Losses)
	}
}

func TestUpdates(t *testing.T) {
	check(t, Update("available_commands_update"), `
# commands of version 1
{"availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}}]}
2 {"availableCommands":[{"name":"a","description":"d","input":{"hint":"h","type":"text"},"type":"command"}]}
# commands of version 2
{"availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}},{"type":"_x","name":"b"}],"x":1}
1 {"availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}},{"name":"b","description":""}],"x":1}
2 {"availableCommands":[{"type":"command","name":"a","description":"d","input":{"type":"text","hint":"h"}}],"x":1}
lost command
# inputs without a hint
{"availableCommands":[{"name":"a","description":"","input":null},{"name":"b","description":"","input":{}}]}
1 {"availableCommands":[{"name":"a","description":"","input":null},{"name":"b","description":""}]}
2 {"availableCommands":[{"name":"a","description":"","type":"command"},{"name":"b","description":"","type":"command"}]}
# names that version 2 cannot have
{"availableCommands":[{"name":"a b","description":"d"},{"name":"a","description":"1"},{"name":"a","description":"2"}]}
2 {"availableCommands":[{"name":"a","description":"1","type":"command"}]}
lost command
lost command
# a value that is not a list
{"availableCommands":5}
1
2 {"availableCommands":[]}`)
	check(t, Update("session_info_update"), `
# a time that version 2 cannot read
{"title":"T","updatedAt":"yesterday"}
2 {"title":"T"}
# a _meta of null, and a title that is not a string
{"title":5,"updatedAt":"2026-11-21T12:00:00Z","_meta":null}
1 {"updatedAt":"2026-11-21T12:00:00Z"}
2 {"updatedAt":"2026-11-21T12:00:00Z","_meta":null}`)
	check(t, Update("usage_update"), `
# all members
{"used":1,"size":2,"cost":{"amount":0.10,"currency":"USD"}}
# a cost that cannot be read
{"used":1,"size":2,"cost":{"amount":"1"}}
1 {"used":1,"size":2}
2 {"used":1,"size":2}
# a missing size
{"used":1}
1
2`)
	check(t, Update("notice"), `
# a notice without a severity
{"title":"T"}
1 {"title":"T","severity":"info"}
2
# a notice without a title
{"severity":"error","title":""}
1`)
	check(t, Update("compaction_update"), `
# a summary
{"compactionId":"c","status":"s","summary":[{"type":"_x","text":"t"}]}
1 {"compactionId":"c","status":"s","summary":[{"type":"text","text":"t"}]}
lost content block
2 {"compactionId":"c","status":"s","summary":[{"type":"text","text":"t"}]}
lost content block`)
	check(t, Update("compaction_summary_chunk"), `
# content that is not a block
{"compactionId":"c","content":5}
1
2 {"compactionId":"c","content":{"type":"text","text":"[content]"}}
lost content block`)
	check(t, Update("session_message_chunk"), `
# a path
{"messageId":"m","content":{"type":"resource_link","name":"n","uri":"a"}}
2 {"messageId":"m","content":{"type":"resource_link","name":"n","uri":"file:///p/a"}}`)
}

// A state that the client has is not sent again, in any order of its members.
func TestSentState(t *testing.T) {
	var sent SentState
	for i, state := range []string{`{"state":"idle","x":1}`, `{"x":1,"state":"idle","background":true}`, `{"x":1}`, `{"state":"running","x":1}`} {
		o := rawjson.Members([]byte(state))
		if got, want := sent.Write(&Writer{}, o), i == 0 || i == 3; got != want {
			t.Errorf("%s is told: %t", state, got)
		}
	}
}

func TestResults(t *testing.T) {
	check(t, Shared("providers/list"), `
# a provider without an id
{"providers":[{"id":"p","required":true},{"providerId":"q","id":"x","required":true}]}
1 {"providers":[{"providerId":"q","id":"x","required":true,"supported":[]}]}
lost provider
2 {"providers":[{"providerId":"q","id":"x","required":true,"supported":[]}]}
lost provider`)
	check(t, listedSession, `
# all members
{"sessionId":"s","cwd":"/p","additionalDirectories":["/q"],"title":null,"updatedAt":"2026-11-21T12:00:00+01:00","archived":true}
# times that version 2 cannot read
{"sessionId":"s","cwd":"/p","updatedAt":"2026-11-21 12:00"}
2 {"sessionId":"s","cwd":"/p"}
# an archived of null
{"sessionId":"s","cwd":"/p","archived":null}
1 {"sessionId":"s","cwd":"/p"}
# a missing cwd
{"sessionId":"s"}
1
2`)
	check(t, OpenedSession, `
# options remain in version 2, and what the bridges write is left out
{"modes":{},"models":{},"sessionId":"s","configOptions":[],"availableCommands":[],"x":1}
1 {"sessionId":"s","configOptions":[],"x":1}
2 {"sessionId":"s","configOptions":[],"x":1}
# a _meta of null
{"sessionId":"s","_meta":null}
1 {"sessionId":"s"}
# a _meta
{"_meta":{"a":1}}`)
	if Update("plan") != nil || Shared("session/new") != nil {
		t.Error("a plan needs no memory")
	}
}

func TestToolCalls(t *testing.T) {
	again := false
	call := Func(func(w *Writer, value []byte) bool {
		if !w.toV2 {
			return ToolCall.Write(w, value)
		}
		o := rawjson.Members(value)
		return ToolCallToV2(w, o, Func(func(w *Writer, value []byte) bool {
			w.String(value)
			return true
		}), again)
	})
	check(t, call, `
# all members
{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1}}
2 {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1}}
# null clears in version 2 only
{"toolCallId":"c","title":null,"name":null,"kind":null,"status":null,"locations":null,"rawInput":null,"rawOutput":null,"_meta":null,"x":null}
1 {"toolCallId":"c","kind":"other","status":"pending","locations":[],"x":null}
lost cleared member of a tool call
lost cleared member of a tool call
lost cleared member of a tool call
lost cleared member of a tool call
lost cleared member of a tool call
2 {"toolCallId":"c"}
# an unknown kind and an unknown status
{"toolCallId":"c","kind":"dance","status":"halted"}
1 {"toolCallId":"c","kind":"other","status":"in_progress"}
lost unknown kind of a tool call
lost unknown status of a tool call
2 {"toolCallId":"c","kind":"_dance","status":"_halted"}
lost unknown kind of a tool call
lost unknown status of a tool call
# the status cancelled, which version 1 lacks
{"toolCallId":"c","status":"cancelled","kind":"_x"}
1 {"toolCallId":"c","status":"failed","kind":"other"}
lost status cancelled of a tool call
lost unknown kind of a tool call
# paths and lines
{"toolCallId":"c","locations":[{"line":0,"path":"a","x":1},{"line":-1},{"path":"/b","line":7}]}
1 {"toolCallId":"c","locations":[{"line":0,"path":"a","x":1},{"path":"/b","line":7}]}
2 {"toolCallId":"c","locations":[{"path":"/p/a","x":1},{"path":"/b","line":7}]}
# a call that can be cancelled
{"toolCallId":"c","capabilities":{"cancel":{}}}
1 {"toolCallId":"c"}
lost tool call that can be cancelled
2 {"toolCallId":"c"}
# a terminal in the metadata
{"toolCallId":"c","_meta":{"terminal_output":{},"a":1}}
2 {"toolCallId":"c","_meta":{"a":1}}
# nothing else in the metadata
{"toolCallId":"c","_meta":{"terminal_exit":{}}}
2 {"toolCallId":"c"}
# content
{"toolCallId":"c","content":[1]}
2 {"toolCallId":"c","content":["1"]}`)
	again = true
	check(t, call, `
# a call that begins again
{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1}}
2 {"sessionUpdate":"tool_call_update","toolCallId":"c","title":"T","kind":"edit","status":"failed","locations":[{"path":"/a","line":1}],"rawInput":{"a":1},"name":null,"content":null,"rawOutput":null}`)
}

func TestForms(t *testing.T) {
	check(t, Func(func(w *Writer, value []byte) bool {
		params := rawjson.Members(value)
		return Elicitation(params).writeMembers(w, params)
	}), `
# a text
{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"email"}},"required":["a"]}}
# a boolean
{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"boolean","default":true}}}}
# an unknown format
{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","format":"_x"}}}}
1 {"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}
# a form without a type and properties
{"mode":"form","message":"m","requestedSchema":{"title":"T"}}
1 {"mode":"form","message":"m","requestedSchema":{"title":"T","type":"object","properties":{}}}
2 {"mode":"form","message":"m","requestedSchema":{"title":"T","type":"object","properties":{}}}
# questions without choices
{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":[]}},"b":{"type":"string","enum":[]}},"required":["a","b"]}}
2 {"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}}
lost question of a form
# a property that cannot be read
{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"_new","x":1}},"required":["a","b",1]}}
1 {"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"b":{"type":"_new","x":1}},"required":["b"]}}
lost question of a form
2 {"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"b":{"type":"_new","x":1}},"required":["b"]}}
lost question of a form
# a form that is not an object
{"mode":"form","message":"m","requestedSchema":5}
1
2
# a missing form
{"mode":"form","message":"m"}
1
2
# a URL
{"mode":"url","message":"m","elicitationId":"e","url":"https://x"}
# a path in place of a URL
{"mode":"url","message":"m","elicitationId":"e","url":"/x"}
1
2
# a URL without an id
{"mode":"url","message":"m","url":"https://x"}
1
2
# an unknown mode
{"mode":"_x","message":"m"}
# a message that is not a string
{"mode":"_x","message":5}
1
2
# a missing mode
{"message":"m"}
1
2`)
	check(t, FormAnswer, `
# values that version 1 lacks
{"action":"accept","content":{"a":{"b":1},"c":[1,"x"],"d":null}}
1 {"action":"accept","content":{"a":"{\"b\":1}","c":"[1,\"x\"]"}}
# content that is not an object
{"action":"accept","content":5}
1 {"action":"cancel"}
lost answer to a form
2 {"action":"cancel"}
lost answer to a form
# no content
{"action":"accept"}
# a refusal
{"action":"decline","content":5}
1 {"action":"decline"}
2 {"action":"decline"}
# an unknown action
{"action":"_x"}
1 {"action":"cancel"}
lost answer to a form
2 {"action":"cancel"}
lost answer to a form
# a result that is not an object
5
1 {"action":"cancel"}
lost answer to a form
2 {"action":"cancel"}
lost answer to a form
# values that both versions have
{"action":"accept","content":{"a":"x","b":["y"],"c":1,"d":true}}`)
}

func TestPermissions(t *testing.T) {
	check(t, PermissionOption, `
# an option
{"optionId":"a","name":"A","kind":"allow_once"}
# an option of an unknown kind
{"optionId":"a","name":"A","kind":"_x"}
1 {"optionId":"a","name":"A","kind":"reject_once"}
# an option without a kind
{"optionId":"a","name":"A"}
1 {"optionId":"a","name":"A","kind":"reject_once"}
2
# an option without a name
{"optionId":"a","kind":"allow_once"}
1
2`)
	for in, want := range map[string]struct{ out, option string }{
		`{"outcome":{"outcome":"selected","optionId":"a"},"x":1}`: {`{"outcome":{"outcome":"selected","optionId":"a"},"x":1}`, "a"},
		`{"outcome":{"outcome":"cancelled","_meta":{}}}`:          {`{"outcome":{"outcome":"cancelled","_meta":{}}}`, ""},
		`{"outcome":{"outcome":"cancelled","optionId":"a"}}`:      {NoPermission, ""},
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

func TestTime(t *testing.T) {
	for text, want := range map[string]bool{
		`"2026-11-21T12:00:00Z"`: true, `"2026-11-21T12:00:00.5+01:00"`: true, `"2026-11-21T12:00:00,5Z"`: false, `"2026-11-21T1:00:00Z"`: false,
		`"2026-11-21"`: false, `5`: false, `null`: false,
	} {
		if got := copyTimestamp(&Writer{}, []byte(text)); got != want {
			t.Errorf("%s is a time: %v", text, got)
		}
	}
}

// TestOptions has lists of options of version 2, and options of version 1.
func TestOptions(t *testing.T) {
	const sel = `"name":"A","type":"select","currentValue":"x","options":`
	for _, c := range []struct{ name, in, booleans, without string }{
		{"a select", `[{"configId":"a",` + sel + `[{"value":"x","name":"X"},{"value":"y"}]}]`, `[{"id":"a",` + sel + `[{"value":"x","name":"X"}]}]`, "="},
		{"a select with groups", `[{"configId":"a",` + sel + `[{"groupId":"g","name":"G","options":[{"value":"x","name":"X"}]}]}]`,
			`[{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]}]}]`, "="},
		{"a boolean", `[{"configId":"b","name":"B","type":"boolean","currentValue":true}]`, `[{"id":"b","name":"B","type":"boolean","currentValue":true}]`,
			`[{"id":"b","name":"B","currentValue":"on","type":"select","options":[{"value":"off","name":"Off"},{"value":"on","name":"On"}]}]`},
		{"an unknown type", `[{"configId":"c","name":"C","type":"_x"},{"configId":"d","type":"select"},5]`, `[]`, `[]`},
		{"a value that is not a list", `{}`, "", ""},
	} {
		if c.without == "=" {
			c.without = c.booleans
		}
		for booleans, want := range map[bool]string{true: c.booleans, false: c.without} {
			var w Writer
			if ok := Options(booleans).Write(&w, []byte(c.in)); ok != (want != "") || string(w.Out) != want {
				t.Errorf("%s, %v: %s, %v; want %s", c.name, booleans, w.Out, ok, want)
			}
		}
	}
	for in, want := range map[string]string{
		`{"id":"a",` + sel + `[{"value":"x","name":"X","description":5}]}`:                                                           `{"configId":"a",` + sel + `[{"value":"x","name":"X"}]}`,
		`{"id":"a","configId":"b",` + sel + `[{"value":"x","name":"X"}]}`:                                                            `{"configId":"a",` + sel + `[{"value":"x","name":"X"}]}`,
		`{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]},{"value":"y","name":"Y"}]}`:             `{"configId":"a",` + sel + `[{"groupId":"g","name":"G","options":[{"value":"x","name":"X"}]}]}`,
		`{"id":"a",` + sel + `[{"group":"g","name":"G","options":[{"group":"h","name":"H","options":[{"value":"x","name":"X"}]}]}]}`: ``,
		`{"id":"a",` + sel + `[{"group":"g","options":[{"value":"x","name":"X"}]}]}`:                                                 `{"configId":"a",` + sel + `[{"groupId":"g","options":[{"value":"x","name":"X"}],"name":"g"}]}`,
		`{"id":"a",` + sel + `[]}`: ``,
		`{"id":"b","name":"B","type":"boolean","currentValue":false,"options":5}`: `{"configId":"b","name":"B","type":"boolean","currentValue":false,"options":5}`,
		`{"id":"b","name":"B","type":"boolean","currentValue":"x"}`:               ``,
		`{"id":"c","name":"C","type":"_x","currentValue":"x"}`:                    ``,
	} {
		var w Writer
		w.ToV2(optionsToV2, []byte("["+in+"]"))
		if string(w.Out) != "["+want+"]" {
			t.Errorf("%s became %s, want %s", in, w.Out, want)
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
		WriteError(&w, []byte(in), `"o"`)
		if string(w.Out) != want {
			t.Errorf("%s became %s, want %s", in, w.Out, want)
		}
	}
}

// No object is written with a _meta that is not an object, not even in initialize and nested
// objects.
func TestUnreadableMetadata(t *testing.T) {
	servers, _, ok := MCPServersToV1([]byte(`[{"type":"acp","name":"a","_meta":5},{"type":"acp","name":"b","_meta":null}]`))
	if want := `[{"type":"acp","name":"a"},{"type":"acp","name":"b","_meta":null}]`; !ok || string(servers) != want {
		t.Errorf("got %s, want %s", servers, want)
	}
	var w Writer
	if !(Object{}).Write(&w, []byte(`{"_meta":5}`)) || !w.LeftOut {
		t.Errorf("got %s, and nothing is left out", w.Out)
	}
	methods, _ := signInsToV1([]byte(`[{"type":"agent","methodId":"a","name":"A","_meta":"x"}]`))
	if want := `[{"id":"a","name":"A"}]`; string(methods) != want {
		t.Errorf("got %s, want %s", methods, want)
	}
	w.Reset()
	want := `{"methodId":"a","name":"A","type":"agent"}`
	if !w.ToV2(signIn, []byte(`{"id":"a","methodId":"b","name":"A","_meta":[]}`)) || string(w.Out) != want {
		t.Errorf("got %s, want %s", w.Out, want)
	}
}
