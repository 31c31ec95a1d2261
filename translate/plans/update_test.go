package plans

import (
	"testing"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// TestPlanTypes checks carriedBy and the reading of a plan against planTypes,
// so that a new type cannot be half known.
func TestPlanTypes(t *testing.T) {
	carriers := map[string]bool{"": true}
	for i := range planTypes {
		as, p := planType(i), &planTypes[i]
		if as == otherType {
			continue
		}
		if carriedBy([]byte(p.carrier)) != as || carriers[p.carrier] {
			t.Errorf("%s: %q does not carry it, or another type too", p.name, p.carrier)
		}
		carriers[p.carrier] = true
		if got, name := typeNamed([]byte(p.name)); got != as || name != p.name {
			t.Errorf("%s: the name is not known", p.name)
		}
		if p.missing == nil || (p.shows == 0) != (p.render == nil) || (as == itemsType) != (p.render == nil) {
			t.Errorf("%s: the row is not complete", p.name)
		}
		value := `"x"`
		if as == itemsType {
			value = `[]`
		}
		for _, typ := range []string{`"type":"` + p.name + `",`, ``} {
			u := new(Update)
			var c rawjson.Cursor
			text := []byte(`{"sessionUpdate":"plan_update","plan":{` + typ + `"` + p.carrier + `":` + value + `}}`)
			c.Reset(text)
			if u.Read(&c, text); u.err != nil || u.plan.is != as || u.typ() != p.name || u.plan.members[len(u.plan.members)-1].carries != as {
				t.Errorf("%s is read as %q: %v", text, u.typ(), u.err)
			}
		}
	}
	if carriedBy([]byte("steps")) != otherType {
		t.Error("any member carries a plan")
	}
}

// TestParams pins what is read in the same pass as the message.
func TestParams(t *testing.T) {
	for _, test := range []struct {
		params, kind string
		replays      bool
	}{
		{`{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]},"x":1}`, "plan", false},
		{`{"update":{"sessionUpdate":"plan_removed"},"update":{"sessionUpdate":"plan","entries":[]}}`, "plan", false},
		{`{"replayFrom":{"type":"start"},"update":7}`, "", true},
		{`{"replayFrom":null}`, "", false},
		{`[]`, "", false},
	} {
		var m jsonrpc.Message
		var p Params
		var c rawjson.Cursor
		text := []byte(`{"params":` + test.params + `}`)
		for range 2 { // the second time in used memory
			c.Reset(text)
			p.Reset()
			if m.Read(&c, text, &p); !c.End() {
				t.Fatal(c.Err())
			}
			if p.Update.Kind() != test.kind || p.Replays != test.replays {
				t.Errorf("%s: kind %q, replays %t", test.params, p.Update.Kind(), p.Replays)
			}
		}
	}
}
