// Tool calls as the user sees them.

// The icon of each status of a tool call.
const toolIcons = { pending: "pending", in_progress: "in_progress", completed: "completed", failed: "cancelled", cancelled: "cancelled" };

// linesAtSide returns the numbers of the lines of an exchange that the agent sent, or that the client
// received: side is "agent" or "client".
function linesAtSide(exchange, side) {
  return exchange.lines.filter((l) => sideOf(side === "agent" ? l.from : l.to) === side).map((l) => l.n);
}

// toolUpdates returns the updates of a tool call up to an exchange, as a side knows them.
function toolUpdates(recording, exchange, side) {
  const exchanges = recording.toolExchanges(exchange.tool).filter((x) => x.n <= exchange.n).slice(-maxToolUpdates);
  return exchanges.flatMap((x) => linesAtSide(x, side)).map((n) => updateOf(recording.event(n))).filter(Boolean);
}

// terminalsOf returns the terminals of the session up to an exchange, as a side knows them.
function terminalsOf(recording, exchange, side) {
  const terminals = new Terminals();
  const exchanges = recording.exchanges.filter((x) => x.session === exchange.session && x.n <= exchange.n && /^terminal_/.test(x.update));
  for (const other of exchanges.slice(-maxToolUpdates)) {
    for (const n of linesAtSide(other, side)) terminals.add(updateOf(recording.event(n)));
  }
  if (exchange.tool) for (const update of toolUpdates(recording, exchange, side)) terminals.add(update);
  return terminals;
}

// drawTitle draws a title. The only markdown in it is code in backquotes, because titles contain
// file names such as __init__.py.
function drawTitle(title) {
  const parts = shorten(title, 300).split(/`([^`]+)`/);
  return element("h3", { dir: "auto" }, ...parts.map((part, i) => (i % 2 ? element("code", {}, printable(part)) : printable(part))));
}

// drawTool draws a tool call. terminals() returns the terminals that its content may refer to.
function drawTool(tool, terminals) {
  const status = asText(tool.status) || "pending";
  const iconName = Object.hasOwn(toolIcons, status) ? toolIcons[status] : "unknown";
  const card = element("article", { class: "card tool " + iconName }, element("header", {},
    icon(iconName),
    drawTitle(asText(tool.title) || "Tool call"),
    tool.kind ? element("span", { class: "tag" }, printable(shorten(asText(tool.kind), 30))) : null,
    element("span", { class: "done" }, printable(shorten(status.replace("_", " "), 30)))));
  const content = Array.isArray(tool.content) ? tool.content : [];
  const locations = Array.isArray(tool.locations) ? tool.locations.slice(0, 20) : [];
  const contentPaths = new Set(content.flatMap(pathsOf)); // each is drawn above its difference
  for (const location of locations) {
    if (contentPaths.has(get(location, "path"))) continue;
    const line = get(location, "line");
    card.append(element("p", { class: "location" }, drawPath(asText(get(location, "path"))), typeof line === "number" ? ":" + line : ""));
  }
  for (const item of content.slice(0, 50)) card.append(...drawContent(item, terminals, firstLines(locations, content)));
  if (content.length > 50) card.append(element("p", { class: "more" }, "and " + formatCount(content.length - 50, "more item")));
  return card;
}

// pathsOf returns the paths of the files in an item of a tool call's content.
function pathsOf(item) {
  const changes = get(item, "changes");
  return [get(item, "path"), ...(Array.isArray(changes) ? changes.map((c) => get(c, "path")) : [])].filter((p) => typeof p === "string");
}

// firstLines returns the numbers of the first lines of differences, by the path of the file. If a file
// has one difference, the line in the file's location is the first line of that difference.
function firstLines(locations, content) {
  const lines = new Map();
  for (const location of locations) {
    const path = get(location, "path"), line = get(location, "line");
    if (typeof line === "number" && content.filter((item) => get(item, "path") === path).length === 1) lines.set(path, line);
  }
  return lines;
}

// drawContent draws an item of a tool call's content. lines are those of firstLines.
function drawContent(item, terminals, lines) {
  switch (get(item, "type")) {
    case "content": {
      const block = get(item, "content");
      if (get(block, "type") !== "text") return [drawBlock(block)].filter(Boolean);
      return asText(block.text).trim() ? [drawProse(asText(block.text), "content")] : [];
    }
    case "diff": return drawDiffs(item, lines);
    case "terminal": {
      const id = get(item, "terminalId"), known = terminals();
      return [known.has(id) ? drawTerminal(known.get(id)) : element("p", { class: "location" }, "terminal " + printable(shorten(asText(id), 100)))];
    }
  }
  return [element("p", { class: "empty" }, "In a form this page does not know; see the message.")];
}

function drawDiffs(item, lines) {
  const diffs = diffsOf(item, lines), text = patchOf(item);
  // A patch in a form other than git's is drawn as text.
  const isGit = /^diff --git /m.test(text) && diffs.every((d) => d.path);
  if (typeof text !== "string" || !text || isGit || diffs.some((d) => d.rows === null || d.rows.length)) return diffs.map(drawDiff);
  return [...diffs.map(drawDiff), element("div", { class: "markdown" }, element("pre", {}, element("code", {}, printable(shorten(text, maxOutput)))))];
}

function patchOf(item) {
  return get(item, "patch", "text") ?? get(item, "patch", "diff") ?? get(item, "patch");
}

// diffsOf returns the differences in an item. An item of version 1 has two texts; one of version
// 2 has a patch, and the operation on each file.
function diffsOf(item, lines) {
  const changes = Array.isArray(get(item, "changes")) ? item.changes : [];
  const patch = patchOf(item);
  if (typeof patch !== "string" && !changes.length) {
    const path = asText(get(item, "path") ?? "");
    return [textDiff(path, get(item, "oldText"), get(item, "newText"), lines.get(path) || 0)];
  }
  const diffs = typeof patch === "string" ? patchDiffs(patch) : [];
  for (const change of changes.slice(0, maxFiles)) {
    const path = asText(get(change, "path") ?? ""), oldPath = asText(get(change, "oldPath") ?? "");
    const known = diffs.find((d) => d.path === path || d.path.replace(/^\/?/, "/") === path);
    const operation = asText(get(change, "operation") ?? "modify");
    if (known) Object.assign(known, { path, operation, oldPath: oldPath || known.oldPath });
    else diffs.push({ path, oldPath, operation, rows: [], added: 0, removed: 0 });
  }
  return diffs;
}
