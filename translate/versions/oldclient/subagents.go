package oldclient

import "acp-plan-proxy/transport/rawjson"

// isChild reports whether a session is one of a subagent.
func (b *Bridge) isChild(session []byte) bool { return false }

// shownIn returns the session in which the client is shown what belongs to a
// session: that itself, or the one that a subagent works for.
func (b *Bridge) shownIn(session []byte) []byte { return session }

// prefixed returns the id of a tool call as the client knows it.
func (b *Bridge) prefixed(params rawjson.Object, id []byte) []byte { return id }
