// Package words says the objects of one version of the protocol in the other.
//
// Each object is described once, with what becomes of it in both directions. An
// object is a [Shape], a value a [Convert], and a [Writer] takes what becomes of
// them, and what that loses. What needs memory of what was said before is not
// here: the bridges in the packages oldclient and oldagent have it.
//
// Objects of both versions are tables, see table.go. [InitializeToV1] and [InitializeToV2] say the client's initialize in the other
// version, [InitializeResultToV1] and [InitializeResultToV2] the agent's answer.
// [OldClient], [NewAgent] and [OldAgent] are what a bridge must know of them.
package words
