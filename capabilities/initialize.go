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

// Advertisements has an element for each draft whose capability no later draft has.
type Advertisements [len(drafts)]Advertisement

// meaning returns what a client shows to which that version is spoken, and the members in
// which it looks for the id of a plan. Versions later than those of drafts have what the
// latest has.
func (a Advertisements) meaning(version int) (shows Shows, planID PlanID) {
	version = max(1, min(version, drafts[0].Version))
	for _, d := range drafts {
		if i := draftBy([]byte(d.Capability)); d.Version == version && (i < 0 || a[i] == Advertised) {
			shows |= d.Shows
			planID |= d.PlanID
		}
	}
	return shows & Latest(version), planID
}

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
	PlanDeltas    bool   // it adds JetBrains' deltas to plans by itself
	Name, Release string // of the client program, as it calls itself
}

// Advertised names the capabilities for plans that the request advertises.
func (r Request) Advertised() string {
	var names []string
	for i, is := range r.Capabilities {
		if is == Advertised {
			names = append(names, drafts[i].Capability)
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
	var r Request
	var one, two bool // members of that version
	var c rawjson.Cursor
	c.Reset(params)
	for more := c.Object(); more; more = c.NextMember() {
		name := string(c.Name())
		switch name {
		case "protocolVersion":
			r.Asked = version(c.Value())
		case "clientCapabilities", "capabilities":
			r.readCapabilities(&c)
		case "clientInfo", "info":
			if name, release := readImplementation(&c); name != "" || r.Name == "" {
				r.Name, r.Release = name, release
			}
		default:
			c.Skip()
		}
		one = one || name == "clientCapabilities" || name == "clientInfo"
		two = two || name == "capabilities" || name == "info"
	}
	if !c.End() {
		return Request{}, fmt.Errorf("read params of initialize: %w", c.Err())
	}
	r.Version = r.Asked
	if one && !two {
		r.Version = min(r.Asked, 1)
	}
	r.Both = one && two && r.Asked >= 2
	return r, nil
}

func (r *Request) readCapabilities(c *rawjson.Cursor) {
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	for more := c.Object(); more; more = c.NextMember() {
		name := c.Name()
		switch i := draftBy(name); {
		case i >= 0:
			r.Capabilities[i] = advertisement(c)
		case string(name) == "elicitation":
			o, _ := rawjson.ReadObject(nil, c.Value())
			form := o.Get("form")
			r.offers(OfferForms, len(form) > 0 && form[0] == '{')
			url := o.Get("url")
			r.OpensURLs = len(url) > 0 && url[0] == '{'
		case string(name) == "fs":
			o, _ := rawjson.ReadObject(nil, c.Value())
			r.offers(OfferFiles, string(o.Get("readTextFile")) == "true" || string(o.Get("writeTextFile")) == "true")
		case string(name) == "terminal":
			r.offers(OfferTerminals, string(c.Value()) == "true")
		case string(name) == "clientInfo" && r.Name == "": // Agentic.nvim has it here
			r.Name, r.Release = readImplementation(c)
		case string(name) == "_meta":
			r.PlanDeltas = announcesDeltas(c.Value())
		default:
			c.Skip()
		}
	}
}

// offers notes whether the client offers something. The last that it says counts.
func (r *Request) offers(o Offers, is bool) {
	if r.Offers &^= o; is {
		r.Offers |= o
	}
}

// announcesDeltas reports whether the _meta of a client's capabilities says that the
// client adds deltas to plans.
func announcesDeltas(meta []byte) bool {
	for _, name := range []string{"jetbrains", "air", "capabilities"} {
		o, _ := rawjson.ReadObject(nil, meta)
		meta = o.Get(name)
	}
	names, _ := rawjson.ReadArray(nil, meta)
	return slices.ContainsFunc(names, func(name []byte) bool { return string(name) == `"planContentDelta"` })
}

func advertisement(c *rawjson.Cursor) Advertisement {
	kind := c.Kind()
	c.Skip()
	switch kind {
	case '{':
		return Advertised
	case 'n':
		return Absent
	}
	return Malformed
}

// ReadAnswer reads the result in a response to initialize. An agent that says
// nothing in the form of version 2 speaks version 1, whatever number it gives:
// careless agents repeat the one that they were asked for.
func ReadAnswer(result []byte) (Answer, error) {
	var a Answer
	var c rawjson.Cursor
	c.Reset(result)
	for more := c.Object(); more; more = c.NextMember() {
		name := string(c.Name())
		switch name {
		case "protocolVersion":
			a.Version = version(c.Value())
		case "agentInfo", "info":
			a.Name, a.Release = readImplementation(&c)
		case "_meta":
			a.Extension = extension(c.Value())
		default:
			c.Skip()
		}
		a.New = a.New || name == "capabilities" || name == "info"
	}
	if !c.End() {
		return Answer{}, fmt.Errorf("read result of initialize: %w", c.Err())
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
	answer, _ := rawjson.ReadObject(nil, result)
	offers, _ := rawjson.ReadObject(nil, answer.Get("agentCapabilities"))
	return slices.ContainsFunc(drafts[:], func(d Draft) bool {
		value := offers.Get(d.Capability)
		return d.Capability != "" && len(value) > 0 && value[0] == '{'
	})
}

// version reads a protocol version, which is a small number however spelled.
func version(raw []byte) int {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 {
		return 0
	}
	return int(min(f, math.MaxUint16))
}

func readImplementation(c *rawjson.Cursor) (name, release string) {
	if c.Kind() != '{' {
		c.Skip()
		return "", ""
	}
	for more := c.Object(); more; more = c.NextMember() {
		var s *string
		switch string(c.Name()) {
		case "name":
			s = &name
		case "version":
			s = &release
		}
		if s != nil && c.Kind() == '"' {
			if raw := c.Value(); raw != nil {
				*s = string(rawjson.Unquote(raw))
			}
		} else {
			c.Skip()
		}
	}
	return name, release
}
