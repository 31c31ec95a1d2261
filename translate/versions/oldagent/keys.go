package oldagent

import (
	"crypto/sha256"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/rawjson"
)

// A client of version 2 can send a prompt again, with the same idempotencyKey,
// when it does not know whether the first one has arrived. Version 1 has no such
// keys, so the bridge sends one prompt on for each key of a session, and answers
// the others as it answers that one. If that one fails, the key is free again.

// A digest is kept in place of a key, which can be long.
type digest [sha256.Size]byte

// A promptKey is the key of a prompt.
type promptKey struct {
	digest    digest
	messageID string        // "" until the prompt is inserted
	repeats   []heldRequest // that wait until then
}

// promptKeys are the keys of a session, by their digests.
type promptKeys struct{ known keep.Map[*promptKey] }

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
	return keys.known.Find(d[:])
}

// use notes the key of a prompt that is new, nil if it has none.
func (keys *promptKeys) use(params rawjson.Object) *promptKey {
	d, ok := digestOf(params)
	if !ok {
		return nil
	}
	k := &promptKey{digest: d}
	keys.known.Put(string(d[:]), k)
	return k
}

// inserted notes that the prompt with a key was inserted: from now on it may go.
func (keys *promptKeys) inserted(k *promptKey, in *keep.Share) {
	keys.known.Keep(in, string(k.digest[:]), k, nil).Count(len(k.messageID))
}

// forget forgets a key: it can be used again.
func (keys *promptKeys) forget(k *promptKey) { keys.known.Delete(string(k.digest[:])) }
