package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy/terminal"
)

// A sight is what an editor shows of a conversation.
type sight struct {
	client
	connected bool
	refused   string // why the two cannot connect
	plans     editor
	tools     []tool
	choices   []string // of the permission request
	said      string   // by the agent
	puzzled   bool     // it was asked something that it does not know
}

type tool struct{ id, title, status string }

// gets takes a message of the agent. An editor that cannot connect shows nothing more.
func (s *sight) gets(record []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result *struct{ ProtocolVersion int }
		Error  *struct{ Message string }
		Params struct {
			Options []struct{ Name string }
		}
	}
	if json.Unmarshal(record, &m) != nil || s.refused != "" {
		return
	}
	switch {
	case m.Method == "session/update":
		s.update(update(record))
	case m.Method == "session/request_permission":
		for _, o := range m.Params.Options {
			s.choices = append(s.choices, o.Name)
		}
	case m.Method != "":
		s.puzzled = true
	case s.connected:
	case m.Error != nil:
		s.refused = m.Error.Message
	case m.Result != nil && m.Result.ProtocolVersion != s.version:
		s.refused = fmt.Sprintf("the agent speaks version %d", m.Result.ProtocolVersion)
	default:
		s.connected = true
	}
}

func (s *sight) update(text string) {
	var u struct {
		SessionUpdate             string
		ToolCallID, Title, Status string
		Content                   json.RawMessage
		Entries                   []entry
		Plan                      plan
	}
	json.Unmarshal([]byte(text), &u)
	switch u.SessionUpdate {
	case "plan", "plan_update", "plan_removed":
		if s.knows(u.SessionUpdate, slices.Concat(u.Entries, u.Plan.Entries)) {
			s.plans.apply(text)
		}
	case "tool_call", "tool_call_update":
		s.tool(tool{u.ToolCallID, u.Title, u.Status})
	case "agent_message_chunk", "agent_message":
		s.said += textOf(u.Content)
	}
}

// knows reports whether the editor can read an update with these entries. Those of
// version 1 reject an update with a status or a priority that is not in the protocol.
func (s *sight) knows(kind string, entries []entry) bool {
	foreign := slices.ContainsFunc(entries, func(e entry) bool {
		return !slices.Contains([]string{"pending", "in_progress", "completed"}, e.Status) ||
			!slices.Contains([]string{"high", "medium", "low"}, e.Priority)
	})
	return slices.Contains(strings.Fields(s.kinds), kind) && (s.version > 1 || !foreign)
}

// tool takes what is said of a tool call. What is not said stays.
func (s *sight) tool(said tool) {
	i := slices.IndexFunc(s.tools, func(t tool) bool { return t.id == said.id })
	if i < 0 {
		s.tools = append(s.tools, said)
		return
	}
	if said.title != "" {
		s.tools[i].title = said.title
	}
	if said.status != "" {
		s.tools[i].status = said.status
	}
}

// textOf returns the text of a content block, or of several.
func textOf(content json.RawMessage) (text string) {
	type block struct{ Text string }
	var one block
	json.Unmarshal(content, &one)
	several := []block{one}
	json.Unmarshal(content, &several)
	for _, b := range several {
		text += b.Text
	}
	return text
}

// shows reports whether the editor shows a plan.
func (s *sight) shows() bool { return len(s.plans) > 0 }

// plan draws the plan, or says what is in its place.
func (s *sight) plan(width int) []spans {
	const most = 4 // lines of plans
	if s.refused != "" {
		return s.apart(width)
	}
	var lines []spans
	for _, p := range s.plans {
		lines = append(lines, p.lines()...)
	}
	if len(lines) > most {
		lines = append(lines[:most-1], spans{{terminal.Dim, "…"}})
	}
	if !s.shows() {
		lines = []spans{{{terminal.Red, "✗ no plan"}}}
	}
	switch {
	case len(s.choices) > 0:
		lines = append(lines, s.buttons(width)...)
	case s.puzzled:
		lines = append(lines, spans{{terminal.Red, "✗ nothing to approve"}})
	case !s.shows():
		lines = append(lines, s.calls("tool call: ")...)
	}
	return lines
}

// lines draws a plan.
func (p plan) lines() (lines []spans) {
	switch p.Type {
	case "items":
		lines = append(lines, bar(p.Entries, 10))
		for _, e := range p.Entries {
			lines = append(lines, spans{mark(e.Status), {"", " " + e.Content}})
		}
	case "markdown":
		for text := range strings.Lines(p.Content) {
			if text = strings.TrimSpace(text); text != "" {
				lines = append(lines, spans{{terminal.Dim, "│ "}, {"", text}})
			}
		}
	default:
		lines = append(lines, spans{{terminal.Dim, "→ "}, {"", p.URI}})
	}
	return lines
}

// turn draws what happened in a turn without plans.
func (s *sight) turn(width int) []spans {
	if s.refused != "" {
		return s.apart(width)
	}
	lines := s.calls("")
	if len(s.choices) > 0 {
		lines = append(lines, s.buttons(width)...)
	}
	return append(lines, spans{{"", "“" + s.said + "”"}})
}

// apart says why the two are not connected.
func (s *sight) apart(width int) []spans {
	lines := []spans{{{terminal.Red, "✗ cannot connect"}}}
	for _, text := range wrap(s.refused, width-4) {
		lines = append(lines, spans{{terminal.Dim, "  " + text}})
	}
	return lines
}

func (s *sight) calls(what string) (lines []spans) {
	for _, t := range s.tools {
		lines = append(lines, spans{mark(t.status), {"", " "}, {terminal.Dim, what}, {"", t.title}})
	}
	return lines
}

// buttons draws the choices of a permission request, in a line if there is room for it.
func (s *sight) buttons(width int) []spans {
	lines, left := []spans{{{terminal.Yellow, "?"}}}, width-1
	for _, c := range s.choices {
		button := span{terminal.Cyan, " [" + c + "]"}
		length := utf8.RuneCountInString(button.text)
		if length > left {
			lines, left = append(lines, spans{{"", " "}}), width-1
		}
		last := len(lines) - 1
		lines[last], left = append(lines[last], button), left-length
	}
	return lines
}
