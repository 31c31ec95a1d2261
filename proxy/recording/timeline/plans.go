package timeline

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// An update is the session update in a message. The kind is empty if there is none.
type update struct {
	object []byte
	kind   string
}

func readUpdate(e *trace.Event) update {
	if e.Type != trace.Notification || e.Method != "session/update" {
		return update{}
	}
	object := rawjson.Get(e.Params, "update")
	return update{object, rawjson.StringAt(object, "sessionUpdate")}
}

// failed reports whether the update is about a tool call that failed.
func (u update) failed() bool {
	return strings.HasPrefix(u.kind, "tool_call") && string(u.member("status")) == `"failed"`
}

func (u update) member(name string) []byte { return rawjson.Get(u.object, name) }

func (u update) text(name string) string { return rawjson.StringAt(u.object, name) }

// plan returns the plan in a session update, or nil. Missing or invalid members are zero.
func (u update) plan(checkbox *regexp.Regexp) *Plan {
	holder, p := u.object, new(Plan) // holder has the entries or the text
	switch u.kind {
	case translate.LegacyPlan:
		p.Form = "plan"
	case translate.PlanUpdate:
		holder = u.member("plan")
		p.Form, p.ID = cmp.Or(brief(rawjson.StringAt(holder, "type")), "items"), brief(recording.PlanID(holder))
	case translate.PlanRemoved:
		p.Form, p.ID = "removed", brief(recording.PlanID(holder))
	default:
		return nil
	}
	if !p.countEntries(rawjson.Get(holder, "entries")) {
		p.countCheckboxes(rawjson.StringAt(holder, "content"), checkbox)
	}
	return p
}

// countEntries counts the entries and returns true, if they are an array.
func (p *Plan) countEntries(entries []byte) bool {
	all, isList := rawjson.ReadArray(nil, entries)
	for _, entry := range all {
		if rawjson.StringAt(entry, "status") == "completed" {
			p.Done++
		}
	}
	p.Total, p.isList = len(all), isList
	return isList
}

// countCheckboxes counts the checkboxes of a markdown text.
func (p *Plan) countCheckboxes(text string, checkbox *regexp.Regexp) {
	for _, found := range checkbox.FindAllStringSubmatch(text, -1) {
		p.Total++
		if strings.EqualFold(found[1], "x") {
			p.Done++
		}
	}
}

// String describes the plan.
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
