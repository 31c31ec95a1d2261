package capabilities

import (
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Policy is what an agent is told of a client's support for plan operations. The zero
// value is AdvertiseAuto.
type Policy string

// The values of --advertise.
const (
	// AdvertiseAuto takes a client that advertises plan operations under one
	// name, and announces it under every name that says no more than the client
	// shows. So agents of all drafts see it.
	AdvertiseAuto Policy = "auto"
	// AdvertiseAlways announces every version 1 client under all names.
	AdvertiseAlways Policy = "always"
	// AdvertiseNever takes all names out.
	AdvertiseNever Policy = "never"
)

// Advertise returns a copy of the params of an initialize request, edited by p.
// Only the capabilities of drafts are inserted, replaced or cut; every other
// byte stays. If there is nothing to change it returns params, and false. params must be
// what ReadRequest has read as r.
func (p Policy) Advertise(params []byte, r Request) (edited []byte, changed bool) {
	edited = params
	for _, object := range capabilityObjects {
		shows, edit := p.announces(params, r, object), rawjson.WithObject
		if p == AdvertiseNever {
			shows, edit = all, rawjson.WithoutMember
		}
		for i := range drafts {
			if hasName(i) && drafts[i].Shows&Latest(1)&^shows == 0 {
				var is bool
				edited, is = edit(edited, object, drafts[i].Capability)
				changed = changed || is
			}
		}
	}
	return edited, changed
}

// capabilityObjects are the members with a client's capabilities, of version 1 and 2.
var capabilityObjects = [...]string{"clientCapabilities", "capabilities"}

// announces returns what a client is announced to show in an object of capabilities.
func (p Policy) announces(params []byte, r Request, object string) Shows {
	if p == AdvertiseAlways && r.Version < 2 && object == capabilityObjects[0] {
		return all
	}
	var is Advertisements
	for i := range drafts {
		if hasName(i) && isObject(rawjson.Get(params, object, drafts[i].Capability)) {
			is[i] = Advertised
		}
	}
	shows, _ := is.meaning(1)
	return shows
}

// Members returns the members of a client's capabilities that announce all drafts.
func Members() string {
	var members []string
	for i := range drafts {
		if hasName(i) {
			members = append(members, `"`+drafts[i].Capability+`":{}`)
		}
	}
	return strings.Join(members, ",")
}
