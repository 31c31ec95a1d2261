// Package proxy runs an agent behind a proxy that translates between drafts and versions of
// the Agent Client Protocol.
//
// # The path of a message
//
// The agent sends a markdown plan_update to a client that supports only plan:
//
//	agent.go                       starts the agent and relays both directions
//	transport/relay.go             reads, and passes each line to its Inspector
//	conversation/direction.go      is the Inspector, and calls its scanner
//	translate/scan/scanner.go      decides at the earliest byte: a line that no stage
//	                               needs passes, a plan is held
//	conversation/direction.go      reads the whole line: the message
//	                               (transport/jsonrpc/message.go) and its plan
//	                               (translate/plans/update.go) in one pass
//	conversation/conversation.go   takes the lock and passes the message to the chain
//	translate/stage.go             calls the stages of conversation/stages.go in turn
//	translate/plans/stage.go       translates the plan for the client
//	conversation/slot.go           replaces the message in its line
//	conversation/observer.go       reports the message and its translation to the trace
//
// # The path of initialize
//
// These files are in conversation, except failure.go:
//
//	direction.go     holds the client's request
//	negotiation.go   is the stage of initialize: reads the client's capabilities, edits
//	                 the capabilities for the agent, and records the pending request
//	discovery.go     follows the steps of translate/versions/handshake.go: if the agent
//	                 refuses the version, it requests the other one, after a restart if
//	                 necessary
//	gate.go          holds the client's next lines until then
//	join.go          converts the request and the response to the other version
//	                 (translate/versions/shapes/initialize.go)
//	negotiation.go   reads the response and configures the other stages, or responds for
//	                 a failed agent (failure.go has the reason)
//
// # Through a bridge
//
// When client and agent share no version, join inserts a bridge into the chain
// (translate/versions/v1client or v1agent). A bridge receives every message, and its output
// is sent through a [transport.Outlet] for each side, in order. Losses go to the log and,
// with the next event, to the observer. A line that is too long or not JSON is refused: the
// members that [scan.Head] collects identify the receiver of the error
// (conversation/refusal.go).
//
// [conversation.Translate] rewrites recorded lines of an agent. A [conversation.Local] is the
// proxy between a client and an agent in the same process.
package proxy
