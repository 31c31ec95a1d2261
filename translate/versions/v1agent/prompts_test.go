package v1agent

import (
	"slices"
	"testing"

	"acp-plan-proxy/translate"
)

// TestHolds pins which requests the agent has yet to get, and that all of them
// can be refused.
func TestHolds(t *testing.T) {
	refuse := func(p *peer) []string {
		left, _, err := p.Call(func(out *translate.Out) { p.bridge.RefuseQueued("the client has ended", p.Now, out) })
		if err != nil {
			t.Fatal(err)
		}
		return left
	}
	refused := func(id string) string {
		return toC(full(id + ` ! {"code":-32800,"message":"the client has ended"}`))
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{"nothing", made, nil},
		{"a prompt that the agent has", prompted, nil},
		{"and one that repeats it", then(made, client(`2 session/prompt `+keyed("k")), client(`3 session/prompt `+keyed("k"))), nil},
		{"prompts that wait for their turn",
			then(begun, client(`3 session/prompt `+hi), client(`4 session/prompt `+keyed("k")), client(`5 session/prompt `+keyed("k"))),
			[]string{refused("3"), refused("4"), refused("5")}},
		{"a turn that lingers", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`)), []string{refused("3")}},
		{"its successor", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay)), nil},
		{"what waits for a close", then(made, client(`2 session/close {"sessionId":"s"}`), client(`3 session/resume {"sessionId":"s","cwd":"/p"}`)),
			[]string{refused("3")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.steps)
			if holds := p.bridge.HasQueued(); holds != (len(c.want) > 0) {
				t.Errorf("holds: %v", holds)
			}
			if left := refuse(p); !slices.Equal(left, c.want) {
				t.Errorf("left %q, want %q", left, c.want)
			}
			if p.bridge.HasQueued() {
				t.Error("still holds")
			}
		})
	}
}
