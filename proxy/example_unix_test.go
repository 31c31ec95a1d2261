//go:build unix

package proxy_test

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"acp-plan-proxy/proxy"
	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/translate/plans"
)

// The client can be any reader and writer.
func ExampleRun() {
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n")
	client, out := io.Pipe()
	agent := proxy.Agent{Grace: 5 * time.Second, Args: []string{"sh", "-c", `
read initialize
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p1","content":"- [ ] Measure"}}}}'
exit 3`}}
	ended := make(chan int)
	go func() {
		status, err := proxy.Run(agent, in, out, conversation.Options{
			Plans:      plans.Options{SyntheticID: "main", Markdown: plans.MarkdownEntries},
			MaxMessage: 64 << 20,
			Log:        slog.New(slog.DiscardHandler),
		})
		if err != nil {
			fmt.Println(err)
		}
		ended <- status
	}()
	io.Copy(os.Stdout, client) // until Run closes out
	fmt.Println("status", <-ended)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}
	// {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[{"content":"Measure","priority":"medium","status":"pending"}]}}}
	// status 3
}
