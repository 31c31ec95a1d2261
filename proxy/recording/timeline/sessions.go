package timeline

import (
	"hash/maphash"
	"strings"

	"acp-plan-proxy/proxy/recording"
	"acp-plan-proxy/proxy/recording/trace"
	"acp-plan-proxy/transport/rawjson"
)

const (
	maxSessions  = 1 << 16 // that are told apart at once
	maxToolCalls = 1 << 16
)

// sessions are the sessions of a recording and their tool calls, by hashes of their ids,
// which can be long.
type sessions struct {
	seed  maphash.Seed
	count int
	byID  map[uint64]*session
	tools map[uint64]*toolCall
	calls int
}

func newSessions(seed maphash.Seed) sessions {
	return sessions{seed: seed, byID: make(map[uint64]*session), tools: make(map[uint64]*toolCall)}
}

// A session is what is remembered of one.
type session struct {
	number int

	// The chunks of which message have come last, and the row of the first of them.
	run struct {
		of    uint64 // 0 for none
		first int
	}
}

// A toolCall is what is remembered of one.
type toolCall struct {
	number int
	title  string
}

// number returns the number of a session.
func (s *sessions) number(id string) (number int, isNew bool) {
	key := maphash.String(s.seed, id)
	known := s.byID[key]
	if known == nil {
		if len(s.byID) >= maxSessions {
			clear(s.byID)
		}
		s.count++
		known, isNew = &session{number: s.count}, true
		s.byID[key] = known
	}
	return known.number, isNew
}

// hash tells apart what has an id within something.
func (s *sessions) hash(within string, id []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	h.WriteString(within)
	h.WriteByte(0)
	h.Write(id)
	return h.Sum64()
}

// of returns the session of an event, which has a number.
func (s *sessions) of(e *step) *session { return s.byID[maphash.String(s.seed, e.Session)] }

// followTurn notes where turns begin and end, and what is in them. It returns the row that
// began a turn which has ended.
func (m *message) followTurn(s *step) (ended *Row) {
	if s.Turn == nil {
		return nil
	}
	m.InTurn = true
	opener := s.Turn.Prompt.Note.(*asked)
	m.Opens = m.Opens || opener.row == &m.Row
	if s.Stop == "" {
		return nil
	}
	m.Closes, m.About = true, AboutTurn
	m.Stop, m.Turn = cut(s.Stop, 60), between(opener.row.Seconds, s.Seconds)
	m.Says = "turn ended: " + m.Stop
	opener.row.Stop, opener.row.Turn = m.Stop, m.Turn
	return opener.row
}

// followTool notes which messages are about the same tool call, and names them by its
// title.
func (s *sessions) followTool(m *message, e *step) {
	id := e.toolCallID()
	if id == nil {
		return
	}
	key := s.hash(e.Session, id)
	tool := s.tools[key]
	if tool == nil {
		if len(s.tools) >= maxToolCalls {
			clear(s.tools)
		}
		s.calls++
		tool = &toolCall{number: s.calls, title: oneLine(textOf(id), 90)}
		s.tools[key] = tool
	}
	if m.Tool = tool.number; e.update.kind == "" {
		return
	}
	if title := oneLine(recording.TextOf(e.update.member("title")), 90); title != "" {
		tool.title = title
	}
	if m.Plan() != nil || len(m.Lines) > 1 {
		return
	}
	m.Says = tool.title
	if status := recording.TextOf(e.update.member("status")); status != "" {
		m.Says += " · " + cut(strings.ReplaceAll(status, "_", " "), 30)
	}
}

// toolCallID returns the id of the tool call that a message is about, as it is in the
// text.
func (s *step) toolCallID() []byte {
	id := s.update.member("toolCallId")
	if id == nil && s.Method == "session/request_permission" {
		if id = rawjson.Get(s.Params, "toolCall", "toolCallId"); id == nil {
			id = rawjson.Get(s.Params, "subject", "toolCall", "toolCallId")
		}
	}
	if len(id) == 0 || id[0] != '"' {
		return nil
	}
	return id
}

// followRun notes which chunks belong to one message, and which of a vendor's notifications
// of one kind follow each other. What is said of usage in between
// does not end it.
func (s *sessions) followRun(in *session, m *message, e *step) {
	switch {
	case len(m.Lines) > 1 || m.About == AboutUsage:
		return
	case !isChunk(e.update.kind) && !vendorTells(e):
		in.run.of = 0
		return
	}
	if of := s.hash(e.Method+" "+e.update.kind, e.update.member("messageId")); in.run.of != of {
		in.run.of, in.run.first = of, m.Number
	}
	m.Run = in.run.first
}

// vendorTells reports whether a message is a notification in a vendor's own words: one
// whose name begins as the protocol has it for them, or with a vendor's name.
func vendorTells(e *step) bool {
	return e.Type == trace.Notification && (strings.HasPrefix(e.Method, "_") || strings.Contains(strings.SplitN(e.Method, "/", 2)[0], ".") || strings.HasPrefix(e.Method, "cursor/"))
}

func isChunk(kind string) bool {
	switch kind {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk":
		return true
	}
	return false
}
