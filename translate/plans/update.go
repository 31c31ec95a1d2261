package plans

import (
	"errors"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
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
	Update  Update // params.update
	Replays bool   // params.replayFrom is there
}

// Reset forgets what was read, and keeps the memory for the next message.
func (p *Params) Reset() {
	p.Update.kind = "" // the rest is forgotten when another update is read
	p.Replays = false
}

// ReadMember reads the member of params whose value is next in c, if it concerns
// plans.
func (p *Params) ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool {
	switch string(name) {
	case "update":
		p.Update.Read(c, text)
	case "replayFrom":
		p.Replays = c.Kind() != 'n'
		c.Skip()
	default:
		return false
	}
	return true
}

// Members appends the members of the update, whatever its kind, to buf. They share
// memory with the text.
func (p *Params) Members(buf rawjson.Object) rawjson.Object {
	u := &p.Update
	for _, m := range u.members {
		buf = append(buf, rawjson.Field{Name: m.name, Value: u.text[m.Value:m.End], Text: u.text[m.Start:m.End]})
	}
	return buf
}

// An Update is the params.update of a session/update notification, as far as it
// concerns plans: where its parts are in the text of the message. It is valid as
// long as the text is.
type Update struct {
	text []byte
	span // of the update in text

	kind    string   // one of Kinds, "" for any other
	members []member // of the update object

	sessionUpdate field
	list          field   // entries, of a legacy plan
	entries       []entry // in that list
	object        field   // plan, of a plan_update
	plan          planObject
	ids           idFields // of a plan_removed

	// err is why the update cannot be understood, although it says that it
	// concerns a plan.
	err error
}

// A planObject is the plan in a plan_update.
type planObject struct {
	span
	members  []member
	typeName field
	is       planType // the type of that name; without one, the type that the members imply
	typ      string   // its name
	carriers [len(planTypes)]field
	path     field   // of the file that has the text of a markdown plan
	entries  []entry // in the list that carries an items plan
	ids      idFields
}

// A field is a member that matters here.
type field struct {
	span       // of the value; zero if it is missing or of the wrong kind
	given bool // there is such a member
	wrong bool // its value is neither of the right kind nor null
}

// read reads the value that is next in c, whose kind, as rawjson.Cursor.Kind has
// it, should be the one given.
func (f *field) read(c *rawjson.Cursor, kind byte) {
	got := c.Kind()
	if got == kind {
		f.found(next(c))
		return
	}
	c.Skip()
	f.found(span{})
	f.wrong = got != 'n'
}

// found notes a value that has been read.
func (f *field) found(value span) { f.given, f.span = true, value }

// idFields are the members that capabilities.PlanIDMember names. If several are
// there, the first counts. Null is the same as none.
type idFields [capabilities.PlanIDMembers]field

// read reads the value that is next in c if a member of that name can carry the
// id of a plan.
func (ids *idFields) read(c *rawjson.Cursor, name []byte) bool {
	for i := range ids {
		if string(name) == capabilities.PlanIDMember(i) {
			ids[i].read(c, '"')
			return true
		}
	}
	return false
}

// first returns which member counts, or -1.
func (ids *idFields) first() int {
	for i := range ids {
		if ids[i].there() {
			return i
		}
	}
	return -1
}

// value returns the id. It reports false without one.
func (ids *idFields) value(text []byte) ([]byte, bool) {
	if i := ids.first(); i >= 0 {
		return ids[i].unquoted(text), true
	}
	return nil, false
}

// differ reports whether several members are there and disagree.
func (ids *idFields) differ(text []byte) bool {
	i := ids.first()
	for j := i + 1; j < len(ids); j++ {
		if ids[j].there() && string(ids[j].unquoted(text)) != string(ids[i].unquoted(text)) {
			return true
		}
	}
	return false
}

func (ids *idFields) wrong() bool {
	for i := range ids {
		if ids[i].wrong {
			return true
		}
	}
	return false
}

// A member is a member of the update or plan object, for those who edit it.
type member struct {
	rawjson.Member
	name    []byte // unescaped
	role    role
	carries planType // the type of plan that a member of the role carrierRole carries
}

// A role is what a member says of the plan.
type role uint8

const (
	otherRole   role = iota
	kindRole         // sessionUpdate
	entriesRole      // entries, in an update
	planRole         // plan, in an update
	idRole           // one of idFields, in an update or a plan
	typeRole         // type, in a plan
	carrierRole      // the member of one of planTypes, or path, in a plan
)

// carrierOf returns the role of the members that carry the plan in an update of
// that kind.
func carrierOf(kind string) role {
	switch kind {
	case legacyUpdate:
		return entriesRole
	case planUpdate:
		return planRole
	}
	return idRole
}

// Kind returns the session update, or "" if it does not concern plans.
func (u *Update) Kind() string { return u.kind }

// Span returns where the update is in the text it was read from.
func (u *Update) Span() (start, end int) { return u.start, u.end }

// Reset forgets what was read, and keeps the memory for the next update.
func (u *Update) Reset() {
	*u = Update{
		members: u.members[:0],
		entries: u.entries[:0],
		plan:    planObject{members: u.plan.members[:0], entries: u.plan.entries[:0]},
	}
}

func (p *planObject) reset() { *p = planObject{members: p.members[:0], entries: p.entries[:0]} }

// Read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c.
//
// If a member occurs twice, the last one counts, as in most parsers.
func (u *Update) Read(c *rawjson.Cursor, text []byte) {
	u.Reset()
	u.text, u.start = text, c.Offset()
	if c.Kind() != '{' {
		c.Skip()
		u.end = c.Pos()
		return
	}
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		m.name = c.Name()
		m.Value = c.Offset()
		m.role = u.readMember(c, m.name)
		m.End = c.Pos()
		u.members = append(u.members, m)
	}
	u.end = c.Pos()
	if u.sessionUpdate.there() {
		u.kind = planKind(u.sessionUpdate.unquoted(text))
	}
	u.err = u.check()
}

// planKind returns the kind of that name as a constant, "" if it does not
// concern plans.
func planKind(name []byte) string {
	switch string(name) {
	case legacyUpdate:
		return legacyUpdate
	case planUpdate:
		return planUpdate
	case removalUpdate:
		return removalUpdate
	}
	return ""
}

func (u *Update) readMember(c *rawjson.Cursor, name []byte) role {
	switch string(name) {
	case "sessionUpdate":
		u.sessionUpdate.read(c, '"')
		return kindRole
	case "entries":
		var value span
		u.entries, value = readEntries(c, u.text, u.entries[:0])
		u.list.found(value)
		return entriesRole
	case "plan":
		if u.object.given {
			u.plan.reset() // only the last counts
		}
		u.plan.read(c, u.text)
		u.object.found(u.plan.span)
		return planRole
	}
	if u.ids.read(c, name) {
		return idRole
	}
	c.Skip()
	return otherRole
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

func (u *Update) check() error {
	switch u.kind {
	case legacyUpdate:
		switch {
		case !u.list.there():
			return errNoEntries
		case len(u.entries) > MaxEntries:
			return errTooManyEntries
		}
	case planUpdate:
		if !u.object.there() {
			return errNoPlan
		}
		return u.plan.check()
	case removalUpdate:
		if u.ids.wrong() {
			return errWrongID
		}
	}
	return nil
}

// planIDs returns the members that name the plan. They are in the plan of a
// plan_update and next to the kind of a plan_removed; a legacy plan has none.
func (u *Update) planIDs() *idFields {
	switch u.kind {
	case planUpdate:
		return &u.plan.ids
	case removalUpdate:
		return &u.ids
	}
	return &noIDs
}

var noIDs idFields

// typ returns the name of the type of the plan, "" if the update brings none.
func (u *Update) typ() string {
	if u.kind != planUpdate {
		return ""
	}
	return u.plan.typ
}

func (p *planObject) read(c *rawjson.Cursor, text []byte) {
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	start := c.Offset()
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		m.name = c.Name()
		m.Value = c.Offset()
		m.role, m.carries = p.readMember(c, m.name, text)
		m.End = c.Pos()
		p.members = append(p.members, m)
	}
	p.span = span{start, c.Pos()}
	switch {
	case p.typeName.there():
		p.is, p.typ = typeNamed(p.typeName.unquoted(text))
	case !p.typeName.given:
		p.is = p.impliedType()
		p.typ = planTypes[p.is].name
	}
}

func (p *planObject) readMember(c *rawjson.Cursor, name, text []byte) (role, planType) {
	switch carries := carriedBy(name); {
	case carries == itemsType:
		var value span
		p.entries, value = readEntries(c, text, p.entries[:0])
		p.carriers[carries].found(value)
		return carrierRole, carries
	case carries != otherType:
		p.carriers[carries].read(c, '"')
		return carrierRole, carries
	case string(name) == "type":
		p.typeName.read(c, '"')
		return typeRole, otherType
	case string(name) == "path":
		p.path.read(c, '"')
		return carrierRole, otherType
	case p.ids.read(c, name):
		return idRole, otherType
	}
	c.Skip()
	return otherRole, otherType
}

// impliedType returns the type that a plan must be of if it does not name one.
// A plan of an unknown type is shown as if it were of that type.
func (p *planObject) impliedType() planType {
	for t := range p.carriers {
		if p.carriers[t].there() {
			return planType(t)
		}
	}
	return otherType
}

// markdown returns the text of a markdown plan, a JSON string; nil if the update brings
// none.
func (u *Update) markdown() []byte {
	if p := &u.plan; u.kind == planUpdate && (p.is == markdownType || p.is == otherType && p.impliedType() == markdownType) {
		return p.carriers[markdownType].of(u.text)
	}
	return nil
}

func (p *planObject) check() error {
	switch {
	case p.ids.wrong():
		return errWrongID
	case p.typeName.given && !p.typeName.there():
		return errWrongType
	case len(p.entries) > MaxEntries:
		return errTooManyEntries
	case p.is != otherType && !p.carriers[p.is].there():
		return planTypes[p.is].missing
	case p.is == otherType && !p.typeName.given:
		return errNoType
	}
	return nil
}
