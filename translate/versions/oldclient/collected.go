package oldclient

import (
	"slices"
	"time"

	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// All of a content is sent each time, so content that grows item by item is collected
// for a while:
//
//	                    sent as a whole, or with a change
//	the client has it ◄────────────────────────────────── collected, due
//	                  ──────────────────────────────────►
//	                    an item is added, a terminal or
//	                    a subagent in it says something
//
// The more it is, the longer that takes. Something else that the session says has small
// content leave first.

const (
	smallContent    = 2 << 10 // content that is cheap to send again
	collectContent  = 100 * time.Millisecond
	collectTerminal = 250 * time.Millisecond
)

// contents are what the tool calls of all sessions share.
type contents struct {
	link      *link.Link
	subagents *subagents

	waiting []*toolCalls // those of sessions in which content is due

	// Scratch:
	members [16]rawjson.Field // of a change
	fields  [8]rawjson.Field  // of an item
	item    words.Writer      // an item
	content rawjson.Builder   // see contentMember, forgetWritten
	diffs   diffs
}

// collect has the content sent again in a while. The more it is, the longer.
func (t *toolCalls) collect(c *toolCall, patience time.Duration) {
	const unit = 64 << 10
	if c.due.IsZero() {
		c.due = t.link.Now().Add(patience * time.Duration(1+c.size/unit))
		t.lacking = append(t.lacking, c)
	}
	t.waitUntil(t, c.due)
}

// waitUntil notes that content of the session waits to be sent, at the latest at that
// time.
func (k *contents) waitUntil(t *toolCalls, due time.Time) {
	if t.due.IsZero() {
		k.waiting = append(k.waiting, t)
		t.due = due
	} else if due.Before(t.due) {
		t.due = due
	}
}

// nothingWaits notes that no content of the session waits to be sent.
func (k *contents) nothingWaits(t *toolCalls) {
	if !t.due.IsZero() {
		t.due = time.Time{}
		k.waiting = slices.DeleteFunc(k.waiting, func(w *toolCalls) bool { return w == t })
	}
}

// sent notes that the client has all content of a tool call.
func (t *toolCalls) sent(c *toolCall) {
	if c.due.IsZero() {
		return
	}
	c.due = time.Time{}
	t.lacking = slices.DeleteFunc(t.lacking, func(l *toolCall) bool { return l == c })
	if len(t.lacking) == 0 {
		t.nothingWaits(t)
	}
}

// sendContent sends the content of a tool call.
func (t *toolCalls) sendContent(c *toolCall) {
	t.sent(c)
	kind := "tool_call_update"
	if !c.announced {
		kind = "tool_call"
		if c.title == nil {
			c.title = []byte("Tool call")
		}
	}
	w := t.link.UpdateWith(t.session, kind)
	if !c.announced {
		c.announced = true
		w.StringMember("title", c.title)
	}
	w.StringMember("toolCallId", []byte(c.id))
	w.Name("content")
	c.write(&w.Builder, t.terminals, c.title, nil)
	var beside rawjson.Object
	if c.added != nil {
		beside = beside.Set("_meta", c.added)
		c.added = nil
	}
	c.count()
	w.Member("_meta", t.terminals.introduced(c, beside).Get("_meta"))
	t.link.SendUpdate()
}

// flush sends everything that was collected for the session.
func (t *toolCalls) flush() {
	for len(t.lacking) > 0 {
		t.sendContent(t.lacking[0])
	}
}

// flushSmall sends what was collected before something else of the session is
// sent. What is large waits for its time: else a session that says two things
// in turns would send all of the content with each.
func (t *toolCalls) flushSmall() {
	if len(t.lacking) == 0 {
		return
	}
	for _, c := range slices.Clone(t.lacking) {
		if c.size <= smallContent && c.size+c.liveSize() <= smallContent {
			t.sendContent(c)
		}
	}
}

// flushDue sends what has waited long enough in all sessions.
func (k *contents) flushDue() {
	for _, t := range slices.Clone(k.waiting) {
		if !t.due.After(k.link.Now()) {
			t.flushDue()
		}
	}
}

// flushDue sends what has waited long enough.
func (t *toolCalls) flushDue() {
	for _, c := range slices.Clone(t.lacking) {
		if !c.due.After(t.link.Now()) {
			t.sendContent(c)
		}
	}
	t.nothingWaits(t)
	for _, c := range t.lacking {
		t.waitUntil(t, c.due)
	}
}

// next returns when content has waited long enough; zero if none waits.
func (k *contents) next() (next time.Time) {
	for _, t := range k.waiting {
		next = link.Earliest(next, t.due)
	}
	return next
}

// contentMember returns the content of a tool call for version 1, see content.write, as
// a member of an update. It is valid until the next call, or until forgetWritten is called.
func (k *contents) contentMember(c *toolCall, shown *terminals, question []byte) rawjson.Field {
	const name = "content"
	w := &k.content
	w.Reset()
	w.Name(name)
	value := len(w.Out)
	c.write(w, shown, c.title, question)
	return rawjson.Field{Name: []byte(name), Value: w.Out[value:], Text: w.Out}
}

// forgetWritten forgets what contentMember returned. What is large is not kept.
func (k *contents) forgetWritten() { k.content.Reset() }
