package capabilities

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/transport/rawjson"
)

// Advertisement says in what form a capability is in a request.
type Advertisement uint8

// A capability is advertised by a JSON object. Null is the same as absent; any
// other value is malformed and counts as absent too.
const (
	Absent Advertisement = iota
	Advertised
	Malformed
)

// Advertisements says in what form plan operations are advertised, by each name that they
// have had.
type Advertisements [len(operations)]Advertisement

// meaning returns what a client shows to which that version is spoken, and the members in
// which it looks for the id of a plan. Versions later than those of drafts have what the
// latest has.
func (a Advertisements) meaning(version int) (shows Shows, planID PlanID) {
	version = max(1, min(version, drafts[0].Version))
	for _, d := range drafts {
		if i := slices.Index(operations[:], d.Capability); d.Version == version && (i < 0 || a[i] == Advertised) {
			shows |= d.Shows
			planID |= d.PlanID
		}
	}
	return shows & Latest(version), planID
}

// A Version is a version of the protocol, 1 or 2.
type Version int

// Other returns the other version.
func (v Version) Other() Version { return 3 - v }

// Request is what an initialize request says that bears on plans. Fields of
// version 1 and version 2 are read wherever they are, as some clients mix the
// two.
type Request struct {
	Version       int  // the version that the client speaks; 0 if it asks for none
	Asked         int  // the version that it asks for; not always the same, see ReadRequest
	Both          bool // it asks for version 2 or later in the form of both versions, and takes either
	Capabilities  Advertisements
	Offers        Offers // what the client does for the agent
	OpensURLs     bool   // it opens an address for the agent
	Name, Release string // of the client program, as it calls itself
}

// Advertised names the capabilities for plans that the request advertises.
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

// Answer is what a successful response to initialize says.
type Answer struct {
	Version       int    // the version that the agent speaks; 0 if none is given, see ReadAnswer
	New           bool   // it has members of version 2
	Name, Release string // of the agent program, as it calls itself
	Extension     string // what the first extension that its _meta names begins with, as "x.ai"
}

// ReadRequest reads the params of an initialize request. The members say more
// than the number: a client that has said nothing in the form of version 2
// reads version 1 alone, whatever it asks for. The number counts if there are
// no members at all.
func ReadRequest(params []byte) (Request, error) {
	members, err := readMembers(params)
	if err != nil {
		return Request{}, fmt.Errorf("read params of initialize: %w", err)
	}
	var r Request
	var one, two bool // members of that version
	for _, f := range members {
		name := string(f.Name)
		switch name {
		case "protocolVersion":
			r.Asked = version(f.Value)
		case "clientCapabilities", "capabilities":
			r.readCapabilities(f.Value)
		case "clientInfo", "info":
			if name, release := readImplementation(f.Value); name != "" || r.Name == "" {
				r.Name, r.Release = name, release
			}
		}
		one = one || name == "clientCapabilities" || name == "clientInfo"
		two = two || name == "capabilities" || name == "info"
	}
	r.Version = r.Asked
	if one && !two {
		r.Version = min(r.Asked, 1)
	}
	r.Both = one && two && r.Asked >= 2
	return r, nil
}

// fewMembers is more than the objects of most initialize messages have.
const fewMembers = 8

// readMembers returns the members of an object, or an error if text is not an object.
func readMembers(text []byte) (rawjson.Object, error) {
	var c rawjson.Cursor
	c.Reset(text)
	members := c.Members(make(rawjson.Object, 0, fewMembers))
	c.End()
	return members, c.Err()
}

func (r *Request) readCapabilities(value []byte) {
	members, _ := rawjson.ReadObject(make(rawjson.Object, 0, fewMembers), value)
	for _, f := range members {
		switch i := slices.Index(operations[:], string(f.Name)); {
		case i >= 0:
			r.Capabilities[i] = advertisement(f.Value)
		case string(f.Name) == "elicitation":
			r.offers(OfferForms, isObject(rawjson.Get(f.Value, "form")))
			r.OpensURLs = isObject(rawjson.Get(f.Value, "url"))
		case string(f.Name) == "fs":
			o, _ := rawjson.ReadObject(nil, f.Value)
			r.offers(OfferFiles, string(o.Get("readTextFile")) == "true" || string(o.Get("writeTextFile")) == "true")
		case string(f.Name) == "terminal":
			r.offers(OfferTerminals, string(f.Value) == "true")
		case string(f.Name) == "clientInfo" && r.Name == "": // Agentic.nvim has it here
			r.Name, r.Release = readImplementation(f.Value)
		}
	}
}

// offers notes whether the client offers something. The last that it says counts.
func (r *Request) offers(o Offers, is bool) {
	if r.Offers &^= o; is {
		r.Offers |= o
	}
}

func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }

func advertisement(value []byte) Advertisement {
	switch {
	case isObject(value):
		return Advertised
	case rawjson.Null(value):
		return Absent
	}
	return Malformed
}

// ReadAnswer reads the result in a response to initialize. An agent that says
// nothing in the form of version 2 speaks version 1, whatever number it gives:
// careless agents repeat the one that they were asked for.
func ReadAnswer(result []byte) (Answer, error) {
	members, err := readMembers(result)
	if err != nil {
		return Answer{}, fmt.Errorf("read result of initialize: %w", err)
	}
	var a Answer
	for _, f := range members {
		name := string(f.Name)
		switch name {
		case "protocolVersion":
			a.Version = version(f.Value)
		case "agentInfo", "info":
			a.Name, a.Release = readImplementation(f.Value)
		case "_meta":
			a.Extension = extension(f.Value)
		}
		a.New = a.New || name == "capabilities" || name == "info"
	}
	if !a.New {
		a.Version = min(a.Version, 1)
	}
	return a, nil
}

// extension returns the domain of the first extension in a _meta, "" if there is none.
func extension(meta []byte) string {
	o, _ := rawjson.ReadObject(nil, meta)
	for _, f := range o {
		if domain, _, ok := strings.Cut(string(f.Name), "/"); ok {
			return domain
		}
	}
	return ""
}

// HasOperations reports whether an agent's answer to initialize says that it knows plan
// operations: version 2 has them, and an agent of version 1 may name the capability of a draft.
func HasOperations(result []byte) bool {
	if a, err := ReadAnswer(result); err != nil || a.Version >= 2 {
		return err == nil
	}
	return slices.ContainsFunc(operations[:], func(name string) bool {
		return isObject(rawjson.Get(result, "agentCapabilities", name))
	})
}

// MCPTransports returns the transports of MCP servers that an agent of version 1 announces, and
// nil for an agent of version 2, which has to refuse others. Stdio needs no announcement.
func MCPTransports(result []byte) []string {
	if a, err := ReadAnswer(result); err != nil || a.Version >= 2 {
		return nil
	}
	names := []string{"stdio"}
	for _, f := range rawjson.Members(rawjson.Get(result, "agentCapabilities", "mcpCapabilities")) {
		if string(f.Value) == "true" || isObject(f.Value) && string(f.Name) != "_meta" {
			names = append(names, string(f.Name))
		}
	}
	return names
}

// version reads a protocol version, which is a small number however spelled.
func version(raw []byte) int {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 {
		return 0
	}
	return int(min(f, math.MaxUint16))
}

func readImplementation(value []byte) (name, release string) {
	o, _ := rawjson.ReadObject(nil, value)
	n, _ := o.Text("name")
	r, _ := o.Text("version")
	return string(n), string(r)
}
