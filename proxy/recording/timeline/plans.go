package timeline

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// An update is the session update in a message. Its kind is empty if there is none.
type update struct {
	object []byte
	kind   string
}

func readUpdate(e *trace.Event) update {
	if e.Type != trace.Notification || e.Method != "session/update" {
		return update{}
	}
	object := rawjson.Get(e.Params, "update")
	return update{object, textOf(object, "sessionUpdate")}
}

// failed reports whether an update is of a tool call that failed.
func (u update) failed() bool {
	return strings.HasPrefix(u.kind, "tool_call") && string(u.member("status")) == `"failed"`
}

func (u update) member(name string) []byte { return rawjson.Get(u.object, name) }

// plan reads what a session update says of a plan, nil if it concerns none. A member that
// it lacks, or has in another form than expected, is zero.
func (u update) plan() *Plan {
	holder, p := u.object, new(Plan) // the object with the entries
	switch u.kind {
	case translate.LegacyPlan:
		p.Form = "plan"
	case translate.PlanUpdate:
		holder = u.member("plan")
		p.Form, p.ID = cmp.Or(brief(textOf(holder, "type")), "items"), planID(holder)
	case translate.PlanRemoved:
		p.Form, p.ID = "removed", planID(holder)
	default:
		return nil
	}
	if !p.countEntries(rawjson.Get(holder, "entries")) {
		p.countTasks(rawjson.Get(holder, "content"))
	}
	return p
}

// countEntries counts entries, if they are an array.
func (p *Plan) countEntries(entries []byte) bool {
	var c rawjson.Cursor
	c.Reset(entries)
	if c.Kind() != '[' {
		return false
	}
	p.isList = true
	for more := c.Array(); more; more = c.NextElement() {
		p.Total++
		if textOf(c.Value(), "status") == "completed" {
			p.Done++
		}
	}
	return true
}

// countTasks counts the tasks of a markdown text.
func (p *Plan) countTasks(content []byte) {
	text, ok := rawjson.TextOf(content)
	if !ok {
		return
	}
	for line := range bytes.Lines(text) {
		isTask, isDone := task(line)
		if isTask {
			p.Total++
		}
		if isDone {
			p.Done++
		}
	}
}

// task reports whether a line of markdown is a task, "- [ ] …" or "1. [x] …".
func task(line []byte) (isTask, isDone bool) {
	before, box, _ := bytes.Cut(line, []byte("["))
	mark := bytes.Trim(before, " \t")
	last := len(mark) - 1
	switch {
	case last < 0 || bytes.HasSuffix(before, mark):
		return false, false
	case last == 0 && bytes.IndexByte([]byte("-*+"), mark[0]) >= 0:
	case last == 0 || bytes.IndexByte([]byte(".)"), mark[last]) < 0 || len(bytes.Trim(mark[:last], "0123456789")) > 0:
		return false, false
	}
	tick, size := utf8.DecodeRune(box)
	isTask = bytes.HasPrefix(box[size:], []byte("] "))
	return isTask, isTask && (tick == 'x' || tick == 'X')
}

// planID returns the id of the plan in an object that has it as a member.
func planID(object []byte) string {
	for i := range capabilities.PlanIDMembers {
		if id := rawjson.Get(object, capabilities.PlanIDMember(i)); id != nil {
			return brief(textOf(id))
		}
	}
	return ""
}

// String says what the client got.
func (p *Plan) String() string {
	switch {
	case p.Form == "removed":
		return "removal of " + p.ID
	case p.Form == "plan":
		return fmt.Sprintf("plan, %d entries", p.Total)
	case p.isList:
		return fmt.Sprintf("%s, %d entries", p.ID, p.Total)
	}
	return p.ID + ", " + p.Form
}
