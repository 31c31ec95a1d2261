package plans

import (
	"bytes"
	"strconv"

	"acp-plan-proxy/capabilities"
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// An agent may send a markdown plan repeatedly while the text grows. A legacy client's list then
// stays unchanged until the text is complete: until any other message of the session, or the
// end of the turn.
//
// A list of entries is not the plan that a user is asked to approve. With [MarkdownBoth], such a
// client therefore receives each complete text as a message of the agent, too: before the
// agent's next question, at the end of the turn, or when the agent has ended.

// longestText limits the bytes of a text that the proxy keeps, as JSON, or reads for its steps. It
// is the size limit of a plan file, too.
const longestText = 1 << 20

// A planText is the text of a markdown plan.
type planText struct {
	raw  []byte // the JSON string; empty if there is none, or it is too long
	path string // of the file with the text, "" if unknown
	sent bool   // flushTexts has sent the text, or the client had received it before
}

// growsTo reports whether another text, a JSON string, begins with t or is the same.
func (t *planText) growsTo(raw []byte) bool {
	return len(t.raw) > len(`""`) && bytes.HasPrefix(raw, t.raw[:len(t.raw)-1])
}

// flushList sends the list of a session, if it is unsent, before a message that does not concern plans.
func (s *Stage) flushList(id []byte) {
	if sess := s.live.unsentLists[string(id)]; sess != nil {
		s.renderOutdated(sess, nil)
		delete(s.live.unsentLists, sess.id)
		if sess.changed {
			s.sendList(sess)
		}
	}
}

// flushTexts sends the list and the texts of a session to a client without markdown plans,
// before the agent's next question or the end of the turn. A text that the user is asked to
// approve is sent with any [Markdown].
func (s *Stage) flushTexts(id string) {
	sess := s.live.sessions.Get(id)
	if sess == nil || s.shows(capabilities.Markdown) {
		return
	}
	both := s.client.Legacy() && s.options.Markdown == MarkdownBoth
	s.flushList([]byte(id))
	for _, p := range sess.plans {
		if t := &p.text; !t.sent && len(t.raw) > 0 && (both || p.isOwn) {
			t.sent = true
			s.sendText(sess, rawjson.Unquote(t.raw), t.path)
		}
	}
}

// sendText sends a text as a message of the agent, unless the client has received the same text
// before. It appends the path of the file, which may be "", unless the text contains it.
func (s *Stage) sendText(sess *session, text []byte, path string) {
	text = bytes.TrimLeft(bytes.TrimRight(text, " \t\r\n"), "\r\n")
	if len(text) == 0 || !sess.recordText(text) {
		return
	}
	if !bytes.Contains(text, []byte(path)) {
		text = append(bytes.Clone(text), "\n\nPlan file: "+path...)
	}
	id := ""
	if s.client.Version2 {
		s.textCount++
		id = "acp-plan-proxy/plan-" + strconv.Itoa(s.textCount)
	}
	s.sendOwn(translate.TextMessage(sess.id, id, string(text)))
}
