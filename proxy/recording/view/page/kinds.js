// The kinds of messages, and access to the members of messages.

// The kinds that the list can be filtered by. matches reports whether an exchange is of the kind;
// findings are those of the Recording. An exchange can be of several kinds.
const kinds = [
  { name: "all", text: "Everything", matches: () => true },
  { name: "talk", text: "Everything but chunks and usage", matches: (x) => !isChunk(x) && x.about !== "usage" },
  { name: "plan", text: "Plans", matches: (x) => Boolean(x.plan) },
  ...[["turn", "Turns"], ["text", "Texts and thoughts"], ["tool", "Tool calls"], ["permission", "Permissions and questions"], ["usage", "Usage"],
    ["other", "Everything else"]].map(([name, text]) => ({ name, text, matches: (x) => !x.plan && x.about === name })),
  { name: "changed", text: "Changed on the way", matches: (x) => x.fate === "rewritten" || x.fate === "dropped" },
  { name: "lost", text: "Lost in translation", matches: (x) => x.lost !== undefined },
  { name: "error", text: "Errors", matches: (x) => x.failed === true },
  { name: "unanswered", text: "Not answered", matches: (x) => x.type === "request" && !x.answer },
  { name: "finding", text: "Findings", matches: (x, findings) => findings.size > 0 && x.lines.some((l) => findings.has(l.n)) },
  { name: "added", text: "Added by the proxy", matches: (x) => x.fate === "added" },
];

// isChunk reports whether an exchange is a chunk of a message: the chunks form its run.
function isChunk(exchange) {
  return exchange.run > 0;
}

// kindBitsOf returns the kinds of an exchange as a set of bits.
function kindBitsOf(exchange, findings) {
  let bits = 0;
  for (let i = 0; i < kinds.length; i++) if (kinds[i].matches(exchange, findings)) bits |= 1 << i;
  return bits;
}

// isOfKind reports whether an exchange is of the kind with a name.
function isOfKind(exchange, kind) {
  return (exchange.kindBits & kindBits.get(kind)) !== 0;
}

const kindBits = new Map(kinds.map((k, i) => [k.name, 1 << i]));

// get returns the nested member of a value at a path of names, undefined if it is missing.
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

// outcomeOf describes the result of a request with params: by the name of the selected option, or else by
// the option's id, the outcome or the action of a form.
function outcomeOf(params, result) {
  const id = get(result, "outcome", "optionId");
  const option = optionsOf(params).find((o) => id !== undefined && get(o, "optionId") === id);
  return asText(get(option, "name") ?? id ?? get(result, "outcome", "outcome") ?? get(result, "action"));
}

// messageName returns the name of a message for its header. method is that of the request if
// the message is a response.
function messageName(event, method) {
  if (event.type === "response") return "answer" + (method ? " to " + method : "");
  const update = updateOf(event);
  return update ? asText(update.sessionUpdate) : asText(event.method);
}

const maxToolUpdates = 5000; // of a tool call, or of the terminals of a session; earlier ones are ignored

// foldTool returns the state of a tool call after its updates.
function foldTool(updates) {
  const tool = { content: [] };
  for (const update of updates.slice(-maxToolUpdates)) {
    if (update.sessionUpdate === "tool_call_content_chunk") {
      if (Array.isArray(tool.content)) tool.content.push(update.content);
      continue;
    }
    for (const name of ["title", "kind", "status", "content", "locations"]) {
      if (Object.hasOwn(update, name)) tool[name] = update[name];
    }
    if (Array.isArray(tool.content)) tool.content = tool.content.slice();
  }
  return tool;
}
