package translate

// A LossKind is a kind of [Loss]: its name in the log and in traces. The list is closed, which
// bounds the log.
type LossKind string

// The kinds of losses. The zero value is no loss.
const (
	// Plan messages.
	LossPlanMessage LossKind = "plan message"
	LossPlanSession LossKind = "session of a plan"
	LossPlanIDs     LossKind = "ids of a plan"
	LossPlanType    LossKind = "type of a plan"
	LossPlanEntries LossKind = "plan entries"
	LossPlanLength  LossKind = "length of a plan"
	LossPlanFile    LossKind = "plan file"

	// Messages that the proxy does not understand or forward, with a bridge or without.
	LossInitialize         LossKind = "initialize"
	LossPlanCapability     LossKind = "plan capability"
	LossFailedInitialize   LossKind = "failed initialize"
	LossInitializeAnswer   LossKind = "answer to initialize"
	LossStrayLine          LossKind = "stray line"
	LossStrayText          LossKind = "text in front of a message"
	LossLongLine           LossKind = "long line"
	LossUnansweredRequests LossKind = "unanswered requests"
	LossNotPassedOn        LossKind = "message not passed on"
	LossNotGiven           LossKind = "request not given to the agent"
	LossMCPTransport       LossKind = "MCP server"
	LossUserNotAsked       LossKind = "user not asked"
	LossEarlyRequest       LossKind = "request before initialize was answered"
	LossEarlyMessage       LossKind = "message before initialize was answered"

	// A memory budget is exceeded: state is evicted, or new state is refused.
	LossMemory LossKind = "memory"

	// Limits for a client of version 1.
	LossManyBlocks LossKind = "message of many blocks"

	// Limits for a client of version 2.
	LossLargeDiff LossKind = "large diff"

	// From version 2 to version 1.
	LossClearedMember   LossKind = "cleared member of a tool call"
	LossCancellable     LossKind = "tool call that can be cancelled"
	LossCancelledStatus LossKind = "status cancelled of a tool call"
	LossClearedMessage  LossKind = "cleared message"
	LossReplacedMessage LossKind = "replaced message"
	LossPatch           LossKind = "patch of a diff"
	LossDiff            LossKind = "diff that is more than two texts"
	LossBooleanOption   LossKind = "option of type boolean"
	LossPermissionKind  LossKind = "unknown kind of a permission option"
	LossStopReason      LossKind = "unknown stop reason"
	LossContentBlock    LossKind = "content block"
	LossLinkIcons       LossKind = "icons of a resource link"
	LossAudienceRole    LossKind = "role in an audience"
	LossNotice          LossKind = "notice"
	LossCompaction      LossKind = "compaction"
	LossSubagent        LossKind = "subagent"
	LossSubagentMessage LossKind = "message between sessions"
	LossClientFiles     LossKind = "files of the client"
	LossClientTerminals LossKind = "terminals of the client"
	LossSignIn          LossKind = "ways to sign in"
	LossMCPServers      LossKind = "MCP servers"

	// From version 1 to version 2.
	LossVersion2Update      LossKind = "update of version 2"
	LossHistory             LossKind = "history of a session"
	LossModeOfSession       LossKind = "mode of a session"
	LossClientRequest       LossKind = "file or terminal request"
	LossNoPermissionOptions LossKind = "permission without options"
	LossListedSession       LossKind = "session in a list"
	LossCommand             LossKind = "command"

	// Between versions, both ways.
	LossCapability      LossKind = "capability"
	LossUnknownUpdate   LossKind = "session update"
	LossToolCallKind    LossKind = "unknown kind of a tool call"
	LossToolCallStatus  LossKind = "unknown status of a tool call"
	LossToolCallContent LossKind = "unknown content of a tool call"
	LossTerminal        LossKind = "terminal"
	LossQuestion        LossKind = "question of a form"

	// Unreadable messages, and responses to no request.
	LossUnreadableMessage          LossKind = "unreadable message"
	LossUnreadableNotification     LossKind = "unreadable notification"
	LossUnreadableUpdate           LossKind = "unreadable update"
	LossUnreadableMember           LossKind = "unreadable member of an update"
	LossUnreadableContent          LossKind = "unreadable content of a tool call"
	LossUnreadableOutput           LossKind = "unreadable output of a terminal"
	LossUnreadableOption           LossKind = "unreadable option"
	LossUnreadablePermissionOption LossKind = "unreadable permission option"
	LossUnreadableAnswer           LossKind = "answer to a form"
	LossUnreadableProvider         LossKind = "provider"
	LossUnreadableAddress          LossKind = "address of a provider"
	LossNoID                       LossKind = "request without an id"
	LossNoRequest                  LossKind = "answer to no request"
)
