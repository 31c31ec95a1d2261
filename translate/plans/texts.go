package plans

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/plans/markdown"
	"acp-plan-proxy/transport/rawjson"
)

// A panel of entries is not the plan that a user is asked to approve. So with
// [MarkdownBoth] a legacy client also gets the text of a markdown plan, as a message of
// the agent, once the text is complete: before the next question of its session, at the
// end of the turn, or at the agent's end. Until then agents send a text again and again
// as it grows. What else the agent shows of a text does not count: most clients show
// neither the content nor the raw input of a tool call.

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
}

type sessionTexts struct {
	waiting []waitingText
	told    [][sha256.Size]byte // digests of those that were shown, the oldest first
}

type waitingText struct {
	plan planName
	text []byte
	path string // of the file with the text, "" if it is not known
}

func (w *waitingText) size() int { return len(w.text) + len(w.path) }

// digestOf returns what tells a text from others. How much of it is done does not.
func digestOf(text []byte) [sha256.Size]byte {
	return sha256.Sum256(markdown.WithoutStatuses(text))
}

// said notes the text that a plan has now; nil if it has none. It reports false if the
// text is too much to be kept.
func (t *texts) said(session string, w waitingText) bool {
	t.drop(session, w.plan)
	if len(bytes.TrimSpace(w.text)) == 0 {
		return true
	}
	s := t.session(session)
	if s == nil || len(w.text) > longestText || t.size+w.size() > maxTexts {
		return false
	}
	w.plan.id, w.text = strings.Clone(w.plan.id), bytes.Clone(w.text)
	s.waiting = append(s.waiting, w)
	t.size += w.size()
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
				t.size -= w.size()
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
			t.size -= w.size()
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
		t.said(session, w)
	}
}

// take returns the texts of a session that wait and were not shown before. They count as
// shown from now on.
func (t *texts) take(session string) (taken []waitingText) {
	s := t.sessions[session]
	if s == nil {
		return nil
	}
	for _, w := range s.waiting {
		t.size -= w.size()
		if digest := digestOf(w.text); !slices.Contains(s.told, digest) {
			s.keepTold(digest)
			taken = append(taken, w)
		}
	}
	s.waiting = nil
	return taken
}

// ShowsTexts reports whether the client may be shown texts at all, as messages or as
// entries. Then Complete matters.
func (t *Translator) ShowsTexts() bool {
	return t.client.Known() && t.client.Legacy() && (t.options.Markdown == MarkdownBoth || t.options.Markdown == MarkdownEntries)
}

// Complete returns the messages that the client gets before it is asked something in a
// session, or is told that a turn of it is over: the texts of its plans are complete.
func (t *Translator) Complete(session string) [][]byte {
	return append(t.complete(session), messages([]byte(session), t.texts.take(session))...)
}

// AgentEnded returns the messages that the client gets when the agent has ended, in the
// order of the sessions' names.
func (t *Translator) AgentEnded() (all [][]byte) {
	sessions := slices.AppendSeq(slices.Collect(maps.Keys(t.live.sessions)), maps.Keys(t.texts.sessions))
	slices.Sort(sessions)
	for _, session := range slices.Compact(sessions) {
		all = append(all, t.Complete(session)...)
	}
	return all
}

// messages returns a message of the agent for each text, with the path of its file if the
// text does not have it. Clients join a message to those around it, so empty lines keep it
// apart.
func messages(session []byte, texts []waitingText) (all [][]byte) {
	for _, w := range texts {
		text := bytes.TrimLeft(bytes.TrimRight(w.text, " \t\r\n"), "\r\n")
		if !bytes.Contains(text, []byte(w.path)) {
			text = slices.Concat(text, apart, []byte("Plan file: "+w.path))
		}
		var b rawjson.Builder
		b.JSON(`{"jsonrpc":"2.0","method":"session/update","params":{`)
		b.StringMember("sessionId", session)
		b.Name("update")
		b.JSON(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text"`)
		b.StringMember("text", slices.Concat(apart, text, apart))
		for range 4 {
			b.EndObject()
		}
		all = append(all, b.Out)
	}
	return all
}

var apart = []byte("\n\n")

// keepText notes the text of the plan that was changed, for a client that is to be
// shown it.
func (t *Translator) keepText(s *session, n planName, c content) {
	if t.options.Markdown == MarkdownBoth && t.ShowsTexts() && !t.texts.said(s.id, waitingText{n, c.text, c.path}) {
		t.out.lose(translate.LossPlanMemory, "the text of a plan is too long to be shown as a message")
	}
}
