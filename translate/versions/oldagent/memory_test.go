package oldagent

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A memory is a session s without a bridge: what is kept of its tool calls, terminals
// and questions.
type memory struct {
	link      link.Link
	out       translate.Out
	sessions  *sessions
	terminals terminals
	toolCalls toolCalls
	questions questions
	s         *session
}

func newMemory() *memory {
	m := &memory{}
	m.sessions = newSessions(&m.link)
	m.terminals = terminals{link: &m.link}
	m.toolCalls = toolCalls{link: &m.link, terminals: &m.terminals}
	m.questions = questions{link: &m.link, sessions: m.sessions, toolCalls: &m.toolCalls}
	m.s = m.sessions.get([]byte("s"))
	return m
}

// do hands a message to f, and returns what leaves, as steps of the table tests have
// it, and the kinds of what was lost.
func (m *memory) do(from translate.Side, short string, f func(*jsonrpc.Message)) (left, lost []string) {
	message := link.MessageOf([]byte(full(short)))
	m.out.Reset(from, &message)
	m.link.Begin(time.Time{}, &m.out, message.Session)
	f(&message)
	for _, l := range m.out.Leaves() {
		left = append(left, bridgetest.To(l.To, string(m.out.Text(l))))
	}
	for _, l := range m.out.Losses() {
		lost = append(lost, l.Kind.String())
	}
	return left, lost
}

// reports hands the report of a tool call to the tool calls.
func (m *memory) reports(kind, rest string) (left, lost []string) {
	return m.do(translate.Agent, report(kind, rest), func(message *jsonrpc.Message) {
		var u link.Update
		u.Read(message)
		m.toolCalls.toolCall(m.s, &u)
	})
}

// check reports what is inconsistent in what is kept.
func (m *memory) check() error {
	for id, c := range m.s.toolCalls.All() {
		if c.id != id {
			return fmt.Errorf("tool call %s is known as %s", c.id, id)
		}
	}
	if size := m.s.size(); m.s.kept.Used() != size {
		return fmt.Errorf("%d bytes, %d counted", size, m.s.kept.Used())
	}
	return nil
}

// allOf completes what leaves, see full.
func allOf(lines ...string) (all []string) {
	for _, line := range lines {
		side, rest, _ := strings.Cut(line, " ")
		all = append(all, side+" "+full(rest))
	}
	return all
}

// What a cancelled turn leaves open is cancelled once, and only that. The model knows
// for each tool call whether it is open, and in which turn it was said last.
func TestToolCallMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	type model struct {
		open bool
		turn int
	}
	m := newMemory()
	calls := make(map[string]*model)
	var order []string
	for range 5000 {
		id := strconv.Itoa(r.IntN(20))
		switch r.IntN(12) {
		case 0:
			m.s.turns++
			continue
		case 1:
			var want []string
			for _, id := range order {
				if c := calls[id]; c.open && c.turn == m.s.turns {
					c.open = false
					want = append(want, toC(report("tool_call_update", `"toolCallId":"`+id+`","status":"cancelled"`)))
				}
			}
			left, _ := m.do(translate.Agent, `_x {}`, func(*jsonrpc.Message) { m.s.cancelToolCalls(&m.link) })
			if diff := cmp.Diff(allOf(want...), left); diff != "" {
				t.Fatal(diff)
			}
			continue
		}
		kind := []string{"tool_call", "tool_call_update"}[r.IntN(2)]
		status := []string{"", "pending", "in_progress", "completed", "failed", "cancelled"}[r.IntN(6)]
		c := calls[id]
		if c == nil {
			c = &model{open: true}
			calls[id] = c
			order = append(order, id)
		}
		c.turn = m.s.turns
		c.open = c.open || kind == "tool_call"
		rest := `"toolCallId":"` + id + `"`
		if status != "" {
			c.open = status == "pending" || status == "in_progress"
			rest += `,"status":"` + status + `"`
		}
		if left, lost := m.reports(kind, rest); len(left) != 1 || len(lost) > 0 {
			t.Fatalf("%q, lost %q", left, lost)
		}
		if err := m.check(); err != nil {
			t.Fatal(err)
		}
	}
}

// The client is told of a terminal before anything that it prints, gets all output
// once, and how its command has ended last.
func TestTerminalMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		m := newMemory()
		m.s.toolCall([]byte("t"))
		var printed, shown strings.Builder
		streamed, begun := false, false
		for range r.IntN(6) {
			var meta []string
			if r.IntN(3) == 0 {
				meta = append(meta, `"terminal_info":{}`)
			}
			prints, ends := r.IntN(2) == 0, r.IntN(4) == 0
			if prints {
				fmt.Fprint(&printed, "x")
				meta = append(meta, []string{`"terminal_output":{"data":"x"}`, `"terminal_output_delta":{"data":"x"}`}[r.IntN(2)])
			}
			if ends {
				meta = append(meta, `"terminal_exit":{"exit_code":1,"signal":5}`)
			}
			left, lost := m.reports("tool_call_update", `"toolCallId":"t","_meta":{`+strings.Join(meta, ",")+`}`)
			if len(meta) == 0 {
				continue
			}
			var want []string
			if !begun {
				want = append(want, toC(report("terminal_update", `"terminalId":"t"`)))
			}
			begun = true
			whole := prints && ends && !streamed
			if prints && !whole {
				streamed = true
				want = append(want, toC(report("terminal_output_chunk", `"terminalId":"t","data":"eA=="`)))
			}
			switch {
			case whole:
				want = append(want, toC(report("terminal_update", `"terminalId":"t","output":{"data":"eA=="},"exitStatus":{"exitCode":1}`)))
			case ends:
				want = append(want, toC(report("terminal_update", `"terminalId":"t","exitStatus":{"exitCode":1}`)))
			}
			if diff := cmp.Diff(allOf(want...), left); diff != "" || len(lost) > 0 {
				t.Fatalf("%q, lost %q: %s", meta, lost, diff)
			}
			shown.WriteString(strings.Repeat("x", strings.Count(strings.Join(left, ""), `"eA=="`)))
		}
		if printed.String() != shown.String() {
			t.Fatalf("%q was printed, %q shown", printed.String(), shown.String())
		}
	}
}

// Each question is answered once: by the client, or by the bridge, which takes it back
// from the client then. The client is told whether the turn waits.
func TestQuestionMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	m := newMemory()
	turns := []*turn{nil, {session: m.s, inserted: true}, {session: m.s, inserted: true}, {session: m.s, inserted: true, answer: []byte("{}")}}
	open := make(map[int]*turn) // the questions that wait, by the client's id, and what waits for the answer
	asked := 0
	told := idle
	progress := func() (want []string) { // what the client is told of the turn
		state := running
		for _, waiting := range open {
			if waiting != nil && waiting == m.s.turn {
				state = requiresAction
			}
		}
		if m.s.turn == nil || state == told {
			return nil
		}
		told = state
		return allOf(toC(report("state_update", `"state":"`+string(state)+`"`)))
	}
	for range 5000 {
		switch r.IntN(3) {
		case 0:
			m.s.turn = turns[r.IntN(len(turns))]
			asked++
			if open[asked] = m.s.turn; m.s.turn != nil && m.s.turn.answer != nil {
				open[asked] = nil
			}
			want := append(progress(), allOf(fmt.Sprintf(`client< %d _ask {"sessionId":"s"}`, asked))...)
			left, _ := m.do(translate.Agent, fmt.Sprintf(`"q%d" _ask {"sessionId":"s"}`, asked), func(message *jsonrpc.Message) {
				m.questions.ask(message, nil, `"nobody"`, m.questions.permissionAnswered)
			})
			if diff := cmp.Diff(want, left); diff != "" {
				t.Fatal(diff)
			}
		case 1:
			id := max(1, asked+1-r.IntN(5)) // mostly one that is open
			_, waits := open[id]
			delete(open, id)
			left, _ := m.do(translate.Client, fmt.Sprintf(`%d = {"outcome":{"outcome":"cancelled"}}`, id), func(message *jsonrpc.Message) {
				m.link.Answered(translate.Client, message)
			})
			var want []string
			if waits {
				want = append(allOf(fmt.Sprintf(`agent< "q%d" = {"outcome":{"outcome":"cancelled"}}`, id)), progress()...)
			}
			if diff := cmp.Diff(want, left); diff != "" {
				t.Fatal(diff)
			}
		case 2:
			of := turns[r.IntN(len(turns))]
			var want []string
			for id := range asked {
				if waiting, ok := open[id+1]; ok && (of == nil || waiting == of) {
					delete(open, id+1)
					want = append(want, fmt.Sprintf(`agent< "q%d" = "nobody"`, id+1), fmt.Sprintf(`client< $/cancel_request {"requestId":%d}`, id+1))
				}
			}
			left, _ := m.do(translate.Agent, `_x {}`, func(*jsonrpc.Message) { m.s.dropQuestions(&m.link, of) })
			if diff := cmp.Diff(allOf(want...), left); diff != "" {
				t.Fatal(diff)
			}
		}
		for _, of := range turns[1:] {
			waits := false
			for _, waiting := range open {
				waits = waits || waiting == of
			}
			if m.s.isAsked(of) != waits {
				t.Fatalf("a turn waits for %d questions: %t", len(open), m.s.isAsked(of))
			}
		}
		if len(m.s.questions) != len(open) || m.link.Waiting(translate.Client) != len(open) {
			t.Fatalf("%d questions are open, %d requests wait, want %d", len(m.s.questions), m.link.Waiting(translate.Client), len(open))
		}
	}
}

// An agent that has ended is not answered.
func TestQuestionsOfTheDead(t *testing.T) {
	m := newMemory()
	m.do(translate.Agent, `5 _ask {"sessionId":"s"}`, func(message *jsonrpc.Message) {
		m.questions.ask(message, nil, `{}`, m.questions.permissionAnswered)
	})
	left, _ := m.do(translate.Agent, `_x {}`, func(*jsonrpc.Message) {
		m.link.End("killed")
		m.s.dropQuestions(&m.link, nil)
	})
	if diff := cmp.Diff(allOf(`client< $/cancel_request {"requestId":1}`), left); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkToolCallReport(b *testing.B) {
	m := newMemory()
	text := []byte(full(report("tool_call_update", `"toolCallId":"t","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"x"}}]`)))
	var c rawjson.Cursor
	var message jsonrpc.Message
	var u link.Update
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(text)
		message.Read(&c, text, nil)
		m.out.Reset(translate.Agent, &message)
		m.link.Begin(time.Time{}, &m.out, message.Session)
		u.Read(&message)
		m.toolCalls.toolCall(m.s, &u)
	}
}
