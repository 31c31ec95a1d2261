package capabilities

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

func TestAdvertise(t *testing.T) {
	const same = "the same"
	for _, test := range []struct{ params, auto, always, never string }{
		{`{}`, same, `{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`, same},
		{`{ }`, same, `{ "clientCapabilities":{"plan":{},"planCapabilities":{}}}`, same},
		{`{"protocolVersion":1 }`, same, `{"protocolVersion":1,"clientCapabilities":{"plan":{},"planCapabilities":{}} }`, same},
		{`{"clientCapabilities":null,"x":1}`, same, `{"clientCapabilities":{"plan":{},"planCapabilities":{}},"x":1}`, same},
		{`{"clientCapabilities": true }`, same, `{"clientCapabilities": {"plan":{},"planCapabilities":{}} }`, same},
		{`{"clientCapabilities":{}}`, same, `{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`, same},
		{`{"clientCapabilities":{ }}`, same, `{"clientCapabilities":{ "plan":{},"planCapabilities":{}}}`, same},
		{
			`{"clientCapabilities":{"fs":{} },"x":"\u00e9"}`, same,
			`{"clientCapabilities":{"fs":{},"plan":{},"planCapabilities":{} },"x":"\u00e9"}`, same,
		},
		{
			`{"clientCapabilities":{"plan":{}}}`,
			`{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{}}`,
		},
		{
			` { "clientCapabilities" : { "fs" : {} , "planCapabilities" : { "_meta" : null } , "terminal" : true } , "protocolVersion" : 1 } `,
			` { "clientCapabilities" : { "fs" : {} , "planCapabilities" : { "_meta" : null } , "terminal" : true,"plan":{} } , "protocolVersion" : 1 } `,
			` { "clientCapabilities" : { "fs" : {} , "planCapabilities" : { "_meta" : null } , "terminal" : true,"plan":{} } , "protocolVersion" : 1 } `,
			` { "clientCapabilities" : { "fs" : {} , "terminal" : true } , "protocolVersion" : 1 } `,
		},
		{
			`{"clientCapabilities":{"plan":{},"fs":1,"planCapabilities":{}}}`, same, same,
			`{"clientCapabilities":{"fs":1}}`,
		},
		{
			`{"clientCapabilities":{"plan":{},"planCapabilities":{},"fs":1}}`, same, same,
			`{"clientCapabilities":{"fs":1}}`,
		},
		{
			`{"clientCapabilities":{"plan":null,"planCapabilities":{}}}`,
			`{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{}}`,
		},
		{
			`{"clientCapabilities":{"plan":true ,"planCapabilities":false}}`, same,
			`{"clientCapabilities":{"plan":{} ,"planCapabilities":{}}}`,
			`{"clientCapabilities":{}}`,
		},
		{
			`{"client\u0043apabilities":{"pl\u0061n":{}}}`,
			`{"client\u0043apabilities":{"pl\u0061n":{},"planCapabilities":{}}}`,
			`{"client\u0043apabilities":{"pl\u0061n":{},"planCapabilities":{}}}`,
			`{"client\u0043apabilities":{}}`,
		},
		{
			`{"clientCapabilities":{"plan":true,"x":1,"plan":{}}}`,
			`{"clientCapabilities":{"plan":true,"x":1,"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{"plan":true,"x":1,"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{"x":1}}`,
		},
		{
			`{"clientCapabilities":{"plan":{},"plan":null}}`, same,
			`{"clientCapabilities":{"plan":{},"plan":{},"planCapabilities":{}}}`,
			`{"clientCapabilities":{}}`,
		},
		// Version 2, and mixtures of it with version 1.
		{`{"protocolVersion":2}`, same, same, same},
		{`{"protocolVersion":2,"capabilities":{}}`, same, same, same},
		{`{"protocolVersion":2.0,"clientCapabilities":{},"info":{}}`, same, same, same},
		{
			`{"protocolVersion":2,"clientCapabilities":{}}`, same,
			`{"protocolVersion":2,"clientCapabilities":{"plan":{},"planCapabilities":{}}}`, same,
		},
		{
			`{"protocolVersion":2,"capabilities":{"plan":{}}}`,
			`{"protocolVersion":2,"capabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"protocolVersion":2,"capabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"protocolVersion":2,"capabilities":{}}`,
		},
		{
			`{"capabilities":{"planCapabilities":{}},"protocolVersion":1}`,
			`{"capabilities":{"planCapabilities":{},"plan":{}},"protocolVersion":1}`,
			`{"capabilities":{"planCapabilities":{},"plan":{}},"protocolVersion":1,"clientCapabilities":{"plan":{},"planCapabilities":{}}}`,
			`{"capabilities":{},"protocolVersion":1}`,
		},
		{
			`{"clientCapabilities":{},"capabilities":{},"protocolVersion":1}`, same,
			`{"clientCapabilities":{"plan":{},"planCapabilities":{}},"capabilities":{},"protocolVersion":1}`, same,
		},
		{`{"protocolVersion":2,"capabilities":null,"clientCapabilities":[]}`, same, same, same},
	} {
		r, err := ReadRequest([]byte(test.params))
		if err != nil {
			t.Fatal(err)
		}
		for value, want := range map[string]string{"auto": test.auto, "always": test.always, "never": test.never} {
			if want == same {
				want = test.params
			}
			if got := Policy(value).advertise([]byte(test.params), r); string(got) != want {
				t.Errorf("%s %s\ngot  %s\nwant %s", value, test.params, got, want)
			}
		}
	}
}

// others removes the capabilities for plan operations from a request and reports whether one
// of them was an object. It also removes an empty object of capabilities, because advertise
// may add or replace it.
func others(t *testing.T, params []byte) (rest map[string]any, advertised bool) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(params))
	decoder.UseNumber() // some numbers exceed every Go type
	if err := decoder.Decode(&rest); err != nil {
		t.Fatalf("%q: %v", params, err)
	}
	for _, name := range []string{"clientCapabilities", "capabilities"} {
		capabilities, ok := rest[name].(map[string]any)
		for _, operation := range operations {
			_, is := capabilities[operation].(map[string]any)
			advertised = advertised || is
			delete(capabilities, operation)
		}
		if !ok || len(capabilities) == 0 {
			delete(rest, name)
		}
	}
	return rest, advertised
}

func FuzzInitialize(f *testing.F) {
	for _, params := range []string{
		// The first three resemble the rig's requests in shared/protocol/captures.
		`{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":false,"plan":{}},"clientInfo":{"name":"rig-drive","version":"0.0.1"}}`,
		`{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":false},"clientInfo":{"name":"rig-drive","version":"0.0.1"}}`,
		`{"protocolVersion":2,"info":{"name":"rig-drive","version":"0.0.1"},"capabilities":{"plan":{}}}`,
		`{}`, `{ }`, `{"clientCapabilities":null}`, `{"clientCapabilities":{"plan":true,"planCapabilities":{}},"capabilities":{"plan":{}}}`,
		`{"clientCapabilities":{"plan":{},"plan":1},"clientCapabilities":{"plan":null}}`,
		`{"client\u0043apabilities" : { "p\u006can" :{}, "x": [ "plan" ] } , "protocolVersion":2e0}`,
	} {
		f.Add([]byte(params))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		ReadResult(params)
		r, err := ReadRequest(params)
		if err != nil {
			return
		}
		if !json.Valid(params) {
			return // nested too deeply for encoding/json
		}
		before, _ := others(t, params)
		for _, value := range []string{"auto", "always", "never"} {
			edited := Policy(value).advertise(params, r)
			after, advertised := others(t, edited)
			if !reflect.DeepEqual(before, after) {
				t.Errorf("%s %q: other members differ: %q", value, params, edited)
			}
			reread, err := ReadRequest(edited)
			if err != nil {
				t.Errorf("%s %q: %q: %v", value, params, edited, err)
			}
			if reread.Version != r.Version || reread.Name != r.Name || reread.Release != r.Release {
				t.Errorf("%s %q: %q: %+v became %+v", value, params, edited, r, reread)
			}
			if value == "never" && advertised || value == "always" && r.Version < 2 && !advertised {
				t.Errorf("%s %q: advertised is %v: %q", value, params, advertised, edited)
			}
			if again := Policy(value).advertise(edited, reread); !bytes.Equal(again, edited) {
				t.Errorf("%s %q: %q, and again: %q", value, params, edited, again)
			}
		}
	})
}
