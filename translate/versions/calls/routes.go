package calls

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Handler converts messages of one method.
type Handler = func(*jsonrpc.Message)

// Routes are handlers by the sender of the message and its method.
type Routes [2]map[string]Handler

// From returns a function that adds a handler for methods of one side.
func (r *Routes) From(side translate.Side) func(handle Handler, methods ...string) {
	r[side] = make(map[string]Handler)
	return func(handle Handler, methods ...string) {
		for _, method := range methods {
			r[side][method] = handle
		}
	}
}

// ClientWork returns the methods of version 1 for the client's files and terminals.
func ClientWork() []string {
	return []string{
		"fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release",
	}
}
