package timeline

import (
	"hash/maphash"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// maxToolCalls limits the tool calls that the Timeline remembers.
const maxToolCalls = 1 << 16

// A session is the Note of a session: the current run of chunks.
type session struct {
	run   uint64 // the hash of the run; 0 if there is none
	first int    // the number of the first row in the run
}

// A toolCall is the state of a tool call.
type toolCall struct {
	number int
	title  string
}

// hash returns a hash of texts. The Timeline keeps it instead of the texts, which can be long.
func (t *Timeline) hash(parts ...[]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, part := range parts {
		h.Write(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// setTurn sets the turn of a message. If the message ends the turn, setTurn changes and returns the row
// of the prompt that began it.
func (m *message) setTurn(e *event) (opener *Row) {
	if e.Turn == nil {
		return nil
	}
	m.InTurn = true
	prompt := e.Turn.Prompt.Note.(*requestState)
	m.Opens = m.Opens || prompt.row == &m.Row
	if e.Stop == "" {
		return nil
	}
	m.Closes, m.About = true, AboutTurn
	m.Stop, m.TurnTook = translate.Truncate(e.Stop, 60), between(prompt.row.Seconds, e.Seconds)
	m.Summary = "turn ended: " + m.Stop
	prompt.row.Stop, prompt.row.TurnTook = m.Stop, m.TurnTook
	return prompt.row
}

// setTool assigns a message to its tool call, and uses the title of the tool call as the summary.
func (t *Timeline) setTool(m *message, e *event) {
	id := e.update.member("toolCallId")
	if e.Method == "session/request_permission" {
		_, call := recording.ReadPermission(e.Params)
		id = rawjson.Get(call, "toolCallId")
	}
	toolID := rawjson.StringAt(id)
	if toolID == "" {
		return
	}
	key := t.hash([]byte(e.Session), []byte(toolID))
	tool := t.tools[key]
	if tool == nil {
		if len(t.tools) >= maxToolCalls {
			clear(t.tools)
		}
		t.toolCount++
		tool = &toolCall{number: t.toolCount, title: oneLine(toolID, 90)}
		t.tools[key] = tool
	}
	m.Tool = tool.number
	if e.update.kind == "" {
		return
	}
	if title := oneLine(e.update.text("title"), 90); title != "" {
		tool.title = title
	}
	if m.Plan() != nil || len(m.Lines) > 1 {
		return
	}
	m.Summary = tool.title
	if status := e.update.text("status"); status != "" {
		m.Summary += " · " + translate.Truncate(strings.ReplaceAll(status, "_", " "), 30)
	}
}

// setRun assigns a chunk to the run of its message. Usage updates do not interrupt a run.
func (t *Timeline) setRun(state *session, m *message, e *event) {
	switch {
	case len(m.Lines) > 1 || m.About == AboutUsage:
		return
	case !isChunk(e.update.kind):
		state.run = 0
		return
	}
	if run := t.hash([]byte(e.update.kind), e.update.member("messageId")); state.run != run {
		state.run, state.first = run, m.Number
	}
	m.Run = state.first
}

func isChunk(kind string) bool {
	return kind == "user_message_chunk" || kind == "agent_message_chunk" || kind == "agent_thought_chunk"
}
