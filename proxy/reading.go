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
	methodLoad       = "session/load"
	methodResume     = "session/resume"
	methodClose      = "session/close"
	methodDelete     = "session/delete"
)

// A reading is a message and what the plan translation reads of its params, in
// one pass.
type reading struct {
	jsonrpc.Message
	update  plans.Update
	replays bool // params.replayFrom is there

	updates int
}

// read reads the value that is next in c, which walks text. Errors in the JSON
// are left in c.
func (r *reading) read(c *rawjson.Cursor, text []byte) {
	r.update.Reset()
	r.replays, r.updates = false, 0
	r.Message.Read(c, text, r)
	r.Ambiguous = r.Ambiguous || r.updates > 1
}

// ReadMember implements [jsonrpc.ParamsReader].
func (r *reading) ReadMember(name []byte, c *rawjson.Cursor, text []byte) bool {
	switch string(name) {
	case "update":
		r.updates++
		r.update.Read(c, text)
	case "replayFrom":
		r.replays = c.Kind() != 'n'
		c.Skip()
	default:
		return false
	}
	return true
}

// isPlan reports whether the message is a notification that concerns a plan.
func (r *reading) isPlan() bool {
	return r.IsNotification() && string(r.Method) == methodUpdate && r.update.Kind() != ""
}
