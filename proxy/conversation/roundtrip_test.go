package conversation

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport"
	"acp-plan-proxy/transport/jsonrpc"
)

// BenchmarkRoundTrip measures one request and its response, between peers of one version
// and through a bridge.
func BenchmarkRoundTrip(b *testing.B) {
	initialize := [...]string{
		1: `{"protocolVersion":1,"clientCapabilities":{}}`,
		2: `{"protocolVersion":2,"info":{"name":"x","version":"1"},"capabilities":{}}`,
	}
	result := [...]string{
		1: `{"protocolVersion":1,"agentCapabilities":{}}`,
		2: `{"protocolVersion":2,"info":{"name":"x","version":"1"},"capabilities":{}}`,
	}
	for _, version := range []struct{ client, agent int }{{1, 1}, {1, 2}, {2, 1}} {
		b.Run(fmt.Sprintf("%d:%d", version.client, version.agent), func(b *testing.B) {
			o := testOptions()
			o.Bridge = BridgeAuto
			var sent bytes.Buffer // by the proxy to the agent
			c := New(o, io.Discard, &sent, "agent", nil)
			toAgent := c.Outlet(translate.Agent)
			client, agent := newDirection(c, translate.Client), newDirection(c, translate.Agent)
			inspect(client, request("0", "initialize", initialize[version.client]))
			inspect(agent, success("0", result[version.agent]))
			toAgent.Flush()
			if sent.Len() > 0 {
				m := jsonrpc.MessageOf(bytes.Clone(sent.Bytes()))
				inspect(agent, success(string(m.ID), result[version.agent]))
			}
			joined := c.joined.Load()
			if joined != (version.client != version.agent) {
				b.Fatalf("joined is %t", joined)
			}
			pass := func(d *direction, line []byte) {
				if d.Inspect(line) == transport.Hold {
					d.Rewrite(line)
				}
			}
			question := []byte(request("7", "session/list", `{"cwd":"/tmp"}`))
			var answer []byte
			b.ReportAllocs()
			for n := 1; b.Loop(); n++ {
				pass(client, question)
				id := 7
				if joined {
					id = n
				}
				answer = fmt.Appendf(answer[:0], `{"jsonrpc":"2.0","id":%d,"result":{"sessions":[]}}`+"\n", id)
				pass(agent, answer)
				if sent.Len() > 1<<20 {
					toAgent.Flush()
					sent.Reset()
				}
			}
		})
	}
}
