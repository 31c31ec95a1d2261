package play

import (
	"testing"

	"acp-plan-proxy/proxy/recording/trace"
)

func TestAgent(t *testing.T) {
	for _, tt := range agentTests {
		t.Run(tt.name, func(t *testing.T) { check(t, trace.Agent, tt.recording, tt.speed, tt.want) })
	}
}

var agentTests = []struct {
	name, recording string
	speed           float64
	want            string
}{
	{"without delay", begin + oneTurn, 0, begun + `
> {"id":"x","method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":"x","result":{"stopReason":"end_turn"}}
`},
	{"with the recorded delays", begin + oneTurn, 1, `
> {"id":0,"method":"initialize"}
+ 500
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new","params":{"cwd":"/home/ann/src"}}
+ 5000
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 300
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< 300 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
+ 299
+ 1
< 1 {"id":2,"result":{"stopReason":"end_turn"}}
`},
	{"ten times the speed", begin, 10, `
> {"id":0,"method":"initialize"}
+ 9
+ 1
< 1 {"id":0,"result":{"protocolVersion":1}}
`},
	{"a prompt before a delayed update", begin + `
a 600000 {"method":"session/update","params":{"sessionId":"recorded-1","update":"late"}}
c 700000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 700100 {"id":2,"result":{"stopReason":"end_turn"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 200
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"late"}}
+ 100
< 100 {"id":2,"result":{"stopReason":"end_turn"}}
`},
	{"updates follow their request", begin + oneTurn + `
c 2000 {"id":3,"method":"session/list"}
a 2100 {"id":3,"result":{"sessions":[]}}
c 3000 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 3100 {"method":"session/update","params":{"sessionId":"recorded-1","update":3}}
a 3200 {"id":4,"result":{"stopReason":"max_tokens"}}
a 3300 {"method":"session/update","params":{"sessionId":"recorded-1","update":4}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1","prompt":"other words"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":12,"result":{"stopReason":"end_turn"}}
+ 60000
> {"id":13,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":3}}
< {"id":13,"result":{"stopReason":"max_tokens"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":4}}
> {"id":14,"method":"session/list"}
< {"id":14,"result":{"sessions":[]}}
`},
	{"requests without a recorded request", begin + oneTurn + `
c 2000 {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
a 2100 {"id":3,"result":{}}
`, 0, begun + `
> {"id":12,"method":"no/such","params":{}}
< {"id":12,"error":{"code":-32601,"message":"this agent plays a recording, which has no no/such here: next in it is session/prompt"}}
> {"id":13,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":13,"result":{"stopReason":"end_turn"}}
> {"id":14,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":14,"error":{"code":-32601,"message":"this agent plays a recording, which has no session/prompt here: next in it is session/set_mode"}}
> {"id":15,"method":"session/new","params":{}}
< {"id":15,"error":{"code":-32601,"message":"this agent plays a recording, which has no session/new here: next in it is session/set_mode"}}
> {"id":16,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":16,"result":{}}
> {"id":17,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":17,"error":{"code":-32601,"message":"this agent plays a recording, which has no session/prompt here: nothing is left of it"}}
`},
	{"a permission request waits for its response", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":0,"method":"session/request_permission","params":{"sessionId":"recorded-1"}}
a 1150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"meanwhile"}}
c 9000 {"id":0,"result":{"outcome":{"outcome":"selected"}}}
a 9100 {"method":"session/update","params":{"sessionId":"recorded-1","update":"then"}}
a 9200 {"id":2,"result":{"stopReason":"end_turn"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 200
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 600000
< 100 {"id":0,"method":"session/request_permission","params":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"meanwhile"}}
> {"id":0,"result":{"outcome":{"outcome":"cancelled"}}}
+ 1000
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":"then"}}
< 200 {"id":2,"result":{"stopReason":"end_turn"}}
`},
	{"an error response to an agent's request", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":"q","method":"fs/read_text_file","params":{"sessionId":"recorded-1","path":"/home/ann/src/a.go"}}
c 1200 {"id":"q","result":{"content":"x"}}
a 9200 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":"q","method":"fs/read_text_file","params":{"sessionId":"recorded-1","path":"/work/a.go"}}
> {"id":"q","error":{"code":-32601}}
< {"id":12,"result":{"stopReason":"end_turn"}}
`},
	{"a recorded cancel", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
a 5000 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
c 6000 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 6100 {"method":"session/update","params":{"sessionId":"recorded-1","update":"stopped"}}
a 6200 {"id":2,"result":{"stopReason":"cancelled"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 200
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 500
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
+ 300
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":"stopped"}}
< 200 {"id":2,"result":{"stopReason":"cancelled"}}
+ 60000
`},
	{"the turn waits for the recorded cancel", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 6000 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 6200 {"id":2,"result":{"stopReason":"cancelled"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 3600000
> {"method":"$/cancel_request","params":{"requestId":12}}
< {"id":12,"result":{"stopReason":"cancelled"}}
`},
	{"an unrecorded cancel", begin + oneTurn + `
a 1700 {"method":"session/update","params":{"sessionId":"recorded-1","update":"behind"}}
c 3000 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 3200 {"id":4,"result":{"stopReason":"max_tokens"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 200
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 200
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
< {"id":2,"result":{"stopReason":"cancelled"}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
+ 1000
< 100 {"method":"session/update","params":{"sessionId":"recorded-1","update":"behind"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 1000
< 200 {"id":3,"result":{"stopReason":"max_tokens"}}
`},
	{"the client closes stdin after a cancel", begin + oneTurn + `
a 1700 {"method":"session/update","params":{"sessionId":"recorded-1","update":"behind"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 500
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
< {"id":2,"result":{"stopReason":"cancelled"}}
end
`},
	{"a cancel with several pending prompts", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1000 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1000 {"id":5,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 2000 {"id":2,"result":{"stopReason":"end_turn"}}
a 2000 {"id":3,"result":{"stopReason":"end_turn"}}
a 2000 {"id":4,"result":{"stopReason":"end_turn"}}
c 3000 {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
a 3000 {"id":5,"result":{"stopReason":"cancelled"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 500
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"id":5,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
< {"id":2,"result":{"stopReason":"cancelled"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
< {"id":4,"result":{"stopReason":"end_turn"}}
+ 1000
< 1000 {"id":5,"result":{"stopReason":"cancelled"}}
`},
	{"an unrecorded cancel while a permission request is pending", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":0,"method":"session/request_permission","params":{"sessionId":"recorded-1"}}
c 9000 {"id":0,"result":{"outcome":{"outcome":"selected"}}}
a 9200 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":0,"method":"session/request_permission","params":{"sessionId":"recorded-1"}}
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
< {"id":12,"result":{"stopReason":"cancelled"}}
> {"id":0,"result":{"outcome":{"outcome":"cancelled"}}}
`},
	{"a turn without a recorded end", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
+ 100000
> {"method":"session/cancel","params":{"sessionId":"recorded-1"}}
< {"id":12,"result":{"stopReason":"cancelled"}}
`},
	{"a request during a turn", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
c 1200 {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
a 1300 {"id":3,"result":{}}
a 1400 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
a 1500 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
+ 5000
> {"id":13,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":13,"result":{}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":12,"result":{"stopReason":"end_turn"}}
`},
	{"a request during a turn that arrives too late", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1200 {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
a 1300 {"id":3,"result":{"late":true}}
a 1400 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
a 1500 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 20000
< 10000 {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< 10000 {"id":12,"result":{"stopReason":"end_turn"}}
> {"id":13,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":13,"result":{"late":true}}
`},
	{"a request during a turn that arrives early", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 61000 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
c 62000 {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
a 62100 {"id":3,"result":{}}
a 63000 {"id":2,"result":{"stopReason":"end_turn"}}
`, 10, `
> {"id":0,"method":"initialize"}
+ 10
< 10 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 20
< 10 {"id":1,"result":{"sessionId":"recorded-1"}}
< 15 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
+ 1000
> {"id":3,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":3,"result":{}}
+ 6000
< 5000 {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< 5200 {"id":2,"result":{"stopReason":"end_turn"}}
`},
	{"requests in another order", begin + `
c 1000 {"id":2,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
c 1000 {"id":3,"method":"session/set_model","params":{"sessionId":"recorded-1"}}
a 1100 {"id":2,"result":{"mode":1}}
a 1200 {"id":3,"result":{"model":1}}
c 2000 {"id":4,"method":"session/list"}
a 2200 {"id":4,"result":{"sessions":[]}}
`, 0, begun + `
> {"id":12,"method":"session/list"}
< {"id":12,"result":{"sessions":[]}}
> {"id":13,"method":"session/set_model","params":{"sessionId":"recorded-1"}}
< {"id":13,"result":{"model":1}}
> {"id":14,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":14,"result":{"mode":1}}
`},
	{"recorded concurrent requests, sent in sequence", begin + `
c 1000 {"id":2,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
c 1000 {"id":3,"method":"session/set_model","params":{"sessionId":"recorded-1"}}
a 1100 {"id":2,"result":{"mode":1}}
a 1200 {"id":3,"result":{"model":1}}
`, 0, begun + `
> {"id":12,"method":"session/set_mode","params":{"sessionId":"recorded-1"}}
< {"id":12,"result":{"mode":1}}
> {"id":13,"method":"session/set_model","params":{"sessionId":"recorded-1"}}
< {"id":13,"result":{"model":1}}
`},
	{"two concurrent sessions", begin + `
c 400 {"id":2,"method":"session/new","params":{"cwd":"/home/ann/other"}}
a 500 {"id":2,"result":{"sessionId":"recorded-2"}}
c 1000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1100 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-2"}}
a 1200 {"method":"session/update","params":{"sessionId":"recorded-2","update":"/home/ann/other/b"}}
a 1300 {"method":"session/update","params":{"sessionId":"recorded-1","update":"/home/ann/src/a"}}
a 1400 {"id":3,"result":{"stopReason":"end_turn"}}
a 1500 {"id":4,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/new","params":{"cwd":"/elsewhere"}}
< {"id":12,"result":{"sessionId":"recorded-2"}}
> {"id":13,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"/work/a"}}
< {"id":13,"result":{"stopReason":"end_turn"}}
> {"id":14,"method":"session/prompt","params":{"sessionId":"recorded-2"}}
< {"method":"session/update","params":{"sessionId":"recorded-2","update":"/elsewhere/b"}}
< {"id":14,"result":{"stopReason":"end_turn"}}
`},
	{"a loaded session", `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":1}}
a 100 {"id":0,"result":{"protocolVersion":1}}
c 200 {"id":1,"method":"session/load","params":{"sessionId":"recorded-1","cwd":"/home/ann/src"}}
a 250 {"method":"session/update","params":{"sessionId":"recorded-1","update":"see file:///home/ann/src/a of recorded-1"}}
a 300 {"id":1,"result":{}}
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1600 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, `
> {"id":1,"method":"initialize"}
< {"id":1,"result":{"protocolVersion":1}}
> {"id":2,"method":"session/load","params":{"sessionId":"mine","cwd":"/my work"}}
< {"method":"session/update","params":{"sessionId":"mine","update":"see file:///my%20work/a of mine"}}
< {"id":2,"result":{}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"mine"}}
< {"id":3,"result":{"stopReason":"end_turn"}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"another"}}
< {"id":4,"error":{"code":-32601,"message":"this agent plays a recording, which has no session/prompt here: nothing is left of it"}}
`},
	{"a new session and a loaded session", begin + `
c 400 {"id":2,"method":"session/resume","params":{"sessionId":"recorded-2","cwd":"/home/ann/src"}}
a 500 {"id":2,"result":{}}
c 600 {"id":3,"method":"session/resume","params":{"sessionId":"recorded-1","cwd":"/home/ann/src"}}
a 700 {"id":3,"result":{"again":true}}
c 800 {"id":4,"method":"session/list"}
a 900 {"id":4,"result":["recorded-1","recorded-2"]}
`, 0, begun + `
> {"id":12,"method":"session/resume","params":{"sessionId":"mine","cwd":"/work"}}
< {"id":12,"result":{}}
> {"id":13,"method":"session/resume","params":{"sessionId":"recorded-1","cwd":"/work"}}
< {"id":13,"result":{"again":true}}
> {"id":14,"method":"session/list"}
< {"id":14,"result":["recorded-1","mine"]}
`},
	{"a session closed during a turn", begin + oneTurn + `
c 2000 {"id":3,"method":"session/close","params":{"sessionId":"recorded-1"}}
a 2100 {"id":3,"result":{}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 200
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
< 150 {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"id":3,"method":"session/close","params":{"sessionId":"recorded-1"}}
< {"id":2,"result":{"stopReason":"cancelled"}}
+ 1000
< 100 {"id":3,"result":{}}
`},
	{"a request while an elicitation without a session is pending", `
c 0 {"id":0,"method":"authenticate","params":{}}
a 100 {"id":"q","method":"elicitation/create","params":{"requestId":0}}
c 200 {"id":"q","result":{"action":"accept"}}
a 300 {"id":0,"result":{}}
c 400 {"id":1,"method":"session/list"}
a 500 {"id":1,"result":{"sessions":[]}}
`, 0, `
> {"id":7,"method":"authenticate","params":{}}
< {"id":"q","method":"elicitation/create","params":{"requestId":7}}
> {"id":8,"method":"session/list"}
< {"id":8,"result":{"sessions":[]}}
> {"id":"q","result":{"action":"decline"}}
< {"id":7,"result":{}}
`},
	{"concurrent requests of the agent with the same id", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":"q","method":"session/request_permission","params":{"sessionId":"recorded-1"}}
a 1200 {"id":"q","method":"session/request_permission","params":{"sessionId":"recorded-1"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":"q","method":"session/request_permission","params":{"sessionId":"recorded-1"}}
< {"id":"played-1","method":"session/request_permission","params":{"sessionId":"recorded-1"}}
`},
	{"an update does not wait for a request of another session", begin + oneTurn + `
c 2000 {"id":3,"method":"session/list"}
a 2100 {"id":3,"result":{"sessions":[]}}
a 2200 {"method":"session/update","params":{"sessionId":"recorded-1","update":"title"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":12,"result":{"stopReason":"end_turn"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"title"}}
> {"id":13,"method":"session/list"}
< {"id":13,"result":{"sessions":[]}}
`},
	{"version 2, a cancel before the response to the prompt", `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":2,"info":{},"capabilities":{}}}
a 100 {"id":0,"result":{"protocolVersion":2,"info":{},"capabilities":{}}}
c 200 {"id":1,"method":"session/new"}
a 300 {"id":1,"result":{"sessionId":"s1"}}
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"s1"}}
a 1100 {"id":2,"result":{}}
c 1200 {"method":"session/cancel","params":{"sessionId":"s1"}}
a 1300 {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}
`, 1, `
> {"id":10,"method":"initialize","params":{"protocolVersion":2,"info":{},"capabilities":{}}}
+ 100
< 100 {"id":10,"result":{"protocolVersion":2,"info":{},"capabilities":{}}}
> {"id":11,"method":"session/new"}
+ 1000
< 100 {"id":11,"result":{"sessionId":"s1"}}
> {"id":12,"method":"session/prompt","params":{"sessionId":"s1"}}
> {"method":"session/cancel","params":{"sessionId":"s1"}}
< {"id":12,"result":{}}
+ 1000
< 100 {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}
`},
	{"a prompt recorded during a turn, sent after it", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
c 1000 {"id":3,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":2,"result":{"stopReason":"end_turn"}}
c 1200 {"id":4,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1300 {"id":3,"result":{"stopReason":"end_turn"}}
a 1300 {"id":4,"result":{"stopReason":"max_tokens"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
> {"id":13,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":12,"result":{"stopReason":"end_turn"}}
+ 20000
< 10000 {"id":13,"result":{"stopReason":"end_turn"}}
> {"id":14,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":14,"result":{"stopReason":"max_tokens"}}
`},
	{"version 2", `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":2}}
a 100 {"id":0,"result":{"protocolVersion":2,"info":{},"capabilities":{}}}
c 200 {"id":1,"method":"session/new","params":{}}
a 300 {"id":1,"result":{"sessionId":"s1"}}
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"s1"}}
a 1100 {"id":2,"result":{"messageId":"m"}}
a 1200 {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"running"}}}
c 1300 {"method":"session/cancel","params":{"sessionId":"s1"}}
a 1400 {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}
c 2000 {"id":3,"method":"session/prompt","params":{"sessionId":"s1"}}
a 2100 {"id":3,"result":{"messageId":"n"}}
a 2200 {"id":"q","method":"session/request_permission","params":{"sessionId":"s1"}}
c 2300 {"id":"q","result":{}}
a 2400 {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}
`, 0, `
> {"id":1,"method":"initialize","params":{"protocolVersion":2}}
< {"id":1,"result":{"protocolVersion":2,"info":{},"capabilities":{}}}
> {"id":2,"method":"session/new"}
< {"id":2,"result":{"sessionId":"s1"}}
> {"id":3,"method":"session/prompt","params":{"sessionId":"s1"}}
< {"id":3,"result":{"messageId":"m"}}
< {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"running"}}}
+ 60000
> {"method":"session/cancel","params":{"sessionId":"s1"}}
< {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle"}}}
> {"id":4,"method":"session/prompt","params":{"sessionId":"s1"}}
< {"id":4,"result":{"messageId":"n"}}
< {"id":"q","method":"session/request_permission","params":{"sessionId":"s1"}}
> {"method":"session/cancel","params":{"sessionId":"s1"}}
< {"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
`},
	{"initialize in two versions", `
c 0 {"id":0,"method":"initialize","params":{"protocolVersion":1}}
a 100 {"id":0,"error":{"code":-32602}}
c 200 {"id":"p","method":"initialize","params":{"protocolVersion":2}}
a 300 {"id":"p","result":{"protocolVersion":2,"info":{}}}
`, 0, `
> {"id":1,"method":"initialize","params":{"protocolVersion":2}}
< {"id":1,"result":{"protocolVersion":2,"info":{}}}
> {"id":2,"method":"initialize","params":{"protocolVersion":1}}
< {"id":2,"error":{"code":-32602}}
> {"id":3,"method":"initialize","params":{"protocolVersion":2}}
< {"id":3,"result":{"protocolVersion":2,"info":{}}}
> {"id":4,"method":"initialize","params":{"protocolVersion":3}}
< {"id":4,"result":{"protocolVersion":2,"info":{}}}
`},
	{"a recorded second initialize", begin + `
c 400 {"id":2,"method":"initialize","params":{"protocolVersion":1}}
a 500 {"id":2,"result":{"protocolVersion":1,"again":true}}
`, 0, begun + `
> {"id":12,"method":"initialize","params":{"protocolVersion":1}}
< {"id":12,"result":{"protocolVersion":1,"again":true}}
`},
	{"initialize again while it is pending", begin, 1, `
> {"id":1,"method":"initialize"}
> {"id":2,"method":"initialize"}
< {"id":1,"result":{"protocolVersion":1}}
< {"id":2,"result":{"protocolVersion":1}}
`},
	{"lines that are not messages", begin + `
a 400 Warning: slow
a 450 {"meth
`, 0, `
> {"id":10,"method":"initialize"}
< {"id":10,"result":{"protocolVersion":1}}
> {"id":11,"method":"session/new"}
< {"id":11,"result":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
< Warning: slow
< {"meth
`},
	{"pending responses after the client closes stdin", begin + oneTurn + `
a 9000 {"method":"session/update","params":{"sessionId":"recorded-1","update":"unasked"}}
`, 1, `
> {"id":0,"method":"initialize"}
+ 100
< 100 {"id":0,"result":{"protocolVersion":1}}
> {"id":1,"method":"session/new"}
+ 100
< 100 {"id":1,"result":{"sessionId":"recorded-1"}}
> {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":"commands"}}
end
< {"method":"session/update","params":{"sessionId":"recorded-1","update":1}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":2}}
< {"id":2,"result":{"stopReason":"end_turn"}}
`},
	{"terminal ids", begin + `
c 1000 {"id":2,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
a 1100 {"id":"q","method":"terminal/create","params":{"sessionId":"recorded-1"}}
c 1200 {"id":"q","result":{"terminalId":"term-1"}}
a 1300 {"method":"session/update","params":{"sessionId":"recorded-1","update":{"terminalId":"term-1"}}}
a 9200 {"id":2,"result":{"stopReason":"end_turn"}}
`, 0, begun + `
> {"id":12,"method":"session/prompt","params":{"sessionId":"recorded-1"}}
< {"id":"q","method":"terminal/create","params":{"sessionId":"recorded-1"}}
> {"id":"q","result":{"terminalId":"T7"}}
< {"method":"session/update","params":{"sessionId":"recorded-1","update":{"terminalId":"T7"}}}
< {"id":12,"result":{"stopReason":"end_turn"}}
`},
}
