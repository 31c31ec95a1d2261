// What messages are about, in the words of someone who follows a conversation.

// The kinds of messages that the list can be filtered by.
const kinds = [
  ["plan", "Plans"], ["turn", "Turns"], ["text", "Texts and thoughts"], ["tool", "Tool calls"],
  ["permission", "Permissions and questions"], ["other", "Everything else"],
];

// makersQuestion finds methods with which some agents ask the user, in words of their
// makers' own.
const makersQuestion = /^_?(cursor\/(create_plan|ask_question)|x\.ai\/(exit_plan_mode|ask_user_question))$/;

// kindOf returns the kind of a message, by its method and its session update. It
// is "other" for whatever this page does not know.
function kindOf(method, update) {
  if (method === "session/prompt" || method === "session/cancel" || update === "state_update") return "turn";
  if (method === "session/request_permission" || method.startsWith("elicitation/") || makersQuestion.test(method)) return "permission";
  if (/^(user|agent)_(message|thought)/.test(update)) return "text";
  if (/^(tool_call|terminal_)/.test(update)) return "tool";
  return "other";
}

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

// blockText returns what a content block, or a list of them, says as text.
function blockText(content) {
  if (Array.isArray(content)) return content.map(blockText).filter(Boolean).join("\n");
  const type = get(content, "type");
  if (type === undefined) return "";
  if (type === "text") return asText(get(content, "text"));
  if (type === "resource_link") return asText(get(content, "uri"));
  return "(" + asText(type) + ")";
}

// summary says a message that concerns no plan in one line, "" if its name says
// enough.
function summary(event, request, asked) {
  const update = updateOf(event);
  if (event.type === "response") {
    if (event.is_error) return "failed: " + asText(get(event.payload, "message"));
    if (request === "session/prompt") return stopReason(event) ? "ended: " + stopReason(event) : "taken in";
    if (asked) return outcomeOf(asked, event.payload);
    return "";
  }
  if (event.method === "session/prompt") return blockText(get(event.params, "prompt"));
  if (event.method === "session/request_permission") return "asks: " + permissionTitle(event.params);
  if (event.method.startsWith("elicitation/")) return asText(get(event.params, "message"));
  if (makersQuestion.test(event.method)) {
    return "asks: " + asText(get(event.params, "name") ?? get(event.params, "title") ?? get(event.params, "planContent") ?? get(event.params, "questions", 0, "question"));
  }
  if (!update) return "";
  if (update.sessionUpdate === "state_update") {
    return asText(update.state) + (update.stopReason ? ": " + asText(update.stopReason) : "");
  }
  if (/^terminal_/.test(update.sessionUpdate)) return asText(update.command);
  if (kindOf("", asText(update.sessionUpdate)) === "text") return blockText(update.content);
  return update.sessionUpdate === "session_info_update" || update.sessionUpdate === "notice" ? asText(update.title ?? update.message) : "";
}

// permissionTitle returns what a permission request is about: of version 1 it is a
// tool call, of version 2 it has a title and a subject.
function permissionTitle(params) {
  return asText(get(params, "title") ?? get(params, "toolCall", "title") ?? get(params, "subject", "toolCall", "title"));
}

function optionsOf(params) {
  const options = get(params, "options");
  return Array.isArray(options) ? options : [];
}

// outcomeOf says which option an answer chooses; params are those of the request.
function outcomeOf(params, answer) {
  const id = get(answer, "outcome", "optionId");
  const option = optionsOf(params).find((o) => id !== undefined && get(o, "optionId") === id);
  return asText(get(option, "name") ?? id ?? get(answer, "outcome", "outcome") ?? get(answer, "action"));
}

// stopReason returns why a turn has ended, if a message says so.
function stopReason(event) {
  if (event.type === "response") return event.is_error ? "error" : asText(get(event.payload, "stopReason"));
  const update = updateOf(event);
  return update && update.sessionUpdate === "state_update" && update.state === "idle" ? asText(update.stopReason) || "idle" : "";
}

// nameOf names a message for the heads above its text.
function messageName(event, request) {
  if (event.type === "response") return "answer" + (request ? " to " + request : "");
  const update = updateOf(event);
  return update ? asText(update.sessionUpdate) : asText(event.method);
}

const maxFolded = 5000; // messages about a tool call that are put together

// foldTool puts together what messages say of a tool call: the state that a
// client has after the last of them.
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
