package plans

import (
	"errors"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

const (
	legacyUpdate  = translate.LegacyPlan
	planUpdate    = translate.PlanUpdate
	removalUpdate = translate.PlanRemoved
)

// Params is what the params of a message say that concerns plans. It reads them
// in the same pass in which the message is read: it is a jsonrpc.ParamsReader.
// It refers to the text of the message and is valid as long as the text is.
type Params struct {
	update  update // params.update
	replays bool   // params.replayFrom is there
}

// Reset forgets what was read, and keeps the memory for the next message.
func (p *Params) Reset() {
	p.update.kind = "" // the rest is forgotten when another update is read
	p.replays = false
}

// ReadMember reads the member of params whose value is next in c, if it concerns
// plans.
func (p *Params) ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool {
	switch string(name) {
	case "update":
		p.update.read(c, text)
	case "replayFrom":
		p.replays = c.Kind() != 'n'
		c.Skip()
	default:
		return false
	}
	return true
}

// Members appends the members of the update, whatever its kind, to buf. They share
// memory with the text.
func (p *Params) Members(buf rawjson.Object) rawjson.Object {
	u := &p.update
	for _, m := range u.members {
		buf = append(buf, rawjson.Field{Name: m.name, Value: u.text[m.Value:m.End], Text: u.text[m.Start:m.End]})
	}
	return buf
}

// An object is the update or the plan in it, by where its members are in the text of the
// message.
type object struct {
	text []byte
	jsonrpc.Span
	members []member
	entries []entry // of its last member entries, if that is an array
}

type member struct {
	rawjson.Member
	name []byte // unescaped
}

// read reads the value that is next in c, which walks text. An object that is its member
// plan is read into plan, unless that is nil. Errors in the JSON are left in c.
func (o *object) read(c *rawjson.Cursor, text []byte, plan *object) {
	*o = object{text: text, Span: jsonrpc.Span{Start: c.Offset()}, members: o.members[:0], entries: o.entries[:0]}
	if c.Kind() != '{' {
		c.Skip()
		o.End = c.Pos()
		return
	}
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		m.name = c.Name()
		m.Value = c.Offset()
		switch {
		case string(m.name) == "entries":
			o.entries = readEntries(c, text, o.entries[:0])
		case plan != nil && string(m.name) == "plan":
			plan.read(c, text, nil)
		default:
			c.Skip()
		}
		if m.End = c.Pos(); c.Err() == nil {
			o.members = append(o.members, m)
		}
	}
	o.End = c.Pos()
}

// get returns the raw value of the member of that name, nil without one. If it occurs
// twice, the last one counts, as in most parsers.
func (o *object) get(name string) []byte {
	for i := len(o.members) - 1; i >= 0; i-- {
		if m := &o.members[i]; string(m.name) == name {
			return o.text[m.Value:m.End]
		}
	}
	return nil
}

// isID reports whether a member of that name can carry the id of a plan.
func isID(name []byte) bool {
	for i := range capabilities.PlanIDMembers {
		if string(name) == capabilities.PlanIDMember(i) {
			return true
		}
	}
	return false
}

// An update is the params.update of a session/update notification.
type update struct {
	object
	kind string // one of translate.PlanKinds, "" for any other

	// The plan that it names: by the first of the members that capabilities.PlanIDMember
	// names; differ tells that the others disagree.
	id     []byte // nil without one
	differ bool

	// Of a plan_update:
	plan    object
	typ     string   // the name of the plan's type
	as      planType // the type that it is read as
	isOther bool     // the plan says that its type is another one
	carrier []byte   // the raw value that carries a plan of that type

	// err is why the update cannot be understood, although it says that it
	// concerns a plan.
	err error
}

// read reads the value that is next in c, which walks text.
func (u *update) read(c *rawjson.Cursor, text []byte) {
	u.object.read(c, text, &u.plan)
	u.kind, u.id, u.differ, u.err = "", nil, false, nil
	u.typ, u.as, u.isOther, u.carrier = "", otherType, false, nil
	kind, _ := rawjson.TextOf(u.get("sessionUpdate"))
	switch string(kind) {
	case legacyUpdate:
		u.kind, u.err = legacyUpdate, u.checkEntries()
	case planUpdate:
		u.kind, u.err = planUpdate, u.readPlan()
	case removalUpdate:
		u.kind, u.err = removalUpdate, u.readID(&u.object)
	}
}

// Why an update cannot be understood.
var (
	errNoEntries      = errors.New("no array of entries")
	errTooManyEntries = errors.New("too many entries")
	errNoPlan         = errors.New("no plan object")
	errWrongID        = errors.New("the plan's id is no string")
	errWrongType      = errors.New("the plan's type is no string")
	errNoType         = errors.New("a plan without a type")
)

func (u *update) checkEntries() error {
	switch {
	case !begins(u.get("entries"), '['):
		return errNoEntries
	case len(u.entries) > maxEntries:
		return errTooManyEntries
	}
	return nil
}

// begins reports whether there is a raw value, and it begins so.
func begins(value []byte, with byte) bool { return value != nil && value[0] == with }

// readID finds the id in the members of o. Null is the same as none.
func (u *update) readID(o *object) error {
	for i := range capabilities.PlanIDMembers {
		raw := o.get(capabilities.PlanIDMember(i))
		id, ok := rawjson.TextOf(raw)
		switch {
		case !ok && !rawjson.Null(raw):
			return errWrongID
		case ok && u.id == nil:
			u.id = id
		case ok && string(id) != string(u.id):
			u.differ = true
		}
	}
	return nil
}

// isDelta reports whether u appends text to a markdown plan, in the form of JetBrains. Agents
// send deltas only to clients that have announced them.
func (u *update) isDelta() bool {
	return u.kind == planUpdate && rawjson.Get(u.get("_meta"), "jetbrains", "air", "contentDelta") != nil
}

// readPlan finds the id, the type and the carrier of the plan in a plan_update.
func (u *update) readPlan() error {
	if !begins(u.get("plan"), '{') {
		return errNoPlan
	}
	p := &u.plan
	raw := p.get("type")
	name, named := rawjson.TextOf(raw)
	if named {
		u.as, u.typ = typeNamed(name)
		u.isOther = u.as == otherType
	}
	if u.as == otherType {
		u.as = p.impliedType()
	}
	if raw == nil {
		u.typ = planTypes[u.as].name
	}
	u.carrier = p.get(planTypes[u.as].carrier)
	err := u.readID(p)
	switch {
	case err != nil:
		return err
	case raw != nil && !named:
		return errWrongType
	case len(p.entries) > maxEntries:
		return errTooManyEntries
	case u.as == otherType && !named:
		return errNoType
	case u.as != otherType && !begins(u.carrier, planTypes[u.as].begins):
		return planTypes[u.as].missing
	}
	return nil
}

// impliedType returns the type that a plan must be of if it does not name one.
// A plan of an unknown type is shown as if it were of that type.
func (o *object) impliedType() planType {
	for t := itemsType; t <= fileType; t++ {
		if begins(o.get(planTypes[t].carrier), planTypes[t].begins) {
			return t
		}
	}
	return otherType
}
