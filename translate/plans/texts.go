package plans

import (
	"bytes"
	"crypto/sha256"
	"math"
	"slices"
	"strconv"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// An agent sends the text of a markdown plan again and again as it writes it. Meanwhile a
// legacy client is shown the entries that package markdown is sure of. The text is
// complete before the next question of its session, at the end of the turn, and at the
// agent's end. Then the client is shown the entries of the whole text.
//
// A panel of entries is not the plan that a user is asked to approve. So with
// [MarkdownBoth] the client then also gets the text, as a message of the agent. What else
// the agent shows of the text does not count: most clients show neither the content nor
// the raw input of a tool call.

// longestText is how many bytes of a text are kept, and how many are read for its steps:
// as many as a plan file may have.
const longestText = 1 << 20

// A planText is the text of a markdown plan.
type planText struct {
	raw      []byte // the JSON string; empty if there is none, or it is too long
	path     string // of the file with the text, "" if it is not known
	growth   markdown.Growth
	complete bool // the client has got what it gets of a complete text
}

// begins reports whether another text, a JSON string, goes on from t.
func (t *planText) begins(raw []byte) bool {
	const quotes = 2
	return len(t.raw) > quotes && bytes.HasPrefix(raw, t.raw[:len(t.raw)-1])
}

// tell notes that the client is told a text. It reports false if it has been told before.
// How much of a text is done makes no other text of it.
func (s *session) tell(text []byte) bool {
	digest := sha256.Sum256(markdown.WithoutStatuses(text))
	if s.told.Has(string(digest[:])) {
		return false
	}
	s.told.Keep(s.share, string(digest[:]), true, nil)
	return true
}

// completesTexts reports whether complete matters.
func (s *Stage) completesTexts() bool {
	return s.client.Known() && s.client.Legacy() && (s.grows() || s.client.PlanCards)
}

// follows sends what the client gets before a message about something else than plans
// in a session.
func (s *Stage) follows(id []byte) {
	if s.live.waits[string(id)] {
		s.sendList(s.live.sessions[string(id)])
	}
}

// complete sends what the client gets before it is asked something in a session, or is
// told that a turn of it is over: the texts of the session are complete.
func (s *Stage) complete(id string) {
	in := s.live.sessions[id]
	if in == nil || !s.client.Legacy() {
		return
	}
	var texts []*planText
	before := s.appendEntries(nil, in)
	for _, p := range in.plans {
		t := p
		if t.text.complete || len(t.text.raw) == 0 || !s.grows() {
			continue
		}
		texts = append(texts, &t.text)
		if c := s.renderWhole(&t.text); !c.entries.empty() {
			t.entries.copyFrom(&c.entries)
			p.shown = true
		}
	}
	if in.waits[id] || !bytes.Equal(before, s.appendEntries(nil, in)) {
		s.sendList(in)
	}
	if s.options.Markdown == MarkdownBoth {
		for _, t := range texts {
			s.sendText(in, rawjson.Unquote(t.raw), t.path)
		}
	}
	for _, p := range in.plans {
		p.count()
	}
}

// SaysTexts returns how many bytes of JSON the text of a markdown plan may have, so that
// the client is shown it as a plan, or as a message before it is asked something.
func (s *Stage) SaysTexts() int {
	switch {
	case s.shows(capabilities.Markdown):
		return math.MaxInt
	case s.client.Legacy() && s.options.Markdown == MarkdownBoth:
		return longestText
	}
	return 0
}

// sendText sends a message of the agent that says a text, unless it was said before: with
// the path of its file, if the text does not have that. Clients join the message to those
// around it, so empty lines keep it apart.
func (s *Stage) sendText(in *session, text []byte, path string) {
	text = bytes.TrimLeft(bytes.TrimRight(text, " \t\r\n"), "\r\n")
	if len(text) == 0 || !in.tell(text) {
		return
	}
	if !bytes.Contains(text, []byte(path)) {
		text = slices.Concat(text, apart, []byte("Plan file: "+path))
	}
	s.sendOwn(translate.Update(in.id, "agent_message_chunk", func(b *rawjson.Builder) {
		if s.client.AnyEntry { // version 2, which numbers messages
			s.messages++
			b.StringMember("messageId", []byte("acp-plan-proxy/plan-"+strconv.Itoa(s.messages)))
		}
		b.Name("content")
		b.JSON(`{"type":"text"`)
		b.StringMember("text", slices.Concat(apart, text, apart))
		b.EndObject()
	}))
}

var apart = []byte("\n\n")
