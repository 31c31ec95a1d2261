package conversation_test

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"acp-plan-proxy/proxy/conversation"
	"acp-plan-proxy/translate/plans"
)

// options returns the options of the command line without flags.
func options() conversation.Options {
	return conversation.Options{
		Plans: plans.Options{
			SyntheticID: "main", Markdown: plans.MarkdownEntries,
			Files: plans.FilesRead,
		},
		MaxMessage: 64 << 20,
		Log:        slog.New(slog.DiscardHandler),
	}
}

// Translate converts the recorded output of an agent to that of the proxy.
func ExampleTranslate() {
	recorded := strings.NewReader(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p1","entries":[{"content":"Read","priority":"high","status":"_blocked"}]}}}}
{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}
`)
	if err := conversation.Translate(recorded, false, os.Stdout, options()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"plan","entries":[{"content":"Read (blocked)","priority":"high","status":"pending"}]}}}
	// {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}
}
