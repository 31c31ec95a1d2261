package oldagent

import (
	"testing"

	"acp-plan-proxy/translate/keep"
	"acp-plan-proxy/transport/jsonrpc"
)

// What is held is copied, and counted together wherever it waits.
func TestHeld(t *testing.T) {
	in := new(keep.Budget).Open(0, nil)
	var h held
	var prompts, others []heldRequest
	id, text := []byte("1.0"), []byte("{}")
	if !h.hold(in, &prompts, heldRequest{id: id, text: text}) || !h.hold(in, &others, heldRequest{id: []byte(`"x"`)}) || !h.hold(in, &prompts, heldRequest{id: []byte("2")}) {
		t.Fatal("there is no room")
	}
	copy(id, "9.9")
	copy(text, "[]")
	if h != (held{count: 3, last: 3}) || in.Used() != keep.SessionCost+3*heldCost+len(`1.0{}"x"2`) {
		t.Errorf("%+v, %d bytes", h, in.Used())
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
	if len(prompts) != 0 || len(others) != 1 || h != (held{count: 1, last: 3}) || in.Used() != keep.SessionCost+heldCost+3 {
		t.Errorf("%d and %d wait, %+v", len(prompts), len(others), h)
	}
}
