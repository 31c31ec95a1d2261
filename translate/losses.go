package translate

import "slices"

// A LossKind is a kind of [Loss]. The list is closed, which bounds the log.
type LossKind uint8

// The kinds of losses. The zero value is no loss.
const (
	// Plan messages.
	LossPlanMessage LossKind = iota + 1
	LossPlanSession
	LossPlanIDs
	LossPlanType
	LossPlanEntries
	LossPlanLength
	LossPlanFile

	// Messages that the proxy does not understand or forward, with a bridge or without.
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
	LossMCPServer
	LossUserNotAsked
	LossEarlyRequest
	LossEarlyMessage

	// A memory budget is exceeded: the least recently grown state is evicted, or new state is refused.
	LossMemory

	// Limits for a client of version 1.
	LossManyBlocks

	// Limits for a client of version 2.
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

	// Unreadable messages, and responses to no request.
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
)

// lossNames has the names of the kinds in the log.
var lossNames = [...]string{
	LossPlanMessage:                "plan message",
	LossPlanSession:                "session of a plan",
	LossPlanIDs:                    "ids of a plan",
	LossPlanType:                   "type of a plan",
	LossPlanEntries:                "plan entries",
	LossPlanLength:                 "length of a plan",
	LossPlanFile:                   "plan file",
	LossInitialize:                 "initialize",
	LossPlanCapability:             "plan capability",
	LossFailedInitialize:           "failed initialize",
	LossInitializeAnswer:           "answer to initialize",
	LossStrayLine:                  "stray line",
	LossStrayText:                  "text in front of a message",
	LossLongLine:                   "long line",
	LossUnansweredRequests:         "unanswered requests",
	LossNotPassedOn:                "message not passed on",
	LossNotGiven:                   "request not given to the agent",
	LossMCPServer:                  "MCP server",
	LossUserNotAsked:               "user not asked",
	LossEarlyRequest:               "request before initialize was answered",
	LossEarlyMessage:               "message before initialize was answered",
	LossMemory:                     "memory",
	LossManyBlocks:                 "message of many blocks",
	LossLargeDiff:                  "large diff",
	LossClearedMember:              "cleared member of a tool call",
	LossCancellable:                "tool call that can be cancelled",
	LossCancelledStatus:            "status cancelled of a tool call",
	LossClearedMessage:             "cleared message",
	LossReplacedMessage:            "replaced message",
	LossPatch:                      "patch of a diff",
	LossDiff:                       "diff that is more than two texts",
	LossBooleanOption:              "option of type boolean",
	LossPermissionKind:             "unknown kind of a permission option",
	LossStopReason:                 "unknown stop reason",
	LossContentBlock:               "content block",
	LossLinkIcons:                  "icons of a resource link",
	LossAudienceRole:               "role in an audience",
	LossNotice:                     "notice",
	LossCompaction:                 "compaction",
	LossSubagent:                   "subagent",
	LossSubagentMessage:            "message between sessions",
	LossClientFiles:                "files of the client",
	LossClientTerminals:            "terminals of the client",
	LossSignIn:                     "ways to sign in",
	LossMCPServers:                 "MCP servers",
	LossVersion2Update:             "update of version 2",
	LossHistory:                    "history of a session",
	LossModeOfSession:              "mode of a session",
	LossClientRequest:              "file or terminal request",
	LossNoPermissionOptions:        "permission without options",
	LossListedSession:              "session in a list",
	LossCommand:                    "command",
	LossCapability:                 "capability",
	LossUnknownUpdate:              "session update",
	LossToolCallKind:               "unknown kind of a tool call",
	LossToolCallStatus:             "unknown status of a tool call",
	LossToolCallContent:            "unknown content of a tool call",
	LossTerminal:                   "terminal",
	LossQuestion:                   "question of a form",
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

// String returns the name of a kind in the log.
func (k LossKind) String() string { return lossNames[k] }

// IsLoss reports whether text is the name of a kind.
func IsLoss(text string) bool { return text != "" && slices.Contains(lossNames[:], text) }
