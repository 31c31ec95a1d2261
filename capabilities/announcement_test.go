package capabilities

import (
	"testing"
)

func TestHide(t *testing.T) {
	const (
		same  = "the same"
		all   = `{"protocolVersion":1, "clientCapabilities":{"fs":{"readTextFile":true},"terminal" : true ,"elicitation":{"url":{},"form":{}},"auth":{"terminal":true}},"x":"\u00e9"}`
		mixed = `{"protocolVersion":2,"info":{},"clientCapabilities":{"elicitation":{"form":{}}},"capabilities":{"elicitation":{ "form" : {} },"terminal":true}}`
	)
	for _, test := range []struct{ hide, params, want, hidden string }{
		{"", all, same, ""},
		{"fs", all, `{"protocolVersion":1, "clientCapabilities":{"terminal" : true ,"elicitation":{"url":{},"form":{}},"auth":{"terminal":true}},"x":"\u00e9"}`, "fs"},
		{"terminal,fs", all, `{"protocolVersion":1, "clientCapabilities":{"elicitation":{"url":{},"form":{}},"auth":{"terminal":true}},"x":"\u00e9"}`, "fs,terminal"},
		{"forms", all, `{"protocolVersion":1, "clientCapabilities":{"fs":{"readTextFile":true},"terminal" : true ,"elicitation":{"url":{}},"auth":{"terminal":true}},"x":"\u00e9"}`, "forms"},
		{"fs,terminal,forms", mixed, `{"protocolVersion":2,"info":{},"clientCapabilities":{"elicitation":{}},"capabilities":{"elicitation":{  }}}`, "terminal,forms"},
		{"fs,terminal,forms", `{"clientCapabilities":{"_meta":{"fs":1,"terminal_output":true}}}`, same, ""},
		{"fs", `{"clientCapabilities":{"fs":{"readTextFile":false}}}`, `{"clientCapabilities":{}}`, ""},
		{"fs", `{"clientCapabilities":{"fs":{"readTextFile":true},"plan":{}}}`, `{"clientCapabilities":{"plan":{},"planCapabilities":{}}}`, "fs"},
		{"terminal", `{"clientCapabilities":null}`, same, ""},
	} {
		var announcement Announcement
		if err := announcement.SetHide(test.hide); err != nil {
			t.Fatal(err)
		}
		r, err := ReadRequest([]byte(test.params))
		if err != nil {
			t.Fatal(err)
		}
		want := test.want
		if want == same {
			want = test.params
		}
		got, changed := announcement.Edit([]byte(test.params), r)
		if string(got) != want || changed != (test.want != same) {
			t.Errorf("--hide=%s %s\ngot  %s, %v\nwant %s", test.hide, test.params, got, changed, want)
		}
		after, err := ReadRequest(got)
		if hidden := (r.Offers &^ after.Offers).String(); err != nil || hidden != test.hidden {
			t.Errorf("--hide=%s %s: hidden is %q, want %q: %v", test.hide, test.params, hidden, test.hidden, err)
		}
	}
	for _, value := range []string{"all", "fs,", "fs, terminal", "form"} {
		if err := new(Announcement).SetHide(value); err == nil {
			t.Errorf("--hide=%s is accepted", value)
		}
	}
}

func TestForms(t *testing.T) {
	for _, test := range []struct {
		params, want string // "" for unchanged params
		hides        Offers
		asks         bool
	}{
		{params: `{"protocolVersion":1}`, want: `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`, asks: true},
		{params: `{"clientCapabilities":{"elicitation":{"url":{} }}}`, want: `{"clientCapabilities":{"elicitation":{"url":{},"form":{} }}}`, asks: true},
		{params: `{"clientCapabilities":{"elicitation":null,"fs":{}}}`, want: `{"clientCapabilities":{"elicitation":{"form":{}},"fs":{}}}`, asks: true},
		{params: `{"protocolVersion":2,"capabilities":{}}`, want: `{"protocolVersion":2,"capabilities":{"elicitation":{"form":{}}}}`, asks: true},
		{params: `{"protocolVersion":2,"clientCapabilities":{}}`, want: `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`, asks: true},
		{params: `{"protocolVersion":2,"info":{},"capabilities":{},"clientCapabilities":{}}`, want: `{"protocolVersion":2,"info":{},"capabilities":{"elicitation":{"form":{}}},"clientCapabilities":{"elicitation":{"form":{}}}}`, asks: true},
		{params: `{"clientCapabilities":{"elicitation":{"form":{"x":1}}}}`},
		{params: `{"clientCapabilities":{"elicitation":{"form":{"x":1}},"terminal":true}}`, want: `{"clientCapabilities":{"elicitation":{"form":{"x":1}}}}`, hides: OfferForms | OfferTerminals, asks: true},
	} {
		announcement := Announcement{Forms: FormsAsk, Hides: test.hides}
		r, err := ReadRequest([]byte(test.params))
		if err != nil {
			t.Fatal(err)
		}
		want := test.want
		if want == "" {
			want = test.params
		}
		if got, _ := announcement.Edit([]byte(test.params), r); string(got) != want || announcement.AsksForms(r) != test.asks {
			t.Errorf("%s\ngot  %s, asks: %t\nwant %s", test.params, got, announcement.AsksForms(r), want)
		}
	}
}
