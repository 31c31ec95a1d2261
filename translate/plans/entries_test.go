package plans

import (
	"strings"
	"testing"

	"acp-plan-proxy/transport/rawjson"
)

// TestEntries tests how entries that version 1 does not know are mapped.
func TestEntries(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a missing priority is medium", `{"content":"A","status":"completed"}`, `{"content":"A","priority":"medium","status":"completed"}`},
		{"a missing status is pending", `{"content":"A","priority":"low"}`, `{"content":"A","priority":"low","status":"pending"}`},
		{"a missing priority and status", `{"content":"A"}`, `{"content":"A","priority":"medium","status":"pending"}`},
		{"an unknown priority is medium", `{"content":"A","priority":"urgent","status":"pending"}`, `{"content":"A","priority":"medium","status":"pending"}`},
		{"a priority that is no string is medium", `{"content":"A","priority":3,"status":"pending"}`, `{"content":"A","priority":"medium","status":"pending"}`},
		{"a status that is no string is pending", `{"content":"A","priority":"low","status":null}`, `{"content":"A","priority":"low","status":"pending"}`},
		{"cancelled is completed, with a note", `{"content":"A","priority":"low","status":"cancelled"}`,
			`{"content":"A (cancelled)","priority":"low","status":"completed"}`},
		{"any other status is pending, with a note", `{"content":"A","priority":"low","status":"blocked"}`,
			`{"content":"A (blocked)","priority":"low","status":"pending"}`},
		{"the note omits a leading _", `{"content":"A","priority":"low","status":"_on_hold"}`, `{"content":"A (on_hold)","priority":"low","status":"pending"}`},
		{"_cancelled is a status like any other", `{"content":"A","priority":"low","status":"_cancelled"}`,
			`{"content":"A (cancelled)","priority":"low","status":"pending"}`},
		{"values in another case are unknown", `{"content":"A","priority":"Low","status":"Pending"}`, `{"content":"A (Pending)","priority":"medium","status":"pending"}`},
		{"the note is escaped", `{"content":"A","priority":"low","status":"a\"\n\u0001"}`,
			`{"content":"A (a\"\n\u0001)","priority":"low","status":"pending"}`},
		{"escapes in known values", `{"content":"A","priority":"l\u006fw","status":"c\u0061ncelled"}`,
			`{"content":"A (cancelled)","priority":"low","status":"completed"}`},
		{"other members follow these three", `{ "_meta" : {"a":1.0} ,"status":"x", "id":7,"content" : "A\u0041" ,"priority":"p" }`,
			`{"content":"AA (x)","priority":"medium","status":"pending","_meta" : {"a":1.0},"id":7}`},
		{"the last of two contents", `{"content":5,"content":"A","status":"x","content":"B"}`,
			`{"content":"B (x)","priority":"medium","status":"pending"}`},
		{"the last of two priorities", `{"content":"A","priority":"low","priority":"high","status":"x"}`,
			`{"content":"A (x)","priority":"high","status":"pending"}`},
		{"an empty content is valid", `{"content":"","status":"x"}`, `{"content":" (x)","priority":"medium","status":"pending"}`},
	} {
		script := strings.NewReplacer("IN", c.in, "WANT", c.want)
		runCases(t, legacyClient, []testCase{{
			name: c.name,
			talk: script.Replace(`
				> plan 0 | IN | 9
				< plan 0 | WANT | 9
				> plan
				< =
				> items p: IN
				< plan WANT`),
		}, {
			name:   c.name + ", for a client of plan operations",
			client: newClient,
			talk: script.Replace(`
				t> plan IN
				< items main: WANT
				> items p: IN
				< items p: WANT
				> custom "entries":[IN]
				< items p: WANT`),
		}})
	}
}

func TestEntriesSkippedOrKept(t *testing.T) {
	runCases(t, legacyClient, []testCase{{
		name: "valid entries are copied byte for byte, _meta included",
		talk: `
			> items p: { "content" : "A","_meta":{"x":[1]}, "priority":"high","status":"in_progress","id":"7"} | B
			< plan { "content" : "A","_meta":{"x":[1]}, "priority":"high","status":"in_progress","id":"7"} | B`,
	}, {
		name: "an entry without a string content is skipped, and warned of",
		talk: `
			> {"sessionUpdate":"plan","entries":[{},{"content":7,"priority":"low","status":"pending"},"A",null,[],{"content":"A","content":null},{"content":"B","priority":"medium","status":"pending"}]}
			< plan B
			! plan entries without a string content are not shown: 6
			> {"sessionUpdate":"plan","entries":[{"content":"B","priority":"medium","status":"pending"},{},{"content":7,"priority":"low","status":"pending"},"A",null,[],{"content":"A","content":null}]}
			< plan B
			! plan entries without a string content are not shown: 6
			> {"sessionUpdate":"plan","entries":[{},{"content":7,"priority":"low","status":"pending"},"A",null,[],{"content":"A","content":null}]}
			< plan
			! plan entries without a string content are not shown: 6`,
	}, {
		name: "a prefix goes before the content, however the entry is spelled",
		talk: `
			> items p: { "content" : "A","_meta":{"x":[1]}, "priority":"high","status":"in_progress","id":"7"}
			< plan { "content" : "A","_meta":{"x":[1]}, "priority":"high","status":"in_progress","id":"7"}
			> items q: {"status":"x","content" : "\u0042","content":"C"}
			< plan { "content" : "[p] A","_meta":{"x":[1]}, "priority":"high","status":"in_progress","id":"7"} | {"content":"[q] C (x)","priority":"medium","status":"pending"}`,
	}, {
		name:   "a version 2 client gets the agent's own entries untouched",
		client: v2Client,
		talk: `
			> items p: {"content":"A","priority":"high","status":"cancelled"}
			< =
			> items id p: {"content":"A","priority":"urgent","status":"_x"}
			< items p: {"content":"A","priority":"urgent","status":"_x"}
			> removed p
			< =
			> plan {"content":"A","priority":"urgent","status":"_x"} | {"content":"B","priority":"low","status":"cancelled"}
			< items main: {"content":"A","priority":"urgent","status":"_x"} | {"content":"B","priority":"low","status":"cancelled"}`,
	}, {
		name:   "a version 2 client gets an entry with the members that it lacks",
		client: v2Client,
		talk: `
			> items p: {"status":"cancelled","content":"A"} | {"content":"B","priority":"high"}
			< items p: {"content":"A","priority":"medium","status":"cancelled"} | {"content":"B","priority":"high","status":"pending"}`,
	}, {
		name:   "a version 2 client gets valid entries in place of a legacy plan's invalid ones",
		client: v2Client,
		talk: `
			> plan {"content":"A","status":"_x"} | {} | {"content":"B","priority":7}
			< items main: {"content":"A","priority":"medium","status":"_x"} | {"content":"B","priority":"medium","status":"pending"}
			! plan entries without a string content are not shown: 1`,
	}})
}

// FuzzUsualEntry compares the quick reading of an entry with the full one.
func FuzzUsualEntry(f *testing.F) {
	for _, text := range []string{
		`{"content":"A\n\u0041","priority":"medium","status":"in_progress"},{"content"`,
		`{"status":"pending","content":"","priority":"high"}   {"content":"B"}`,
		`{"content":"A","priority":"low","status":"completed","status":"pending"}`,
		`{"content":"A","priority":"low","status":"pending","_meta":{}}          `,
		`["content":"A","priority":"low","status":"pending"}                    `,
		`{"content":"A\x","priority":"low"}{"content":"A` + "\t" + `"                 `,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got entry
		ok := got.readUsual(text, 0)
		if !ok {
			return
		}
		var c rawjson.Cursor
		c.Reset(text)
		want := readEntry(&c)
		if c.Err() != nil {
			t.Fatalf("%q is no entry: %v", text, c.Err())
		}
		if got.isUsual && !want.isValid(text, true) {
			t.Errorf("%q is not usual", text)
		}
		if got.isUsual = false; got != want {
			t.Errorf("%q is read as %+v, should be %+v", text, got, want)
		}
	})
}
