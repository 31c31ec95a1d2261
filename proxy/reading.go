package proxy

import (
	"acp-plan-proxy/translate/plans"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// The methods that this package has business with.
const (
	methodInitialize = "initialize"
	methodUpdate     = "session/update"
	methodPrompt     = "session/prompt"
	methodResume     = "session/resume"
	methodPermission = "session/request_permission"
	methodForm       = "elicitation/create"

	methodCancelRequest = "$/cancel_request"
)

// A reading is a message and what the plan translation reads of its params, in
// one pass.
type reading struct {
	jsonrpc.Message
	plan plans.Params
}

// read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c.
func (r *reading) read(c *rawjson.Cursor, text []byte) {
	r.plan.Reset()
	r.Message.Read(c, text, &r.plan)
}

// readMessage is read without the plan. A message for a bridge is read so: what
// becomes of it may be another plan.
func (r *reading) readMessage(c *rawjson.Cursor, text []byte) {
	r.plan.Reset()
	r.Message.Read(c, text, nil)
}

// isPlan reports whether the message is a notification that concerns a plan.
func (r *reading) isPlan() bool {
	return r.IsNotification() && string(r.Method) == methodUpdate && r.plan.Update.Kind() != ""
}
