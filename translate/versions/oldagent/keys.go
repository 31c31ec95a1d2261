package oldagent

import (
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/rawjson"
)

// A client of version 2 can send a prompt again, with the same idempotencyKey,
// when it does not know whether the first one has arrived. Version 1 has no such
// keys, so the bridge takes one prompt in for each key of a session, and answers
// the others as it answers that one. If that one fails, the key is free again.

// MaxKeys is how many keys of prompts that were taken in are kept of a session.
const MaxKeys = 1024

// A digest is kept in place of a key, which can be long.
type digest [sha256.Size]byte

// A promptKey is the key of a prompt.
type promptKey struct {
	digest    digest
	messageID string        // "" until the prompt is taken in
	repeats   []heldRequest // that wait until then
}

// promptKeys are the keys of a session.
type promptKeys struct {
	known map[digest]*promptKey
	taken []digest // of the prompts that were taken in, the earliest first
}

// digestOf returns the digest of the key in the params of a prompt. It reports false
// if there is none.
func digestOf(params rawjson.Object) (digest, bool) {
	key, ok := params.Text("idempotencyKey")
	if !ok {
		return digest{}, false
	}
	return sha256.Sum256(key), true
}

// use notes the key of a prompt that is new, nil if it has none.
func (keys *promptKeys) use(params rawjson.Object) *promptKey {
	d, ok := digestOf(params)
	if !ok {
		return nil
	}
	if keys.known == nil {
		keys.known = make(map[digest]*promptKey)
	}
	k := &promptKey{digest: d}
	keys.known[d] = k
	return k
}

// repeated answers a prompt whose key was used before, now or when the first one
// is answered.
func (b *Bridge) repeated(s *session, k *promptKey, id []byte) {
	switch {
	case k.messageID != "":
		b.replyPrompt(id, k.messageID)
	case !b.hold(&k.repeats, heldRequest{id: id}):
		b.refuseTooMany(s, id)
	}
}

// keyTaken takes in that the prompt with a key was taken in.
func (b *Bridge) keyTaken(s *session, k *promptKey, messageID string) {
	k.messageID = messageID
	for len(k.repeats) > 0 {
		b.replyPrompt(b.unhold(&k.repeats, 0).id, messageID)
	}
	keys := &s.keys
	for len(keys.taken) > 0 && (len(keys.taken) >= MaxKeys || b.kept+k.size() > MaxKept) {
		b.loseKey(s, "the earliest was forgotten: if it is repeated, it counts as another")
		earliest := keys.known[keys.taken[0]]
		delete(keys.known, earliest.digest)
		keys.taken = slices.Delete(keys.taken, 0, 1)
		b.unkeep(s, earliest.size())
	}
	if !b.keep(s, k.size()) {
		b.loseKey(s, "one was not kept: if it is repeated, it counts as another")
		delete(keys.known, k.digest)
		return
	}
	keys.taken = append(keys.taken, k.digest)
}

func (b *Bridge) loseKey(s *session, what string) {
	b.lose([]byte(s.id), translate.LossTooManyKeys, what)
}

// size is what a key counts that was taken in, as Bridge.keep counts it.
func (k *promptKey) size() int { return 3*entrySize + len(k.messageID) }

// rejectPrompt answers a prompt that was not taken in with an error, and those
// that repeat it. Its key, if it has one, can be used again.
func (b *Bridge) rejectPrompt(s *session, id []byte, k *promptKey, reject func(id []byte)) {
	reject(id)
	if k == nil {
		return
	}
	delete(s.keys.known, k.digest)
	for len(k.repeats) > 0 {
		reject(b.unhold(&k.repeats, 0).id)
	}
}

// refusePrompt is rejectPrompt with an error of the bridge.
func (b *Bridge) refusePrompt(s *session, id []byte, k *promptKey, code int, why string) {
	b.rejectPrompt(s, id, k, func(id []byte) { b.refuse(id, code, why, nil) })
}

// waitingRepeats returns the lists of prompts that wait for the answer to
// another one of the session.
func (s *session) waitingRepeats() (lists []*[]heldRequest) {
	if s.turn != nil && s.turn.key != nil {
		lists = append(lists, &s.turn.key.repeats)
	}
	for _, h := range s.held {
		if h.key != nil {
			lists = append(lists, &h.key.repeats)
		}
	}
	return lists
}
