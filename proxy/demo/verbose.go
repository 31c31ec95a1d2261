package demo

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/proxy/recording/play"
	"acp-plan-proxy/proxy/terminal"
	"acp-plan-proxy/translate/vendors"
)

const width = 80

// verbose prints the messages of each scene, and the screen of the editor at the end.
func (o Options) verbose(s *screen, c client) error {
	s.println("Recorded agents behind acp-plan-proxy, in front of an editor that\n" + c.shows + ".")
	o.Proxy.Bridge, o.Proxy.Vendors, o.Proxy.ObserveAll, o.Proxy.Observe = conversation.BridgeAuto, vendors.Auto, true, s.exchange
	for _, scene := range scenes {
		if scene.client != "" && scene.client != c.name {
			continue
		}
		s.heading(scene.title)
		_, shown, err := watch(play.Builtin(scene.recording), c.Client, o.Proxy)
		if err != nil {
			return err
		}
		s.label("editor shows")
		lines := shown.turn(width - 4)
		if scene.client == "" {
			lines = shown.plan(width - 4)
		}
		for _, line := range lines {
			s.println("    " + s.paint(line))
		}
	}
	return nil
}

func (s *screen) heading(text string) {
	text = "── " + text + " "
	s.println("")
	s.println(s.Paint(terminal.Bold, text+strings.Repeat("─", max(0, width-utf8.RuneCountInString(text)))))
}

func (s *screen) label(text string) { s.println("  " + s.Paint(terminal.Bold, text)) }

// json prints messages, each under a label and in several lines.
func (s *screen) json(label string, messages ...string) {
	for _, m := range messages {
		s.label(label)
		for _, line := range breakJSON(m, width-4) {
			s.println("    " + s.Paint(terminal.Dim, line))
		}
	}
}

// breakJSON breaks a JSON text into lines of at most limit characters: after the last comma
// between members or elements, or else after the last space.
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

// exchange prints a message and its translation. Of unchanged messages it prints only plans.
func (s *screen) exchange(e conversation.Event) {
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
	case in == "":
		s.json(to+" got from the proxy itself", out...)
		return
	case len(out) == 1 && out[0] == in:
		if strings.Contains(in, `"sessionUpdate":"plan`) {
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

// spoken returns a message without its jsonrpc member, and with Unix paths on every system.
func spoken(message []byte) string {
	return strings.NewReplacer(`"jsonrpc":"2.0",`, "", fileScheme(), "file://", `C:\\tmp\\`, "/tmp/").Replace(string(bytes.TrimSpace(message)))
}
