// Package plans translates an agent's plan messages into those that a client can display.
//
// An agent reports its plan in session/update notifications of three kinds. "plan" is one
// anonymous list of entries, sent whole each time: a legacy plan. "plan_update" has an id, and
// a list of items, a markdown text or a file. "plan_removed" removes the plan with an id. A
// client supports some of these. A [Stage] keeps the live plans of each session, and decides
// for each update whether the client receives it unchanged, rewritten, or not at all.
//
// A plan is live from its first message until the agent removes it, its session is reset or
// closed, or it is evicted. The package does no input or output; [Options] contain the function
// that reads plan files. In a rewritten message, every byte outside of the update stays, and so
// do members of the update that the package does not know.
//
// # Clients that know only plan
//
// After every change, such a client receives one plan with the entries of all live plans: the
// list.
//
//	agent                             client
//	plan, no other plan is live       the same line, if every entry is valid in version 1
//	plan_update of items              plan with these entries
//	plan_update of markdown, a file   plan with the rendered entries
//	plan_update of an unknown type    as items if it has an array entries, as markdown if it
//	                                  has a string content, as a link if it has a string uri;
//	                                  otherwise nothing is displayed, and the loss is logged
//	plan_removed                      plan with the remaining entries
//	plan_removed of an unknown id     nothing; but a single live legacy plan is removed
//	a plan that is not displayed,     nothing
//	and was not before
//	the same again                    plan again, because clients clear plans on their own
//	a plan message without an id      as if it had the synthetic id
//	a message that cannot be read     the same line, and the loss is logged
//
// A plan whose entries are all completed is omitted while another one has open entries. So is a
// markdown or file plan in which nothing is done, once a list of the agent's own entries
// arrives after it. If several plans are displayed, the content of each entry begins with the
// title of its plan in brackets; see appendTitled.
//
// A client that draws a card for each plan receives a list only if it has changed and is not
// empty. The list of a text waits until another message of the session follows.
//
// # Entries
//
// The Stage skips an entry without a string content, and copies a valid entry byte for byte. The
// default priority is medium, the default status pending. Clients of version 1 know three
// priorities and three statuses. The Stage maps an unknown priority to medium, the status
// cancelled to completed with " (cancelled)" after the content, and any other status to pending
// with the status after the content.
//
// # Markdown and files
//
// Package markdown finds the steps of a text. The list of a text that grows waits until the
// text is complete; see texts.go. With [FilesRead], a file of this machine, named by an absolute
// file: URI or an absolute path, is read at each update and rendered as markdown. Any other
// file yields one entry with its URI, as with [FilesLink]. The path of a markdown plan is
// never read.
//
// # Clients of plan operations
//
// The Stage rewrites a legacy plan to a plan_update of items with the synthetic id. The client
// receives a plan_update or plan_removed that it can display byte for byte, except for the
// members with the id: see [capabilities.PlanIDMember]. Entries and types that it cannot display are
// mapped as above. A client that does not know plan_removed receives items without entries. A file
// plan becomes markdown with the text of the file, or a link to it, unless the client displays files.
//
// # A plan that is sent twice
//
// An agent may send each state of a plan both as plan and as plan_update. Once a legacy plan and
// a live items plan have the same entries, the session's legacy plans are ignored.
//
// An agent may also ask for the approval of a plan and then send it; see approvals.go. The plan
// with the agent's own id stays. A list of the agent replaces an approved text.
package plans
