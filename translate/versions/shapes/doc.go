// Package shapes converts the objects of one version of the protocol to the other.
//
// Each object is described once, as an [Object]: a table for both directions. A [Writer]
// receives the converted object and the losses of the conversion. Conversions that depend on
// earlier messages are in the packages v1client and v1agent.
//
//	object.go, values.go  members of objects, and values
//	initialize.go         initialize and its result; capabilities.go, signins.go, mcpservers.go
//	content.go            content blocks; paths.go paths and URIs in them
//	updates.go            session updates that need no state; commands.go the commands in them
//	toolcalls.go          tool calls without their content
//	permissions.go        permission requests; forms.go elicitations
//	options.go            options
//	sessions.go           results that open a session, and lists of sessions
//	results.go            results that are the same in both versions
//
// [InitializeToV1] and [InitializeToV2] convert the client's initialize,
// [InitializeResultToV1] and [InitializeResultToV2] the agent's result. [V1Client], [V2Agent],
// [V2Client] and [V1Agent] are the facts that a bridge keeps of them.
package shapes
