package capabilities

import (
	"reflect"
	"slices"
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
			case isNameless != (test.want == "nameless"), !isNameless && got.Name != test.want:
				t.Errorf("got %+v, want %q", got, test.want)
			case test.want == "" && !reflect.DeepEqual(got, ClientProfile{}):
				t.Errorf("an unknown client has a profile: %+v", got)
			}
		})
	}
}

// A later version of a client has the same profile.
func TestProfileOfVersions(t *testing.T) {
	for _, name := range []string{"acpx", "agent-shell", "Agentic.nvim", "CodeCompanion.nvim"} {
		for _, version := range []string{"", "0.0.1", "100"} {
			if !(Request{Name: name, Release: version}).Profile().NoVendors {
				t.Errorf("%s %q is asked a vendor's request", name, version)
			}
		}
	}
}

func TestTableOfClients(t *testing.T) {
	seen := make(map[string]bool)
	for _, m := range append(profiles, nameless) {
		switch {
		case seen[m.Name]:
			t.Errorf("%s is in the table twice", m.Name)
		case (m.AllowOnceID == "") != (m.RejectID == ""), m.AllowOnceID == "" && m.AllowAlwaysID != "":
			t.Errorf("%s: only some ids of %q, %q and %q", m.Name, m.AllowOnceID, m.AllowAlwaysID, m.RejectID)
		case m.IgnoresUnknownRequests && !m.NoVendors:
			t.Errorf("%s never answers, and is asked all the same", m.Name)
		}
		seen[m.Name] = true
	}
}

func TestSharesButton(t *testing.T) {
	var tested [OptionDisplayCount]bool
	for _, test := range []struct {
		display      OptionDisplay
		once, always int
		want         bool
	}{
		{AllOptions, 2, 2, false},
		{OnePerKind, 1, 1, false},
		{OnePerKind, 2, 0, true},
		{OnePerKind, 1, 2, true},
		{AllowAndReject, 1, 1, false},
		{AllowAndReject, 2, 0, true},
		{AllowAndReject, 1, 2, false},
		{AllowAndReject, 0, 2, true},
	} {
		tested[test.display] = true
		if got := test.display.SharesButton(test.once, test.always); got != test.want {
			t.Errorf("display %d: %d allow_once and %d allow_always: %t", test.display, test.once, test.always, got)
		}
	}
	if display := slices.Index(tested[:], false); display >= 0 {
		t.Errorf("display %d has no test", display)
	}
}

func TestMayMisanswer(t *testing.T) {
	for _, test := range []struct {
		profile ClientProfile
		want    bool
	}{
		{ClientProfile{}, false},
		{ClientProfile{OneRequestAtATime: true, NeedsStatus: true}, false},
		{ClientProfile{Displays: OnePerKind}, true},
		{ClientProfile{Displays: AllowAndReject}, true},
		{ClientProfile{AllowOnceID: "yes"}, true},
		{ClientProfile{ApprovesWithoutReject: true}, true},
	} {
		if got := test.profile.MayMisanswer(); got != test.want {
			t.Errorf("%+v: %t", test.profile, got)
		}
	}
}
