package oldagent

import (
	"crypto/sha256"
	"slices"

	"acp-plan-proxy/transport/rawjson"
)

// A client of version 2 can send a prompt again, with the same idempotencyKey,
// when it does not know whether the first one has arrived. Version 1 has no such
// keys, so the bridge sends one prompt on for each key of a session, and answers
// the others as it answers that one. If that one fails, the key is free again.

// maxKeys is how many keys of prompts that were inserted are kept of a session.
const maxKeys = 1024

// A digest is kept in place of a key, which can be long.
type digest [sha256.Size]byte

// A promptKey is the key of a prompt.
type promptKey struct {
	digest    digest
	messageID string        // "" until the prompt is inserted
	repeats   []heldRequest // that wait until then
}

// size is what a key counts whose prompt was inserted, see share.
func (k *promptKey) size() int { return 3*entrySize + len(k.messageID) }

// promptKeys are the keys of a session.
type promptKeys struct {
	known map[digest]*promptKey
	kept  []digest // of the prompts that were inserted, the earliest first
}

// digestOf returns the digest of the key in the params of a prompt. It reports false
// without a key.
func digestOf(params rawjson.Object) (digest, bool) {
	key, ok := params.Text("idempotencyKey")
	if !ok {
		return digest{}, false
	}
	return sha256.Sum256(key), true
}

// used returns the key of a prompt if it was used before, else nil.
func (keys *promptKeys) used(params rawjson.Object) *promptKey {
	d, ok := digestOf(params)
	if !ok {
		return nil
	}
	return keys.known[d]
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

// keep keeps the key of a prompt that was inserted, and forgets the earliest if there
// are too many. lose is told what that costs.
func (keys *promptKeys) keep(k *promptKey, of *share, lose func(detail string)) {
	for len(keys.kept) > 0 && (len(keys.kept) >= maxKeys || !of.fits(k.size())) {
		lose("the earliest was forgotten: if it is repeated, it counts as another")
		earliest := keys.known[keys.kept[0]]
		delete(keys.known, earliest.digest)
		keys.kept = slices.Delete(keys.kept, 0, 1)
		of.unkeep(earliest.size())
	}
	if !of.keep(k.size()) {
		lose("one was not kept: if it is repeated, it counts as another")
		keys.forget(k)
		return
	}
	keys.kept = append(keys.kept, k.digest)
}

// forget forgets a key that is not kept: it can be used again.
func (keys *promptKeys) forget(k *promptKey) { delete(keys.known, k.digest) }
