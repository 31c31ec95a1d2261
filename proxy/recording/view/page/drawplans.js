// Plans as an editor shows them, with the changes of a message marked.

const maxShown = 500; // entries of a plan, until more are asked for

const statusNames = { pending: "pending", in_progress: "in progress", completed: "completed", cancelled: "cancelled" };

// drawPlans shows the plans that are live after an exchange, and the plans that it removed.
function drawPlans(box, recording, before, after, x) {
  const read = (line) => line && readPlan(recording, line);
  const cards = [...after].map(([key, line]) => {
    const touched = x.lines.includes(line);
    return drawPlan(read(line), touched, touched ? read(before.get(key)) : undefined);
  });
  for (const [key, line] of before) {
    if (x.plan && !after.has(key)) cards.push(drawRemoved(read(line)));
  }
  box.replaceChildren(...(cards.length ? cards : [element("p", { class: "empty" }, "No plan.")]));
}

function titleOf(plan) {
  return plan.id === "" ? "Plan" : visible(shorten(plan.id, 80));
}

function drawRemoved(plan) {
  const title = titleOf(plan);
  return element("article", { class: "plan removed", "aria-label": "plan " + title + ", removed" },
    element("header", {}, element("h3", {}, element("bdi", {}, title)), element("span", { class: "tag touched" }, "removed by this message")));
}

// drawPlan draws a plan; was is what it was before a message touched it, undefined if
// that is new.
function drawPlan(plan, touched, was) {
  const title = titleOf(plan);
  const head = element("header", {},
    element("h3", {}, element("bdi", {}, title)),
    plan.form !== "plan" && plan.form !== "items" ? element("span", { class: "tag" }, visible(shorten(plan.form, 30))) : null,
    touched ? element("span", { class: "tag touched" }, was ? "changed by this message" : "new with this message") : null,
    plan.total ? element("span", { class: "done" }, plan.done + " of " + plan.total) : null,
  );
  const card = element("article", { class: "plan" + (touched ? " touched" : ""), "aria-label": "plan " + title }, head);
  if (plan.total) card.append(drawProgress(plan, title));
  if (plan.entries) card.append(drawEntries(changedEntries(was && was.entries ? was.entries : was ? [] : plan.entries, plan.entries, touched)));
  else if (plan.text !== null) card.append(drawProse(plan.text, "text of the plan", was && was.text !== null ? newLines(was.text, plan.text) : []));
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

// drawFile names the file of a plan. It is not a link: a recording does not open files.
function drawFile(uri) {
  const path = /^file:\/\/([^?#]*)/.exec(uri);
  return element("div", { class: "plan-file" }, icon("file"), element("div", {},
    element("p", {}, "The plan is in ", path ? drawPath(path[1]) : "a file", "."), element("p", { class: "uri" }, visible(shorten(uri, 2000)))));
}

// changedEntries returns the entries of a plan and those that are gone from it, in
// order, as { entry, change, was }: change is "new", "gone", "status", "priority" or "".
function changedEntries(before, after, touched) {
  const steps = touched && before !== after ? compared(before.map((e) => e.content), after.map((e) => e.content)) : null;
  if (!steps) return after.map((entry) => ({ entry, change: "" }));
  return moved(steps.map(([i, j]) => {
    const was = before[i], entry = after[j];
    if (!entry) return { entry: was, change: "gone" };
    if (!was) return { entry, change: "new" };
    return { entry, change: was.status !== entry.status ? "status" : was.priority !== entry.priority ? "priority" : "", was };
  }));
}

// moved takes an entry that is gone from one place and new at another one for the same
// entry.
function moved(all) {
  const gone = new Map(all.filter((e) => e.change === "gone").map((e) => [e.entry.content, e]));
  const found = new Set();
  for (const e of all) {
    const from = e.change === "new" ? gone.get(e.entry.content) : undefined;
    if (!from || found.has(from)) continue;
    found.add(from);
    Object.assign(e, { change: from.entry.status !== e.entry.status ? "status" : "moved", was: from.entry });
  }
  return all.filter((e) => !found.has(e));
}

function drawEntries(entries) {
  if (!entries.length) return element("p", { class: "empty" }, "No entries.");
  const list = element("ol", { class: "entries" }), box = element("div", {}, list);
  const add = (from) => {
    list.append(...entries.slice(from, from + maxShown).map(drawEntry));
    const rest = entries.length - from - maxShown;
    if (rest > 0) box.append(moreButton(count(rest, "more entry", "more entries"), () => add(from + maxShown)));
  };
  add(0);
  return box;
}

function statusOf(entry) {
  return Object.hasOwn(statusNames, entry.status) ? statusNames[entry.status] : visible(shorten(entry.status, 30)) || "no status";
}

function drawEntry({ entry, change, was }) {
  const known = Object.hasOwn(statusNames, entry.status);
  const tag = { new: "new", gone: "gone", moved: "moved", status: was && "was " + statusOf(was), priority: was && "was " + visible(shorten(was.priority, 30)) }[change];
  return element("li", { class: (known ? entry.status : "unknown") + (change && " changed change-" + change) },
    icon(known ? entry.status : "unknown"),
    element("span", { class: "spoken" }, statusOf(entry) + ": "),
    element(change === "gone" ? "del" : "span", { class: "content", dir: "auto" }, visible(shorten(entry.content, longText))),
    tag ? element("span", { class: "tag change" }, tag) : null,
    known ? null : element("span", { class: "tag odd" }, statusOf(entry)),
    ["high", "medium", "low"].includes(entry.priority)
      ? element("span", { class: "priority " + entry.priority }, entry.priority)
      : element("span", { class: "tag odd" }, visible(shorten(entry.priority, 30)) || "no priority"),
  );
}

const maxSpans = 200; // parts of a text that are marked

// newLines returns the parts of a text that an earlier one does not have, none if too
// much differs.
function newLines(before, after) {
  const lines = after.split("\n");
  const steps = compared(before.split("\n"), lines) || [];
  const isNew = new Set(steps.filter(([i]) => i === undefined).map(([, j]) => j));
  const spans = [];
  let at = 0;
  lines.forEach((line, i) => {
    if (isNew.has(i) && line.trim() && spans.length < maxSpans) spans.push([at, at + line.length]);
    at += line.length + 1;
  });
  return spans;
}
