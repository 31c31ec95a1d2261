package v1agent

import (
	"acp-plan-proxy/translate/versions/words"
	"acp-plan-proxy/transport/rawjson"
)

// A state is what the client is told that a session is in. Version 1 has none.
type state string

// The states.
const (
	idle           state = "idle"
	running        state = "running"
	requiresAction state = "requires_action"
)

// tellState tells the client what state the session is in.
func (s *session) tellState(to state) {
	s.state = to
	s.link.UpdateWith([]byte(s.id), "state_update").StringMember("state", []byte(to))
	s.link.SendUpdate()
}

// tellProgress tells the client whether a turn waits for an answer to a question.
func (s *session) tellProgress() {
	t := s.turn
	if t == nil || !t.isInserted() || t.isCancelled() {
		return
	}
	to := running
	if s.isAsked(t) {
		to = requiresAction
	}
	if s.state != to {
		s.tellState(to)
	}
}

// tellEnd tells the client that the session is idle, and why: with the raw error of an
// "error", and what the result of the prompt has, which may be nil.
func (s *session) tellEnd(stopReason string, failure, result []byte) {
	s.state = idle
	w := s.link.UpdateWith([]byte(s.id), "state_update")
	w.StringMember("state", []byte(idle))
	if stopReason != "" {
		w.StringMember("stopReason", []byte(stopReason))
	}
	if stopReason == "error" {
		w.Name("error")
		words.WriteError(w, failure, noAnswer)
	}
	var buf [8]rawjson.Field
	o, _ := rawjson.ReadObject(buf[:0], result)
	trial := s.link.Trial()
	if usage := o.Get("usage"); usage != nil && words.Usage.Write(trial, usage) {
		w.Member("usage", trial.Out)
	}
	if meta := o.Get("_meta"); meta != nil && meta[0] == '{' {
		w.Member("_meta", meta)
	}
	s.link.SendUpdate()
}
