// Package plans turns an agent's plan messages into those that a client can
// show.
//
// An agent reports its plan in session/update notifications of three kinds:
// "plan" is one anonymous list of entries, replaced whole each time (a legacy
// plan); "plan_update" is one of many plans told apart by an id, each a list of
// items, a markdown text or a file; "plan_removed" ends one of those. A client
// understands some of these. A [Stage] holds the live plans of each session
// of a connection and decides, update by update, what the client gets: the message
// as it came, another update in its place, or nothing.
//
// The package does no input or output; [Options] bring the way to read a plan
// file. [Params] say where the parts of an update are in the text of a message.
// Every other byte of the message stays, and so do members of the update that
// the package does not know.
//
// The rules below are what users rely on. The tests pin them sentence by
// sentence.
//
// # Clients that know only plan
//
// After every change such a client gets one plan with the entries of all that is
// live in the session, in the order in which the plans were first sent.
//
//	the agent sends                   the client gets
//	plan, nothing else is live        the same line, if every entry is valid in version 1
//	plan_update, items                plan with those entries
//	plan_update, markdown or file     plan with the rendered entries
//	plan_update of an unknown type    as items if it has an array entries, as markdown if it
//	                                  has a string content, as a link if it has a string uri;
//	                                  otherwise nothing is shown for it, and the user is told.
//	                                  It still replaces what that id showed before
//	plan_removed                      plan with what is left, with no entries if nothing is
//	plan_removed of an unknown plan   nothing
//	a plan that is not shown, and     nothing
//	was not before
//	the same again                    plan again: clients clear plans on their own, and an
//	                                  agent that repeats itself means it
//	a plan message without an id      as if it were the legacy plan
//	what cannot be understood         the same line, and the user is told
//
// A plan with all entries completed is left out while another has something left
// to do. A markdown or file plan of which nothing is done makes room for a list of the
// agent's own entries that comes after it, until that is empty or removed; and so does any
// text for a list that was completed after the text was last sent. If several plans are
// shown, the content of each entry begins with the title of its plan in brackets: the
// first heading of a markdown plan or else the name of its file, the name of a file plan's
// file, or else the id, cut to 40 characters. An id that says nothing, such as "plan",
// "main", a number or a UUID, is not a title, and the legacy plan has none: their entries
// stay as they are.
//
// A client that draws a new card for each plan is not sent a list that it shows, nor an
// empty one, and the list of a text only when something else follows, or the text is
// complete.
//
// # Entries
//
// An entry without a string content is skipped. A missing priority is medium, a
// missing status pending. Clients of version 1 know three priorities and three
// statuses: for them an unknown priority is medium, the status cancelled is
// completed with " (cancelled)" after the content, and any other status is
// pending with the status after the content in the same way, without a leading
// underscore. An entry that is valid already is copied byte for byte.
//
// # Markdown and files
//
// [MarkdownEntries]: package markdown finds the steps of the text.
//
// A text that an agent sends again and again as it writes it keeps the list that a legacy
// client is shown until another is clearly better; what nothing speaks for waits, and so
// does a line that is not at its end. Before the next question of the session, at the end
// of its turn and at the agent's end the text counts as complete, and the client gets the
// list of the whole and, with [MarkdownBoth], the text as a message: each text once, however
// much of it is done.
//
// [FilesRead]: a file of this machine, named by an absolute file: URI or an
// absolute path, is read at each update and rendered as markdown. Any other
// file, and a file that cannot be read, becomes one entry that names it, as
// with [FilesLink]. The path of a markdown plan is never read.
//
// # Plans in a permission request
//
// The text that a permission request of kind switch_mode asks about is a markdown plan,
// with the id plan-to-approve, that the agent sends before the request; unless it is empty,
// or a live plan has that text. The plan that is not approved leaves. A client that is known
// to show the text with the request gets no message.
//
// # Clients of plan operations
//
// A legacy plan becomes a plan_update of items under the synthetic id. If the
// client knows another plan of the session by that id, a number is added. An
// agent's own plan of that id is another plan, whichever came first, and a
// plan_removed with the id means the agent's own plan if it is live.
//
// A plan_update or plan_removed that the client can show passes byte for byte,
// except for the members that carry the id: the client gets it in those it knows.
// If an agent sends several that differ, the first of capabilities.PlanIDMember
// counts. Entries and types that the client does not show are mapped as above.
// A client that does not know plan_removed gets items without entries.
//
// A file plan becomes markdown, the one form that all drafts show: the file's text, or a
// link to it, and its path if it is one of this machine. A client that shows files gets
// what the agent has sent.
//
// # The same plan sent both ways
//
// Some agents send each state of a plan twice, as plan and as plan_update. So a
// legacy plan counts as a live items plan if both have the same entries. They are
// one plan until a legacy plan changes it and the next plan_update with its id
// has other entries than that change. From then on they are two plans, and each
// shows its latest entries. If a later legacy plan has the entries of another items
// plan, it counts as that one, and the first items plan again shows the entries of
// its latest plan_update. The table in sameplan.go has all cases.
//
// # Sessions
//
// Sessions do not touch each other. A session/load, or a session/resume that asks
// for a replay, begins the session without plans; if it fails, the plans come
// back, next to those that were updated since. session/close and session/delete
// free them. What is kept is bounded. Beyond a limit the oldest plans are
// forgotten, and a plan that the agent removes still leaves the screen, see
// live.go.
//
// # Where to look
//
//	update.go, entries.go        what a message says
//	live.go, session.go          what is live
//	sameplan.go                  which plan a message is about
//	render.go, file.go           how the client gets to see it; the table of types of plan
//	approvals.go                 plans in a permission request
//	texts.go                     when a text is complete, and what the client gets of it then
//	entrylist.go                 entries as the client sees them
//	legacy.go, operations.go     what is written for the two sorts of client
//	edit.go                      how a message is edited
//	stage.go                     all of this for a message, and what the two sides request
package plans
