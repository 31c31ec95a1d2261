package capabilities

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Advertisement classifies the value of a capability.
type Advertisement uint8

// An object advertises a capability. Null means absent. Any other value is malformed and has
// the effect of an absent one.
const (
	Absent Advertisement = iota
	Advertised
	Malformed
)

// Advertisements holds the advertisement of plan operations under each name in operations.
type Advertisements [len(operations)]Advertisement

// messages returns the plan messages that a client of a version understands, and the members
// that carry the id of a plan. A version later than every draft has those of the latest.
func (a Advertisements) messages(version int) (shows Shows, planID PlanID) {
	version = max(1, min(version, drafts[0].Version))
	for _, d := range drafts {
		if i := slices.Index(operations[:], d.Capability); d.Version == version && (i < 0 || a[i] == Advertised) {
			shows |= d.Shows
			planID |= d.PlanID
		}
	}
	return shows & latest(version), planID
}

// A Version is a version of the protocol, 1 or 2.
type Version int

// VersionOf returns the version for a protocolVersion: the nearest one.
func VersionOf(protocolVersion int) Version { return Version(max(1, min(protocolVersion, 2))) }

// Other returns the other version.
func (v Version) Other() Version { return 3 - v }

// Request holds the relevant members of an initialize request. Members of both versions are
// read in every request, because some clients mix them.
type Request struct {
	Version       int  // the version that the client implements; 0 if unknown
	Requested     int  // its protocolVersion, which may be higher; see ReadRequest
	IsHybrid      bool // a full hybrid: members of both versions, protocolVersion 2 or more
	Capabilities  Advertisements
	Offers        Offers // services to the agent
	OpensURLs     bool   // opens URLs for the agent
	Name, Release string // name and version of the client program
}

// Advertised returns the advertised names of plan operations with commas between, or "nothing".
func (r Request) Advertised() string {
	var names []string
	for i, is := range r.Capabilities {
		if is == Advertised {
			names = append(names, operations[i])
		}
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, ",")
}

// Result holds the relevant members of the result of initialize. It refers to the text of the
// result.
type Result struct {
	Version       int            // the version that the agent implements; 0 if unknown, see ReadResult
	HasVersion2   bool           // has members of version 2
	Name, Release string         // name and version of the agent program
	Extension     string         // the domain of the first extension in _meta, such as "x.ai"
	capabilities  rawjson.Object // the members of agentCapabilities
}

// ReadRequest reads the params of an initialize request. A client with members of
// version 1 only implements version 1. Otherwise the protocolVersion counts.
func ReadRequest(params []byte) (Request, error) {
	members, err := readMembers(params)
	if err != nil {
		return Request{}, fmt.Errorf("read params of initialize: %w", err)
	}
	var r Request
	var hasVersion1, hasVersion2 bool // members of that version
	for _, f := range members {
		name := string(f.Name)
		switch name {
		case "protocolVersion":
			r.Requested = version(f.Value)
		case "clientCapabilities", "capabilities":
			r.readCapabilities(f.Value)
		case "clientInfo", "info":
			if name, release := readImplementation(f.Value); name != "" || r.Name == "" {
				r.Name, r.Release = name, release
			}
		}
		hasVersion1 = hasVersion1 || name == "clientCapabilities" || name == "clientInfo"
		hasVersion2 = hasVersion2 || name == "capabilities" || name == "info"
	}
	r.Version = r.Requested
	if hasVersion1 && !hasVersion2 {
		r.Version = min(r.Requested, 1)
	}
	r.IsHybrid = hasVersion1 && hasVersion2 && r.Requested >= 2
	return r, nil
}

// readMembers returns the members of an object, or an error if text is not an object.
func readMembers(text []byte) (rawjson.Object, error) {
	var c rawjson.Cursor
	c.Reset(text)
	members := c.Members(nil)
	c.End()
	return members, c.Err()
}

func (r *Request) readCapabilities(value []byte) {
	for _, f := range rawjson.Members(value) {
		switch i := slices.Index(operations[:], string(f.Name)); {
		case i >= 0:
			r.Capabilities[i] = advertisement(f.Value)
		case string(f.Name) == "elicitation":
			r.setOffer(OfferForms, rawjson.IsObject(rawjson.Get(f.Value, "form")))
			r.OpensURLs = rawjson.IsObject(rawjson.Get(f.Value, "url"))
		case string(f.Name) == "fs":
			o := rawjson.Members(f.Value)
			r.setOffer(OfferFiles, string(o.Get("readTextFile")) == "true" || string(o.Get("writeTextFile")) == "true")
		case string(f.Name) == "terminal":
			r.setOffer(OfferTerminals, string(f.Value) == "true")
		case string(f.Name) == "clientInfo" && r.Name == "": // Agentic.nvim sends it here
			r.Name, r.Release = readImplementation(f.Value)
		}
	}
}

// setOffer records whether the client offers a service. The last call counts.
func (r *Request) setOffer(o Offers, isOffered bool) {
	if r.Offers &^= o; isOffered {
		r.Offers |= o
	}
}

func advertisement(value []byte) Advertisement {
	switch {
	case rawjson.IsObject(value):
		return Advertised
	case rawjson.IsNull(value):
		return Absent
	}
	return Malformed
}

// ReadResult reads the result of initialize. An agent without members of version 2 implements
// version 1, because some agents only repeat the requested number.
func ReadResult(result []byte) (Result, error) {
	members, err := readMembers(result)
	if err != nil {
		return Result{}, fmt.Errorf("read result of initialize: %w", err)
	}
	var r Result
	for _, f := range members {
		name := string(f.Name)
		switch name {
		case "protocolVersion":
			r.Version = version(f.Value)
		case "agentInfo", "info":
			r.Name, r.Release = readImplementation(f.Value)
		case "agentCapabilities":
			r.capabilities = rawjson.Members(f.Value)
		case "_meta":
			r.Extension = extension(f.Value)
		}
		r.HasVersion2 = r.HasVersion2 || name == "capabilities" || name == "info"
	}
	if !r.HasVersion2 {
		r.Version = min(r.Version, 1)
	}
	return r, nil
}

// extension returns the domain of the first extension in a _meta, or "".
func extension(meta []byte) string {
	for _, f := range rawjson.Members(meta) {
		if domain, _, ok := strings.Cut(string(f.Name), "/"); ok {
			return domain
		}
	}
	return ""
}

// HasOperations reports whether the agent announces plan operations: version 2 has them, and an
// agent of version 1 may send the capability of a draft.
func (r Result) HasOperations() bool {
	return r.Version >= 2 || slices.ContainsFunc(operations[:], func(name string) bool {
		return rawjson.IsObject(r.capabilities.Get(name))
	})
}

// MCPTransports returns the MCP transports that an agent of version 1 supports; stdio is
// implied. It returns nil for an agent of version 2, which must reject servers of other types.
func (r Result) MCPTransports() []string {
	if r.Version >= 2 {
		return nil
	}
	names := []string{"stdio"}
	for _, f := range rawjson.Members(r.capabilities.Get("mcpCapabilities")) {
		if string(f.Value) == "true" || rawjson.IsObject(f.Value) && string(f.Name) != "_meta" {
			names = append(names, string(f.Name))
		}
	}
	return names
}

// version parses a protocol version, also one such as 2.0 or 20E-1.
func version(raw []byte) int {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 {
		return 0
	}
	return int(min(f, math.MaxUint16))
}

func readImplementation(value []byte) (name, release string) {
	o := rawjson.Members(value)
	return o.String("name"), o.String("version")
}
