// Plans as an editor shows them, with what a message changed of them marked.

const maxShown = 500; // entries of a plan, until more are asked for

const statusNames = { pending: "pending", in_progress: "in progress", completed: "completed", cancelled: "cancelled" };

// drawPlans shows a state as an editor does, and what an exchange removed from
// the state before it.
function drawPlans(box, recording, state, before, x) {
  const read = (p) => readPlan(planUpdate(recording.event(p.line)) || {});
  const lines = new Set(x.lines.map((l) => l.n));
  const cards = state.map((p) => {
    const touched = lines.has(p.line);
    const was = touched ? before.find((q) => q.key === p.key) : undefined;
    return drawPlan(read(p), touched, was && read(was));
  });
  for (const p of before) {
    if (lines.size && x.plan && !state.some((q) => q.key === p.key)) cards.push(drawRemoved(read(p)));
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
  const done = progress(plan);
  const head = element("header", {},
    element("h3", {}, element("bdi", {}, title)),
    plan.type !== "plan" && plan.type !== "items" ? element("span", { class: "tag" }, visible(shorten(plan.type, 30))) : null,
    touched ? element("span", { class: "tag touched" }, was ? "changed by this message" : "new with this message") : null,
    done ? element("span", { class: "done" }, done.done + " of " + done.total) : null,
  );
  const card = element("article", { class: "plan" + (touched ? " touched" : ""), "aria-label": "plan " + title }, head);
  if (done && done.total) card.append(drawProgress(done, title));
  if (plan.entries) card.append(drawEntries(changedEntries(was && was.entries ? was.entries : was ? [] : plan.entries, plan.entries, touched)));
  else if (plan.text !== null) card.append(drawProse(plan.text, "text of the plan", was && was.text !== null ? newLines(was.text, plan.text) : []));
  if (plan.uri !== null) card.append(drawFile(plan.uri));
  else if (!plan.entries && plan.text === null) card.append(element("p", { class: "empty" }, "In a form this page does not know; see the message."));
  return card;
}

function drawProgress(done, title) {
  const fill = element("span", { class: "fill" });
  fill.style.width = (100 * done.done) / done.total + "%";
  return element("div", {
    class: "progress", role: "progressbar", "aria-label": "progress of " + title,
    "aria-valuemin": 0, "aria-valuemax": done.total, "aria-valuenow": done.done,
  }, fill);
}

// drawFile says in which file a plan is. It is not a link: a recording does not open files.
function drawFile(uri) {
  const path = /^file:\/\/([^?#]*)/.exec(uri);
  return element("div", { class: "plan-file" }, icon("file"), element("div", {},
    element("p", {}, "The plan is in ", path ? drawPath(path[1]) : "a file", "."), element("p", { class: "uri" }, visible(shorten(uri, 2000)))));
}

// changedEntries returns the entries of a plan and those that are gone from it, in
// order, as { entry, change, was }: change is "new", "gone", "status" or "".
function changedEntries(before, after, touched) {
  const unchanged = after.map((entry) => ({ entry, change: "" }));
  if (!touched || before === after) return unchanged;
  const common = commonParts(before.map((e) => e.content), after.map((e) => e.content), maxTable);
  if (!common.complete) return unchanged;
  const all = [];
  let i = 0, j = 0;
  for (const [atBefore, atAfter] of common.pairs.concat([[before.length, after.length]])) {
    while (i < atBefore) all.push({ entry: before[i++], change: "gone" });
    while (j < atAfter) all.push({ entry: after[j++], change: "new" });
    if (atAfter === after.length) break;
    const change = before[i].status !== after[j].status ? "status" : before[i].priority !== after[j].priority ? "priority" : "";
    all.push({ entry: after[j], change, was: before[i] });
    i++;
    j++;
  }
  return moved(all);
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
  const list = element("ol", { class: "entries" });
  const add = (from) => {
    for (const entry of entries.slice(from, from + maxShown)) list.append(drawEntry(entry));
    const rest = entries.length - from - maxShown;
    if (rest <= 0) return;
    const more = element("button", { type: "button", class: "more" }, "Show " + count(rest, "more entry", "more entries"));
    const item = element("li", { class: "rest" }, more);
    more.addEventListener("click", () => {
      item.remove();
      add(from + maxShown);
    });
    list.append(item);
  };
  add(0);
  return list;
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
  const common = commonParts(before.split("\n"), lines, maxTable);
  if (!common.complete) return [];
  const kept = new Set(common.pairs.map((p) => p[1]));
  const spans = [];
  let at = 0;
  lines.forEach((line, i) => {
    if (!kept.has(i) && line.trim() && spans.length < maxSpans) spans.push([at, at + line.length]);
    at += line.length + 1;
  });
  return spans;
}
