package jsonrpc_test

import (
	"fmt"

	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// A Message has the positions of the parts of a line.
func ExampleMessage() {
	line := []byte(`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`)
	var c rawjson.Cursor
	var m jsonrpc.Message
	c.Reset(line)
	m.Read(&c, line, nil)
	fmt.Printf("%s %s in %s, request: %v\n", m.Method, m.ID, m.Session, m.IsRequest())
	fmt.Printf("%s\n", m.Params.Of(line))
	// Output:
	// session/prompt 7 in s1, request: true
	// {"sessionId":"s1","prompt":[]}
}

// CutStray finds the message behind text that an agent has printed without a newline.
func ExampleCutStray() {
	text, rest := jsonrpc.CutStray([]byte(`Loading... {"jsonrpc":"2.0","id":1,"result":{}}`))
	fmt.Printf("%q\n%s\n", text, rest)
	// Output:
	// "Loading... "
	// {"jsonrpc":"2.0","id":1,"result":{}}
}
