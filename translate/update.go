package translate

import (
	"acp-plan-proxy/capabilities/rawjson"
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
	typ        string // if there is none, what the other members imply
	hasType    bool
	entries    []entry // nil if there is no array of them
	content    span    // of a markdown plan: a JSON string
	uri        span    // of a file plan: a JSON string
	id         idMembers
	wrong      string
}

// idMembers are the two spellings of a plan's id: JSON strings, or zero.
type idMembers struct{ planID, id span }

// value returns the id. It reports false if there is none. If both spellings
// are there, planId counts.
func (m idMembers) value(text []byte) ([]byte, bool) {
	switch {
	case m.planID.end > 0:
		return m.planID.unquoted(text), true
	case m.id.end > 0:
		return m.id.unquoted(text), true
	}
	return nil, false
}

// differ reports whether the two spellings are both there and disagree.
func (m idMembers) differ(text []byte) bool {
	return m.planID.end > 0 && m.id.end > 0 &&
		string(m.planID.unquoted(text)) != string(m.id.unquoted(text))
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
	entriesMember
	planIDMember
	idMember
	typeMember
	contentMember
	uriMember
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
		case "planId":
			m.name = planIDMember
			u.id.planID = idValue(c, &wrongID)
		case "id":
			m.name = idMember
			u.id.id = idValue(c, &wrongID)
		default:
			c.Skip()
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
	case u.kind == removalUpdate && (seen.doubled.has(planIDMember) || seen.doubled.has(idMember)):
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
	var hasEntries, wrongType bool
	for more := c.Object(); more; more = c.NextMember() {
		m := member{Member: rawjson.Member{Start: c.Offset()}}
		name := c.Name()
		m.Value = c.Offset()
		switch string(name) {
		case "type":
			m.name = typeMember
			raw := stringSpan(c)
			if p.hasType = raw.end > 0; p.hasType {
				p.typ = planType(raw.unquoted(u.text))
			}
			wrongType = !p.hasType
		case "entries":
			m.name = entriesMember
			p.entries, hasEntries = readEntries(c, u.text, p.entries[:0])
		case "content":
			m.name = contentMember
			p.content = stringSpan(c)
		case "uri":
			m.name = uriMember
			p.uri = stringSpan(c)
		case "planId":
			m.name = planIDMember
			p.id.planID = idValue(c, &p.wrong)
		case "id":
			m.name = idMember
			p.id.id = idValue(c, &p.wrong)
		default:
			c.Skip()
		}
		m.End = c.Pos()
		seen.add(m.name)
		p.members = append(p.members, m)
	}
	p.end = c.Pos()
	if !hasEntries {
		p.entries = nil
	} else if p.entries == nil {
		p.entries = []entry{}
	}
	if !p.hasType && !wrongType {
		p.typ = p.impliedType()
	}
	switch {
	case p.wrong != "":
	case seen.doubled&^(1<<otherMember) != 0:
		p.wrong = "a member of plan stands twice"
	case wrongType:
		p.wrong = "the plan's type is no string"
	case len(p.entries) > MaxEntries:
		p.wrong = tooManyEntries
	case p.typ == itemsType && p.entries == nil:
		p.wrong = "an items plan without an array of entries"
	case p.typ == markdownType && p.content.end == 0:
		p.wrong = "a markdown plan without a string content"
	case p.typ == fileType && p.uri.end == 0:
		p.wrong = "a file plan without a string uri"
	case p.typ == "" && !p.hasType:
		p.wrong = "a plan without a type"
	}
}

// impliedType returns the type that a plan without one must be of.
func (p *planContent) impliedType() string {
	switch {
	case p.entries != nil:
		return itemsType
	case p.content.end > 0:
		return markdownType
	case p.uri.end > 0:
		return fileType
	}
	return ""
}

// planType returns s as a string, without allocating one for the usual types.
func planType(s []byte) string {
	switch string(s) {
	case itemsType:
		return itemsType
	case markdownType:
		return markdownType
	case fileType:
		return fileType
	}
	return string(s)
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

type nameBits uint16

func (b nameBits) has(n memberName) bool { return b&(1<<n) != 0 }

func (s *memberSet) add(n memberName) {
	s.doubled |= s.once & (1 << n)
	s.once |= 1 << n
}
