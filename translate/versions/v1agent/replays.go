package v1agent

import (
	"slices"
	"strconv"
	"strings"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/translate/versions/calls"
	"acp-plan-proxy/transport/rawjson"
)

// A replay is the history that an agent sends while it loads a session, including the history of
// the subagents that the history announces. A client that has requested the replay is told its end
// in each of these sessions.
type replay struct {
	isLoad    bool       // the request is session/load; session/resume has no history
	requested bool       // the client has requested the history
	sessions  []*session // the loaded session and its subagents
}

// A history is the state of a session during its replay.
type history struct {
	ids       keep.Map[string] // ids at the client of messages so far, by kind and id
	generated map[string]int   // number of generated ids, by kind
	repeated  map[string]int   // number of user messages, by the digest of their first block
}

// hasHistory reports whether there is a replay with history.
func (r *replay) hasHistory() bool { return r != nil && r.isLoad }

// isSilent reports whether there is a replay that the client has not requested.
func (r *replay) isSilent() bool { return r.hasHistory() && !r.requested }

// begin begins the replay of a session, in place of its current replay.
func (r *replay) begin(s *session) {
	s.message.end()
	s.replay = r
	s.history.generated, s.history.repeated = make(map[string]int), make(map[string]int)
	s.history.ids.Clear()
	r.sessions = append(r.sessions, s)
}

// end ends the replay in each of its sessions that has no newer replay, the subagents first. It tells
// the client the end in the subagents; tellResumed does so in the loaded session.
func (r *replay) end(failed bool) {
	for i, s := range slices.Backward(r.sessions) {
		if s.replay == r {
			s.endReplay(i > 0 && r.requested && !failed)
		}
	}
}

// endReplay ends the replay of a session. reportsEnd reports whether the client is told the end.
func (s *session) endReplay(reportsEnd bool) {
	s.replay = nil
	s.history.ids.Clear()
	s.message.end()
	if reportsEnd {
		s.tellComplete()
	}
}

// beginReplayed returns the client's id of a message in a replay. At the first chunk of the message,
// it sends the message without content, because the client may have it already.
func (s *session) beginReplayed(kind, id string, block rawjson.Object) string {
	key := kind + " " + id
	if s.history.ids.Has(key) {
		return s.history.ids.Get(key)
	}
	if kind == "user_message_chunk" {
		digest := digestOf(block)
		id = s.userIDs.findOrAdd(s.share, digest, s.history.repeated[digest], id)
		s.history.repeated[digest]++
	}
	s.history.ids.Keep(s.share, key, id, nil).SetSize(len(id))
	w := s.beginUpdate(strings.TrimSuffix(kind, "_chunk"))
	w.Texts("messageId", id)
	w.JSON(`"content":[]`)
	s.link.SendUpdate()
	return id
}

// userMessageIDs are the ids of user messages at the client, by the digest of their first block and
// their number among those with the same block. Replayed prompts thus keep their ids, which
// agents of version 1 never receive.
type userMessageIDs struct{ keep.Map[string] }

// findOrAdd returns the id of the nth user message that begins with a block. If there is none, it
// adds one with the defaultID.
func (u *userMessageIDs) findOrAdd(share *keep.Share, digest string, n int, defaultID string) string {
	key := digest + strconv.Itoa(n)
	if !u.Has(key) {
		u.Keep(share, key, defaultID, nil).SetSize(len(defaultID))
	}
	return u.Get(key)
}

// add adds the id of a prompt with that raw content.
func (u *userMessageIDs) add(share *keep.Share, id string, content []byte) {
	blocks, _ := rawjson.ReadArray(nil, content)
	if len(blocks) == 0 {
		return
	}
	digest := digestOf(rawjson.Members(blocks[0]))
	for n := 0; u.findOrAdd(share, digest, n, id) != id; {
		n++
	}
}

// tellResumed reports the state of a resumed session.
func (s *session) tellResumed(replayed bool) {
	if replayed {
		s.tellComplete()
	}
	s.tellState(s.state)
}

// tellComplete reports the end of the replay of a session.
func (s *session) tellComplete() {
	s.beginUpdate("replay_complete")
	s.link.SendUpdate()
}

// reportSubagent converts subagent_update. In version 2, the state is a state_update of the
// subagent's own session. A session that is announced in a replay belongs to the replay.
func (b *Bridge) reportSubagent(s *session, u *calls.Update) {
	s.link.ForwardUpdate(u)
	id, _ := u.Members.Text("sessionId")
	if len(id) == 0 || len(id) > calls.MaxSession || b.isClosed(id) {
		return
	}
	if r := s.replay; r.hasHistory() {
		r.add(b.session(id))
	}
	state := u.Members.Object("state")
	if name := state.String("state"); name == "" || name == "unknown" {
		return
	}
	scratch := s.link.Scratch()
	if !b.session(id).sentState.Write(scratch, state) {
		return
	}
	state = rawjson.Members(scratch.Out)
	w := s.link.UpdateWith(id, "state_update")
	w.CopyOthers(state)
	s.link.SendUpdate()
}

// add adds the session of a subagent to the replay, if the budget has room: a session in a replay is
// not evicted.
func (r *replay) add(child *session) {
	if child.replay == nil && child.turn == nil && child.share.Reserve(0) && !slices.Contains(r.sessions, child) {
		r.begin(child)
	}
}
