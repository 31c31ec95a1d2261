package capabilities

import (
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// Policy determines which names of the capability for plan operations the agent receives. The
// zero value has the effect of AdvertiseAuto.
type Policy string

// The values of --advertise.
const (
	// AdvertiseAuto adds the other names if the client advertises plan operations under one
	// name, so that agents of every draft recognize the capability.
	AdvertiseAuto Policy = "auto"
	// AdvertiseAlways adds all names for every version 1 client.
	AdvertiseAlways Policy = "always"
	// AdvertiseNever removes all names.
	AdvertiseNever Policy = "never"
)

// advertise returns the params of the initialize request r with the names of plan operations
// inserted, replaced or removed. Every other byte is unchanged. It returns params itself if
// there is nothing to edit.
func (p Policy) advertise(params []byte, r Request) []byte {
	edited := params
	for _, object := range capabilityObjects {
		members := rawjson.Members(rawjson.Get(params, object))
		announces := func(name string) bool { return rawjson.IsObject(members.Get(name)) }
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
	return edited
}

// capabilityObjects names the member with a client's capabilities in version 1 and in version 2.
var capabilityObjects = [...]string{"clientCapabilities", "capabilities"}
