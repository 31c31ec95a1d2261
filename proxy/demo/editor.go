package demo

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/proxy/terminal"
)

// An editor holds the contents of a client's screen.
type editor struct {
	Client
	connected  bool
	refused    string // the reason for a failed connection
	plans      []plan // in order of appearance
	tools      []tool
	choices    []string // the options' names in permission requests
	hasForm    bool     // a form was received
	text       string   // of the agent
	hasUnknown bool     // an unknown request was received
}

type plan struct {
	ID      string `json:"planId"`
	OldID   string `json:"id"`
	Type    string
	Entries []entry
	Content string
}

type entry struct{ Content, Priority, Status string }

type tool struct{ ToolCallID, Title, Status string }

// An update is a session update of any kind.
type update struct {
	SessionUpdate string
	tool
	Content    json.RawMessage
	Entries    []entry
	PlanID, ID string
	Plan       plan
}

// receive takes a message of the agent and returns the editor's reply: a response, or the next
// request. An editor that cannot connect ignores further messages.
func (e *editor) receive(line []byte) (reply []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result *struct {
			ProtocolVersion int
			SessionID       string
		}
		Error  *struct{ Message string }
		Params struct {
			Update  update
			Options []option
		}
	}
	if json.Unmarshal(line, &m) != nil || e.refused != "" {
		return nil
	}
	answer := func(member, value string) []byte {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,%q:%s}`+"\n", m.ID, member, value)
	}
	switch {
	case m.Method == "session/update":
		e.applyUpdate(m.Params.Update)
	case m.Method == "session/request_permission":
		return answer("result", e.choose(m.Params.Options))
	case m.Method == "elicitation/create" && e.HasForms():
		e.hasForm = true
		return answer("result", `{"action":"decline"}`)
	case m.Method != "":
		e.hasUnknown = true
		if m.ID != nil {
			return answer("error", `{"code":-32601,"message":"Method not found"}`)
		}
	case m.Error != nil && !e.connected:
		e.refused = m.Error.Message
	case m.Result == nil:
	case !e.connected && m.Result.ProtocolVersion != e.Request().Version:
		e.refused = fmt.Sprintf("the agent speaks version %d", m.Result.ProtocolVersion)
	case !e.connected:
		e.connected = true
		return request(1, "session/new", `{"cwd":"/work","mcpServers":[]}`)
	case m.Result.SessionID != "":
		return request(2, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":"Make the cache larger."}]}`, m.Result.SessionID))
	}
	return nil
}

func request(id int, method, params string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
}

type option struct{ OptionID, Name, Kind string }

// choose stores the options of a permission request and returns the result, which selects the
// first option of kind allow_once.
func (e *editor) choose(options []option) string {
	chosen := ""
	for _, o := range options {
		e.choices = append(e.choices, o.Name)
		if o.Kind == "allow_once" {
			chosen = cmp.Or(chosen, o.OptionID)
		}
	}
	return fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, chosen)
}

func (e *editor) applyUpdate(u update) {
	switch u.SessionUpdate {
	case "plan", "plan_update", "plan_removed":
		if e.knows(u) {
			e.applyPlan(u)
		}
	case "tool_call", "tool_call_update":
		i := slices.IndexFunc(e.tools, func(t tool) bool { return t.ToolCallID == u.ToolCallID })
		if i < 0 {
			e.tools = append(e.tools, u.tool)
			return
		}
		t := &e.tools[i] // missing members do not change
		t.Title, t.Status = cmp.Or(u.Title, t.Title), cmp.Or(u.Status, t.Status)
	case "agent_message_chunk", "agent_message":
		type block struct{ Text string }
		var one block
		json.Unmarshal(u.Content, &one)
		several := []block{one}
		json.Unmarshal(u.Content, &several)
		for _, b := range several {
			e.text += b.Text
		}
	}
}

// knownValues lists the statuses and priorities of version 1.
var knownValues = []string{"pending", "in_progress", "completed", "high", "medium", "low"}

// knows reports whether the editor supports a plan update. Editors of version 1 reject an update
// with an unknown status or priority.
func (e *editor) knows(u update) bool {
	hasForeignValue := slices.ContainsFunc(slices.Concat(u.Entries, u.Plan.Entries), func(e entry) bool {
		return !slices.Contains(knownValues, e.Status) || !slices.Contains(knownValues, e.Priority)
	})
	kind := map[string]capabilities.Shows{
		"plan ": capabilities.Plan, "plan_update items": capabilities.Items, "plan_update markdown": capabilities.Markdown, "plan_removed ": capabilities.Removed,
	}[u.SessionUpdate+" "+u.Plan.Type]
	request := e.Request()
	client := new(capabilities.Settings).Client(request, capabilities.Result{Version: request.Version})
	return client.Shows&kind != 0 && (client.Version2 || !hasForeignValue)
}

func (e *editor) applyPlan(u update) {
	p := u.Plan
	p.ID = cmp.Or(p.ID, p.OldID, u.PlanID, u.ID)
	i := slices.IndexFunc(e.plans, func(other plan) bool { return other.ID == p.ID })
	switch {
	case u.SessionUpdate == "plan":
		e.plans = []plan{{Type: "items", Entries: u.Entries}}
	case u.SessionUpdate == "plan_update" && i < 0:
		e.plans = append(e.plans, p)
	case u.SessionUpdate == "plan_update":
		e.plans[i] = p
	case i >= 0:
		e.plans = slices.Delete(e.plans, i, i+1)
	}
}

func (e *editor) seen() Seen {
	hasPlan := len(e.plans) > 0
	if e.NoPanel {
		hasPlan = strings.Contains(e.text, "\n# ") // as the recorded texts begin
	}
	return Seen{Connected: e.connected, Plan: hasPlan, Asked: e.hasForm || len(e.choices) > 0}
}

// drawPlan draws the plans, or the reason for their absence.
func (e *editor) drawPlan(width int) (lines []terminal.Line) {
	const maxLines = 4 // lines of plans
	if e.refused != "" {
		return e.drawRefusal(width)
	}
	for _, p := range e.plans {
		lines = append(lines, p.draw()...)
	}
	if len(lines) > maxLines {
		lines = append(lines[:maxLines-1], terminal.Dim.Line("…"))
	}
	if len(e.plans) == 0 {
		lines = []terminal.Line{terminal.Red.Line("✗ no plan")}
	}
	switch {
	case len(e.choices) > 0:
		lines = append(lines, e.drawButtons(width)...)
	case e.hasUnknown:
		lines = append(lines, terminal.Red.Line("✗ nothing to approve"))
	case len(e.plans) == 0:
		lines = append(lines, e.drawToolCalls("tool call: ")...)
	}
	return lines
}

// drawTurn draws a turn without plans.
func (e *editor) drawTurn(width int) []terminal.Line {
	if e.refused != "" {
		return e.drawRefusal(width)
	}
	lines := e.drawToolCalls("")
	if len(e.choices) > 0 {
		lines = append(lines, e.drawButtons(width)...)
	}
	return append(lines, terminal.Plain.Line("“"+e.text+"”"))
}

// drawRefusal draws the reason for a failed connection.
func (e *editor) drawRefusal(width int) []terminal.Line {
	lines := []terminal.Line{terminal.Red.Line("✗ cannot connect")}
	for _, text := range terminal.Wrap(e.refused, width-4) {
		lines = append(lines, terminal.Dim.Line("  "+text))
	}
	return lines
}

func (e *editor) drawToolCalls(label string) (lines []terminal.Line) {
	for _, t := range e.tools {
		lines = append(lines, slices.Concat(mark(t.Status), terminal.Dim.Line(" "+label), terminal.Plain.Line(t.Title)))
	}
	return lines
}

// drawButtons draws the options of permission requests, on as few lines as possible.
func (e *editor) drawButtons(width int) []terminal.Line {
	lines, left := []terminal.Line{terminal.Yellow.Line("?")}, width-1
	for _, c := range e.choices {
		button := " [" + c + "]"
		length := utf8.RuneCountInString(button)
		if length > left {
			lines, left = append(lines, terminal.Plain.Line(" ")), width-1
		}
		line := &lines[len(lines)-1]
		*line, left = append(*line, terminal.Cyan.Line(button)...), left-length
	}
	return lines
}

func (p plan) draw() (lines []terminal.Line) {
	switch p.Type {
	case "items":
		lines = append(lines, bar(p.Entries))
		for _, e := range p.Entries {
			lines = append(lines, append(mark(e.Status), terminal.Plain.Line(" "+e.Content)...))
		}
	case "markdown":
		for text := range strings.Lines(p.Content) {
			if text = strings.TrimSpace(text); text != "" {
				lines = append(lines, append(terminal.Dim.Line("│ "), terminal.Plain.Line(text)...))
			}
		}
	}
	return lines
}

// bar draws the progress of a plan.
func bar(entries []entry) terminal.Line {
	const cells = 10
	done := 0
	for _, e := range entries {
		if e.Status == "completed" {
			done++
		}
	}
	full := cells * done / max(1, len(entries))
	return slices.Concat(terminal.Green.Line(strings.Repeat("█", full)), terminal.Dim.Line(strings.Repeat("░", cells-full)),
		terminal.Plain.Line(fmt.Sprintf(" %d of %d", done, len(entries))))
}

// mark returns the symbol of a status.
func mark(status string) terminal.Line {
	switch status {
	case "completed":
		return terminal.Green.Line("✓")
	case "in_progress":
		return terminal.Yellow.Line("▸")
	case "cancelled":
		return terminal.Dim.Line("✗")
	}
	return terminal.Plain.Line("○")
}
