package calls

import (
	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
	"acp-plan-proxy/transport/rawjson"
)

// MaxSession is the maximum length of a session id in bytes.
const MaxSession = 4 << 10

var errInvalidRequest = jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "Invalid request"}

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

// Dispatch passes a request or a notification to the handler of its method, and a response to
// OnResponse of its request. Requests without a handler go to the handler of "". Notifications
// without a handler are forwarded, except those with the method of a request: nobody would answer
// them, and the other side may know the method only by another name. A message that cannot be read
// is refused if it may be a request, and otherwise dropped.
func (l *Link) Dispatch(from translate.Side, m *jsonrpc.Message) {
	method := string(m.Method)
	switch {
	case m.Method == nil && m.ID == nil, m.Method != nil && m.Ambiguous, len(m.Session) > MaxSession:
		l.ReportIn(nil, translate.Loss{
			Kind:   translate.LossUnreadableMessage,
			Detail: "a message of the " + from.String() + " is dropped or refused: it is neither a request nor a response, or its sessionId is too long",
		})
		if m.Method != nil && m.ID != nil {
			l.Refuse(from, m.ID, errInvalidRequest)
		}
	case m.Method == nil:
		l.handleResponse(from, m)
	case m.ID == nil:
		if handle := l.Notifications[from][method]; handle != nil {
			handle(m)
		} else if l.Requests[translate.Client][method] != nil || l.Requests[translate.Agent][method] != nil {
			l.Lose(translate.LossNoID, "a "+method+" of the "+from.String()+" is dropped: it is a request without an id")
		} else {
			l.Forward()
		}
	case from == translate.Client && l.Ended:
		l.Refuse(from, m.ID, ErrAgentEnded)
	case l.Pending[from.Other()].Len() >= MaxOpen:
		l.ReportIn(m.Session, translate.Loss{Kind: translate.LossMemory, Detail: "memory limit: a request of the " + from.String() + " is refused"})
		l.Refuse(from, m.ID, errTooManyOpen)
	default:
		handle, ok := l.Requests[from][method]
		if !ok {
			handle = l.Requests[from][""]
		}
		handle(m)
	}
}

// handleResponse passes a response to OnResponse of its request. An error replaces an unreadable
// response, because the request must be answered. A response may be late: its request was answered
// when its session was closed, or on the client's behalf.
func (l *Link) handleResponse(from translate.Side, m *jsonrpc.Message) {
	if !m.IsResponse() || m.Failed() && rawjson.IsNull(ErrorOf(m)) {
		unreadable := jsonrpc.MessageOf(UnreadableError(from).Response(m.ID))
		m = &unreadable
	}
	if c := l.Pending[from].Take(m.ID); c != nil {
		c.Request.OnResponse(c, m)
	} else if !l.Pending[from].HasAssigned(m.ID) {
		l.Lose(translate.LossNoRequest, "a response of the "+from.String()+" to no pending request is dropped")
	}
}

// UnreadableError returns the error that replaces an unreadable response of a side.
func UnreadableError(from translate.Side) jsonrpc.Error {
	return jsonrpc.Error{Code: jsonrpc.InternalError, Message: "the " + from.String() + "'s answer cannot be read"}
}

// ClientMethods returns the methods of version 1 for the client's files and terminals.
func ClientMethods() []string {
	return []string{
		"fs/read_text_file", "fs/write_text_file",
		"terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release",
	}
}
