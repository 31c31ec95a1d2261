package capabilities_test

import (
	"fmt"

	"acp-plan-proxy/capabilities"
)

// What a client can show of a plan follows from its initialize and the agent's answer.
func Example() {
	params := []byte(`{"protocolVersion":1,"clientCapabilities":{"plan":{}}}`)
	request, err := capabilities.ReadRequest(params)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := capabilities.ReadAnswer([]byte(`{"protocolVersion":1,"agentCapabilities":{}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	var settings capabilities.Settings // the user has said nothing
	client := settings.Client(request, answer)
	fmt.Println(client, client.Shows&capabilities.Markdown != 0)

	// Agents of an earlier draft look for another name.
	told, changed := capabilities.AdvertiseAuto.Advertise(params, request)
	fmt.Printf("%v %s\n", changed, told)
	// Output:
	// ops true
	// true {"protocolVersion":1,"clientCapabilities":{"plan":{},"planCapabilities":{}}}
}
