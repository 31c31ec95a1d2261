package plans

import (
	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/transport/rawjson"
)

// The session updates that concern plans.
const (
	legacyUpdate  = "plan"
	planUpdate    = "plan_update"
	removalUpdate = "plan_removed"
)

// IsPlan reports whether a session update of that kind concerns plans.
func IsPlan(sessionUpdate []byte) bool {
	switch string(sessionUpdate) {
	case legacyUpdate, planUpdate, removalUpdate:
		return true
	}
	return false
}

// An Update is the params.update of a session/update notification, as far as
// it concerns plans: where its parts stand in the text of the message. It
// refers to that text and is valid as long as the text is. Reading again into
// the same Update reuses its memory.
type Update struct {
	text       []byte
	start, end int

	kind    string   // one of the constants above; "" if the update is no plan
	members []member // of the update object
	entries []entry  // of a legacy plan
	id      idMembers

	plan planContent // of a plan_update

	// wrong is why the update cannot be understood, although it says that it
	// is a plan.
	wrong string
}

// A planContent is the plan in a plan_update.
type planContent struct {
	start, end int
	members    []member
	typ        string   // if there is none, what the other members imply
	is         planType // the type of that name
	hasType    bool
	carriers   [len(planTypes)]span // what carries each type of plan, if it is of the right kind
	entries    []entry              // in the array that carries an items plan
	id         idMembers
	wrong      string
}

// idMembers are the members that capabilities.PlanIDMember names: JSON strings,
// or zero. If several are there, the first counts.
type idMembers [capabilities.PlanIDMembers]span

// read reads the value that is next in c, and is that of a member of that name,
// if it can be an id, and passes over any other. If an id is no string, wrong
// says so.
func (m *idMembers) read(c *rawjson.Cursor, name []byte, wrong *string) memberName {
	for i := range m {
		if string(name) == capabilities.PlanIDMember(i) {
			m[i] = idValue(c, wrong)
			return idMember + memberName(i)
		}
	}
	c.Skip()
	return otherMember
}

// first returns which member counts, -1 if there is none.
func (m *idMembers) first() int {
	for i := range m {
		if m[i].end > 0 {
			return i
		}
	}
	return -1
}

// value returns the id. It reports false if there is none.
func (m *idMembers) value(text []byte) ([]byte, bool) {
	if i := m.first(); i >= 0 {
		return m[i].unquoted(text), true
	}
	return nil, false
}

// differ reports whether several members are there and disagree.
func (m *idMembers) differ(text []byte) bool {
	i := m.first()
	for j := i + 1; j < len(m); j++ {
		if m[j].end > 0 && string(m[j].unquoted(text)) != string(m[i].unquoted(text)) {
			return true
		}
	}
	return false
}

const tooManyEntries = "too many entries"

type member struct {
	rawjson.Member
	name memberName
}

type memberName uint8

const (
	otherMember memberName = iota
	kindMember             // sessionUpdate
	planMember
	typeMember
	carrierMember                                              // from here on: what carries each of planTypes
	idMember      = carrierMember + memberName(len(planTypes)) // from here on: idMembers

	entriesMember = carrierMember + memberName(itemsType)
	uriMember     = carrierMember + memberName(fileType)
)

// Kind returns the session update, or "" if it is none that concerns plans.
func (u *Update) Kind() string { return u.kind }

// Span returns where the update stands in the text it was read from.
func (u *Update) Span() (start, end int) { return u.start, u.end }

// Reset forgets what was read.
func (u *Update) Reset() {
	*u = Update{
		members: u.members[:0],
		entries: u.entries[:0],
		plan:    planContent{members: u.plan.members[:0], entries: u.plan.entries[:0]},
	}
}

// Read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c.
//
// An update that has a member twice that matters here is read as one that
// cannot be understood; one that has sessionUpdate twice, as no plan.
func (u *Update) Read(c *rawjson.Cursor, text []byte) {
	u.Reset()
	u.text, u.start = text, c.Offset()
	if c.Kind() != '{' {
		c.Skip()
		u.end = c.Pos()
		return
	}
	var seen memberSet
	var hasEntries bool
	var wrongID string
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		name := c.Name()
		m.Value = c.Offset()
		switch string(name) {
		case "sessionUpdate":
			m.name = kindMember
			u.kind = planKind(c)
		case "plan":
			m.name = planMember
			u.readPlan(c)
		case "entries":
			m.name = entriesMember
			u.entries, hasEntries = readEntries(c, text, u.entries[:0])
		default:
			m.name = u.id.read(c, name, &wrongID)
		}
		m.End = c.Pos()
		seen.add(m.name)
		u.members = append(u.members, m)
	}
	u.end = c.Pos()
	if seen.doubled.has(kindMember) {
		u.kind = ""
	}
	switch {
	case u.kind == legacyUpdate && seen.doubled.has(entriesMember):
		u.wrong = "entries stands twice"
	case u.kind == legacyUpdate && !hasEntries:
		u.wrong = "no array of entries"
	case u.kind == legacyUpdate && len(u.entries) > MaxEntries:
		u.wrong = tooManyEntries
	case u.kind == planUpdate && seen.doubled.has(planMember):
		u.wrong = "plan stands twice"
	case u.kind == planUpdate && u.plan.end == 0:
		u.wrong = "no plan object"
	case u.kind == planUpdate:
		u.wrong = u.plan.wrong
	case u.kind == removalUpdate && seen.doubled>>idMember != 0:
		u.wrong = "the plan's id stands twice"
	case u.kind == removalUpdate:
		u.wrong = wrongID
	}
	if u.kind != removalUpdate {
		u.id = idMembers{}
	}
	if u.kind != planUpdate {
		u.plan.typ = ""
	}
}

// planKind reads the value of sessionUpdate and returns it if it is a plan.
func planKind(c *rawjson.Cursor) string {
	if c.Kind() != '"' {
		c.Skip()
		return ""
	}
	raw := c.Value()
	if raw == nil {
		return ""
	}
	switch string(rawjson.Unquote(raw)) {
	case legacyUpdate:
		return legacyUpdate
	case planUpdate:
		return planUpdate
	case removalUpdate:
		return removalUpdate
	}
	return ""
}

func (u *Update) readPlan(c *rawjson.Cursor) {
	p := &u.plan
	p.start = c.Offset()
	if c.Kind() != '{' {
		c.Skip()
		return
	}
	var seen memberSet
	var wrongType bool
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		name := c.Name()
		m.Value = c.Offset()
		switch carries := carriedBy(name); {
		case carries == itemsType:
			m.name = entriesMember
			var ok bool
			if p.entries, ok = readEntries(c, u.text, p.entries[:0]); ok {
				p.carriers[carries] = span{m.Value, c.Pos()}
			}
		case carries != otherType:
			m.name = carrierMember + memberName(carries)
			p.carriers[carries] = spanOf(c, planTypes[carries].kind)
		case string(name) == "type":
			m.name = typeMember
			raw := stringSpan(c)
			if p.hasType = raw.end > 0; p.hasType {
				p.is, p.typ = typeNamed(raw.unquoted(u.text))
			}
			wrongType = !p.hasType
		default:
			m.name = p.id.read(c, name, &p.wrong)
		}
		m.End = c.Pos()
		seen.add(m.name)
		p.members = append(p.members, m)
	}
	p.end = c.Pos()
	if !p.hasType && !wrongType {
		if p.is = p.impliedType(); p.is != otherType {
			p.typ = planTypes[p.is].name
		}
	}
	switch {
	case p.wrong != "":
	case seen.doubled&^(1<<otherMember) != 0:
		p.wrong = "a member of plan stands twice"
	case wrongType:
		p.wrong = "the plan's type is no string"
	case len(p.entries) > MaxEntries:
		p.wrong = tooManyEntries
	case p.is != otherType && p.carriers[p.is].end == 0:
		p.wrong = planTypes[p.is].wrong
	case p.is == otherType && !p.hasType:
		p.wrong = "a plan without a type"
	}
}

// impliedType returns the type that a plan without one must be of; one of an
// unknown type is shown like it.
func (p *planContent) impliedType() planType {
	for t := range p.carriers {
		if p.carriers[t].end > 0 {
			return planType(t)
		}
	}
	return otherType
}

// idValue reads a plan's id; if it is no string, wrong says so. Null is the
// same as none.
func idValue(c *rawjson.Cursor, wrong *string) span {
	null := c.Kind() == 'n'
	s := stringSpan(c)
	if s.end == 0 && !null {
		*wrong = "the plan's id is no string"
	}
	return s
}

// memberSet notes which members an object has, and which twice.
type memberSet struct{ once, doubled nameBits }

type nameBits uint32

func (b nameBits) has(n memberName) bool { return b&(1<<n) != 0 }

func (s *memberSet) add(n memberName) {
	s.doubled |= s.once & (1 << n)
	s.once |= 1 << n
}
