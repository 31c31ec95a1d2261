// Package shapes writes the objects of one version of the protocol in the other.
//
// Each object is described once: as an [Object], a table for both directions. A [Writer]
// takes what becomes of an object, and what that loses. What needs memory of earlier
// messages is in the bridges, in the packages v1client and v1agent.
//
//	object.go, values.go  what becomes of an object's members, and of values
//	initialize.go         initialize and its answer; capabilities.go, signins.go, mcpservers.go
//	content.go            content blocks; paths.go paths and URIs in them
//	updates.go            updates that need no memory; commands.go one of these
//	toolcalls.go          tool calls, besides their content
//	permissions.go        permission requests; forms.go the other questions
//	options.go            options, and modes
//	sessions.go           lists of sessions
//	results.go            results that are the same in both versions
//
// [InitializeToV1] and [InitializeToV2] write the client's initialize in the other
// version, [InitializeResultToV1] and [InitializeResultToV2] the agent's answer.
// [V1Client], [V2Agent] and [V1Agent] are what a bridge must know of them.
package shapes
