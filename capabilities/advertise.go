package capabilities

import (
	"bytes"
	"slices"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Policy is what an agent is told of a client's support for plan operations. The zero
// value is AdvertiseAuto.
type Policy string

// The values of --advertise.
const (
	// AdvertiseAuto takes a client that advertises plan operations under one
	// name, and announces it under all. So agents of all drafts see it.
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
		announces := func(name string) bool { return isObject(rawjson.Get(edited, object, name)) }
		switch {
		case p == AdvertiseNever:
		case p == AdvertiseAlways && r.Version < 2 && object == capabilityObjects[0]:
		case !slices.ContainsFunc(operations[:], announces):
			continue
		}
		for _, name := range operations {
			switch {
			case p == AdvertiseNever:
				edited = rawjson.With(edited, nil, object, name)
			case !announces(name):
				edited = rawjson.With(edited, []byte("{}"), object, name)
			}
		}
	}
	return edited, !bytes.Equal(edited, params)
}

// capabilityObjects are the members with a client's capabilities, of version 1 and 2.
var capabilityObjects = [...]string{"clientCapabilities", "capabilities"}

// Members returns the members of a client's capabilities that announce plan operations.
func Members() string { return `"` + strings.Join(operations[:], `":{},"`) + `":{}` }
