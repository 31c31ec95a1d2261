package translate

import "slices"

// A LossKind says what was lost, or which limit was passed. There are no kinds but
// these, so the log can tell all of them apart.
type LossKind uint8

// The kinds of losses: what the log calls each, and what is done then.
var (
	// What a plan message says, or a client cannot show.
	LossPlanMessage = kind("plan message", "it cannot be read: passed on as it came")
	LossPlanSession = kind("session of a plan", "it names none: passed on as it came")
	LossPlanIDs     = kind("ids of a plan", "they differ: the newer member counts")
	LossPlanType    = kind("type of a plan", "unknown: nothing of its content was shown")
	LossPlanEntries = kind("plan entries", "without a text: they were left out")
	LossPlanLength  = kind("length of a plan", "a text of more than 1 MiB: read up to there")
	LossPlanFile    = kind("plan file", "it cannot be read: shown as a link")

	// Limits of plans.
	LossSessionsWithPlans = kind("sessions with plans", "too many: forgot the plans of the oldest")
	LossPlansInSession    = kind("plans in a session", "too many: forgot the oldest")
	LossPlanMemory        = kind("memory for plans", "too much: forgot the oldest, or did not show what is too long")
	LossPlanNames         = kind("names of plans", "too many of forgotten plans: forgot the oldest")

	// What the proxy does not understand or pass on, with a bridge or without.
	LossInitialize         = kind("initialize", "the request cannot be read: the editor counts as one that advertises nothing")
	LossPlanCapability     = kind("plan capability", "it is not an object: it counts as absent")
	LossFailedInitialize   = kind("failed initialize", "the agent has refused it: plans pass as they are")
	LossInitializeAnswer   = kind("answer to initialize", "it cannot be read: plans pass as they are")
	LossStrayLine          = kind("stray line", "the agent wrote a line that is no message: dropped, see `--stray`")
	LossStrayText          = kind("text in front of a message", "the message was passed on without it")
	LossLongLine           = kind("long line", "longer than `--max-message`: passed on as it is")
	LossUnansweredRequests = kind("unanswered requests", "too many: what the earlier ones bring is not looked at")
	LossNotPassedOn        = kind("message not passed on", "too long, or not valid: dropped, a request was refused")
	LossNotGiven           = kind("request not given to the agent", "held until the agent could get nothing more: refused")
	LossUserNotAsked       = kind("user not asked", "the editor answers by itself, or cannot ask it: a question is a message")
	LossEarlyRequest       = kind("request before initialize was answered", "of the agent, too many: the answer is dropped if a bridge follows")
	LossEarlyMessage       = kind("message before initialize was answered", "of the agent, too many: dropped")

	// Limits of both bridges.
	LossTooManySessions  = kind("too many sessions", "forgot what was known of the oldest")
	LossTooManyRequests  = kind("too many requests", "refused one; a maker's was left to the editor, or cancelled")
	LossTooManyPrompts   = kind("too many prompts", "refused one")
	LossTooManyToolCalls = kind("too many tool calls", "forgot the oldest, or did not keep one")
	LossTooManyTerminals = kind("too many terminals", "forgot the oldest, or showed one as text")
	LossTooManyOptions   = kind("too many options", "left out the options of a session, or its modes and models")
	LossLongDirectory    = kind("long directory", "did not remember it")

	// Limits for a client of version 1.
	LossTooManySubagents    = kind("too many subagents", "forgot the oldest")
	LossTooManyNames        = kind("too many ids, titles and options", "forgot those of an old session")
	LossTooManyUserMessages = kind("too many user messages before the answer to a prompt", "sent one that may be the prompt")
	LossTooManyNewMessages  = kind("too many messages before the answer to session/new", "sent them before the editor knows the session")
	LossTooMuchContent      = kind("too much content of a tool call", "kept the last part")
	LossTooMuchContents     = kind("too much content of tool calls", "forgot that of one, or of an old session: what is added takes its place")
	LossTooMuchMetadata     = kind("too much metadata", "left out that of added content")
	LossLongID              = kind("long id", "of a session: refused the request")
	LossLongTitle           = kind("long title of a tool call", "remembered its beginning")
	LossManyBlocks          = kind("message of many blocks", "left out the rest")

	// Limits for a client of version 2.
	LossTooManyKeys              = kind("too many prompts with keys", "forgot one: sent again, it counts as another")
	LossTooManyReplayed          = kind("too many messages in a replay", "did not empty one first: the editor may show it twice")
	LossTooManyReplayedSubagents = kind("too many subagents in a replay", "did not say where the replay of one ends")
	LossTooMuchKept              = kind("too much is kept", "a prompt counts as taken in at once")
	LossLargeDiff                = kind("large diff", "left out its lines")

	// From version 2 to version 1.
	LossClearedMember   = kind("cleared member of a tool call", "nothing: the editor keeps what it has")
	LossCancellable     = kind("tool call that can be cancelled", "nothing: the editor can cancel the turn")
	LossCancelledStatus = kind("status cancelled of a tool call", "said as `failed`")
	LossClearedMessage  = kind("cleared message", "nothing: the editor keeps what it has")
	LossReplacedMessage = kind("replaced message", "sent the new text as another message")
	LossPatch           = kind("patch of a diff", "shown as text")
	LossDiff            = kind("diff that is more than two texts", "said in words what the texts do not show")
	LossBooleanOption   = kind("option of type boolean", "shown as a choice of on and off")
	LossOptionType      = kind("option of an unknown type", "left out")
	LossPermissionKind  = kind("unknown kind of a permission option", "said as `reject_once`")
	LossStopReason      = kind("unknown stop reason", "said as `end_turn`, with the agent's in `_meta`")
	LossContentBlock    = kind("content block", "of an unknown type: shown as text")
	LossLinkIcons       = kind("icons of a resource link", "left out")
	LossAudienceRole    = kind("role in an audience", "unknown: left out")
	LossNotice          = kind("notice", "shown as a message")
	LossCompaction      = kind("compaction", "shown as a tool call")
	LossSubagent        = kind("subagent", "shown as a tool call")
	LossSubagentMessage = kind("message between sessions", "left out")
	LossClientFiles     = kind("files of the client", "not offered: the agent works on the disk, and does not see unsaved text")
	LossClientTerminals = kind("terminals of the client", "not offered: the agent runs commands by itself")
	LossSignIn          = kind("ways to sign in", "left out those that the editor does not know")
	LossMCPServers      = kind("MCP servers", "passed on: the agent starts none, and refuses them")

	// From version 1 to version 2.
	LossVersion2Update      = kind("update of version 2", "an agent of version 1 has sent it: dropped")
	LossHistory             = kind("history of a session", "not shown: the agent cannot repeat it")
	LossModeOfSession       = kind("mode of a session", "not told: the agent offers no modes there")
	LossClientRequest       = kind("file or terminal request", "of the agent: refused")
	LossNoPermissionOptions = kind("permission without options", "answered as cancelled")
	LossListedSession       = kind("session in a list", "without an id or a directory: left out")
	LossCommand             = kind("command", "without a valid name of its own, or a description: left out")

	// Between versions, both ways.
	LossCapability      = kind("capability", "one that only drafts had: the other side is not told")
	LossUnknownUpdate   = kind("session update", "of an unknown kind: to version 1 dropped, to version 2 passed on")
	LossToolCallKind    = kind("unknown kind of a tool call", "to version 1 `other`, to version 2 the same with `_` in front")
	LossToolCallStatus  = kind("unknown status of a tool call", "to version 1 `in_progress`, to version 2 the same with `_` in front")
	LossToolCallContent = kind("unknown content of a tool call", "shown as text")
	LossTerminal        = kind("terminal", "shown as text")
	LossQuestion        = kind("question of a form", "it has no form in the other version: left out")

	// What cannot be read, or belongs to nothing.
	LossUnreadableMessage          = kind("unreadable message", "dropped")
	LossUnreadableNotification     = kind("unreadable notification", "dropped")
	LossUnreadableUpdate           = kind("unreadable update", "dropped")
	LossUnreadableMember           = kind("unreadable member of an update", "left out")
	LossUnreadableContent          = kind("unreadable content of a tool call", "left out")
	LossUnreadableOutput           = kind("unreadable output of a terminal", "kept what could be decoded")
	LossUnreadableOption           = kind("unreadable option", "left out")
	LossUnreadablePermissionOption = kind("unreadable permission option", "left out")
	LossUnreadableAnswer           = kind("answer to a form", "the agent was told that the user has cancelled")
	LossUnreadableProvider         = kind("provider", "left out")
	LossUnreadableAddress          = kind("address of a provider", "left out")
	LossNoID                       = kind("request without an id", "dropped: nobody would answer")
	LossNoRequest                  = kind("answer to no request", "dropped")
)

// An entry is what is known of a kind.
type entry struct{ words, done string }

// entries are the list: a kind is its place there. The zero kind is no loss.
var entries = []entry{{}}

func kind(words, done string) LossKind {
	entries = append(entries, entry{words, done})
	return LossKind(len(entries) - 1)
}

// String returns the words that the log has for a kind.
func (k LossKind) String() string { return entries[k].words }

// IsLoss reports whether words are those of a kind.
func IsLoss(words string) bool {
	return slices.ContainsFunc(entries[1:], func(e entry) bool { return e.words == words })
}
