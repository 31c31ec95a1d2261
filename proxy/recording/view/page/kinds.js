// The kinds of messages, and their texts.

// The kinds of messages that the list can be filtered by. has reports whether an exchange
// is of the kind; marks are of a Recording. An exchange can be of several kinds.
const kinds = [
  { name: "all", text: "Everything", has: () => true },
  { name: "talk", text: "Everything but chunks and usage", has: (x) => !isChunk(x) && x.about !== "usage" },
  { name: "plan", text: "Plans", has: (x) => Boolean(x.plan) },
  ...[["turn", "Turns"], ["text", "Texts and thoughts"], ["tool", "Tool calls"], ["permission", "Permissions and questions"], ["usage", "Usage"],
    ["other", "Everything else"]].map(([name, text]) => ({ name, text, has: (x) => !x.plan && x.about === name })),
  { name: "changed", text: "Changed on the way", has: (x) => x.fate === "rewritten" || x.fate === "dropped" },
  { name: "lost", text: "Lost in translation", has: (x) => x.lost !== undefined },
  { name: "refused", text: "Errors", has: (x) => x.failed === true },
  { name: "unanswered", text: "Not answered", has: (x) => x.type === "request" && !x.answer },
  { name: "marked", text: "Findings", has: (x, marks) => marks.size > 0 && x.lines.some((l) => marks.has(l.n)) },
  { name: "added", text: "Added by the proxy", has: (x) => x.fate === "added" },
];

// isChunk reports whether an exchange is a part of a text, whose run is one message.
function isChunk(x) {
  return x.run > 0;
}

// kindsOf returns the kinds that an exchange is of, a bit for each.
function kindsOf(x, marks) {
  let bits = 0;
  for (let i = 0; i < kinds.length; i++) if (kinds[i].has(x, marks)) bits |= 1 << i;
  return bits;
}

// isOf reports whether an exchange is of a kind, given by its name.
function isOf(x, kind) {
  return (x.kinds & bits.get(kind)) !== 0;
}

const bits = new Map(kinds.map((k, i) => [k.name, 1 << i]));

// get returns a member of a member … of a value, undefined if one is missing.
function get(value, ...names) {
  for (const name of names) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

// updateOf returns the session update in a message, undefined if it has none.
function updateOf(event) {
  const update = event.method === "session/update" ? get(event, "params", "update") : undefined;
  return update && typeof update === "object" ? update : undefined;
}

// blockText returns the text of a content block, or of a list of them.
function blockText(content) {
  if (Array.isArray(content)) return content.map(blockText).filter(Boolean).join("\n");
  const type = get(content, "type");
  if (type === undefined) return "";
  if (type === "text") return asText(get(content, "text"));
  if (type === "resource_link") return asText(get(content, "uri"));
  return "(" + asText(type) + ")";
}

// permissionTitle returns the title of a permission request: in version 1 that of its tool
// call, in version 2 its own.
function permissionTitle(params) {
  return asText(get(params, "title") ?? get(params, "toolCall", "title") ?? get(params, "subject", "toolCall", "title"));
}

function optionsOf(params) {
  const options = get(params, "options");
  return Array.isArray(options) ? options : [];
}

// outcomeOf returns the option of a response; params are those of the request.
function outcomeOf(params, answer) {
  const id = get(answer, "outcome", "optionId");
  const option = optionsOf(params).find((o) => id !== undefined && get(o, "optionId") === id);
  return asText(get(option, "name") ?? id ?? get(answer, "outcome", "outcome") ?? get(answer, "action"));
}

// messageName names a message for the heads above its text.
function messageName(event, request) {
  if (event.type === "response") return "answer" + (request ? " to " + request : "");
  const update = updateOf(event);
  return update ? asText(update.sessionUpdate) : asText(event.method);
}

const maxFolded = 5000; // messages about a tool call that are put together

// foldTool folds the updates of a tool call into its last state.
function foldTool(updates) {
  const tool = { content: [] };
  for (const u of updates.slice(-maxFolded)) {
    if (u.sessionUpdate === "tool_call_content_chunk") {
      if (Array.isArray(tool.content)) tool.content.push(u.content);
      continue;
    }
    for (const name of ["title", "kind", "status", "content", "locations"]) {
      if (Object.hasOwn(u, name)) tool[name] = u[name];
    }
    if (Array.isArray(tool.content)) tool.content = tool.content.slice();
  }
  return tool;
}
