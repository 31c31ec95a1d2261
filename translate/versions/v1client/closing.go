package v1client

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A request to close or delete a session cancels its prompts, unless it fails. When it
// has not, the prompts that the agent has forgotten by that are answered.

// closeSession handles session/close and session/delete.
func (t *openings) closeSession(m *jsonrpc.Message) {
	var cancelled []*prompt
	if s := t.sessions.find(string(m.Session)); s != nil {
		cancelled = s.turns.closing()
	}
	t.link.Ask(translate.Agent, m, "", link.SameParams(m), link.Request{
		Answered: func(c *link.Call, m *jsonrpc.Message) { t.sessionClosed(c, m, cancelled) },
	})
}

// sessionClosed handles the answer to session/close or session/delete, which has
// cancelled these prompts.
func (t *openings) sessionClosed(c *link.Call, m *jsonrpc.Message, cancelled []*prompt) {
	if !rawjson.Null(link.ErrorOf(m)) {
		notClosed(cancelled)
	} else if s := t.sessions.find(c.Asked.Session); s != nil {
		s.toolCalls.flush()
		t.prompts.closed(s)
		t.sessions.drop(s)
	}
	answeredAs(t.link, words.Object{})(c, m)
}
