package oldclient

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
)

// A troop is subagents of sessions without a Bridge.
type troop struct {
	*kit
	subagents
	sessions sessions
}

func newTroop(t *testing.T) *troop {
	k := &troop{kit: newKit(t, false)}
	l := &k.kit.link
	k.sessions = sessions{link: l, budget: &k.budget, shared: &k.shared, subagents: &k.subagents}
	k.subagents = subagents{link: l, sessions: &k.sessions}
	return k
}

// tells has the agent send an update in a session.
func (k *troop) tells(session, update string) {
	m := link.MessageOf([]byte(full(in(session, update))))
	var u link.Update
	if !u.Read(&m) {
		k.Fatalf("%s cannot be read", update)
	}
	if a := k.of(m.Session); a != nil {
		k.sessionUpdate(a, &u)
	} else {
		k.subagentUpdate(k.sessions.get(m.Session), &u)
	}
}

func announced(id string) string {
	return `{"sessionUpdate":"subagent_update","sessionId":"` + id + `","title":"T"}`
}

// says has a subagent say something, and waits until the client has it.
func (k *troop) says(session, id, text string) {
	k.tells(session, chunk("agent_message", id, text))
	k.after(time.Second)
	k.kit.shared.flushDue()
}

func TestSubagentsAreShown(t *testing.T) {
	k := newTroop(t)
	k.tells("s", announced("a"))
	k.wants("s tool_call subagent:a", "lost subagent")
	k.says("a", "m", "one ")
	k.wants("s tool_call_update subagent:a one ")

	// A subagent of a subagent is shown beside it.
	k.tells("a", announced("b"))
	k.wants("s tool_call subagent:b", "lost subagent")
	k.says("b", "m", "two")
	k.wants("s tool_call_update subagent:b two")

	// Another message begins on a line of its own, one that goes on does not, and what
	// the subagent does has a line, once.
	k.says("a", "n", "x")
	k.says("a", "m", "y")
	k.tells("a", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}`)
	k.tells("a", `{"sessionUpdate":"tool_call_update","toolCallId":"t","title":"Read"}`)
	k.says("a", "m", "z")
	k.wants(`s tool_call_update subagent:a one \nxy\n• Read\nz`)

	// A tool call that the client was asked about is shown as it is.
	k.sessions.find("s").toolCalls.get(k.callID([]byte("a"), []byte("u")))
	k.tells("a", `{"sessionUpdate":"tool_call_update","toolCallId":"u","title":"Write"}`)
	k.wants("s tool_call a/u")

	// What the client opens is not shown twice.
	k.sessions.get([]byte("b")).opened = true
	if string(k.shownIn([]byte("b"))) != "b" || string(k.callID([]byte("b"), []byte("t"))) != "t" {
		t.Error("a session that the client has opened is shown in another")
	}
	k.forget("s")
	if string(k.shownIn([]byte("a"))) != "a" || k.all.Len() != 0 {
		t.Errorf("%d subagents are kept", k.all.Len())
	}
}

func TestSubagentsAreBounded(t *testing.T) {
	k := newTroop(t)
	k.tells("s", announced("0"))
	k.tells("s", announced("1"))
	// The last of what a subagent says is shown.
	a := k.all.Get("1")
	for range 5 {
		k.says("1", "m", strings.Repeat("x", maxSubagentText/2+1))
		if len(a.said) > 2*maxSubagentText || len(a.last()) > maxSubagentText {
			t.Fatalf("%d bytes are kept, %d shown", len(a.said), len(a.last()))
		}
	}
	k.after(0)
	k.says("1", "m", "y")
	k.wants(fmt.Sprintf("s tool_call_update subagent:1 %d×x", maxSubagentText-1))

	// What it has said may go, but not that it is one.
	s := k.sessions.find("s")
	s.toolCalls.get([]byte("t")).kept.Count(keep.PerSession - 10<<10)
	if k.budget.Settle(); a.said != nil || !k.all.Has("0") || !k.all.Has("1") || s.kept.Used() > keep.PerSession+keep.SessionCost {
		t.Errorf("%d subagents are kept, with %d bytes", k.all.Len(), len(a.said))
	}
	k.says("1", "m", "z")
	if string(a.said) != "z" || a.kept == nil {
		t.Errorf("the subagent has said %q", a.said)
	}
}
