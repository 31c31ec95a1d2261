package translate

import "slices"

// A LossKind says what was lost, or which limit was passed. There are no kinds but
// these, so the log can tell all of them apart.
type LossKind uint8

// The kinds of losses.
const (
	_ LossKind = iota

	// What a plan message says, or a client cannot show.
	LossPlanMessage
	LossPlanSession
	LossPlanIDs
	LossPlanType
	LossPlanEntries
	LossPlanLength
	LossPlanFile

	// Limits of plans.
	LossSessionsWithPlans
	LossPlansInSession
	LossPlanMemory
	LossPlanNames

	// What the proxy does not understand or pass on, with a bridge or without.
	LossInitialize
	LossPlanCapability
	LossFailedInitialize
	LossInitializeAnswer
	LossStrayLine
	LossStrayText
	LossLongLine
	LossUnansweredRequests
	LossNotPassedOn
	LossNotGiven
	LossEarlyRequest
	LossEarlyMessage

	// Limits of both bridges.
	LossTooManySessions
	LossTooManyRequests
	LossTooManyPrompts
	LossTooManyToolCalls
	LossTooManyTerminals
	LossTooManyOptions
	LossLongDirectory

	// Limits for a client of version 1.
	LossTooManySubagents
	LossTooManyNames
	LossTooManyUserMessages
	LossTooManyNewMessages
	LossTooMuchContent
	LossTooMuchContents
	LossTooMuchMetadata
	LossLongID
	LossLongTitle
	LossManyBlocks

	// Limits for a client of version 2.
	LossTooManyKeys
	LossTooManyReplayed
	LossTooManyReplayedSubagents
	LossTooMuchKept
	LossLargeDiff

	// From version 2 to version 1.
	LossClearedMember
	LossCancellable
	LossCancelledStatus
	LossClearedMessage
	LossReplacedMessage
	LossPatch
	LossDiff
	LossBooleanOption
	LossOptionType
	LossPermissionKind
	LossStopReason
	LossContentBlock
	LossLinkIcons
	LossAudienceRole
	LossNotice
	LossCompaction
	LossSubagent
	LossSubagentMessage
	LossClientFiles
	LossClientTerminals
	LossSignIn
	LossMCPServers

	// From version 1 to version 2.
	LossVersion2Update
	LossHistory
	LossModeOfSession
	LossClientRequest
	LossNoPermissionOptions
	LossListedSession
	LossCommand

	// Between versions, both ways.
	LossCapability
	LossUnknownUpdate
	LossToolCallKind
	LossToolCallStatus
	LossToolCallContent
	LossTerminal
	LossQuestion

	// What cannot be read, or belongs to nothing.
	LossUnreadableMessage
	LossUnreadableNotification
	LossUnreadableUpdate
	LossUnreadableMember
	LossUnreadableContent
	LossUnreadableOutput
	LossUnreadableOption
	LossUnreadablePermissionOption
	LossUnreadableAnswer
	LossUnreadableProvider
	LossUnreadableAddress
	LossNoID
	LossNoRequest

	// LossKinds is the number of kinds, counting the zero.
	LossKinds int = iota
)

// String returns the words that the log has for a kind.
func (k LossKind) String() string { return lossWords[k] }

// IsLoss reports whether words are those of a kind.
func IsLoss(words string) bool { return slices.Contains(lossWords[1:], words) }

var lossWords = [LossKinds]string{
	LossPlanMessage: "plan message",
	LossPlanSession: "session of a plan",
	LossPlanIDs:     "ids of a plan",
	LossPlanType:    "type of a plan",
	LossPlanEntries: "plan entries",
	LossPlanLength:  "length of a plan",
	LossPlanFile:    "plan file",

	LossSessionsWithPlans: "sessions with plans",
	LossPlansInSession:    "plans in a session",
	LossPlanMemory:        "memory for plans",
	LossPlanNames:         "names of plans",

	LossInitialize:         "initialize",
	LossPlanCapability:     "plan capability",
	LossFailedInitialize:   "failed initialize",
	LossInitializeAnswer:   "answer to initialize",
	LossStrayLine:          "stray line",
	LossStrayText:          "text in front of a message",
	LossLongLine:           "long line",
	LossUnansweredRequests: "unanswered requests",
	LossNotPassedOn:        "message not passed on",
	LossNotGiven:           "request not given to the agent",
	LossEarlyRequest:       "request before initialize was answered",
	LossEarlyMessage:       "message before initialize was answered",

	LossTooManySessions:  "too many sessions",
	LossTooManyRequests:  "too many requests",
	LossTooManyPrompts:   "too many prompts",
	LossTooManyToolCalls: "too many tool calls",
	LossTooManyTerminals: "too many terminals",
	LossTooManyOptions:   "too many options",
	LossLongDirectory:    "long directory",

	LossTooManySubagents:    "too many subagents",
	LossTooManyNames:        "too many ids, titles and options",
	LossTooManyUserMessages: "too many user messages before the answer to a prompt",
	LossTooManyNewMessages:  "too many messages before the answer to session/new",
	LossTooMuchContent:      "too much content of a tool call",
	LossTooMuchContents:     "too much content of tool calls",
	LossTooMuchMetadata:     "too much metadata",
	LossLongID:              "long id",
	LossLongTitle:           "long title of a tool call",
	LossManyBlocks:          "message of many blocks",

	LossTooManyKeys:              "too many prompts with keys",
	LossTooManyReplayed:          "too many messages in a replay",
	LossTooManyReplayedSubagents: "too many subagents in a replay",
	LossTooMuchKept:              "too much is kept",
	LossLargeDiff:                "large diff",

	LossClearedMember:   "cleared member of a tool call",
	LossCancellable:     "tool call that can be cancelled",
	LossCancelledStatus: "status cancelled of a tool call",
	LossClearedMessage:  "cleared message",
	LossReplacedMessage: "replaced message",
	LossPatch:           "patch of a diff",
	LossDiff:            "diff that is more than two texts",
	LossBooleanOption:   "option of type boolean",
	LossOptionType:      "option of an unknown type",
	LossPermissionKind:  "unknown kind of a permission option",
	LossStopReason:      "unknown stop reason",
	LossContentBlock:    "content block",
	LossLinkIcons:       "icons of a resource link",
	LossAudienceRole:    "role in an audience",
	LossNotice:          "notice",
	LossCompaction:      "compaction",
	LossSubagent:        "subagent",
	LossSubagentMessage: "message between sessions",
	LossClientFiles:     "files of the client",
	LossClientTerminals: "terminals of the client",
	LossSignIn:          "ways to sign in",
	LossMCPServers:      "MCP servers",

	LossVersion2Update:      "update of version 2",
	LossHistory:             "history of a session",
	LossModeOfSession:       "mode of a session",
	LossClientRequest:       "file or terminal request",
	LossNoPermissionOptions: "permission without options",
	LossListedSession:       "session in a list",
	LossCommand:             "command",

	LossCapability:      "capability",
	LossUnknownUpdate:   "session update",
	LossToolCallKind:    "unknown kind of a tool call",
	LossToolCallStatus:  "unknown status of a tool call",
	LossToolCallContent: "unknown content of a tool call",
	LossTerminal:        "terminal",
	LossQuestion:        "question of a form",

	LossUnreadableMessage:          "unreadable message",
	LossUnreadableNotification:     "unreadable notification",
	LossUnreadableUpdate:           "unreadable update",
	LossUnreadableMember:           "unreadable member of an update",
	LossUnreadableContent:          "unreadable content of a tool call",
	LossUnreadableOutput:           "unreadable output of a terminal",
	LossUnreadableOption:           "unreadable option",
	LossUnreadablePermissionOption: "unreadable permission option",
	LossUnreadableAnswer:           "answer to a form",
	LossUnreadableProvider:         "provider",
	LossUnreadableAddress:          "address of a provider",
	LossNoID:                       "request without an id",
	LossNoRequest:                  "answer to no request",
}
