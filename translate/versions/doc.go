// Package versions joins a client and an agent that share no version of the
// protocol.
//
// A [Bridge] is one such connection. Package v1client implements it for a
// client of version 1 and an agent of version 2, package v1agent for a client of
// version 2 and an agent of version 1. Both convert message by message and keep the
// state of each session. They are pure: they do no input or output and read no clock.
//
// Before there is a Bridge, a [Handshake] determines the versions of both sides.
// Package shapes converts the objects of one version to the other, package calls has the
// pending requests and the writing of messages, package patches writes the patches of diffs.
//
// The rules below are those of the wire. Each side sees a valid peer of its own version:
// no method, member or value of the other version reaches it.
//
// # Messages and ids
//
// A line is one message. A bridge forwards requests under ids of its own, because it also sends
// requests itself, whose ids could be equal to those of a side. These ids are integers, because
// version 2 forbids null and fractions. The response to the sender has the sender's id, byte for
// byte. The requestId in the params of $/cancel_request and elicitation/create is translated, too.
//
// Each request gets one response. An error of the bridge replaces an unreadable response. A line
// of the client that is not a message gets an error with the id null, as from an agent. At
// the agent's end, the bridge answers all pending requests of the client. {} replaces a null result,
// because older agents send null. An error has an integer code and a message; towards version 2, the
// error -32002 names the session.
//
// A bridge forwards unknown methods, and the receiver refuses them. It forwards unknown updates only
// to a client of version 2, whose list of updates is open. It drops an update that only one version
// has, and that no rule converts. It copies unknown members of known objects, and drops a _meta that
// is neither an object nor null.
//
// The output for one line is contiguous and in order. Small delayed content of a session
// precedes its later updates.
//
// # Turns
//
// In version 1, a prompt is a request that is answered at the end of the turn. In version 2,
// it is answered when the prompt is inserted into the conversation, and states report
// the rest: running, requires_action, idle with a stop reason.
//
//	client v1, agent v2                          client v2, agent v1
//	the end of a turn answers every prompt       a prompt is acknowledged at the agent's first
//	that was inserted by then, the oldest        update, or after 150 ms of silence: the
//	first; an idle before the insertion          user's message, then the response, then
//	answers none                                 running
//	the response or the echo confirms the        an error before that is the response; a later
//	insertion, whichever is first                one ends the turn: idle, stop reason error
//	a repeated idle ends nothing, except         one turn at a time; other prompts wait
//	after 2 s of silence
//	stop reason error is an error, and           the agent's response is idle with its stop
//	an unknown one end_turn                      reason; late updates still belong to the turn
//	unrequested work is shown, its states        requires_action while a question is pending
//	are not
//
// # Echoes
//
// In version 2, the agent repeats the prompt as a user message; in version 1, the client displays the
// prompt itself. Towards version 1, the bridge drops this echo, which it recognizes by the id in the
// response to the prompt, or before the response by its content. Towards version 2, the bridge
// writes the echo, and drops user messages that repeat a block of the prompt. A replayed
// history has no echoes.
//
// # Messages
//
// In version 2, each message has an id, may be sent whole, and may be replaced. Version 1
// has chunks. Towards version 1, a whole message is converted to the chunks that the client
// lacks, if any. A replaced message is sent again under another id. Towards version 2,
// chunks without an id continue the last message of their kind, until another part of the
// conversation begins. In a replay, ids are derived from positions, so that each replay has
// the same ids; user messages keep the ids that they had before.
//
// A content block that cannot be converted is shown as text. Towards version 2, paths are
// converted to URIs.
//
// # Tool calls
//
// Version 1 begins a tool call with tool_call and changes it with tool_call_update; null
// changes nothing. Version 2 has one update for both; null clears. Towards version 1,
// the first update begins the call and has a title; growing content is sent as a
// whole, after a delay that grows with its size; a diff is one item per hunk. Towards version 2, a
// call that begins again is cleared, lines are counted from 1, paths are absolute, and a
// diff has a patch. When a turn is cancelled, the bridge reports its unfinished calls as cancelled,
// because in version 1 the client does so itself.
//
// Terminals belong to the client in version 1 and to the agent in version 2, so they are
// never mapped to each other. The output of an agent's command is in the _meta of a tool
// call in version 1, if both sides support that convention, otherwise text.
//
// # Permissions and forms
//
// In version 1, a permission request is about a tool call; in version 2, it has a title,
// a description and a subject. Towards version 1, the question is the first item of the
// tool call's content while the request is pending. Unknown values approve nothing: an unknown
// outcome counts as cancelled, an option of an unknown kind as a rejection. When a turn is cancelled,
// the client answers the agent's questions in version 1, and the agent withdraws them in version 2.
// The bridge does both.
//
// # Options
//
// Version 2 has options. Version 1 has options, modes and, in older agents, models. The
// bridges convert only options; package selectors adds the other forms on the side of version 1. For
// a client of version 1 without options of type boolean, such an option has the values on and off.
//
// # Sessions and replays
//
// session/load is session/resume with replayFrom in version 2. The bridge emulates the
// abilities that an agent of version 1 lacks: it resumes a session with a load whose history
// is dropped, and lists and closes sessions itself. Towards version 1, updates of a session
// whose id the client does not know are buffered until the response with the id. Towards
// version 2, each replayed message begins with an empty one, and the state precedes the
// response. A closed session has no updates.
//
// # Limits and losses
//
// The state is bounded by constants beside its types. Beyond a limit, the
// translation gets worse, or the bridge refuses a request; the connection continues. The bridge
// reports each loss as a [translate.Loss], except cursor_update, replay_complete from an agent of
// version 2, updates of a closed session, prompt_suggestions_update for a client that has not announced
// suggestions, and updates of a subagent that its tool call does not show.
//
// # Peculiarities of agents
//
// The table lists deviations for which the code has a rule, the agents in which they were
// observed, and the tests. An agent's version is that of its recording or its source; where
// no agent is named, a document of the protocol allows the deviation. Vendors' own formats are
// in translate/vendors. v1agent:
//
//	chunks have no messageId        qwen 0.24.4, Kimi 2.1.0, Grok    messages.go, TestMessages
//	                                1.0.41, codex-acp 0.16; at
//	                                times claude-agent-acp 0.100,
//	                                codex-acp 2.6
//	a terminal in the _meta of a    claude-agent-acp 0.100,          terminals.go, TestTerminals
//	tool call                       codex-acp 2.6
//	_meta.kind of a diff: the       codex-acp 2.6                    diff.go, TestDiffs
//	operation on the file
//	_meta.permission_prompt has     codex-acp 2.6                    permissions.go, TestPermissions
//	the question
//	asks the user for a request     codex-acp 2.6                    elicitation.go, TestElicitation
//	of the client, not a session
//	no session/close                qwen 0.24.4                      closing.go, TestClose
//	null in place of a result       older agents                     requests.go, TestResults
//	types of sign-in of its own     codex-acp 0.16 (env_var)         shapes/signins.go,
//	                                                                 TestInitializeResult
//	groups of options have no name  Kotlin SDK                       shapes/options.go, TestOptions
//	the capability auth.status is   Kotlin SDK                       shapes/initialize.go,
//	true                                                             TestInitializeResult
//	repeats the prompt                                               echoes.go, TestEcho
//	continues after its response                                     turns.go, TestLateAgents
//
// v1client:
//
//	in this order: the echo, the    claude-agent-acp 0.100           prompts.go, TestPrompts
//	answer, running; or running,    codex-acp 2.6
//	chunks, the answer
//	idle is repeated                claude-agent-acp 0.100           turns.go, TestPrompts
//	a turn that fails ends with an  Kotlin SDK, version 2            turns.go, TestPrompts
//	idle without a reason, and has
//	no running
//	user messages that are not      codex-acp 2.6                    echoes.go, TestPrompts
//	echoes
//	an answer to a prompt that      the document of August 2026      echoes.go, TestPrompts
//	names no message
//	a permission for a tool call    codex-acp 2.6                    permissions.go, TestPermissions
//	that was never announced
//	asks before it has answered                                      early.go, TestSessions
//	session/new
//	sends tool_call                                                  updates.go, TestToolCalls
//
// The handshake, and package capabilities:
//
//	version 1 is refused with       TypeScript SDK 1.4 to 2.1,       TestHandshake
//	-32600, -32602 or -32022, and   Python SDK 1.0.0rc2
//	a second initialize too
//	the number is repeated          an example of the Python SDK     capabilities.ReadResult,
//	                                                                 TestNegotiation
//	a client asks for version 2     buzz                             TestFalseHybrids
//	and reads version 1 alone
//
// # A new version of the protocol
//
// A new version is a [Bridge] between it and its neighbour, in a package of its own. A Bridge is
// pure: the output of the client's bridge to its agent is the input of the next bridge from its
// client. So other pairs need no package.
//
// Code that assumes two versions has to be adapted: VersionOf, Version.Other, ReadRequest and
// ReadResult in capabilities/initialize.go, Client in capabilities/settings.go; [NewHandshake] and
// [AgentVersion] here; package shapes; joiner, negotiation, Bridge1 and Bridge2 in
// proxy/conversation; Stage in translate/selectors; packages asking, check and judge; Version in
// proxy/recording/follow.go; foreignWords in translate/schematest/listener.go.
package versions
