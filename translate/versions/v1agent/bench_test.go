package v1agent

import (
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// BenchmarkStream converts the output of a working agent: thoughts and messages with and
// without ids, and tool calls with small diffs.
func BenchmarkStream(b *testing.B) {
	const thought = `"content":{"type":"text","text":"Let me look at the parser first, and then at what calls it."}`
	stream := []string{
		report("agent_thought_chunk", thought),
		report("agent_thought_chunk", thought+`,"messageId":"msg_01"`),
		report("agent_message_chunk", thought),
		report("tool_call", `"toolCallId":"toolu_01","name":"Edit","rawInput":{},"status":"pending","title":"Edit","kind":"edit","content":[],"locations":[]`),
		report("tool_call_update",
			`"_meta":{"claudeCode":{"toolName":"Edit"}},`+
				`"toolCallId":"toolu_01","rawInput":{"file_path":"/p/notes.txt","old_string":"two","new_string":"three"},`+
				`"title":"Edit notes.txt","locations":[{"path":"/p/notes.txt","line":1}]`),
		report("tool_call_update",
			`"toolCallId":"toolu_01","status":"completed","content":[{"type":"diff","path":"/p/notes.txt",`+
				`"oldText":"one\ntwo\nthree\nfour\nfive\nsix\nseven\n","newText":"one\ntwo\n3\nfour\nfive\nsix\n7\n"}]`),
		report("usage_update", `"used":101,"size":200000,"_meta":{"model":"m"}`),
	}
	p := newPeer(able)
	for _, s := range begun {
		p.Must(b, s)
	}
	messages := make([][]byte, len(stream))
	size := 0
	for i, s := range stream {
		messages[i] = []byte(full(s))
		size += len(messages[i])
	}
	b.SetBytes(int64(size / len(stream)))
	b.ReportAllocs()
	var m jsonrpc.Message
	var c rawjson.Cursor
	i := 0
	for b.Loop() {
		text := messages[i%len(messages)]
		i++
		c.Reset(text)
		m.Read(&c, text, nil)
		p.Out.Reset(translate.Agent, &m)
		p.bridge.Receive(translate.Agent, &m, p.Now, &p.Out)
	}
}
