package oldagent

import (
	"fmt"
	"strconv"
	"testing"

	"acp-plan-proxy/translate/versions/link"
	"acp-plan-proxy/transport/jsonrpc"
)

// What is held is copied, and counted together wherever it waits.
func TestHeld(t *testing.T) {
	var h held
	var prompts, others []heldRequest
	id, text := []byte("1.0"), []byte("{}")
	if !h.hold(&prompts, heldRequest{id: id, text: text}) || !h.hold(&others, heldRequest{id: []byte(`"x"`)}) || !h.hold(&prompts, heldRequest{id: []byte("2")}) {
		t.Fatal("there is no room")
	}
	copy(id, "9.9")
	copy(text, "[]")
	if h != (held{count: 3, bytes: len(`1.0{}"x"2`), last: 3}) {
		t.Errorf("%+v", h)
	}
	if r, ok := h.releaseID(&others, jsonrpc.IDOf([]byte("1"))); ok {
		t.Errorf("%s waits elsewhere", r.id)
	}
	if r, ok := h.releaseID(&prompts, jsonrpc.IDOf([]byte("1"))); !ok || string(r.id) != "1.0" || string(r.text) != "{}" {
		t.Errorf("%v %+v", ok, r)
	}
	if r := h.release(&prompts, 0); string(r.id) != "2" {
		t.Errorf("%s is next", r.id)
	}
	if len(prompts) != 0 || len(others) != 1 || h != (held{count: 1, bytes: 3, last: 3}) {
		t.Errorf("%d and %d wait, %+v", len(prompts), len(others), h)
	}
}

func TestHeldLimits(t *testing.T) {
	var h held
	var list []heldRequest
	for range maxHeld {
		h.hold(&list, heldRequest{})
	}
	if h.hold(&list, heldRequest{}) || len(list) != maxHeld {
		t.Error("one list has too many")
	}
	h.bytes = maxHeldBytes - 1
	var other []heldRequest
	if h.hold(&other, heldRequest{id: []byte("10")}) || !h.hold(&other, heldRequest{id: []byte("1")}) {
		t.Error("the limit of bytes is another")
	}
	h = held{count: link.MaxOpen - 1}
	if !h.hold(&other, heldRequest{}) || h.hold(&other, heldRequest{}) {
		t.Error("the limit of all requests is another")
	}
}

// What a session keeps counts for all. A session that is forgotten counts for nothing.
func TestShare(t *testing.T) {
	var b budget
	one, other := share{of: &b}, share{of: &b}
	if !one.keep(maxKept-10) || !other.keep(10) || other.fits(1) || one.keep(1) {
		t.Error("the limit is another")
	}
	one.unkeep(4)
	if got := fmt.Sprint(one.kept-maxKept, other.kept, b.kept-maxKept); got != "-14 10 -4" {
		t.Error(got)
	}
	var forgotten share
	if !forgotten.fits(2*maxKept) || !forgotten.keep(2*maxKept) || forgotten.kept != 0 {
		t.Errorf("%+v", forgotten)
	}
	forgotten.unkeep(5)
	if b.kept != maxKept-4 || forgotten.kept != 0 {
		t.Errorf("%d are kept", b.kept)
	}
}

// Of the keys of prompts that were inserted, the latest are kept.
func TestKeptKeys(t *testing.T) {
	var b budget
	of := share{of: &b}
	var keys promptKeys
	var lost int
	lose := func(string) { lost++ }
	use := func(name string) *promptKey {
		k := keys.use(rawObject(t, `{"idempotencyKey":"`+name+`"}`))
		k.messageID = "m"
		return k
	}
	for i := range maxKeys + 2 {
		keys.keep(use(strconv.Itoa(i)), &of, lose)
	}
	if lost != 2 || len(keys.known) != maxKeys || of.kept != maxKeys*(&promptKey{messageID: "m"}).size() {
		t.Errorf("%d were lost, %d are known, in %d bytes", lost, len(keys.known), of.kept)
	}
	for name, known := range map[string]bool{"1": false, "2": true} {
		if k := keys.used(rawObject(t, `{"idempotencyKey":"`+name+`"}`)); (k != nil) != known {
			t.Errorf("%s: %v", name, k)
		}
	}
	if keys.used(rawObject(t, `{}`)) != nil || keys.use(rawObject(t, `{"idempotencyKey":5}`)) != nil {
		t.Error("a prompt without a key has one")
	}
	b.kept = maxKept
	keys.keep(use("last"), &of, lose) // each that goes makes room for one
	if lost != 3 || keys.used(rawObject(t, `{"idempotencyKey":"last"}`)) == nil {
		t.Errorf("%d were lost", lost)
	}
	full := budget{kept: maxKept}
	var first promptKeys
	k := first.use(rawObject(t, `{"idempotencyKey":"k"}`))
	if first.keep(k, &share{of: &full}, lose); lost != 4 || len(first.known)+len(first.kept) != 0 {
		t.Errorf("%d were lost, %d are known", lost, len(first.known))
	}
}
