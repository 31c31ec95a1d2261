package v1agent

import (
	"slices"

	"acp-plan-proxy/translate/versions/shapes"
	"acp-plan-proxy/transport/rawjson"
)

// States of a session as reported to the client. Version 1 has none.
const (
	idle           = "idle"
	running        = "running"
	requiresAction = "requires_action"
)

// tellState reports the state of the session.
func (s *session) tellState(state string) {
	s.state = state
	s.beginUpdate("state_update").Texts("state", state)
	s.link.SendUpdate()
}

// tellProgress reports to the client whether the turn waits for an answer of the user, if that has
// changed.
func (s *session) tellProgress() {
	t := s.turn
	if t == nil || !t.isInserted() || t.isCancelled() {
		return
	}
	state := running
	if slices.ContainsFunc(s.questions, func(q *question) bool { return q.turn == t }) {
		state = requiresAction
	}
	if s.state != state {
		s.tellState(state)
	}
}

// tellEnd reports that the session is idle, with the stop reason and the members of the prompt's raw
// result, which may be nil. failure is the raw error for the reason "error".
func (s *session) tellEnd(stopReason string, failure, result []byte) {
	s.state = idle
	w := s.beginUpdate("state_update")
	w.Texts("state", idle)
	if stopReason != "" {
		w.Texts("stopReason", stopReason)
	}
	if stopReason == "error" {
		w.Name("error")
		shapes.TurnError(w, failure)
	}
	scratch := s.link.Scratch()
	shapes.TurnEnd.ToV2(scratch, rawjson.Members(result))
	w.CopyOthers(rawjson.Members(scratch.Out))
	s.link.SendUpdate()
}
