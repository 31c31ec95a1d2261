package play

import (
	"testing"

	"acp-plan-proxy/proxy/recording/trace"
)

func TestClient(t *testing.T) {
	for _, tt := range clientTests {
		t.Run(tt.name, func(t *testing.T) { check(t, trace.Client, tt.recording, 0, tt.want) })
	}
}

var clientTests = []struct{ name, recording, want string }{
	{"requests in order", begin + oneTurn + `
c 2000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1","prompt":"/home/ann/src/a"}}
a 2100 {"id":3,"result":{"stopReason":"end_turn"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"method":"session/update","params":{"sessionId":"live-1"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"live-1","prompt":"/here/a"}}
< {"id":4,"result":{"stopReason":"refusal"}}
over
`},
	{"other responses than recorded", begin + oneTurn + `
c 2000 {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
a 2100 {"id":3,"error":{"code":-1}}
c 2200 {"id":4,"method":"session/close","params":{"sessionId":"recorded-1"}}
a 2300 {"id":4,"result":{}}
c 2400 {"id":5,"method":"session/list","params":{}}
a 2500 {"id":5,"result":{}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":3,"error":{"code":-32603,"message":"no model"}}
> {"id":4,"method":"session/set_mode","params":{"sessionId":"live-1"}}
< {"id":4,"error":{"code":-2}}
> {"id":5,"method":"session/close","params":{"sessionId":"live-1"}}
! 3 of 6
`},
	{"a recorded choice", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 ` + permission + `
c 1200 {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"o2"}}}
a 1300 {"id":2,"result":{"stopReason":"end_turn"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":"a","method":"session/request_permission","params":{"sessionId":"live-1","toolCall":{"kind":"execute"},"options":[{"optionId":"no","kind":"reject_once"}]}}
> {"id":"a","result":{"outcome":{"outcome":"cancelled"}}}
< {"id":"b","method":"session/request_permission","params":{"sessionId":"live-1","toolCall":{"kind":"edit"},"options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}
> {"id":"b","result":{"outcome":{"outcome":"selected","optionId":"no"}}}
< {"id":"c","method":"session/request_permission","params":{"sessionId":"live-1","toolCall":{"kind":"edit"},"options":[{"optionId":"no","kind":"reject_once"}]}}
> {"id":"c","result":{"outcome":{"outcome":"cancelled"}}}
< {"id":"d","method":"elicitation/create","params":{"sessionId":"live-1"}}
> {"id":"d","result":{"action":"cancel"}}
< {"id":"e","method":"_x","params":{}}
> {"id":"e","error":{"code":-32601,"message":"the recording that this client plays has no answer to _x"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
over
`},
	{"a recorded choice, in version 2", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":0,"method":"session/request_permission","params":{"subject":{"type":"tool_call","toolCall":{"kind":"edit"}},"options":[{"optionId":"o1","kind":"allow_once"}]}}
c 1200 {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"o1"}}}
a 1300 {"id":2,"result":{"stopReason":"end_turn"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":"a","method":"session/request_permission","params":{"subject":{"type":"tool_call","toolCall":{"kind":"execute"}},"options":[{"optionId":"o1","kind":"allow_once"}]}}
> {"id":"a","result":{"outcome":{"outcome":"cancelled"}}}
< {"id":"b","method":"session/request_permission","params":{"subject":{"type":"tool_call","toolCall":{"kind":"edit"}},"options":[{"optionId":"o1","kind":"allow_once"}]}}
> {"id":"b","result":{"outcome":{"outcome":"selected","optionId":"o1"}}}
< {"id":3,"result":{"stopReason":"end_turn"}}
over
`},
	{"no option of the recorded kind", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 ` + permission + `
c 1200 {"id":0,"result":{"outcome":{"outcome":"selected","optionId":"o1"}}}
a 1300 {"id":2,"result":{"stopReason":"end_turn"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":"a","method":"session/request_permission","params":{"sessionId":"live-1","toolCall":{"kind":"edit"},"options":[{"optionId":"o1","kind":"allow_always"},{"optionId":"no","kind":"reject_once"}]}}
> {"id":"a","result":{"outcome":{"outcome":"cancelled"}}}
! 2 of 3
`},
	{"responses to unrecorded requests", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":7,"method":"fs/read_text_file","params":{"sessionId":"recorded-1","path":"/home/ann/src/a"}}
c 1200 {"id":7,"result":{"content":"text"}}
a 1250 {"id":8,"method":"_ext","params":{}}
c 1260 {"id":8,"error":{"code":-5}}
a 1300 {"id":2,"result":{"stopReason":"end_turn"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":"a","method":"fs/read_text_file","params":{"sessionId":"live-1","path":"/here/b"}}
> {"id":"a","error":{"code":-32601,"message":"the recording that this client plays has no answer to fs/read_text_file"}}
< {"id":"b","method":"fs/read_text_file","params":{"sessionId":"live-1","path":"/here/a"}}
> {"id":"b","result":{"content":"text"}}
< {"id":"c","method":"_ext","params":{}}
> {"id":"c","error":{"code":-5}}
! 2 of 3
`},
	{"a cancel during a turn", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
c 1200 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 1300 {"id":2,"result":{"stopReason":"cancelled"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"method":"session/update","params":{"sessionId":"live-1","update":1}}
< {"method":"session/update","params":{"sessionId":"live-1","update":2}}
+ 199
+ 1
> 1 {"method":"session/cancel","params":{"sessionId":"live-1"}}
< {"id":3,"result":{"stopReason":"cancelled"}}
over
`},
	{"a turn that ends before its cancel", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
c 1200 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 1300 {"id":2,"result":{"stopReason":"cancelled"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
over
`},
	{"a cancel long after the prompt", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 61000 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 61300 {"id":2,"result":{"stopReason":"cancelled"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"method":"session/update","params":{"sessionId":"live-1","update":1}}
+ 29999
+ 1
> 1 {"method":"session/cancel","params":{"sessionId":"live-1"}}
< {"id":3,"result":{"stopReason":"cancelled"}}
over
`},
	{"no response", begin, `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"result":{"protocolVersion":1}}
> {"id":2,"method":"session/new","params":{"cwd":"/here"}}
+ 59999
+ 1
over
! 1 of 2
! #3 session/new: no response within 1m0s (see --timeout)
`},
	{"a turn without an end", begin + oneTurn, `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"result":{"protocolVersion":2,"info":{}}}
> {"id":2,"method":"session/new","params":{"cwd":"/here"}}
< {"id":2,"result":{"sessionId":"live-1"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":3,"result":{}}
+ 60000
over
! 2 of 3
! #6 session/prompt: its turn did not end within 1m0s (see --timeout)
`},
	{"a failed initialize", begin, `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"error":{"code":-32602,"message":"no"}}
over
! 0 of 2
`},
	{"a failed initialize, as recorded", `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":2}}
a 100 {"id":0,"error":{"code":-32602,"message":"no"}}
c 200 {"id":1,"method":"initialize","params":{"protocolVersion":1}}
a 300 {"id":1,"result":{"protocolVersion":1}}
`, `
> {"id":1,"method":"initialize","params":{"protocolVersion":2}}
< {"id":1,"error":{"code":-32602,"message":"no"}}
> {"id":2,"method":"initialize","params":{"protocolVersion":1}}
< {"id":2,"result":{"protocolVersion":1}}
over
`},
	{"a cancel during a permission request", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
a 1100 ` + permission + `
c 1150 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
c 1200 {"id":0,"result":{"outcome":{"outcome":"cancelled"}}}
a 1300 {"id":2,"result":{"stopReason":"cancelled"}}
`, greeted + `
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":"a","method":"session/request_permission","params":{"sessionId":"live-1","toolCall":{"kind":"edit"},"options":[]}}
> {"method":"session/cancel","params":{"sessionId":"live-1"}}
> {"id":"a","result":{"outcome":{"outcome":"cancelled"}}}
< {"id":3,"result":{"stopReason":"cancelled"}}
over
`},
	{"two concurrent sessions", `
c 0 {"id":0,"method":"session/new","params":{"cwd":"/there"}}
c 0 {"id":1,"method":"session/new","params":{"cwd":"/there"}}
a 0 {"id":0,"result":{"sessionId":"recorded-1"}}
a 0 {"id":1,"result":{"sessionId":"recorded-2"}}
c 0 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 0 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-2"}}
a 0 {"id":3,"result":{"stopReason":"end_turn"}}
a 0 {"id":2,"result":{"stopReason":"end_turn"}}
c 0 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 0 {"id":4,"result":{"stopReason":"end_turn"}}
`, `
> {"id":1,"method":"session/new","params":{"cwd":"/there"}}
> {"id":2,"method":"session/new","params":{"cwd":"/there"}}
< {"id":2,"result":{"sessionId":"b"}}
< {"id":1,"result":{"sessionId":"a"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"a"}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"b"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
< {"id":4,"result":{"stopReason":"end_turn"}}
> {"id":5,"method":"session/prompt","params":{"sessionId":"a"}}
< {"id":5,"result":{"stopReason":"end_turn"}}
over
`},
	{"version 2, a turn ends with idle", begin + oneTurn + `
c 2000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 2100 {"id":3,"result":{"stopReason":"end_turn"}}
`, `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"result":{"protocolVersion":2,"info":{}}}
> {"id":2,"method":"session/new","params":{"cwd":"/here"}}
< {"id":2,"result":{"sessionId":"live-1"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":3,"result":{}}
< {"method":"session/update","params":{"sessionId":"live-1","update":{"sessionUpdate":"state_update","state":"running"}}}
< {"method":"session/update","params":{"sessionId":"live-1","update":{"sessionUpdate":"state_update","state":"idle"}}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":4,"result":{}}
`},
	{"version 2, a further prompt during the turn", `
c 0 {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
c 0 {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
a 0 {"id":0,"result":{}}
a 0 {"id":1,"result":{}}
`, `
> {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
< {"id":1,"result":{}}
< {"id":2,"result":{}}
< {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
over
`},
	{"version 2, a turn ends with a stop reason in the response", begin + oneTurn + `
c 2000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 2100 {"id":3,"result":{"stopReason":"end_turn"}}
`, `
> {"id":1,"method":"initialize","params":{"protocolVersion":1}}
< {"id":1,"result":{"protocolVersion":2,"info":{}}}
> {"id":2,"method":"session/new","params":{"cwd":"/here"}}
< {"id":2,"result":{"sessionId":"live-1"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"live-1"}}
< {"id":4,"result":{"stopReason":"end_turn"}}
over
`},
}
