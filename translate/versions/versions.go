package versions

import (
	"time"

	"acp-plan-proxy/translate"
	"acp-plan-proxy/transport/jsonrpc"
)

// A Bridge converts the messages of one connection, after initialize. It must
// not be used by two goroutines at once. Messages are valid only during the
// call; what out is given is complete when the call returns.
//
// It is given every message, even one that is neither a request nor a
// notification nor a response. Nothing can make it panic, and each request gets
// exactly one answer, from the side that was asked or from the bridge. A Bridge
// keeps the ids of open requests, so its caller refuses requests with long ones.
type Bridge interface {
	// FromClient handles a message of the client.
	FromClient(m *jsonrpc.Message, now time.Time, out *translate.Out)

	// FromAgent handles a message of the agent.
	FromAgent(m *jsonrpc.Message, now time.Time, out *translate.Out)

	// Asked notes that the client has been asked something by the agent before there
	// was a bridge: under the agent's own raw id, and in the agent's words.
	// The client's answer is converted like any other. It is called first.
	Asked(id []byte, method, session string)

	// Wake does what was to be done at Next.
	Wake(now time.Time, out *translate.Out)

	// Next is when Wake is wanted, the zero time if it is not.
	Next() time.Time

	// Gone handles the end of the agent: it answers what the client still
	// waits for. why is for people: "agent exited".
	Gone(why string, now time.Time, out *translate.Out)
}
