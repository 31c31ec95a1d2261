package oldagent

import (
	"slices"
	"strings"

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

	begun    map[string]bool   // the messages, by kind and id, whose first chunk came
	size     int               // bytes of what is kept
	count    map[string]int    // how many ids were made up, by kind
	given    int               // where the ids of messages that come are looked for in those of the session
	renamed  map[string]string // the ids of the user's messages for the client, by the agent's
	children []*replay         // of subagents that were announced in it
}

func newReplay(s *session, loads, wanted bool) *replay {
	return &replay{session: s, loads: loads, wanted: wanted, begun: make(map[string]bool), count: make(map[string]int), renamed: make(map[string]string)}
}

// repeats reports whether there is a replay, and the agent repeats something in it.
func (r *replay) repeats() bool { return r != nil && r.loads }

// silent reports whether there is a replay that the client did not ask for.
func (r *replay) silent() bool { return r.repeats() && !r.wanted }

// note notes that the first chunk of a message comes. It reports false if the message
// is not kept, and whether it has begun before.
func (r *replay) note(kind, id string) (kept, before bool) {
	key := kind + " " + id
	if r.begun[key] {
		return true, true
	}
	if !r.fix(len(key)) {
		return false, false
	}
	r.begun[key] = true
	return true, false
}

// rename returns the id for the client of a message that has one.
func (r *replay) rename(kind, id string, block rawjson.Object) string {
	if kind != "user_message_chunk" {
		return id
	}
	if renamed, ok := r.renamed[id]; ok {
		return renamed
	}
	renamed := r.idOf(id, block)
	if !r.fix(len(id) + len(renamed)) {
		return id // as its other chunks
	}
	r.renamed[id] = renamed
	return renamed
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

// forget forgets the messages of a replay.
func (r *replay) forget() {
	r.session.kept.Free(r.size)
	r.begun, r.renamed, r.size = nil, nil, 0
}

// had reports whether a replay has had one of a subagent, also if that is over.
func (r *replay) had(child *session) bool {
	return slices.ContainsFunc(r.children, func(own *replay) bool { return own.session == child })
}

// replays are the replays of all sessions.
type replays struct {
	link     *link.Link
	sessions *sessions
}

// begin begins a replay of a session, in place of the one that is under way.
func (rs *replays) begin(s *session, loads, wanted bool) *replay {
	s.breakMessage()
	if s.replay != nil {
		s.replay.forget()
	}
	s.replay = newReplay(s, loads, wanted)
	return s.replay
}

// end ends a replay, unless another one has taken its place, and those of the
// subagents in it.
func (rs *replays) end(r *replay, failed bool) {
	if s := r.session; s.replay == r {
		r.forget()
		s.replay = nil
		s.breakMessage()
	}
	rs.endChildren(r, failed)
}

// empty empties a message before its first chunk is repeated: the client may still
// have it, and chunks append.
func (rs *replays) empty(s *session, kind, id string) {
	switch kept, before := s.replay.note(kind, id); {
	case before:
	case !kept: // the client may show it twice
	default:
		w := rs.link.UpdateWith([]byte(s.id), strings.TrimSuffix(kind, "_chunk"))
		w.StringMember("messageId", []byte(id))
		w.JSON(`"content":[]`)
		rs.link.SendUpdate()
	}
}

// subagent handles subagent_update. In version 2 the state is in a state_update of the
// subagent's own session.
func (rs *replays) subagent(s *session, u *link.Update) {
	rs.announced(s, u)
	rs.link.Pass(u)
	id, _ := u.Members.Text("sessionId")
	state, _ := rawjson.ReadObject(nil, u.Members.Get("state"))
	name, ok := state.Text("state")
	if !ok || string(name) == "unknown" || len(id) == 0 || len(id) > maxID || rs.sessions.isSilent(id) {
		return
	}
	trial := rs.link.Trial()
	if !rs.sessions.get(id).told.Tell(trial, state) {
		return
	}
	state, _ = rawjson.ReadObject(nil, trial.Out)
	w := rs.link.UpdateWith(id, "state_update")
	for _, f := range state {
		w.Field(f)
	}
	rs.link.SendUpdate()
}

// announced notes that an agent announces the session of a subagent.
func (rs *replays) announced(s *session, u *link.Update) {
	r := s.replay
	id, ok := u.Members.Text("sessionId")
	if !r.repeats() || !ok || len(id) > maxID || rs.sessions.isSilent(id) {
		return
	}
	child := rs.sessions.get(id)
	if child.replay != nil || child.turn != nil || r.had(child) || !r.fix(0) {
		return
	}
	child.breakMessage()
	child.replay = newReplay(child, true, r.wanted)
	child.replay.child = true
	r.children = append(r.children, child.replay)
}

// endChildren ends the replays of the subagents that were announced in one.
func (rs *replays) endChildren(r *replay, failed bool) {
	for _, own := range r.children {
		rs.endChildren(own, failed)
		if own.session.replay == own { // else it is over, or the session was closed or is resumed by itself
			rs.endChild(own, failed)
		}
	}
	r.children = nil
}

// endChild ends the replay of a subagent: with the one that it is part of, or
// before that, when the subagent gets a prompt.
func (rs *replays) endChild(r *replay, failed bool) {
	s := r.session
	r.forget()
	s.replay = nil
	s.breakMessage()
	if r.wanted && !failed {
		rs.tellComplete(s)
	}
}

// tellComplete tells the client that the replay of a session is over.
func (rs *replays) tellComplete(s *session) {
	rs.link.UpdateWith([]byte(s.id), "replay_complete")
	rs.link.SendUpdate()
}
