package capabilities

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

const (
	withIDs  = Items | Markdown | Removed
	ops      = Plan | withIDs
	anything = all &^ (Plan | File)
)

// version2 returns a client that accepts the entries of version 2.
func version2(shows Shows, planID PlanID) Client {
	return Client{Shows: shows, PlanID: planID, Version2: true}
}

func read(t *testing.T, params, result string) (Request, Result) {
	t.Helper()
	r, err := ReadRequest([]byte(params))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReadResult([]byte(result))
	if err != nil {
		t.Fatal(err)
	}
	return r, got
}

func settings(t *testing.T, client string) *Settings {
	t.Helper()
	s := new(Settings)
	if err := s.SetClient(client); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNegotiation covers the table in the package documentation.
func TestNegotiation(t *testing.T) {
	legacy := Client{Shows: Plan, PlanID: PlanIDBoth}
	ops2and3 := Client{Shows: ops, PlanID: PlanIDBoth}
	ops1 := Client{Shows: ops, PlanID: PlanIDOld}
	v2 := version2(anything, PlanIDNew)
	const v1Result, v2Result = `{"protocolVersion":1}`, `{"protocolVersion":2,"capabilities":{},"info":{"name":"a","version":"1"}}`
	for _, test := range []struct {
		name, params, result string
		want                 Client
	}{
		{"no members", `{}`, `{}`, legacy},
		{"capabilities that are not an object", `{"protocolVersion":1,"clientCapabilities":[{"plan":{}}]}`, v1Result, legacy},
		{"capabilities without plan", `{"protocolVersion":1,"clientCapabilities":{"fs":{"plan":{}}}}`, v1Result, legacy},
		{"plan", `{"protocolVersion":1,"clientCapabilities":{"plan":{}}}`, v1Result, ops2and3},
		{"planCapabilities", `{"protocolVersion":1,"clientCapabilities":{"planCapabilities":{}}}`, v1Result, ops1},
		{"plan null", `{"clientCapabilities":{"plan":null}}`, v1Result, legacy},
		{"a malformed plan beside planCapabilities", `{"clientCapabilities":{"plan":[],"planCapabilities":{}}}`, v1Result, ops1},
		{"escaped names", `{"client\u0043apabilities":{"\u0070lan":{}}}`, `{"\u0070rotocolVersion":1}`, ops2and3},
		{"plan outside the capabilities", `{"plan":{},"_meta":{"clientCapabilities":{"plan":{}}}}`, v1Result, legacy},
		{"v2", `{"protocolVersion":2,"capabilities":{},"info":{"name":"n","version":"1"}}`, v2Result, v2},
		{"v2 client, v1 agent", `{"protocolVersion":2,"capabilities":{"plan":{}}}`, v1Result, ops2and3},
		{"v2 client that advertises nothing, v1 agent", `{"protocolVersion":2}`, v1Result, legacy},
		{"v1 client, v2 agent", `{"protocolVersion":1,"clientCapabilities":{"planCapabilities":{}}}`, v2Result, v2},
		{"version 2, names of version 1", `{"protocolVersion":2,"clientCapabilities":{"plan":{}},"clientInfo":{"name":"n"}}`, v2Result, ops2and3},
		{"version 2, names of both", `{"protocolVersion":2,"clientCapabilities":{},"capabilities":{},"info":{"name":"n"}}`, v2Result, v2},
		{"version 2, names of both, a result of version 1", `{"protocolVersion":2,"clientCapabilities":{},"capabilities":{},"info":{"name":"n"}}`, v1Result, legacy},
		{"version 1, names of version 2", `{"protocolVersion":1,"capabilities":{"plan":{}}}`, v1Result, ops2and3},
		{"a result with version 2.0", `{}`, `{"info":{},"protocolVersion":2.0}`, v2},
		{"a result with version 20E-1", `{}`, `{"info":{},"protocolVersion": 20E-1 }`, v2},
		{"a result with a string as its version", `{}`, `{"protocolVersion":"2"}`, legacy},
		{"a result with a negative version", `{}`, `{"protocolVersion":-2}`, legacy},
		{"a result with version 3", `{}`, `{"info":{},"protocolVersion":3}`, v2},
		{"a result that repeats the number, and nothing else", `{"protocolVersion":2}`, `{"protocolVersion":2}`, legacy},
		{"a result that repeats the number, names of version 1", `{"clientCapabilities":{"plan":{}}}`, `{"protocolVersion":2,"agentCapabilities":{}}`, ops2and3},
		{"a result with a huge version", `{}`, `{"info":{},"protocolVersion":1e300}`, v2},
	} {
		t.Run(test.name, func(t *testing.T) {
			request, result := read(t, test.params, test.result)
			if got := settings(t, "auto").Client(request, result); got != test.want {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
		})
	}
}

// TestDrafts verifies that a client of each draft receives that draft's plan messages, except
// those that the latest draft has removed, and that CONTRIBUTING.md lists the draft.
func TestDrafts(t *testing.T) {
	page, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range Drafts() {
		request, result := read(t, `{"clientCapabilities":{"`+d.Capability+`":{}}}`, fmt.Sprintf(`{"protocolVersion":%d,"capabilities":{}}`, d.Version))
		got := settings(t, "auto").Client(request, result)
		if want := d.Shows & latest(d.Version); got.Shows&want != want || got.Shows&^latest(d.Version) != 0 || got.PlanID&d.PlanID != d.PlanID {
			t.Errorf("a client of %+v gets %+v", d, got)
		}
		plans := d.Shows.Names()
		if d.Shows&Plan != 0 {
			plans = append([]string{"plan"}, plans...)
		}
		if d.Shows&Custom != 0 {
			plans = append(plans, "others")
		}
		id := ""
		for i := range PlanIDMembers {
			if d.PlanID.Has(i) {
				id = PlanIDMember(i)
			}
		}
		row := []string{strconv.Itoa(d.Version), cmp.Or(d.Capability, "–"), strings.Join(plans, ", "), cmp.Or(id, "–"), cmp.Or(d.Schema, "–")}
		if row := " | " + strings.Join(row, " | ") + " |\n"; !strings.Contains(string(page), row) {
			t.Errorf("CONTRIBUTING.md lacks %s", row)
		}
	}
}

// The members of the request take precedence over its protocolVersion.
func TestClientVersion(t *testing.T) {
	for params, want := range map[string]Request{
		`{}`:                {},
		`{"clientInfo":{}}`: {},
		`{"protocolVersion":1,"capabilities":{},"info":{}}`:                       {Requested: 1, Version: 1},
		`{"protocolVersion":1,"clientInfo":{}}`:                                   {Requested: 1, Version: 1},
		`{"protocolVersion":2}`:                                                   {Requested: 2, Version: 2},
		`{"protocolVersion":3,"_meta":{}}`:                                        {Requested: 3, Version: 3},
		`{"protocolVersion":2,"info":{}}`:                                         {Requested: 2, Version: 2},
		`{"protocolVersion":2,"clientInfo":{}}`:                                   {Requested: 2, Version: 1},
		`{"clientCapabilities":{},"protocolVersion":3}`:                           {Requested: 3, Version: 1},
		`{"protocolVersion":2,"clientInfo":{},"capabilities":{}}`:                 {Requested: 2, Version: 2, IsHybrid: true},
		`{"protocolVersion":2,"clientInfo":{},"clientCapabilities":{},"info":{}}`: {Requested: 2, Version: 2, IsHybrid: true},
	} {
		if got, _ := read(t, params, `{}`); got != want {
			t.Errorf("%s: %+v, want %+v", params, got, want)
		}
	}
}

func TestImplementation(t *testing.T) {
	for _, info := range []string{"clientInfo", "info"} {
		r, _ := read(t, `{"`+info+`":{"title":"T","version":"1.2","name":"ed\u0069tor"}}`, `{}`)
		if r.Name != "editor" || r.Release != "1.2" {
			t.Errorf("%s: %+v", info, r)
		}
	}
	for _, info := range []string{"agentInfo", "info"} {
		_, result := read(t, `{}`, `{"`+info+`":{"name":"agent","version":"3"}}`)
		if result.Name != "agent" || result.Release != "3" {
			t.Errorf("%s: %+v", info, result)
		}
	}
	for meta, want := range map[string]string{
		`{"grokShell":true,"x.ai/mcp/sdk":true,"y.z/a":1}`: "x.ai", `{"a":{"x.ai/b":1}}`: "", `null`: "", `[]`: "",
	} {
		if _, result := read(t, `{}`, `{"_meta":`+meta+`}`); result.Extension != want {
			t.Errorf("%s: the extension is %q", meta, result.Extension)
		}
	}
	for _, info := range []string{`null`, `"n"`, `[]`, `{}`, `{"name":1,"version":{"name":"x"}}`} {
		request, result := read(t, `{"clientInfo":`+info+`}`, `{"agentInfo":`+info+`}`)
		if request.Name+request.Release+result.Name+result.Release != "" {
			t.Errorf("%s: %+v %+v", info, request, result)
		}
	}
}

func TestAdvertisements(t *testing.T) {
	for value, want := range map[string]Advertisement{
		`{}`: Advertised, `{"a":[1]}`: Advertised, `null`: Absent,
		`true`: Malformed, `false`: Malformed, `[]`: Malformed, `"{}"`: Malformed, `0`: Malformed, `-1`: Malformed,
	} {
		r, _ := read(t, `{"clientCapabilities":{"plan":`+value+`,"planCapabilities":`+value+`}}`, `{}`)
		for _, got := range r.Capabilities {
			if got != want {
				t.Errorf("%s: %v, want %v", value, r.Capabilities, want)
			}
		}
	}
	for capabilities, want := range map[string]string{
		`{}`: "nothing", `{"plan":{}}`: "plan", `{"planCapabilities":{},"plan":true}`: "planCapabilities",
		`{"planCapabilities":{},"plan":{}}`: "plan,planCapabilities",
	} {
		r, _ := read(t, `{"clientCapabilities":`+capabilities+`}`, `{}`)
		if got := r.Advertised(); got != want {
			t.Errorf("%s: advertises %s, want %s", capabilities, got, want)
		}
	}
}

func TestInvalidInitialize(t *testing.T) {
	for _, text := range []string{``, `null`, `[]`, `1`, `"x"`, `{`, `{"protocolVersion":2`, `{"protocolVersion":2}}`, `{"clientCapabilities":{"plan":{}}`} {
		if r, err := ReadRequest([]byte(text)); err == nil || r != (Request{}) {
			t.Errorf("request %q: %+v, %v", text, r, err)
		}
		if r, err := ReadResult([]byte(text)); err == nil || !reflect.ValueOf(r).IsZero() {
			t.Errorf("result %q: %+v, %v", text, r, err)
		}
	}
}

func TestSettings(t *testing.T) {
	const v1, v2 = `{"protocolVersion":1}`, `{"protocolVersion":2,"capabilities":{}}`
	const none, plan, planCapabilities = `{}`, `{"clientCapabilities":{"plan":{}}}`, `{"clientCapabilities":{"planCapabilities":{}}}`
	for _, test := range []struct {
		client, params, result string
		want                   Client
		name                   string // result of Client.String
	}{
		{"legacy", plan, v1, Client{Shows: Plan, PlanID: PlanIDBoth}, "legacy"},
		{"legacy", none, v2, Client{Shows: Plan, PlanID: PlanIDBoth}, "legacy"},
		{"ops", none, v1, Client{Shows: ops, PlanID: PlanIDBoth}, "ops"},
		{"ops", planCapabilities, v1, Client{Shows: ops, PlanID: PlanIDOld}, "ops"},
		{"ops", none, v2, Client{Shows: ops, PlanID: PlanIDBoth}, "ops"},
		{"v2", planCapabilities, v1, version2(anything, PlanIDNew), "v2"},
		{"v2", none, v2, version2(anything, PlanIDNew), "v2"},
		{"items", none, v2, version2(Items, PlanIDNew), "items"},
		{"items", none, v1, Client{Shows: Items, PlanID: PlanIDBoth}, "items"},
		{"removed,items", plan, v1, Client{Shows: Items | Removed, PlanID: PlanIDBoth}, "items,removed"},
		{"items,markdown,removed", none, v2, version2(withIDs, PlanIDNew), "ops"},
		{"items,markdown,file,removed", none, v2, version2(withIDs|File, PlanIDNew), "items,markdown,file,removed"},
		{"items,items", planCapabilities, v1, Client{Shows: Items, PlanID: PlanIDOld}, "items"},
		{"markdown,file,removed", plan, v2, Client{Shows: Plan, PlanID: PlanIDBoth}, "legacy"},
		{"removed", none, v1, Client{Shows: Plan, PlanID: PlanIDBoth}, "legacy"},
	} {
		t.Run(test.client+" "+test.params+" "+test.result, func(t *testing.T) {
			request, result := read(t, test.params, test.result)
			got := settings(t, test.client).Client(request, result)
			if got != test.want || got.String() != test.name {
				t.Errorf("got  %+v, %[1]v\nwant %+v, %s", got, test.want, test.name)
			}
			if !got.Known() || got.Legacy() != (test.name == "legacy") {
				t.Errorf("%+v: known %v, legacy %v", got, got.Known(), got.Legacy())
			}
		})
	}
	if c := (Client{}); c.Known() || c.String() != "unknown" {
		t.Errorf("the zero client is known: %v", c)
	}
}

func TestInvalidClientFlag(t *testing.T) {
	s := new(Settings)
	for _, value := range []string{"", "Legacy", "v1", "items,", ",items", "items markdown", "items,legacy", "auto,items", "plan"} {
		if err := s.SetClient(value); err == nil {
			t.Errorf("--client=%q is accepted", value)
		}
	}
}

// The last --client counts.
func TestRepeatedClientFlag(t *testing.T) {
	s := settings(t, "v2")
	if err := s.SetClient("auto"); err != nil || *s != (Settings{}) {
		t.Errorf("%+v, %v", *s, err)
	}
}

func TestHasOperations(t *testing.T) {
	for result, want := range map[string]bool{
		`{"protocolVersion":2,"capabilities":{}}`:                                      true,
		`{"protocolVersion":2}`:                                                        false,
		`{"protocolVersion":1,"agentCapabilities":{}}`:                                 false,
		`{"protocolVersion":1,"agentCapabilities":{"plan":{}}}`:                        true,
		`{"protocolVersion":1,"agentCapabilities":{"planCapabilities":{"x":1}}}`:       true,
		`{"protocolVersion":1,"agentCapabilities":{"plan":null,"planCapabilities":1}}`: false,
		`{"protocolVersion":1,"agentCapabilities":[]}`:                                 false,
	} {
		r, _ := ReadResult([]byte(result))
		if got := r.HasOperations(); got != want {
			t.Errorf("%s: %v", result, got)
		}
	}
}

func TestMCPTransports(t *testing.T) {
	for result, want := range map[string]string{
		`{"protocolVersion":1}`: "stdio",
		`{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true,"sse":false,"acp":{},"_meta":{}}}}`: "stdio http acp",
		`{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":null}}`:                                          "stdio",
		`{"protocolVersion":2,"info":{},"capabilities":{}}`:                                                           "",
	} {
		r, _ := ReadResult([]byte(result))
		if got := strings.Join(r.MCPTransports(), " "); got != want {
			t.Errorf("%s announces %q, want %q", result, got, want)
		}
	}
}
