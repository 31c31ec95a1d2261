package plans

import (
	"fmt"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// An Action is what becomes of a message.
type Action string

// The actions.
const (
	Forward Action = "forward" // it leaves as it came
	Rewrite Action = "rewrite" // it leaves with another update, or several times
	Drop    Action = "drop"    // it does not leave
)

// A Result says what becomes of one message.
type Result struct {
	Action Action

	// Updates is what params.update becomes if the message is rewritten: one
	// text or, rarely, two, for as many copies of the message, in this order.
	// They are valid until the next message.
	Updates [][]byte

	Plan    string           // the id of the plan as the agent gave it; "" for a legacy plan
	Type    string           // the type of the plan, if the message has one
	Entries int              // how many entries the client now has of this plan, where it gets entries
	Reason  string           // why, in a few words
	Losses  []translate.Loss // what the user should know
}

// lose notes a loss. The arguments make a sentence without a period.
func (r *Result) lose(kind translate.LossKind, format string, args ...any) {
	r.Losses = append(r.Losses, translate.Loss{Kind: kind, Detail: fmt.Sprintf(format, args...)})
}

// An output is where the writers put what becomes of a message.
type output struct {
	Result
	texts [2][]byte // the memory of Updates
	more  bool      // another message about a plan of the session follows at once
}

// maxScratch is how much memory of a kind is kept for the next message.
const maxScratch = 1 << 20

// reset begins the outcome of another update: it is forwarded.
func (o *output) reset(u *Update) {
	for i := range o.texts {
		if cap(o.texts[i]) > maxScratch {
			o.texts[i] = nil
		}
	}
	o.Result = Result{Action: Forward, Updates: o.Updates[:0], Losses: o.Losses[:0], Type: u.typ()}
}

// put notes that the message leaves with this in the place of its update.
func (o *output) put(update []byte) {
	o.texts[len(o.Updates)] = update
	o.Action = Rewrite
	o.Updates = append(o.Updates, update)
}

// drop notes that the message does not leave.
func (o *output) drop(reason string) { o.Action, o.Reason = Drop, reason }

// edit begins an edited copy of an update, to be given to put.
func (o *output) edit(u *Update) rawjson.Editor {
	return rawjson.Edit(o.texts[len(o.Updates)][:0], u.text, u.start)
}

// putCopy puts the update as it is. It is for an update that another one follows.
func (o *output) putCopy(u *Update) {
	e := o.edit(u)
	o.put(e.Finish(u.end))
}

// putAs puts an update of that kind in the place of u. What appendCarrier
// appends, one member or two, takes the place of the members that carry the plan
// in u. Other members stay where they are, except those that could be taken for
// the new carrier.
func (o *output) putAs(u *Update, kind string, appendCarrier func(dst []byte) []byte) {
	e := memberEditor{Editor: o.edit(u), members: u.members}
	// A removal without an id has no carrier. The new one then follows the kind.
	carried := u.kind == removalUpdate && u.ids.first() < 0
	follows := carried
	for i := range u.members {
		switch r := u.members[i].role; {
		case r == kindRole:
			if e.keep(); kind != u.kind {
				e.setValue(i, kind)
			}
			if follows {
				e.CopyTo(u.members[i].End)
				e.Out = appendCarrier(append(e.Out, ','))
			}
		case r == carrierOf(u.kind):
			if e.replaceOnce(i, &carried) {
				e.Out = appendCarrier(e.Out)
			}
		case r == carrierOf(kind):
			e.cut(i)
		default:
			e.keep()
		}
	}
	o.put(e.Finish(u.end))
}

// A memberEditor edits an object member by member, from front to back, with one
// of its methods for each member. What is then appended to Out takes the place of
// a member that was replaced.
type memberEditor struct {
	rawjson.Editor
	members []member
	kept    bool // a member before stays or was replaced
}

// keep lets a member stay.
func (e *memberEditor) keep() { e.kept = true }

// setValue lets member i stay, with a string as its value.
func (e *memberEditor) setValue(i int, s string) {
	e.kept = true
	e.Cut(e.members[i].Value, e.members[i].End)
	e.Out = rawjson.AppendQuoted(e.Out, s)
}

// replaceOnce replaces member i and reports true, unless that was done to a
// member before. Then it cuts the member.
func (e *memberEditor) replaceOnce(i int, done *bool) bool {
	if *done {
		e.cut(i)
		return false
	}
	e.Cut(e.members[i].Start, e.members[i].End)
	e.kept, *done = true, true
	return true
}

// cut leaves out member i and a comma next to it.
func (e *memberEditor) cut(i int) { e.Cut(rawjson.CutSpan(e.members, i, e.kept)) }
