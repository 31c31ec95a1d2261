package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/terminal"
)

const width = 80

// steps are the titles of the plan messages in the recording "plans".
var steps = []string{
	"A plan as agents have always sent it",
	"Progress",
	"A second plan, with an id",
	"A third, with statuses that old clients reject",
	"The second plan is done with",
	"A plan in markdown",
	"A plan in a file",
	"Removals: one that is live",
	"... and one that is not",
	"The legacy plan is finished",
}

// verbose shows for each step what the agent sent, what the client got, and the plans as
// an editor would draw them; and then the messages between an editor and an agent of the
// other version of the protocol.
func (o Options) verbose(s *screen, c client) error {
	s.println("A recorded agent behind acp-plan-proxy, in front of an editor that\n" + c.shows + ".")
	if err := o.replay("both", "plans", c, s.steps(c)); err != nil {
		return err
	}
	agent, title := "new", "Another agent: it speaks version 2 of the protocol, the editor version 1"
	if c.Version == 2 {
		agent, title = "old", "Another agent: it speaks version 1 of the protocol, the editor version 2"
	}
	s.heading(title)
	o.Proxy.Bridge, o.Proxy.ObserveAll = proxy.BridgeAuto, true
	return o.replay(agent, agent+"-agent", c, s.exchange)
}

func (s *screen) heading(text string) {
	text = "── " + text + " "
	s.println("")
	s.println(s.Paint(terminal.Bold, text+strings.Repeat("─", max(0, width-utf8.RuneCountInString(text)))))
}

func (s *screen) label(text string) { s.println("  " + s.Paint(terminal.Bold, text)) }

// json shows messages, each under the label and broken into lines between members and
// entries.
func (s *screen) json(label string, messages ...string) {
	for _, m := range messages {
		s.label(label)
		for _, line := range breakJSON(m, width-4) {
			s.println("    " + s.Paint(terminal.Dim, line))
		}
	}
}

// breakJSON breaks a JSON text into lines of at most limit characters. A line
// ends behind the last comma between members or entries, or else at the last
// space.
func breakJSON(text string, limit int) []string {
	var lines []string
	for utf8.RuneCountInString(text) > limit {
		head := text[:len(string([]rune(text)[:limit]))]
		end := max(strings.LastIndex(head, `,"`), strings.LastIndex(head, ",{")) + 1
		if end == 0 {
			end = strings.LastIndexByte(head, ' ') + 1
		}
		if end == 0 {
			end = len(head)
		}
		lines = append(lines, text[:end])
		text = text[end:]
	}
	return append(lines, text)
}

// steps returns a function that shows a plan message, and what became of it.
func (s *screen) steps(c client) func(proxy.Event) {
	number := 0
	shown := editor{Client: c.Client}
	return func(e proxy.Event) {
		s.heading(fmt.Sprintf("%d. %s", number+1, steps[number]))
		number++
		sent := updateIn(e.In)
		s.json("agent sent", sent)
		if len(e.Out) == 0 {
			s.label("client got nothing")
		}
		for m := range bytes.Lines(e.Out) {
			if got := updateIn(m); got == sent {
				s.label("client got the same")
			} else {
				s.json("client got", got)
			}
			shown.gets(m)
		}
		s.label("editor shows")
		if len(shown.plans) == 0 {
			s.println("    (no plan)")
		}
		for _, p := range shown.plans {
			for _, line := range p.lines(true) {
				s.println("    " + s.paint(line))
			}
		}
	}
}

// updateIn returns the update in a message, with the same path on each system.
func updateIn(record []byte) string {
	var m struct {
		Params struct{ Update json.RawMessage }
	}
	json.Unmarshal(record, &m)
	return strings.NewReplacer(fileScheme(), "file://", `C:\\tmp\\`, "/tmp/").Replace(string(m.Params.Update))
}

// exchange shows a message and what left in its place. It leaves out messages that
// passed as they are, and those about the session, which tell nothing.
func (s *screen) exchange(e proxy.Event) {
	from, to := "agent", "client"
	if e.FromClient {
		from, to = to, from
	}
	in := spoken(e.In)
	var out []string
	for m := range bytes.Lines(e.Out) {
		out = append(out, spoken(m))
	}
	switch {
	case strings.Contains(in, `"session/new"`) || strings.Contains(in, `"result":{"sessionId"`):
		return
	case in == "":
		s.json(to+" got from the proxy itself", out...)
		return
	case len(out) == 1 && out[0] == in:
		if strings.Contains(in, `"initialize"`) || strings.Contains(in, `"session/prompt"`) {
			s.json(from+" sent, and the "+to+" got", in)
		}
		return
	}
	s.json(from+" sent", in)
	if len(out) == 0 {
		s.label(to + " got nothing")
	}
	s.json(to+" got", out...)
}

// spoken returns a message without what all messages have.
func spoken(message []byte) string {
	return strings.Replace(string(bytes.TrimSpace(message)), `"jsonrpc":"2.0",`, "", 1)
}
