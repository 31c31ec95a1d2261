package oldagent

import (
	"slices"
	"strings"

	"acp-plan-proxy/translate"
)

// A replay is what an agent repeats of a session while it is loaded. The client is
// told where the replay of a session ends, if it has asked for one. Sessions of
// subagents that are announced in it are repeated too.
type replay struct {
	session *session

	loads  bool // it comes from session/load; session/resume repeats nothing
	wanted bool // by the client
	child  bool // it is of a subagent, and part of another

	begun    map[string]bool // the messages, by kind and id, whose first chunk came
	size     int             // of these, as Bridge.keep counts it
	count    map[string]int  // how many ids were made up, by kind
	children []*replay       // of subagents that were announced in it
}

func newReplay(s *session, loads, wanted bool) *replay {
	return &replay{session: s, loads: loads, wanted: wanted, begun: make(map[string]bool), count: make(map[string]int)}
}

// repeats reports whether there is a replay, and the agent repeats something in it.
func (r *replay) repeats() bool { return r != nil && r.loads }

// silent reports whether there is a replay that the client did not ask for.
func (r *replay) silent() bool { return r.repeats() && !r.wanted }

// startReplayed empties a message before its first chunk is repeated: the client
// may still have it, and chunks append.
func (b *Bridge) startReplayed(s *session, kind, id string) {
	r, key := s.replay, kind+" "+id
	if r.begun[key] {
		return
	}
	size := entrySize + len(key)
	if len(id) > MaxID || len(r.begun) >= MaxReplayed || !b.keep(s, size) {
		b.lose([]byte(s.id), translate.LossTooManyReplayed, "one was not emptied first, the client may show it twice")
		return
	}
	r.begun[key] = true
	r.size += size
	w := b.beginUpdate(s, strings.TrimSuffix(kind, "_chunk"))
	member(w, "messageId")
	w.Quoted([]byte(id))
	w.Text(`,"content":[]`)
	b.sendUpdate(w)
}

// freeReplay forgets the messages of a replay.
func (b *Bridge) freeReplay(r *replay) {
	b.unkeep(r.session, r.size)
	r.begun, r.size = nil, 0
}

// announced takes in that an agent announces the session of a subagent.
func (b *Bridge) announced(u *update) {
	r := u.session.replay
	id, ok := u.fields.Text("sessionId")
	if !r.repeats() || !ok || len(id) > MaxID || b.closed[string(id)] {
		return
	}
	if b.children >= MaxSessions {
		b.lose([]byte(u.session.id), translate.LossTooManyReplayedSubagents, "the client is not told where the replay of one ends")
		return
	}
	child := b.session(id)
	if child.replay != nil || child.turn != nil || r.had(child) {
		return
	}
	child.breakMessage()
	child.replay = newReplay(child, true, r.wanted)
	child.replay.child = true
	r.children = append(r.children, child.replay)
	b.children++
}

// had reports whether a replay has had one of a subagent, also if that is over.
func (r *replay) had(child *session) bool {
	return slices.ContainsFunc(r.children, func(own *replay) bool { return own.session == child })
}

// endChildReplays ends the replays of the subagents that were announced in one.
func (b *Bridge) endChildReplays(r *replay, failed bool) {
	for _, own := range r.children {
		b.endChildReplays(own, failed)
		if own.session.replay == own { // else it is over, or the session was closed or is resumed by itself
			b.endChildReplay(own, failed)
		}
	}
	b.children -= len(r.children)
	r.children = nil
}

// endChildReplay ends the replay of a subagent: with the one that it is part of, or
// before that, when the subagent gets a prompt.
func (b *Bridge) endChildReplay(r *replay, failed bool) {
	s := r.session
	b.freeReplay(r)
	s.replay = nil
	s.breakMessage()
	if r.wanted && !failed {
		b.tellReplayed(s)
	}
}

// tellReplayed tells the client that the replay of a session is over.
func (b *Bridge) tellReplayed(s *session) { b.sendUpdate(b.beginUpdate(s, "replay_complete")) }
