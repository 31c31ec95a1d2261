package capabilities

import (
	"reflect"
	"testing"
)

func TestProfile(t *testing.T) {
	named := func(name, version string) string {
		return `{"protocolVersion":1,"clientCapabilities":{"terminal":true},"clientInfo":{"name":"` + name + `","version":"` + version + `"}}`
	}
	for _, test := range []struct{ name, params, want string }{
		{"one that is in the table", named("zed", "0.999"), "zed"},
		{"one that is not", named("zedd", "1"), ""},
		{"another case is another client", named("Zed", "1"), ""},
		{"version 2", `{"protocolVersion":2,"info":{"name":"toad","version":"1"},"capabilities":{}}`, "toad"},
		{"a name among the capabilities", `{"clientCapabilities":{"terminal":false,"clientInfo":{"name":"Agentic.nvim","version":"0.0.1"}}}`, "Agentic.nvim"},
		{"a name in both places", `{"clientInfo":{"name":"zed"},"clientCapabilities":{"clientInfo":{"name":"toad"}}}`, "zed"},
		{"a name in both places, the other way round", `{"clientCapabilities":{"clientInfo":{"name":"toad"}},"clientInfo":{"name":"zed"}}`, "zed"},
		{"no name", `{"protocolVersion":1,"clientCapabilities":{"fs":{}}}`, "nameless"},
		{"no name, no terminal", `{"clientInfo":null,"clientCapabilities":{"terminal":false}}`, "nameless"},
		{"no name, a terminal", `{"clientCapabilities":{"terminal":true}}`, ""},
		{"no name in what only looks like version 2", `{"protocolVersion":2,"clientCapabilities":{"fs":{}}}`, "nameless"},
		{"no name in version 2", `{"protocolVersion":2,"capabilities":{}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, err := ReadRequest([]byte(test.params))
			if err != nil {
				t.Fatal(err)
			}
			got := r.Profile()
			switch isNameless := reflect.DeepEqual(got, nameless); {
			case isNameless != (test.want == "nameless"), !isNameless && got.Client != test.want:
				t.Errorf("got %+v, want %q", got, test.want)
			case test.want == "" && !reflect.DeepEqual(got, ClientProfile{}):
				t.Errorf("an unknown client has a profile: %+v", got)
			}
		})
	}
}

// A version later than the one that was seen may know the requests of vendors.
func TestProfileOfVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"": true, "0.19.1": true, "0.19": true, "0.9.20": true, "0.19.1-beta": true, "0.19.1.0": true, "x": true,
		"0.19.2": false, "0.20": false, "1": false, "0.19.1.1": false, "0.100.0unknown": false,
	} {
		if got := (Request{Name: "acpx", Release: version}).Profile().NoVendors; got != want {
			t.Errorf("%q: knows no requests of vendors: %v", version, got)
		}
	}
	if !(Request{Name: "CodeCompanion.nvim", Release: "2"}).Profile().NoVendors {
		t.Error("a client that may never answer is asked")
	}
}

func TestTableOfClients(t *testing.T) {
	seen := make(map[string]bool)
	for _, m := range append(profiles, nameless) {
		switch {
		case seen[m.Client]:
			t.Errorf("%s is in the table twice", m.Client)
		case (m.Yes == "") != (m.No == ""), (m.Yes == "") != (m.Once == ""):
			t.Errorf("%s: only some ids of %q, %q and %q", m.Client, m.Yes, m.Once, m.No)
		case m.Silent && !m.NoVendors:
			t.Errorf("%s never answers, and is asked all the same", m.Client)
		case m.NoVendors && m.Client != "" && m.Seen == "":
			t.Errorf("%s: which version knows no requests of vendors?", m.Client)
		}
		seen[m.Client] = true
	}
}
