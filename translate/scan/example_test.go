package scan_test

import (
	"fmt"
	"sync/atomic"

	"acp-plan-proxy/translate/scan"
	"acp-plan-proxy/transport"
)

// A Scanner decides on a line from its first bytes.
func ExampleScanner() {
	var filter atomic.Pointer[scan.Filter]
	filter.Store(&scan.Filter{Updates: []string{"plan"}})
	scanner := scan.Scanner{Filter: &filter}
	verdicts := map[transport.Verdict]string{transport.More: "more", transport.Pass: "pass", transport.Hold: "hold"}
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/up`, // the rest has not arrived
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk",`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"plan","entries":[]}}}` + "\n",
	} {
		fmt.Println(verdicts[scanner.Scan([]byte(line))])
		scanner.Reset()
	}
	// Output:
	// more
	// pass
	// hold
}
