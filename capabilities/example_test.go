package capabilities_test

import (
	"fmt"

	"acp-plan-proxy/capabilities"
)

// The initialize request and the response determine the plan messages of a client.
func Example() {
	params := []byte(`{"protocolVersion":1,"clientCapabilities":{"plan":{}}}`)
	request, err := capabilities.ReadRequest(params)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := capabilities.ReadResult([]byte(`{"protocolVersion":1,"agentCapabilities":{}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var settings capabilities.Settings // no --client
	client := settings.Client(request, result)
	fmt.Println(client, client.Shows&capabilities.Markdown != 0)

	// Agents of an earlier draft expect another name of the capability.
	edited, changed := capabilities.Announcement{}.Edit(params, request)
	fmt.Printf("%v %s\n", changed, edited)
	// Output:
	// ops true
	// true {"protocolVersion":1,"clientCapabilities":{"plan":{},"planCapabilities":{}}}
}
