package translate

import "slices"

// A LossKind is a kind of [Loss]. The list is closed, which bounds the log.
type LossKind uint8

// The kinds of losses with their names in the log.
var (
	// Plan messages.
	LossPlanMessage = kind("plan message")
	LossPlanSession = kind("session of a plan")
	LossPlanIDs     = kind("ids of a plan")
	LossPlanType    = kind("type of a plan")
	LossPlanEntries = kind("plan entries")
	LossPlanLength  = kind("length of a plan")
	LossPlanFile    = kind("plan file")

	// Messages that the proxy does not understand or forward, with a bridge or without.
	LossInitialize         = kind("initialize")
	LossPlanCapability     = kind("plan capability")
	LossFailedInitialize   = kind("failed initialize")
	LossInitializeAnswer   = kind("answer to initialize")
	LossStrayLine          = kind("stray line")
	LossStrayText          = kind("text in front of a message")
	LossLongLine           = kind("long line")
	LossUnansweredRequests = kind("unanswered requests")
	LossNotPassedOn        = kind("message not passed on")
	LossNotGiven           = kind("request not given to the agent")
	LossMCPServer          = kind("MCP server")
	LossUserNotAsked       = kind("user not asked")
	LossEarlyRequest       = kind("request before initialize was answered")
	LossEarlyMessage       = kind("message before initialize was answered")

	// A memory budget is exceeded: the oldest state is evicted, or new state is refused.
	LossMemory = kind("memory")

	// Limits for a client of version 1.
	LossManyBlocks = kind("message of many blocks")

	// Limits for a client of version 2.
	LossLargeDiff = kind("large diff")

	// From version 2 to version 1.
	LossClearedMember   = kind("cleared member of a tool call")
	LossCancellable     = kind("tool call that can be cancelled")
	LossCancelledStatus = kind("status cancelled of a tool call")
	LossClearedMessage  = kind("cleared message")
	LossReplacedMessage = kind("replaced message")
	LossPatch           = kind("patch of a diff")
	LossDiff            = kind("diff that is more than two texts")
	LossBooleanOption   = kind("option of type boolean")
	LossOptionType      = kind("option of an unknown type")
	LossPermissionKind  = kind("unknown kind of a permission option")
	LossStopReason      = kind("unknown stop reason")
	LossContentBlock    = kind("content block")
	LossLinkIcons       = kind("icons of a resource link")
	LossAudienceRole    = kind("role in an audience")
	LossNotice          = kind("notice")
	LossCompaction      = kind("compaction")
	LossSubagent        = kind("subagent")
	LossSubagentMessage = kind("message between sessions")
	LossClientFiles     = kind("files of the client")
	LossClientTerminals = kind("terminals of the client")
	LossSignIn          = kind("ways to sign in")
	LossMCPServers      = kind("MCP servers")

	// From version 1 to version 2.
	LossVersion2Update      = kind("update of version 2")
	LossHistory             = kind("history of a session")
	LossModeOfSession       = kind("mode of a session")
	LossClientRequest       = kind("file or terminal request")
	LossNoPermissionOptions = kind("permission without options")
	LossListedSession       = kind("session in a list")
	LossCommand             = kind("command")

	// Between versions, both ways.
	LossCapability      = kind("capability")
	LossUnknownUpdate   = kind("session update")
	LossToolCallKind    = kind("unknown kind of a tool call")
	LossToolCallStatus  = kind("unknown status of a tool call")
	LossToolCallContent = kind("unknown content of a tool call")
	LossTerminal        = kind("terminal")
	LossQuestion        = kind("question of a form")

	// Unreadable messages, and responses to no request.
	LossUnreadableMessage          = kind("unreadable message")
	LossUnreadableNotification     = kind("unreadable notification")
	LossUnreadableUpdate           = kind("unreadable update")
	LossUnreadableMember           = kind("unreadable member of an update")
	LossUnreadableContent          = kind("unreadable content of a tool call")
	LossUnreadableOutput           = kind("unreadable output of a terminal")
	LossUnreadableOption           = kind("unreadable option")
	LossUnreadablePermissionOption = kind("unreadable permission option")
	LossUnreadableAnswer           = kind("answer to a form")
	LossUnreadableProvider         = kind("provider")
	LossUnreadableAddress          = kind("address of a provider")
	LossNoID                       = kind("request without an id")
	LossNoRequest                  = kind("answer to no request")
)

// words has the name of each kind. The zero kind is no loss.
var words = []string{""}

func kind(of string) LossKind {
	words = append(words, of)
	return LossKind(len(words) - 1)
}

// String returns the name of a kind in the log.
func (k LossKind) String() string { return words[k] }

// IsLoss reports whether text is the name of a kind.
func IsLoss(text string) bool { return text != "" && slices.Contains(words, text) }
