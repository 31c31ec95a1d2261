package plans

import (
	"slices"

	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// An agent sends a text again and again as it writes it. Meanwhile a legacy client is
// shown what package markdown is sure of, and when the text is complete what the whole
// of it shows: before the next question of its session, at the end of the turn, or at
// the agent's end.

// growthOf returns how far the text of the plan that an agent calls n has grown; nil if
// texts are shown at once.
func (t *Translator) growthOf(s *session, n planName) *markdown.Growth {
	if !t.ShowsTexts() {
		return nil
	}
	if p := s.find(n); p != nil {
		return &p.growth
	}
	return &markdown.Growth{}
}

// complete takes the texts of a session for complete. It returns the message that shows
// what changes by that, if anything does.
func (t *Translator) complete(id string) [][]byte {
	w, ok := t.writer.(*legacyWriter)
	s := t.live.find(id)
	if !ok || s == nil {
		return nil
	}
	changed := s.complete()
	if len(changed) == 0 {
		return nil
	}
	t.live.count(s)
	shown := w.contributing(s)
	visible := false
	for _, p := range changed {
		p.shown = true
		visible = visible || slices.Contains(shown, p)
	}
	if !visible {
		return nil
	}
	var b rawjson.Builder
	b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
	b.StringMember("sessionId", []byte(id))
	b.Name("update")
	b.JSON(`{"sessionUpdate":"plan",`)
	b.Out = w.appendEntries(b.Out, s)
	for range 3 {
		b.EndObject()
	}
	return [][]byte{b.Out}
}
