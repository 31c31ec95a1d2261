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

// Params holds the update in a message's params. It is a [jsonrpc.ParamsReader], so the update is
// read in the same pass as the message. It shares memory with the text of the message.
type Params struct{ update update }

// Reset empties p for the next message, and reuses its memory.
func (p *Params) Reset() {
	p.update.kind = "" // reading another update resets the rest
}

// ReadMember reads the next value in c, a member of params, if it is the update. The cursor reads
// text.
func (p *Params) ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool {
	if string(name) != "update" {
		return false
	}
	p.update.read(c, text)
	return true
}

// Members appends the members of the update, of any kind, to buf. They share memory with the
// text.
func (p *Params) Members(buf rawjson.Object) rawjson.Object {
	u := &p.update
	for _, m := range u.members {
		buf = append(buf, rawjson.Field{Name: m.name, Value: u.text[m.Value:m.End], Text: u.text[m.Start:m.End]})
	}
	return buf
}

// An object holds the positions of the members of an update, or of the plan in it.
type object struct {
	text []byte
	jsonrpc.Span
	members []member
	entries []entry // of the last member entries, if that is an array
}

type member struct {
	rawjson.Member
	name []byte // unescaped
}

// read reads the next value in c. The cursor reads text. Unless plan is nil, read also reads the
// member plan into it. A syntax error is available from c.
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
		m.End = c.Pos()
		if c.Err() == nil {
			o.members = append(o.members, m)
		}
	}
	o.End = c.Pos()
}

// get returns the raw value of the last member with that name, or nil.
func (o *object) get(name string) []byte {
	for i := len(o.members) - 1; i >= 0; i-- {
		if m := &o.members[i]; string(m.name) == name {
			return o.text[m.Value:m.End]
		}
	}
	return nil
}

// isID reports whether a member of that name can contain the id of a plan.
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

	id        []byte // the id of the plan, from the first of capabilities.PlanIDMember that is present; or nil
	idsDiffer bool   // a further such member has another id

	// Of a plan_update:
	plan          object
	typeName      string   // the name of the plan's type
	readAs        planType // the type as which the plan is read
	isUnknownType bool     // the plan has a type of no draft; its members imply readAs
	carrier       []byte   // the raw value of the carrier of readAs

	err error // the update concerns a plan and cannot be interpreted
}

// read reads the next value in c. The cursor reads text.
func (u *update) read(c *rawjson.Cursor, text []byte) {
	u.object.read(c, text, &u.plan)
	u.kind, u.id, u.idsDiffer, u.err = "", nil, false, nil
	u.typeName, u.readAs, u.isUnknownType, u.carrier = "", otherType, false, nil
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

// Errors of update.err.
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
	case !startsWith(u.get("entries"), '['):
		return errNoEntries
	case len(u.entries) > maxEntries:
		return errTooManyEntries
	}
	return nil
}

// startsWith reports whether the first byte of a raw value, which may be nil, is first.
func startsWith(value []byte, first byte) bool { return value != nil && value[0] == first }

// readID reads the id in the members of o. Null is the same as no member.
func (u *update) readID(o *object) error {
	for i := range capabilities.PlanIDMembers {
		raw := o.get(capabilities.PlanIDMember(i))
		id, ok := rawjson.TextOf(raw)
		switch {
		case !ok && !rawjson.IsNull(raw):
			return errWrongID
		case ok && u.id == nil:
			u.id = id
		case ok && string(id) != string(u.id):
			u.idsDiffer = true
		}
	}
	return nil
}

// isDelta reports whether u appends text to a markdown plan, in the form that JetBrains defines.
// Agents send deltas only to clients that announce support for them.
func (u *update) isDelta() bool {
	return u.kind == planUpdate && rawjson.Get(u.get("_meta"), "jetbrains", "air", "contentDelta") != nil
}

// readPlan reads the id, the type and the carrier of the plan in a plan_update.
func (u *update) readPlan() error {
	if !startsWith(u.get("plan"), '{') {
		return errNoPlan
	}
	p := &u.plan
	raw := p.get("type")
	name, named := rawjson.TextOf(raw)
	if named {
		u.readAs, u.typeName = typeNamed(name)
		u.isUnknownType = u.readAs == otherType
	}
	if u.readAs == otherType {
		u.readAs = p.impliedType()
	}
	if raw == nil {
		u.typeName = planTypes[u.readAs].name
	}
	u.carrier = p.get(planTypes[u.readAs].carrier)
	err := u.readID(p)
	switch {
	case err != nil:
		return err
	case raw != nil && !named:
		return errWrongType
	case len(p.entries) > maxEntries:
		return errTooManyEntries
	case u.readAs == otherType && !named:
		return errNoType
	case u.readAs != otherType && !startsWith(u.carrier, planTypes[u.readAs].first):
		return planTypes[u.readAs].missing
	}
	return nil
}

// impliedType returns the type of the first valid carrier, for a plan that has no type or an
// unknown one.
func (o *object) impliedType() planType {
	for t := itemsType; int(t) < len(planTypes); t++ {
		if startsWith(o.get(planTypes[t].carrier), planTypes[t].first) {
			return t
		}
	}
	return otherType
}
