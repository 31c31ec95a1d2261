package v1agent

import (
	"slices"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/rawjson"
)

// A replay is what an agent repeats of a session while it is loaded. The client is
// told where the replay of a session ends, if it has asked for one. Sessions of
// subagents that are announced in it are repeated too.
type replay struct {
	session *session

	loads  bool // it comes from session/load; session/resume repeats nothing
	wanted bool // by the client
	child  bool // it is of a subagent, and part of another

	ids      map[string]string // of messages whose first chunk came, for the client; by kind and the agent's id
	size     int               // bytes of what is kept
	count    map[string]int    // how many ids were made up, by kind
	given    int               // where the ids of messages that come are looked for in those of the session
	children []*replay         // of subagents that were announced in it
}

func newReplay(s *session, loads, wanted bool) *replay {
	return &replay{session: s, loads: loads, wanted: wanted, ids: make(map[string]string), count: make(map[string]int)}
}

// repeats reports whether there is a replay, and the agent repeats something in it.
func (r *replay) repeats() bool { return r != nil && r.loads }

// silent reports whether there is a replay that the client did not ask for.
func (r *replay) silent() bool { return r.repeats() && !r.wanted }

// message returns the id for the client of a message with that id, and whether it begins.
// A message of the user to which the agent has given its id may have had another before.
// Without room for it, its chunks are taken as they come: the client may show it twice.
func (r *replay) message(kind, id string, given bool, block rawjson.Object) (shown string, begins bool) {
	key := kind + " " + id
	if shown, ok := r.ids[key]; ok {
		return shown, false
	}
	shown = id
	if given && kind == "user_message_chunk" {
		shown = r.idOf(id, block)
	}
	if !r.fix(len(key) + len(shown)) {
		return id, false
	}
	r.ids[key] = shown
	return shown, true
}

// fix counts what is kept until the end of the replay. It reports false without room.
func (r *replay) fix(n int) bool {
	n += keep.EntryCost
	fits := r.session.kept.Fix(n)
	if fits {
		r.size += n
	}
	return fits
}

// had reports whether a replay has had one of a subagent, also if that is over.
func (r *replay) had(child *session) bool {
	return slices.ContainsFunc(r.children, func(own *replay) bool { return own.session == child })
}

// beginReplay begins a replay of a session, in place of the one that is under way.
func (s *session) beginReplay(loads, wanted bool) *replay {
	s.breakMessage()
	if s.replay != nil {
		s.kept.Free(s.replay.size)
	}
	s.replay = newReplay(s, loads, wanted)
	return s.replay
}

// end ends a replay, unless another one has taken its place, behind those of the
// subagents in it.
func (r *replay) end(failed bool) {
	for _, own := range r.children {
		own.end(failed)
	}
	r.children = nil
	if r.session.replay == r {
		r.over(failed)
	}
}

// over ends the replay of a session alone: that of a subagent when it gets a prompt.
func (r *replay) over(failed bool) {
	s := r.session
	s.kept.Free(r.size)
	s.replay = nil
	s.breakMessage()
	if r.child && r.wanted && !failed {
		s.tellComplete()
	}
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
	s.link.UpdateWith([]byte(s.id), "replay_complete")
	s.link.SendUpdate()
}

// subagent handles subagent_update. In version 2 the state is in a state_update of the
// subagent's own session. A session that is announced in a replay is repeated, too.
func (ss *sessions) subagent(s *session, u *link.Update) {
	s.link.Pass(u)
	id, _ := u.Members.Text("sessionId")
	if len(id) == 0 || len(id) > maxID || ss.isSilent(id) {
		return
	}
	if r := s.replay; r.repeats() {
		r.announced(ss.get(id))
	}
	state, _ := rawjson.ReadObject(nil, u.Members.Get("state"))
	name, ok := state.Text("state")
	if !ok || string(name) == "unknown" {
		return
	}
	trial := s.link.Trial()
	if !ss.get(id).told.Tell(trial, state) {
		return
	}
	state, _ = rawjson.ReadObject(nil, trial.Out)
	w := s.link.UpdateWith(id, "state_update")
	for _, f := range state {
		w.Field(f)
	}
	s.link.SendUpdate()
}

// announced notes that an agent announces the session of a subagent.
func (r *replay) announced(child *session) {
	if child.replay == nil && child.turn == nil && !r.had(child) && r.fix(0) {
		own := child.beginReplay(true, r.wanted)
		own.child = true
		r.children = append(r.children, own)
	}
}
