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

const longestText = 1 << 20 // bytes of a text that is kept

// A planText is the text of a markdown plan.
type planText struct {
	raw      []byte          // the JSON string; empty if there is none, or it is too long
	path     string          // of the file with the text, "" if it is not known
	goesOn   bool            // it goes on from the text that the plan had
	from     markdown.Growth // of the text that it goes on from
	growth   markdown.Growth
	complete bool // the client has got what it gets of a complete text
}

// begins reports whether another text, a JSON string, goes on from t, which may be nil.
func (t *planText) begins(raw []byte) bool {
	const quotes = 2
	return t != nil && len(t.raw) > quotes && bytes.HasPrefix(raw, t.raw[:len(t.raw)-1])
}

// set makes t a copy of another text.
func (t *planText) set(to planText) {
	if cap(t.raw) > 4*len(to.raw)+4096 {
		t.raw = nil
	}
	to.raw = append(t.raw[:0], to.raw...)
	*t = to
}

// textOf returns the text of the plan that the agent calls n, nil if that is not live.
func (s *session) textOf(n planName) *planText {
	if p := s.find(n); p != nil {
		return &p.text
	}
	return nil
}

// tell notes that the client is told a text. It reports false if it has been told before.
// How much of a text is done makes no other text of it.
func (s *session) tell(text []byte) bool {
	digest := sha256.Sum256(markdown.WithoutStatuses(text))
	if s.told.Has(string(digest[:])) {
		return false
	}
	s.told.Keep(s.kept, string(digest[:]), true, nil)
	return true
}

// completesTexts reports whether complete matters.
func (s *Stage) completesTexts() bool {
	return s.client.Known() && s.client.Legacy() && (s.renderer.grows() || s.client.PlanCards)
}

// follows returns what the client gets before a message about something else than plans
// in a session, nil for nothing.
func (s *Stage) follows(session []byte) [][]byte {
	if w, ok := s.writer.(*legacyWriter); ok && s.live.waits[string(session)] {
		if in := s.live.sessions[string(session)]; w.isNew(in) {
			return [][]byte{w.list(in)}
		}
	}
	return nil
}

// complete returns the messages that the client gets before it is asked something in a
// session, or is told that a turn of it is over: the texts of the session are complete.
func (s *Stage) complete(id string) (all [][]byte) {
	w, ok := s.writer.(*legacyWriter)
	in := s.live.sessions[id]
	if in == nil || !ok {
		return nil
	}
	var changed []*plan
	for _, p := range in.plans {
		if p.text.complete || len(p.text.raw) == 0 || !s.renderer.grows() {
			continue
		}
		if c := s.renderer.complete(&p.text); !c.entries.empty() && !bytes.Equal(c.entries.text, p.entries.text) {
			p.entries.moveFrom(c.entries)
			p.shown = true
			changed = append(changed, p)
		}
		if s.options.Markdown == MarkdownBoth {
			all = s.appendMessage(all, in, rawjson.Unquote(p.text.raw), p.text.path)
		}
	}
	shown := w.contributing(in)
	isShown := func(p *plan) bool { return slices.Contains(shown, p) }
	if (slices.ContainsFunc(changed, isShown) || in.waits[id]) && w.isNew(in) {
		all = slices.Insert(all, 0, w.list(in))
	}
	in.count()
	return all
}

// SaysTexts returns how many bytes of JSON the text of a markdown plan may have, so that
// the client is shown it as a plan, or as a message before it is asked something.
func (s *Stage) SaysTexts() int {
	switch {
	case s.client.Shows&capabilities.Markdown != 0:
		return math.MaxInt
	case s.client.Legacy() && s.options.Markdown == MarkdownBoth:
		return longestText
	}
	return 0
}

// appendMessage appends a message of the agent that says a text, unless it was said
// before: with the path of its file, if the text does not have that. Clients join the
// message to those around it, so empty lines keep it apart.
func (s *Stage) appendMessage(all [][]byte, in *session, text []byte, path string) [][]byte {
	text = bytes.TrimLeft(bytes.TrimRight(text, " \t\r\n"), "\r\n")
	if len(text) == 0 || !in.tell(text) {
		return all
	}
	if !bytes.Contains(text, []byte(path)) {
		text = slices.Concat(text, apart, []byte("Plan file: "+path))
	}
	return append(all, translate.Update(in.id, "agent_message_chunk", func(b *rawjson.Builder) {
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
