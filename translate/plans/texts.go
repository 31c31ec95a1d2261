package plans

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A panel of entries is not the plan that a user is asked to approve. So with
// [MarkdownBoth] a legacy client also gets the text of a markdown plan, as a message of
// the agent, once the text is complete: before the next question of its session, at the
// end of the turn, or at the agent's end. Until then agents send a text again and again
// as it grows.

const (
	maxTexts    = 4 << 20 // bytes of texts that wait
	maxTold     = 64      // texts of a session that are known to have been shown
	maxOfTexts  = 256     // sessions with such texts
	longestText = 1 << 20 // bytes of a text that is shown
)

// texts are the texts of markdown plans that the client has not been shown.
type texts struct {
	sessions map[string]*sessionTexts
	size     int // bytes of those that wait
	waiting  int // how many wait
}

type sessionTexts struct {
	waiting []waitingText
	told    [][sha256.Size]byte // digests of those that were shown, the oldest first
}

type waitingText struct {
	plan planName
	text []byte
}

func digestOf(text []byte) [sha256.Size]byte { return sha256.Sum256(bytes.TrimSpace(text)) }

// said notes the text that a plan has now; nil if it has none. A text that was shown
// is not shown again. It reports false if the text is too much to be kept.
func (t *texts) said(session string, plan planName, text []byte) bool {
	t.drop(session, plan)
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	s := t.session(session)
	switch {
	case s == nil:
		return false
	case slices.Contains(s.told, digestOf(text)):
		return true
	}
	if len(text) > longestText || t.size+len(text) > maxTexts {
		return false
	}
	s.waiting = append(s.waiting, waitingText{planName{strings.Clone(plan.id), plan.given}, bytes.Clone(text)})
	t.size += len(text)
	t.waiting++
	return true
}

// session returns what is known of a session, nil if there are too many sessions.
func (t *texts) session(id string) *sessionTexts {
	s := t.sessions[id]
	if s == nil && len(t.sessions) < maxOfTexts {
		if t.sessions == nil {
			t.sessions = make(map[string]*sessionTexts)
		}
		s = &sessionTexts{}
		t.sessions[strings.Clone(id)] = s
	}
	return s
}

// tell notes that the client has been shown a text.
func (s *sessionTexts) tell(text []byte) { s.keepTold(digestOf(text)) }

func (s *sessionTexts) keepTold(digest [sha256.Size]byte) {
	s.told = append(s.told, digest)
	if len(s.told) > maxTold {
		s.told = slices.Delete(s.told, 0, len(s.told)-maxTold)
	}
}

// drop forgets the text of a plan that waits.
func (t *texts) drop(session string, plan planName) {
	if s := t.sessions[session]; s != nil {
		s.waiting = slices.DeleteFunc(s.waiting, func(w waitingText) bool {
			if w.plan == plan {
				t.size -= len(w.text)
				t.waiting--
			}
			return w.plan == plan
		})
	}
}

// forget forgets a session. It returns what was known of it, nil if nothing was.
func (t *texts) forget(session string) *sessionTexts {
	s := t.sessions[session]
	if s != nil {
		for _, w := range s.waiting {
			t.size -= len(w.text)
			t.waiting--
		}
		delete(t.sessions, session)
	}
	return s
}

// restore takes forget back. What was said since is said again.
func (t *texts) restore(session string, before *sessionTexts) {
	if before == nil {
		return
	}
	since := t.forget(session)
	s := t.session(session)
	if s == nil {
		return
	}
	s.told = before.told
	said := before.waiting
	if since != nil {
		said = append(said, since.waiting...)
		for _, digest := range since.told {
			s.keepTold(digest)
		}
	}
	for _, w := range said {
		t.said(session, w.plan, w.text)
	}
}

// take returns the texts of a session that wait, which count as shown from now on.
// Those that has reports to be shown anyway are left out.
func (t *texts) take(session string, has func(text []byte) bool) (taken [][]byte) {
	s := t.sessions[session]
	if s == nil {
		return nil
	}
	for _, w := range s.waiting {
		t.size -= len(w.text)
		t.waiting--
		s.tell(w.text)
		if !has(w.text) {
			taken = append(taken, w.text)
		}
	}
	s.waiting = nil
	return taken
}

// TextsWait reports whether the client is still to be shown the text of a plan. Then
// Shown matters.
func (t *Translator) TextsWait() bool { return t.texts.waiting > 0 }

// ShowsTexts reports whether the client may be shown texts at all, as messages or as
// entries. Then Asked and TurnEnded matter.
func (t *Translator) ShowsTexts() bool {
	return t.client.Known() && t.client.Legacy() && (t.options.Markdown == MarkdownBoth || t.options.Markdown == MarkdownEntries)
}

// Asked returns the messages that the client gets before it is asked something in a
// session, with these raw params. A text that they show needs no message, not even if
// the plan comes later: some agents send it when it is approved.
func (t *Translator) Asked(session, params []byte) [][]byte {
	taken := t.texts.take(string(session), func(text []byte) bool { return shows(params, text) })
	if s := t.texts.session(string(session)); s != nil && t.options.Markdown == MarkdownBoth {
		var c rawjson.Cursor
		c.Reset(params)
		anyString(&c, func(raw []byte) bool {
			const shortest = 64 // bytes of a text that is taken for a plan
			if len(raw) >= shortest {
				s.tell(rawjson.Unquote(raw))
			}
			return false
		})
	}
	return append(t.complete(string(session)), messages(session, "", taken)...)
}

// Shown notes that the client is shown something in a session, with these raw params.
// A text in it needs no message.
func (t *Translator) Shown(session, params []byte) {
	s := t.texts.sessions[string(session)]
	if s == nil {
		return
	}
	for _, w := range slices.Clone(s.waiting) {
		if shows(params, w.text) {
			t.texts.drop(string(session), w.plan)
			s.tell(w.text)
		}
	}
}

// TurnEnded returns the messages that the client gets before it is told that a turn of
// the session is over.
func (t *Translator) TurnEnded(session string) [][]byte {
	return append(t.complete(session), messages([]byte(session), "\n\n", t.texts.take(session, func([]byte) bool { return false }))...)
}

// AgentEnded returns the messages that the client gets when the agent has ended, in the
// order of the sessions' names.
func (t *Translator) AgentEnded() (all [][]byte) {
	sessions := slices.AppendSeq(slices.Collect(maps.Keys(t.live.sessions)), maps.Keys(t.texts.sessions))
	slices.Sort(sessions)
	for _, session := range slices.Compact(sessions) {
		all = append(all, t.TurnEnded(session)...)
	}
	return all
}

// messages returns a message of the agent for each text. What comes before keeps it
// apart from a message that the agent may just have said.
func messages(session []byte, before string, texts [][]byte) (all [][]byte) {
	for _, text := range texts {
		var b rawjson.Builder
		b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
		b.StringMember("sessionId", session)
		b.Name("update")
		b.JSON(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text"`)
		b.StringMember("text", append([]byte(before), text...))
		for range 4 {
			b.EndObject()
		}
		all = append(all, b.Out)
	}
	return all
}

// shows reports whether a string in a raw value has the text in it.
func shows(value, text []byte) bool {
	text = bytes.TrimSpace(text)
	var c rawjson.Cursor
	c.Reset(value)
	return anyString(&c, func(s []byte) bool { return len(s) >= len(text) && bytes.Contains(rawjson.Unquote(s), text) })
}

// anyString reports whether f is true for one of the strings, with their quotes, in the
// value that is next in c. It then stops there.
func anyString(c *rawjson.Cursor, f func(raw []byte) bool) bool {
	switch c.Kind() {
	case '{':
		for more := c.Object(); more; more = c.NextMember() {
			c.Name()
			if anyString(c, f) {
				return true
			}
		}
	case '[':
		for more := c.Array(); more; more = c.NextElement() {
			if anyString(c, f) {
				return true
			}
		}
	case '"':
		return f(c.Value())
	default:
		c.Skip()
	}
	return false
}

// keepText notes the text of the plan that was changed, for a client that is to be
// shown it.
func (t *Translator) keepText(s *session, n planName, text []byte) {
	if t.options.Markdown == MarkdownBoth && t.ShowsTexts() && !t.texts.said(s.id, n, text) {
		t.out.lose(translate.LossPlanMemory, "the text of a plan is too long to be shown as a message")
	}
}
