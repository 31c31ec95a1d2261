// Package versions joins a client and an agent that share no version of the
// protocol.
//
// A [Bridge] is one such connection. Package v1client has the one between a
// client of version 1 and an agent of version 2, package v1agent the one
// between a client of version 2 and an agent of version 1. Both convert message
// by message and keep the state of each session. They are pure: they do no
// input or output and read no clock.
//
// Before there is a Bridge, a [Handshake] finds out which versions the two speak.
// Package shapes writes the objects of one version in the other, package calls has the
// requests that wait for their answers and what a message looks like around its
// params, package patches the patches of diffs.
//
// What follows is what the wire demands of a bridge. Each side sees a valid peer of
// its own version: no method, member or value of the other version gets through.
//
// # Messages and ids
//
// A line is one message. Requests travel under ids of the bridge's own, integers,
// because the two sides count from the same number, version 2 forbids null and
// fractions, and the bridge asks by itself. The sender gets its own id back, byte for
// byte. A requestId in params is an id too: in $/cancel_request, and in elicitation/create.
//
// Each request gets one answer. One that cannot be read is an error of the bridge. A line
// of the client that is not a message gets an error with the id null, as agents answer. If
// the agent ends, the bridge answers what is open. A result null becomes {}: older
// agents say that. An error has an integer code and a message; towards version 2,
// -32002 names the session.
//
// Methods that neither version has pass: the receiver refuses them. So do updates, but
// only to a client of version 2, whose list of them is open. An update that only one
// version has, and that no rule converts, is dropped. Unknown members of known objects
// pass; a _meta that is neither an object nor null does not.
//
// What a line becomes leaves in one piece and in order. What was collected of a session
// leaves before anything later of it.
//
// # Turns
//
// In version 1 a prompt is a request that is answered when the turn ends. In version 2
// it is answered when the prompt is inserted into the conversation, and states tell
// the rest: running, requires_action, idle with a stop reason.
//
//	client v1, agent v2                          client v2, agent v1
//	the end of a turn answers every prompt       a prompt is acknowledged at the agent's first
//	that was inserted by then, the oldest        sign of life, or after 150 ms of silence: the
//	first; an idle before the insertion          user's message, then the answer, then running
//	answers none
//	the answer or the echo tells that a          an error before that is the answer; one behind
//	prompt was inserted, whichever is first      it ends the turn: idle, stop reason error
//	idle that is said again ends nothing, but    one turn at a time; other prompts wait
//	for one that nothing follows for 2 s
//	stop reason error becomes an error, and      the agent's answer is idle with its stop
//	an unknown one end_turn                      reason; late words still belong to the turn
//	work that nobody asked for is shown,         requires_action while a question is open
//	its states are not
//
// # Echoes
//
// Version 2 repeats the prompt as a message of the user; in version 1 the client has
// shown it already. So towards version 1 the echo is left out: it is known by the id in
// the answer, or by its content while the answer is missing. Towards version 2 the
// bridge says it itself, and leaves out an agent's own repetition. In a history that
// is loaded nothing is an echo.
//
// # Messages
//
// In version 2 each message has an id, can come whole, and can be replaced. Version 1
// has chunks. Towards version 1 a whole message becomes the chunks that the client
// lacks: none if it has all. One that is replaced comes again, under another id.
// Towards version 2 chunks without an id continue the last message of their kind,
// until something else of the conversation comes. In a history the ids are made from
// positions, so that each load has the same; the user's messages have the ids that they
// had before.
//
// A content block that has no form becomes text. URIs are made of paths towards
// version 2.
//
// # Tool calls
//
// Version 1 begins a tool call with tool_call and changes it with tool_call_update; null
// changes nothing. Version 2 has one update for both; null clears. Towards version 1
// the first report begins the call and has a title, content that grows is sent as a
// whole and collected for 100 ms, and a diff is one item a hunk. Towards version 2 a
// call that begins again is cleared, lines begin at 1, paths are absolute, and a diff
// has a patch. When a turn was cancelled, the bridge cancels the calls that are open:
// that is left to the client in version 1.
//
// Terminals of version 1 belong to the client, those of version 2 to the agent, so
// they are never mapped to each other. What a command of the agent prints is in the
// _meta of a tool call in version 1, if both know that convention, or else text.
//
// # Permissions and forms
//
// In version 1 a permission request is about a tool call; in version 2 it has a title,
// a description and a subject. Towards version 1 the question is the first item of the
// tool call's content until it is answered. What is unknown approves nothing: an outcome
// counts as cancelled, an option as a rejection. When a turn is cancelled, version 1 has
// the client answer, version 2 the agent take the question back: the bridge does both.
//
// # Options
//
// Version 2 has options. Version 1 has options, modes and, in older agents, models. The
// bridges convert options alone: package selectors adds the other forms on the side of version
// 1. A client of version 1 without booleans chooses between on and off.
//
// # Sessions and replays
//
// session/load is session/resume with replayFrom in version 2. What an agent of
// version 1 cannot do is made up: it is resumed by a load whose history is left out,
// sessions are listed and closed by the bridge. Towards version 1, updates of a session
// whose id the client does not know yet wait for the answer that has it. Towards
// version 2 each replayed message begins with an empty one, and the state comes before
// the answer. Nothing of a session is said after it was closed.
//
// # Limits and losses
//
// What is kept is bounded, see the constants beside what they bound. Past a limit the
// translation gets worse or a request is refused; the connection goes on. Nothing is
// lost in silence: each loss is a [translate.Loss].
//
// # What agents do
//
// Where the code allows for what not every agent does, who was seen to do it, and which
// test has it. An agent's version is that of its recording or its source; where no
// agent is named, a document of the protocol allows it. What vendors do in words of their
// own is in translate/vendors. v1agent:
//
//	chunks have no messageId        qwen 0.24.4, Kimi 2.1.0, Grok    messages.go, TestMessages
//	                                1.0.41, codex-acp 0.16; at
//	                                times claude-agent-acp 0.100,
//	                                codex-acp 2.6
//	a terminal in the _meta of a    claude-agent-acp 0.100,          terminals.go, TestTerminals
//	tool call                       codex-acp 2.6
//	_meta.kind of a diff: what      codex-acp 2.6                    diff.go, TestDiffs
//	was done to the file
//	_meta.permission_prompt has     codex-acp 2.6                    permissions.go, TestPermissions
//	the question
//	asks the user for a request     codex-acp 2.6                    elicitation.go, TestElicitation
//	of the client, not a session
//	no session/close                qwen 0.24.4                      closing.go, TestClose
//	a provider's id is its id       version 1 of May and June 2026   requests.go, TestProviders
//	null in place of a result       older agents                     requests.go, TestResults
//	types of sign-in of its own     codex-acp 0.16 (env_var)         shapes/signins.go,
//	                                                                 TestInitializeResult
//	groups of options have no name  Kotlin SDK                       shapes/options.go, TestOptions
//	the capability auth.status is   Kotlin SDK                       shapes/initialize.go,
//	true                                                             TestInitializeResult
//	repeats the prompt                                               echoes.go, TestEcho
//	goes on after its answer                                         turns.go, TestLateAgents
//
// v1client:
//
//	the message, the answer,        claude-agent-acp 0.100           prompts.go, TestPrompts
//	running; or running, chunks,    codex-acp 2.6
//	the answer
//	idle is said again              claude-agent-acp 0.100           turns.go, TestPrompts
//	a turn that fails ends with a   Kotlin SDK, version 2            turns.go, TestPrompts
//	bare idle, and never ran
//	a message in the user's place   codex-acp 2.6                    echoes.go, TestPrompts
//	that does not echo
//	an answer to a prompt that      the document of August 2026      echoes.go, TestPrompts
//	names no message
//	a permission for a tool call    codex-acp 2.6                    permissions.go, TestPermissions
//	that was never told
//	asks before it has answered                                      held.go, TestSessions
//	session/new
//	sends tool_call                                                  updates.go, TestToolCalls
//
// The handshake, and package capabilities:
//
//	version 1 is refused with       TypeScript SDK 1.4 to 2.1,       TestHandshake
//	-32600, -32602 or -32022, and   Python SDK 1.0.0rc2
//	a second initialize too
//	the number is repeated          an example of the Python SDK     capabilities.ReadAnswer,
//	                                                                 TestNegotiation
//	a client asks for version 2     buzz                             TestFalseHybrids
//	and reads version 1 alone
package versions
