// Plans as the user sees them, with the changes by a message marked.

const maxEntries = 500; // entries of a plan that are drawn at once

const statusNames = { pending: "pending", in_progress: "in progress", completed: "completed", cancelled: "cancelled" };

// drawPlans draws the live plans after an exchange, and the plans that it removed. before and after
// are those of livePlansAround for one side.
function drawPlans(box, recording, before, after, exchange) {
  const read = (line) => line && readPlan(recording, line);
  const cards = [...after].map(([key, line]) => {
    const isChanged = exchange.lines.includes(line);
    return drawPlan(read(line), isChanged, isChanged ? read(before.get(key)) : undefined);
  });
  for (const [key, line] of before) {
    if (exchange.plan && !after.has(key)) cards.push(drawRemoved(read(line)));
  }
  box.replaceChildren(...(cards.length ? cards : [element("p", { class: "empty" }, "No plan.")]));
}

function titleOf(plan) {
  return plan.id === "" ? "Plan" : printable(shorten(plan.id, 80));
}

function drawRemoved(plan) {
  const title = titleOf(plan);
  return element("article", { class: "plan removed", "aria-label": "plan " + title + ", removed" },
    element("header", {}, element("h3", {}, element("bdi", {}, title)), element("span", { class: "tag affected" }, "removed by this message")));
}

// drawPlan draws a plan. isChanged reports whether the message changed it; previous is the plan
// before the change, undefined if the plan is new.
function drawPlan(plan, isChanged, previous) {
  const title = titleOf(plan);
  const head = element("header", {},
    element("h3", {}, element("bdi", {}, title)),
    plan.form !== "plan" && plan.form !== "items" ? element("span", { class: "tag" }, printable(shorten(plan.form, 30))) : null,
    isChanged ? element("span", { class: "tag affected" }, previous ? "changed by this message" : "new with this message") : null,
    plan.total ? element("span", { class: "done" }, plan.done + " of " + plan.total) : null,
  );
  const card = element("article", { class: "plan" + (isChanged ? " affected" : ""), "aria-label": "plan " + title }, head);
  if (plan.total) card.append(drawProgress(plan, title));
  if (plan.entries) card.append(drawEntries(entryChanges(previous ? previous.entries || [] : null, plan.entries)));
  else if (plan.text !== null) card.append(drawProse(plan.text, "text of the plan", previous && previous.text !== null ? addedLineSpans(previous.text, plan.text) : []));
  if (plan.uri !== null) card.append(drawFile(plan.uri));
  else if (!plan.entries && plan.text === null) card.append(element("p", { class: "empty" }, "In a form this page does not know; see the message."));
  return card;
}

function drawProgress(plan, title) {
  const fill = element("span", { class: "fill" });
  fill.style.width = (100 * plan.done) / plan.total + "%";
  return element("div", {
    class: "progress", role: "progressbar", "aria-label": "progress of " + title,
    "aria-valuemin": 0, "aria-valuemax": plan.total, "aria-valuenow": plan.done,
  }, fill);
}

// drawFile draws the path of a plan's file. It is not a link, since a recording must not open
// files.
function drawFile(uri) {
  const path = /^file:\/\/([^?#]*)/.exec(uri);
  return element("div", { class: "plan-file" }, icon("file"), element("div", {},
    element("p", {}, "The plan is in ", path ? drawPath(path[1]) : "a file", "."), element("p", { class: "uri" }, printable(shorten(uri, 2000)))));
}

// entryChanges returns the entries of a plan, and those that the message removed from it, in order:
// { entry, change, previous }. change is "new", "gone", "moved", "status", "priority", or "" for
// none. previous is the entry before the message, undefined if it is new or gone. If before is null or
// too much differs, each change is "", and there is no previous.
function entryChanges(before, after) {
  const alignment = before && align(before.map((e) => e.content), after.map((e) => e.content));
  if (!alignment) return after.map((entry) => ({ entry, change: "" }));
  return mergeMoves(alignment.map(([i, j]) => {
    const previous = before[i], entry = after[j];
    if (!entry) return { entry: previous, change: "gone" };
    if (!previous) return { entry, change: "new" };
    return { entry, change: previous.status !== entry.status ? "status" : previous.priority !== entry.priority ? "priority" : "", previous };
  }));
}

// mergeMoves replaces each pair of a "gone" and a "new" change with the same content by one change:
// "status" if the status differs, otherwise "moved".
function mergeMoves(changes) {
  const goneByContent = Map.groupBy(changes.filter((c) => c.change === "gone"), (c) => c.entry.content);
  const merged = new Set();
  for (const added of changes) {
    const removed = added.change === "new" ? goneByContent.get(added.entry.content)?.shift() : undefined;
    if (!removed) continue;
    merged.add(removed);
    Object.assign(added, { change: removed.entry.status !== added.entry.status ? "status" : "moved", previous: removed.entry });
  }
  return changes.filter((c) => !merged.has(c));
}

function drawEntries(entries) {
  if (!entries.length) return element("p", { class: "empty" }, "No entries.");
  const list = element("ol", { class: "entries" }), box = element("div", {}, list);
  const add = (from) => {
    list.append(...entries.slice(from, from + maxEntries).map(drawEntry));
    const rest = entries.length - from - maxEntries;
    if (rest > 0) box.append(moreButton(formatCount(rest, "more entry", "more entries"), () => add(from + maxEntries)));
  };
  add(0);
  return box;
}

function statusOf(entry) {
  return Object.hasOwn(statusNames, entry.status) ? statusNames[entry.status] : printable(shorten(entry.status, 30)) || "no status";
}

function drawEntry({ entry, change, previous }) {
  const isKnown = Object.hasOwn(statusNames, entry.status);
  const tag = { new: "new", gone: "gone", moved: "moved", status: previous && "was " + statusOf(previous), priority: previous && "was " + printable(shorten(previous.priority, 30)) }[change];
  return element("li", { class: (isKnown ? entry.status : "unknown") + (change && " changed change-" + change) },
    icon(isKnown ? entry.status : "unknown"),
    element("span", { class: "spoken" }, statusOf(entry) + ": "),
    element(change === "gone" ? "del" : "span", { class: "content", dir: "auto" }, printable(shorten(entry.content, maxTextLength))),
    tag ? element("span", { class: "tag change" }, tag) : null,
    isKnown ? null : element("span", { class: "tag nonstandard" }, statusOf(entry)),
    ["high", "medium", "low"].includes(entry.priority)
      ? element("span", { class: "priority " + entry.priority }, entry.priority)
      : element("span", { class: "tag nonstandard" }, printable(shorten(entry.priority, 30)) || "no priority"),
  );
}

const maxSpans = 200; // lines of a text that are highlighted

// addedLineSpans returns the spans [from, to] of the lines of a text that are new since an earlier text,
// at most maxSpans; none if too much differs.
function addedLineSpans(before, after) {
  const lines = after.split("\n");
  const alignment = align(before.split("\n"), lines) || [];
  const isNew = new Set(alignment.filter(([i]) => i === undefined).map(([, j]) => j));
  const spans = [];
  let offset = 0;
  lines.forEach((line, i) => {
    if (isNew.has(i) && line.trim() && spans.length < maxSpans) spans.push([offset, offset + line.length]);
    offset += line.length + 1;
  });
  return spans;
}
