package bridgetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// Run plays the lines of a text, and then the end of the agent, and checks the output. A line is a
// message after "client> " or "agent> ", or "wait " and a duration; any other line counts as a
// message of the agent. Run skips what package proxy would not pass to a bridge. At the beginning,
// "asked> " marks requests of the agent that the client received before the bridge existed.
func (p *Peer) Run(text string) error {
	counts := newRequestCounts()
	begun := false
	for line := range strings.SplitSeq(text, "\n") {
		if rest, ok := strings.CutPrefix(line, asked); ok {
			if !begun {
				p.adopt(counts, Full(rest))
			}
			continue
		}
		begun = true
		s := parseStep(line)
		if s.Message != "" {
			if line == "" || !p.read(s.Message) {
				continue
			}
			counts.addRequest(s.From, &p.message)
		}
		if err := p.runStep(s, counts); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if err := p.runStep(Gone(), counts); err != nil {
		return err
	}
	if ids := counts.unanswered(); len(ids) > 0 {
		return fmt.Errorf("%d requests of the client have no answer: %q", len(ids), ids)
	}
	return nil
}

// parseStep reads a line of a text.
func parseStep(line string) Step {
	if rest, ok := strings.CutPrefix(line, waits); ok {
		if d, err := time.ParseDuration(rest); err == nil && d >= 0 && d <= time.Hour {
			return Wait(d)
		}
	}
	mark, message := cutMark(line)
	if mark == clientSays {
		return Client(Full(message))
	}
	return Agent(Full(message))
}

// cutMark returns the mark of a line, or "", and the rest of the line.
func cutMark(line string) (mark, rest string) {
	for _, mark := range []string{clientSays, agentSays, asked} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return mark, rest
		}
	}
	return "", line
}

// runStep plays a step, and records the responses in the output.
func (p *Peer) runStep(s Step, counts *requestCounts) error {
	if _, _, err := p.Do(s); err != nil {
		return err
	}
	return counts.subtractResponses(p)
}

// read reads a line into p.message. It reports whether package proxy would pass the line to a bridge.
func (p *Peer) read(line string) bool {
	if !json.Valid([]byte(line)) || line[0] == '[' {
		return false
	}
	p.cursor.Reset([]byte(line))
	p.message.Read(&p.cursor, []byte(line), nil)
	return p.cursor.End()
}

// adopt registers a request that the client has already received.
func (p *Peer) adopt(counts *requestCounts, line string) {
	if p.read(line) && p.message.IsRequest() {
		counts.addRequest(translate.Agent, &p.message)
		if p.Judge != nil {
			p.Judge.RecordRequest(translate.Agent, line)
		}
		p.Bridge.Adopt(p.message.ID, string(p.message.Method), string(p.message.Session))
	}
}

// requestCounts has the number of pending requests of each side, by their ids.
type requestCounts [2]map[jsonrpc.ID]int

func newRequestCounts() *requestCounts {
	return &requestCounts{make(map[jsonrpc.ID]int), make(map[jsonrpc.ID]int)}
}

// addRequest counts a request to the bridge.
func (r *requestCounts) addRequest(side translate.Side, m *jsonrpc.Message) {
	if m.Method != nil && m.ID != nil {
		r[side][jsonrpc.IDOf(m.ID)]++
	}
}

// subtractResponses counts the responses in the output. It returns an error if a response answers no
// request.
func (r *requestCounts) subtractResponses(p *Peer) error {
	for _, l := range p.Out.Outputs() {
		var m jsonrpc.Message
		text := p.Out.Text(l)
		p.cursor.Reset(text)
		m.Read(&p.cursor, text, nil)
		if m.Method != nil || m.ID == nil {
			continue
		}
		id := jsonrpc.IDOf(m.ID)
		if r[l.To][id]--; r[l.To][id] < 0 {
			return fmt.Errorf("a response to no pending request: %s", text)
		}
	}
	return nil
}

// unanswered returns the requests of the client that have no answer.
func (r *requestCounts) unanswered() (ids []jsonrpc.ID) {
	for id, n := range r[translate.Client] {
		if n > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}
