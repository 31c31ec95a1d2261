package v1agent

import (
	"slices"
	"testing"

	"acp-plan-proxy/translate"
)

// RefuseQueued refuses the requests that the agent has not received.
func TestRefuseQueued(t *testing.T) {
	refuse := func(p *peer) []string {
		output, _, err := p.Call(func(out *translate.Out) { p.bridge.RefuseQueued("the client has ended", p.Now, out) })
		if err != nil {
			t.Fatal(err)
		}
		return output
	}
	refused := func(id string) string {
		return toC(full(id + ` ! {"code":-32800,"message":"the client has ended"}`))
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{"no prompt", made, nil},
		{"a prompt that the agent has", prompted, nil},
		{"a repetition of a prompt that the agent has", then(made, client(`2 session/prompt `+keyed("k")), client(`3 session/prompt `+keyed("k"))), nil},
		{"prompts during a turn",
			then(begun, client(`3 session/prompt `+hi), client(`4 session/prompt `+keyed("k")), client(`5 session/prompt `+keyed("k"))),
			[]string{refused("3"), refused("4"), refused("5")}},
		{"a prompt during a lingering turn", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`)), []string{refused("3")}},
		{"a prompt after a lingering turn", then(begun, client(`3 session/prompt `+hi), agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay)), nil},
		{"a request during a close", then(made, client(`2 session/close {"sessionId":"s"}`), client(`3 session/resume {"sessionId":"s","cwd":"/p"}`)),
			[]string{refused("3")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.steps)
			if queued := p.bridge.HasQueued(); queued != (len(c.want) > 0) {
				t.Errorf("HasQueued returned %v", queued)
			}
			if output := refuse(p); !slices.Equal(output, c.want) {
				t.Errorf("output %q, want %q", output, c.want)
			}
			if p.bridge.HasQueued() {
				t.Error("requests remain queued")
			}
		})
	}
}
