// Package proxy runs an agent behind a proxy that translates between drafts and versions of
// the Agent Client Protocol.
//
// CONTRIBUTING.md describes the path of any message, and the next section the path of initialize.
//
// # The path of initialize
//
// These files are in conversation, except failure.go:
//
//	direction.go     reads the client's request, and pauses the lines after it
//	negotiation.go   is the stage of initialize: reads the client's capabilities, edits
//	                 the capabilities for the agent, and records the pending request
//	discovery.go     follows the steps of translate/versions/handshake.go: if the agent
//	                 refuses the version, it requests the other one, after a restart if
//	                 necessary
//	gate.go          holds the client's later lines until the agent has responded
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
