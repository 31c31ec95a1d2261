package v1agent

import (
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// A replay is what an agent repeats of a session while it is loaded, and of the sessions of
// subagents that are announced in it. The client is told where the replay of a session ends,
// if it has asked for one.
type replay struct {
	loads  bool       // it comes from session/load; session/resume repeats nothing
	wanted bool       // by the client
	of     []*session // the one that is loaded, and those of subagents
}

// A history is what was repeated of a session in its replay.
type history struct {
	ids   keep.Map[string] // of messages whose first chunk came, for the client; by kind and the agent's id
	count map[string]int   // how many ids were made up, by kind
	given int              // where the ids of messages that come are looked for in those of the session
}

// repeats reports whether there is a replay, and the agent repeats something in it.
func (r *replay) repeats() bool { return r != nil && r.loads }

// silent reports whether there is a replay that the client did not ask for.
func (r *replay) silent() bool { return r.repeats() && !r.wanted }

// begin begins the replay of a session, in place of the one that is under way.
func (r *replay) begin(s *session) {
	s.breakMessage()
	s.replay, s.history.count, s.history.given = r, make(map[string]int), 0
	s.history.ids.Clear()
	r.of = append(r.of, s)
}

// end ends the replays of those sessions of which no other one is under way, the subagents'
// first.
func (r *replay) end(failed bool) {
	for i, s := range slices.Backward(r.of) {
		if s.replay == r {
			s.endReplay(i > 0 && r.wanted && !failed)
		}
	}
}

// endReplay ends the replay of a session.
func (s *session) endReplay(tells bool) {
	s.replay = nil
	s.history.ids.Clear()
	s.breakMessage()
	if tells {
		s.tellComplete()
	}
}

// repeated returns the id for the client of a message with that id in a replay, and whether it
// begins. A message of the user to which the agent has given its id may have had another
// before.
func (s *session) repeated(kind, id string, given bool, block rawjson.Object) (shown string, begins bool) {
	key := kind + " " + id
	if s.history.ids.Has(key) {
		return s.history.ids.Get(key), false
	}
	if given && kind == "user_message_chunk" {
		id = s.given.find(s.kept, &s.history.given, id, block)
	}
	s.history.ids.Keep(s.kept, key, id, nil).Count(len(id))
	return id, true
}

// tellResumed tells the client, which has resumed a session, in what state that is.
func (s *session) tellResumed(replayed bool) {
	if replayed {
		s.tellComplete()
	}
	s.tellState(s.state)
}

// tellComplete tells the client that the replay of a session is over.
func (s *session) tellComplete() {
	s.beginUpdate("replay_complete")
	s.link.SendUpdate()
}

// subagent handles subagent_update. In version 2 the state is in a state_update of the
// subagent's own session. A session that is announced in a replay is repeated, too.
func (ss *sessions) subagent(s *session, u *calls.Update) {
	s.link.Pass(u)
	id, _ := u.Members.Text("sessionId")
	if len(id) == 0 || len(id) > maxID || ss.isSilent(id) {
		return
	}
	if r := s.replay; r.repeats() {
		r.announced(ss.get(id))
	}
	state := u.Members.Object("state")
	if name := state.String("state"); name == "" || name == "unknown" {
		return
	}
	trial := s.link.Trial()
	if !ss.get(id).told.Tell(trial, state) {
		return
	}
	state = rawjson.Members(trial.Out)
	w := s.link.UpdateWith(id, "state_update")
	w.Others(state)
	s.link.SendUpdate()
}

// announced notes that an agent announces the session of a subagent. Busy sessions stay, so
// that there must be room for one.
func (r *replay) announced(child *session) {
	if child.replay == nil && child.turn == nil && child.kept.Fix(0) && !slices.Contains(r.of, child) {
		r.begin(child)
	}
}
