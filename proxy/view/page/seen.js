// What the user sees of a message that concerns no plan: a tool call, a permission
// request and its answer, a text.

const toolStatus = { pending: "pending", in_progress: "in_progress", completed: "completed", failed: "cancelled", cancelled: "cancelled" };

// drawSeen draws what the agent said and, next to it, what the client shows of it;
// only one of them where they are the same.
function drawSeen(box, recording, x) {
  const { sent, arrived } = recording.sent(x);
  const draw = drawOf(recording, x);
  box.replaceChildren();
  if (!draw) return;
  if (x.action === "forwarded" || x.action === "added" || !x.toClient || recording.sameContent(x)) {
    const side = x.toClient || x.action === "added" ? "client" : "agent";
    box.append(seenPart(x.toClient ? "What the user sees" : "What the user said", draw(sent, side)));
    box.className = "one";
    return;
  }
  box.className = "";
  box.append(
    seenPart("What the agent said", draw(sent, "agent")),
    seenPart("What the user sees", arrived.length ? draw(arrived[0], "client") : null),
  );
}

function seenPart(title, card) {
  return element("section", {}, element("h2", {}, title), card || element("p", { class: "empty" }, "Nothing."));
}

// drawOf returns the function that draws a line of an exchange as a side shows it,
// null if there is nothing to draw.
function drawOf(recording, x) {
  if (x.about === "permission") return (line) => drawPermission(recording, x, line);
  if (x.about === "tool" && x.tool) {
    return (line, side) => {
      const lines = (side === "agent" ? x.tool.said : x.tool.seen).filter((n) => n <= x.lines[x.lines.length - 1]);
      return lines.length ? drawTool(foldTool(lines.map((n) => updateOf(recording.event(n))))) : null;
    };
  }
  if (x.about === "text" || x.opens) return (line) => drawText(recording.event(line));
  return null;
}

function drawText(event) {
  const update = updateOf(event);
  const text = blockText(update ? update.content : get(event.params, "prompt"));
  return text ? element("article", { class: "card" }, drawSaid(text)) : null;
}

function drawSaid(text) {
  return element("div", { class: "says", dir: "auto", tabindex: 0, role: "region", "aria-label": "text" }, visible(shorten(text, longText)));
}

// drawTool draws a tool call as an editor does.
function drawTool(tool) {
  const status = asText(tool.status) || "pending";
  const mark = Object.hasOwn(toolStatus, status) ? toolStatus[status] : "unknown";
  const card = element("article", { class: "card tool" }, element("header", {},
    icon(mark),
    element("h3", { dir: "auto" }, visible(shorten(asText(tool.title), 300)) || "Tool call"),
    tool.kind ? element("span", { class: "tag" }, visible(shorten(asText(tool.kind), 30))) : null,
    element("span", { class: "done" }, visible(shorten(status.replace("_", " "), 30)))));
  const content = Array.isArray(tool.content) ? tool.content : [];
  const named = new Set(content.flatMap(pathsOf)); // above their differences
  for (const location of Array.isArray(tool.locations) ? tool.locations.slice(0, 20) : []) {
    if (named.has(get(location, "path"))) continue;
    const line = get(location, "line");
    card.append(element("p", { class: "uri" }, visible(shorten(asText(get(location, "path")), 300)) + (typeof line === "number" ? ":" + line : "")));
  }
  for (const item of content.slice(0, 50)) card.append(...drawContent(item));
  if (content.length > 50) card.append(element("p", { class: "more" }, "and " + count(content.length - 50, "more item")));
  return card;
}

// pathsOf returns the files that an item of a tool call's content is about.
function pathsOf(item) {
  const changes = get(item, "changes");
  return [get(item, "path"), ...(Array.isArray(changes) ? changes.map((c) => get(c, "path")) : [])].filter((p) => typeof p === "string");
}

// drawContent draws an item of a tool call's content.
function drawContent(item) {
  switch (get(item, "type")) {
    case "content": {
      const text = blockText(get(item, "content"));
      return text ? [drawLines(text.split("\n").map((l) => ["", l]))] : [];
    }
    case "diff": {
      const patch = get(item, "patch", "text") ?? get(item, "patch", "diff") ?? get(item, "patch");
      const path = pathsOf(item).slice(0, 20).join(", ");
      const lines = typeof patch === "string" ? patch.trimEnd().split("\n").filter((l) => !patchHead.test(l)).map(patchLine) : diffLines(asText(get(item, "oldText") ?? ""), asText(get(item, "newText")));
      return [path ? element("p", { class: "uri" }, visible(shorten(path, 300))) : null,
        lines ? drawLines(lines) : element("p", { class: "empty" }, "The texts before and after it are too large to be compared line by line.")].filter(Boolean);
    }
    case "terminal":
      return [element("p", { class: "uri" }, "terminal " + visible(shorten(asText(get(item, "terminalId")), 100)))];
  }
  return [element("p", { class: "empty" }, "In a form this page does not know; see the message.")];
}

const patchHead = /^(diff --git |index |--- |\+\+\+ )/;

function patchLine(line) {
  if (!/^[-+ ]/.test(line)) return ["quiet", line];
  return [{ "-": "old", "+": "new" }[line[0]] || "", line.slice(1)];
}

// diffLines returns the lines of two texts, those that differ marked. It returns
// null if too much differs.
function diffLines(before, after) {
  const a = before === "" ? [] : before.split("\n"), b = after === "" ? [] : after.split("\n");
  const lines = [];
  let i = 0, j = 0;
  const common = commonParts(a, b, maxTable);
  if (!common.complete) return null;
  for (const [atA, atB] of common.pairs.concat([[a.length, b.length]])) {
    while (i < atA) lines.push(["old", a[i++]]);
    while (j < atB) lines.push(["new", b[j++]]);
    if (atA < a.length) lines.push(["", a[atA]]);
    i = atA + 1;
    j = atB + 1;
  }
  return lines;
}

const maxLines = 200;

function drawLines(lines) {
  const box = element("div", { class: "lines", tabindex: 0, role: "region", "aria-label": "content" });
  for (const [side, text] of lines.slice(0, maxLines)) {
    const tag = { old: "del", new: "ins" }[side] || "div";
    const line = element(tag, { class: "text " + side, dir: "auto" }, visible(shorten(text, longText)));
    box.append(line);
  }
  if (lines.length > maxLines) box.append(element("div", { class: "text quiet" }, "and " + count(lines.length - maxLines, "more line")));
  return box;
}

// drawPermission draws a permission request with its options, the chosen one
// marked, or the request that an answer belongs to.
function drawPermission(recording, x, line) {
  let event = recording.event(line), answer = null;
  if (event.type === "response") {
    answer = event;
    event = recording.event(x.request);
  } else if (x.answer) {
    answer = recording.event(x.answer);
  }
  const params = get(event, "params");
  const chosen = answer && !answer.is_error ? get(answer.payload, "outcome", "optionId") : undefined;
  const call = get(params, "toolCall") ?? get(params, "subject", "toolCall");
  const card = element("article", { class: "card" }, element("header", {}, element("h3", { dir: "auto" },
    visible(shorten(permissionTitle(params) || asText(get(params, "message")) || asText(event.method), 300)))));
  const description = get(params, "description");
  if (typeof description === "string") card.append(drawSaid(description));
  const content = get(call, "content");
  for (const item of Array.isArray(content) ? content.slice(0, 20) : []) card.append(...drawContent(item));
  const options = optionsOf(params);
  const list = element("p", { class: "options" });
  for (const option of options.slice(0, 30)) {
    const id = get(option, "optionId");
    list.append(element("span", { class: "option" + (id === chosen && chosen !== undefined ? " chosen" : "") },
      id === chosen && chosen !== undefined ? icon("completed") : null, visible(shorten(asText(get(option, "name") ?? id), 100))));
  }
  if (options.length) card.append(list);
  const outcome = answer ? (answer.is_error ? "failed" : outcomeOf(params, answer.payload)) : "";
  card.append(element("p", { class: "empty" }, answer ? "Answered: " + visible(shorten(outcome, 100)) + "." : "Not answered yet."));
  return card;
}
