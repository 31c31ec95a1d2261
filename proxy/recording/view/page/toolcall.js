// Tool calls as an editor shows them.

const toolStatus = { pending: "pending", in_progress: "in_progress", completed: "completed", failed: "cancelled", cancelled: "cancelled" };

// linesOn returns the lines of an exchange with what the agent said or the client got.
function linesOn(x, side) {
  return x.lines.filter((l) => sideOf(side === "agent" ? l.from : l.to) === side).map((l) => l.n);
}

// toolUpdates returns the updates of a tool call that a side has received after an exchange.
function toolUpdates(recording, x, side) {
  const rows = recording.toolRows(x.tool).filter((r) => r.n <= x.n).slice(-maxFolded);
  return rows.flatMap((r) => linesOn(r, side)).map((n) => updateOf(recording.event(n))).filter(Boolean);
}

// terminalsOf returns the terminals that a side knows after an exchange.
function terminalsOf(recording, x, side) {
  const terminals = new Terminals();
  const rows = recording.exchanges.filter((r) => r.session === x.session && r.n <= x.n && /^terminal_/.test(r.update)).slice(-maxFolded);
  for (const r of rows) {
    for (const n of linesOn(r, side)) terminals.add(updateOf(recording.event(n)));
  }
  if (x.tool) for (const update of toolUpdates(recording, x, side)) terminals.add(update);
  return terminals;
}

// drawTitle draws a title. It may have code in it; other signs are left as they are,
// because titles have names of files in them, such as __init__.py.
function drawTitle(title) {
  const parts = shorten(title, 300).split(/`([^`]+)`/);
  return element("h3", { dir: "auto" }, ...parts.map((part, i) => (i % 2 ? element("code", {}, visible(part)) : visible(part))));
}

// drawTool draws a tool call; terminals returns those that it may show.
function drawTool(tool, terminals) {
  const status = asText(tool.status) || "pending";
  const mark = Object.hasOwn(toolStatus, status) ? toolStatus[status] : "unknown";
  const card = element("article", { class: "card tool " + mark }, element("header", {},
    icon(mark),
    drawTitle(asText(tool.title) || "Tool call"),
    tool.kind ? element("span", { class: "tag" }, visible(shorten(asText(tool.kind), 30))) : null,
    element("span", { class: "done" }, visible(shorten(status.replace("_", " "), 30)))));
  const content = Array.isArray(tool.content) ? tool.content : [];
  const locations = Array.isArray(tool.locations) ? tool.locations.slice(0, 20) : [];
  const named = new Set(content.flatMap(pathsOf)); // above their differences
  for (const location of locations) {
    if (named.has(get(location, "path"))) continue;
    const line = get(location, "line");
    card.append(element("p", { class: "location" }, drawPath(asText(get(location, "path"))), typeof line === "number" ? ":" + line : ""));
  }
  for (const item of content.slice(0, 50)) card.append(...drawContent(item, terminals, linesIn(locations, content)));
  if (content.length > 50) card.append(element("p", { class: "more" }, "and " + count(content.length - 50, "more item")));
  return card;
}

// pathsOf returns the files that an item of a tool call's content is about.
function pathsOf(item) {
  const changes = get(item, "changes");
  return [get(item, "path"), ...(Array.isArray(changes) ? changes.map((c) => get(c, "path")) : [])].filter((p) => typeof p === "string");
}

// linesIn returns at which line the text of a difference begins, by file: what the
// locations say of files with one difference.
function linesIn(locations, content) {
  const lines = new Map();
  for (const location of locations) {
    const path = get(location, "path"), line = get(location, "line");
    if (typeof line === "number" && content.filter((item) => get(item, "path") === path).length === 1) lines.set(path, line);
  }
  return lines;
}

// drawContent draws an item of a tool call's content.
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
      return [known.has(id) ? drawTerminal(known.of(id)) : element("p", { class: "location" }, "terminal " + visible(shorten(asText(id), 100)))];
    }
  }
  return [element("p", { class: "empty" }, "In a form this page does not know; see the message.")];
}

function drawDiffs(item, lines) {
  const diffs = diffsOf(item, lines);
  const text = patchOf(item);
  // A patch in another form than git's.
  if (typeof text === "string" && text && !diffs.some((d) => d.rows === null || d.rows.length)) return [...diffs.map(drawDiff), element("div", { class: "markdown" }, element("pre", {}, element("code", {}, visible(shorten(text, maxOutput)))))];
  return diffs.map(drawDiff);
}

function patchOf(item) {
  return get(item, "patch", "text") ?? get(item, "patch", "diff") ?? get(item, "patch");
}

// diffsOf returns the differences in an item: of version 2 a patch and what is done to
// which files, of version 1 two texts.
function diffsOf(item, lines) {
  const changes = Array.isArray(get(item, "changes")) ? item.changes : [];
  const patch = patchOf(item);
  if (typeof patch !== "string" && !changes.length) {
    const path = asText(get(item, "path") ?? "");
    return [textDiff(path, get(item, "oldText"), get(item, "newText"), lines.get(path) || 0)];
  }
  const diffs = typeof patch === "string" ? patchDiffs(patch) : [];
  for (const change of changes.slice(0, maxFiles)) {
    const path = asText(get(change, "path") ?? ""), was = asText(get(change, "oldPath") ?? "");
    const known = diffs.find((d) => d.path === path || d.path.replace(/^\/?/, "/") === path);
    const what = asText(get(change, "operation") ?? "modify");
    if (known) Object.assign(known, { path, what, was: was || known.was });
    else diffs.push({ path, was, what, rows: [], added: 0, removed: 0 });
  }
  return diffs;
}
