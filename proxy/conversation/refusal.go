package conversation

import (
	"bytes"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// maxID limits the id of a request through the bridge, in bytes. The bridge keeps the ids of pending
// requests. Clients and agents use numbers and UUIDs.
const maxID = 1 << 10

// parseError is the code of the error for a line that is not JSON.
const parseError = -32700

// errorResponse returns an error response of the proxy.
func errorResponse(id []byte, code int, why string) []byte {
	return jsonrpc.Error{Code: code, Message: why}.Response(id)
}

// idFor returns the id of the error response for a message of a side, given the message's id. If
// that is not readable, idFor returns null for the client, and nil for the agent, which gets no
// response.
func idFor(side translate.Side, id []byte) []byte {
	if id == nil && side == translate.Client {
		return []byte("null")
	}
	return id
}

// whyRefused returns the reason to refuse a message in front of the bridge, or "".
func whyRefused(side translate.Side, m *jsonrpc.Message) string {
	switch {
	case m.ID == nil && m.Method == nil && !m.Result.Present() && !m.Error.Present():
		return "neither a request, a notification nor a response"
	case m.BadMethod && m.ID != nil && !m.Result.Present() && !m.Error.Present():
		return "the method is no string"
	case !m.IsRequest():
		return ""
	case len(m.ID) > maxID:
		return "the id is too long"
	case side == translate.Client && string(m.Method) == "initialize":
		return "initialize may be requested once"
	}
	return ""
}

// refuseLocked drops a message of a side, and responds with an error unless id is nil.
func (c *Conversation) refuseLocked(side translate.Side, id []byte, code int, why string) {
	c.Lose(translate.Loss{Kind: translate.LossNotPassedOn, Detail: "a message of the " + side.String() + " is not forwarded: " + why})
	if id != nil {
		response := errorResponse(id, code, why)
		c.observer.outputOfProxy(side, response)
		c.outlets[side].Answer(response, newline)
	}
}

// refuseTooLong refuses a line that is longer than MaxMessage. The scanner has its head.
func (d *direction) refuseTooLong() {
	d.c.mu.Lock()
	defer d.c.finishAndUnlock()
	d.refuseHead(nil, jsonrpc.InvalidRequest, "the message is longer than --max-message")
}

// refuseUnreadable refuses a line that is not a message: a batch, or not JSON.
func (d *direction) refuseUnreadable(line []byte) {
	d.c.mu.Lock()
	defer d.c.finishAndUnlock()
	d.c.observer.input(d.side, line)
	id := idFor(d.side, nil)
	var cursor rawjson.Cursor
	cursor.Reset(line)
	cursor.Skip()
	switch {
	case len(d.scanner.Head.Message()) > 0:
		d.refuseHead(id, parseError, "the line is not valid JSON")
	case len(bytes.TrimSpace(line)) == 0: // dropped without a response
	case cursor.End():
		d.c.refuseLocked(d.side, id, jsonrpc.InvalidRequest, "batches are not supported")
	default:
		d.c.refuseLocked(d.side, id, parseError, "the line is not valid JSON")
	}
}

// refuseHead refuses the line whose head the scanner has. A request gets an error response. A
// response is replaced with an error response, because its receiver waits for it. Of a state_update
// the head is forwarded, because a prompt may wait for the state. Any other line gets an error
// response with the given id, or none if id is nil.
func (d *direction) refuseHead(id []byte, code int, why string) {
	c, m := d.c, d.head()
	kind, _ := m.Members.Text("sessionUpdate")
	switch {
	case m.ID != nil && (m.Result.Present() || m.Error.Present()):
		c.refuseLocked(d.side, nil, code, why)
		if code == parseError { // the receiver has made no mistake
			code = jsonrpc.InternalError
		}
		c.receiveLocked(d.side, errorResponse(m.ID, code, why))
	case m.IsNotification() && string(m.Method) == "session/update" && string(kind) == "state_update":
		c.refuseLocked(d.side, nil, code, why+"; only its state is")
		c.receiveLocked(d.side, d.scanner.Head.Message())
	case m.Method != nil && m.ID != nil:
		c.refuseLocked(d.side, m.ID, code, why)
	default:
		c.refuseLocked(d.side, id, code, why)
	}
}
