package capabilities

import (
	"fmt"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Policy is what an agent is told of a client's support for plan operations.
type Policy uint8

// The values of --advertise.
const (
	// AdvertiseAuto takes a client that advertises plan operations under one
	// name, and announces it under every name that says no more than the client
	// shows. So agents of all drafts see it.
	AdvertiseAuto Policy = iota
	// AdvertiseAlways announces every version 1 client under all names.
	AdvertiseAlways
	// AdvertiseNever takes all names out.
	AdvertiseNever
)

// SetAdvertise takes a value of --advertise.
func (p *Policy) SetAdvertise(value string) error {
	switch value {
	case "auto":
		*p = AdvertiseAuto
	case "always":
		*p = AdvertiseAlways
	case "never":
		*p = AdvertiseNever
	default:
		return fmt.Errorf("%q is not one of auto, always, never", value)
	}
	return nil
}

// Advertise returns a copy of the params of an initialize request, edited by p.
// Only the capabilities of drafts are inserted, replaced or cut; every other
// byte stays. It reports false if there is nothing to change. params must be
// what ReadRequest has read as r.
func (p Policy) Advertise(params []byte, r Request) ([]byte, bool) {
	e := rawjson.Edit(nil, params, 0)
	var c rawjson.Cursor
	c.Reset(params)
	changed, found := false, false
	last := -1 // the end of the last member of params
	for more := c.Object(); more; more = c.NextMember() {
		name := string(c.Name())
		start := c.Offset()
		if name == "clientCapabilities" || name == "capabilities" {
			if c.Kind() == '{' {
				changed = p.advertiseIn(&e, &c, r, name == "clientCapabilities") || changed
			} else if c.Skip(); p == AdvertiseAlways && r.Version < 2 && name == "clientCapabilities" {
				e.Replace(start, c.Pos(), "{"+Members()+"}")
				changed = true
			}
			found = found || name == "clientCapabilities"
		} else {
			c.Skip()
		}
		last = c.Pos()
	}
	if p == AdvertiseAlways && r.Version < 2 && !found {
		comma := ","
		if last < 0 {
			last, comma = c.Pos()-1, ""
		}
		e.Replace(last, last, comma+`"clientCapabilities":{`+Members()+"}")
		changed = true
	}
	if !changed {
		return nil, false
	}
	return e.Finish(len(params)), true
}

func (d *Draft) memberText() string { return `"` + d.Capability + `":{}` }

// Members returns the members of a client's capabilities that announce all drafts.
func Members() string {
	var members []string
	for i := range drafts {
		if hasName(i) {
			members = append(members, drafts[i].memberText())
		}
	}
	return strings.Join(members, ",")
}

// advertiseIn edits one object of capabilities; v1 tells that it is the one
// that version 1 has.
func (p Policy) advertiseIn(e *rawjson.Editor, c *rawjson.Cursor, r Request, v1 bool) (changed bool) {
	var (
		members []capability
		found   [len(drafts)]bool
		is      Advertisements // if one occurs twice, the last counts
	)
	for more := c.Object(); more; more = c.NextMember() {
		m := capability{Member: rawjson.Member{Start: c.Offset()}}
		m.draft = draftBy(c.Name())
		m.Value = c.Offset()
		if i := m.draft; i >= 0 {
			m.is = advertisement(c)
			found[i], is[i] = true, m.is
		} else {
			c.Skip()
		}
		m.End = c.Pos()
		members = append(members, m)
	}
	if c.Err() != nil {
		return false
	}

	if p == AdvertiseNever {
		kept := false
		for i, m := range members {
			if m.draft < 0 {
				kept = true
				continue
			}
			e.Cut(rawjson.CutSpan(members, i, kept))
			changed = true
		}
		return changed
	}

	shows, _ := is.meaning(1)
	if p == AdvertiseAlways && v1 && r.Version < 2 {
		shows = all
	}
	announced := func(draft int) bool { return drafts[draft].Shows&Latest(1)&^shows == 0 }
	// A malformed one is replaced in its place, an absent one is added at the end.
	end, comma := c.Pos()-1, ""
	for _, m := range members {
		if m.draft >= 0 && m.is != Advertised && announced(m.draft) {
			e.Replace(m.Value, m.End, "{}")
			changed = true
		}
		end, comma = m.End, ","
	}
	for i := range drafts {
		if hasName(i) && !found[i] && announced(i) {
			e.Replace(end, end, comma+drafts[i].memberText())
			comma = ","
			changed = true
		}
	}
	return changed
}

// A capability is a member of an object of capabilities.
type capability struct {
	rawjson.Member
	draft int // see draftBy
	is    Advertisement
}
