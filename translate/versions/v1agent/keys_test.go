package v1agent

import (
	"strings"
	"testing"
)

// keyed is the prompt hi with a key.
func keyed(key string) string {
	return `{"sessionId":"s","prompt":[{"type":"text","text":"hi"}],"idempotencyKey":"` + key + `"}`
}

func TestPromptKeys(t *testing.T) {
	asked := then(made, client(`2 session/prompt `+keyed("k"), toA(`2 session/prompt `+hi)))
	again := client(`3 session/prompt ` + keyed("k"))
	prompt := func(id, key string) step { return client(id + ` session/prompt ` + keyed(key)) }
	answered := func(id, message string) string { return toC(id + ` = {"messageId":"` + message + `"}`) }
	withdrawn := func(id string) string { return toC(id + ` ! {"code":-32800,"message":"Request cancelled"}`) }
	working := then(asked, wait(ackDelay, taken("1", 2)...))
	running := toC(report("state_update", `"state":"running"`))
	user := func(id string) string {
		return toC(report("user_message", `"messageId":"`+id+`","content":[{"type":"text","text":"hi"}]`))
	}
	runCases(t, []testCase{
		{"a prompt that is repeated is answered as before", nil, then(working,
			client(`"again" session/prompt `+keyed("k"), answered(`"again"`, "1")),
			agent(`2 = {"stopReason":"end_turn"}`), wait(lateDelay, ended("end_turn")),
			client(`4 session/prompt `+keyed("k"), answered("4", "1")),
			// It is the key that counts.
			client(`5 session/prompt {"sessionId":"s","prompt":[],"idempotencyKey":"\u006b"}`, answered("5", "1")),
		)},
		{"before it is inserted, with it", nil, then(asked, again, prompt("2", "k"),
			wait(ackDelay, user("1"), answered("2", "1"), answered("3", "1"), answered("2", "1"), running),
		)},
		{"also while it waits for its turn", nil, then(begun, again,
			prompt("4", "k"),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, ended("end_turn"), toA(`3 session/prompt `+hi)),
			prompt("5", "k"),
			wait(ackDelay, user("2"), answered("3", "2"), answered("4", "2"), answered("5", "2"), running),
		)},
		{"a prompt that fails fails for all, and its key is free", nil, then(asked, again,
			agent(`2 ! {"code":-32002,"message":"no"}`,
				toC(`2 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`), toC(`3 ! {"code":-32002,"message":"no","data":{"sessionId":"s"}}`)),
			client(`4 session/prompt `+keyed("k"), toA(`3 session/prompt `+hi)),
		)},
		{"so does one that is withdrawn", nil, then(begun, again, prompt("4", "k"), prompt("5", "other"),
			client(`session/cancel {"sessionId":"s"}`, toA(`session/cancel {"sessionId":"s"}`), withdrawn("3"), withdrawn("4"), withdrawn("5")),
			prompt("6", "k"), prompt("7", "k"),
			client(`$/cancel_request {"requestId":6}`, withdrawn("6"), withdrawn("7")),
		)},
		{"a repetition can be withdrawn by itself", nil, then(begun, again, prompt("4", "k"),
			client(`$/cancel_request {"requestId":4}`, withdrawn("4")),
			agent(`2 = {"stopReason":"end_turn"}`),
			wait(lateDelay, ended("end_turn"), toA(`3 session/prompt `+hi)),
			prompt("5", "k"),
			client(`$/cancel_request {"requestId":5}`, withdrawn("5")),
			wait(ackDelay, user("2"), answered("3", "2"), running),
		)},
		{"an agent that ends leaves no repetition unanswered", nil, then(asked, again,
			gone(toC(`2 ! {"code":-32603,"message":"agent exited"}`), toC(`3 ! {"code":-32603,"message":"agent exited"}`)),
		)},
		{"nor does a close", nil, then(asked, again,
			client(`4 session/close {"sessionId":"s"}`, toA(`3 session/close {"sessionId":"s"}`)),
			agent(`3 = {}`, withdrawn("2"), withdrawn("3"), toC(`4 = {}`)),
		)},
		{"a prompt that the bridge refuses uses no key", nil, then(made,
			client(`2 session/prompt {"sessionId":"s","prompt":[],"idempotencyKey":"k"}`,
				toC(`2 ! {"code":-32602,"message":"Invalid params: no content that the agent can be given"}`)),
			client(`2 session/prompt `+keyed("k"), toA(`2 session/prompt `+hi)),
		)},
		{"keys are of a session", nil, then(working,
			client(`3 session/prompt `+strings.Replace(keyed("k"), `"s"`, `"other"`, 1), toA(`3 session/prompt `+strings.Replace(hi, `"s"`, `"other"`, 1))),
		)},
		{"what is no string is no key", nil, then(made,
			client(`2 session/prompt {"sessionId":"s","idempotencyKey":null,"prompt":[{"type":"text","text":"hi"}]}`, toA(`2 session/prompt `+hi)),
			client(`3 session/prompt {"sessionId":"s","idempotencyKey":null,"prompt":[{"type":"text","text":"hi"}]}`),
		)},
	})
}
