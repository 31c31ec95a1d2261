package v1agent

import (
	"testing"

	"acp-plan-proxy/translate/versions/bridgetest"
	"acp-plan-proxy/translate/versions/shapes"
)

// FuzzBridge gives a bridge the lines of any text, see bridgetest.
func FuzzBridge(f *testing.F) {
	f.Add(uint8(0xff), "")
	for _, text := range seeds() {
		f.Add(uint8(0xff), text)
		f.Add(uint8(0), text)
	}
	f.Fuzz(func(t *testing.T, can uint8, text string) {
		p := newPeer(shapes.V1Agent{
			Load: can&1 > 0, Resume: can&2 > 0, List: can&4 > 0, Close: can&8 > 0, Delete: can&16 > 0, Logout: can&32 > 0,
		})
		if err := p.Run(text); err != nil {
			t.Fatal(err)
		}
	})
}

// seeds are conversations of the tests.
func seeds() (conversations []string) {
	for _, steps := range [][]step{
		begun,
		then(begun, client(`3 session/prompt `+hi), client(`$/cancel_request {"requestId":3}`), client(`session/cancel {"sessionId":"s"}`),
			client(`4 session/close {"sessionId":"s"}`)),
		then(begun,
			agent(`0 session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"t","title":"T"},`+
				`"options":[{"optionId":"y","name":"Y","kind":"allow_once"}]}`),
			client(`1 = {"outcome":{"outcome":"selected","optionId":"y"}}`), agent(`2 = {"stopReason":"end_turn"}`)),
		then(offered(modes+","+models, ""), client(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`),
			agent(`2 = {}`)),
		then(offered(`"configOptions":[`+modeOption+`]`, ""),
			client(`2 session/set_config_option {"sessionId":"s","configId":"mode","type":"id","value":"code"}`),
			agent(`2 = {"configOptions":[`+modeOption+`]}`)),
		{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"hi"}`)), agent(`1 = null`)},
		{client(`4 session/resume {"sessionId":"s","cwd":"/p","replayFrom":{"type":"start"}}`), agent(report("subagent_update", `"sessionId":"x"`)),
			agent(`session/update {"sessionId":"x","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}}`),
			client(`5 session/close {"sessionId":"x"}`), agent(`2 = {}`), agent(`1 = null`)},
		then(made, client(`2 session/prompt `+keyed("k")), client(`3 session/prompt `+keyed("k")),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"h"}`)),
			agent(report("user_message_chunk", `"content":{"type":"text","text":"i"}`)), client(`4 session/prompt `+keyed("l")),
			client(`5 session/prompt `+keyed("l")), agent(`2 ! {"code":-1,"message":"m"}`)),
		{client(`1 session/list {}`), agent(`1 = {"sessions":[{"sessionId":"a","cwd":"/p","updatedAt":"x"}]}`), client(`2 auth/login {"methodId":"k"}`),
			client(`3 auth/logout {}`)},
		{client(`"l" auth/login {"methodId":"k"}`),
			agent(`0 elicitation/create {"requestId":1,"mode":"form","message":"m","requestedSchema":{"properties":{"a":{"enum":[]}},"required":["a"]}}`),
			client(`1 = {"action":"accept","content":{"a":[1]}}`)},
	} {
		conversations = append(conversations, bridgetest.Script(steps...))
	}
	for _, u := range updates {
		conversations = append(conversations, bridgetest.Script(then(begun, agent(u))...))
	}
	return conversations
}
