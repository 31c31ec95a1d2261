// The parts of the page that show one exchange.

const maxRows = 1500; // of a message, until more are asked for
const maxShown = 500; // entries or lines of a plan, until more are asked for

const statusNames = { pending: "pending", in_progress: "in progress", completed: "completed", cancelled: "cancelled" };

// fillRow fills a row of the timeline.
function fillRow(row, x) {
  row.classList.toggle("other", !x.plan);
  row.classList.add(x.action, "about-" + x.about);
  if (x.turn) row.classList.add("turn", ...(x.opens ? ["opens"] : []), ...(x.closes ? ["closes"] : []));
  const session = x.session ? "S" + x.session.number : "";
  const badge = element("span", { class: "session tint" + (x.session ? x.session.number % 6 : 0), title: visible(x.sessionID) }, session);
  row.append(
    element("span", { class: "number" }, "#" + x.number),
    element("span", { class: "time" }, shortClock(x.seconds)),
    badge,
    ...(x.plan ? planColumns(x) : otherColumns(x)),
    element("span", { class: "action" }, icon(x.action), x.plan || x.action !== "forwarded" ? x.action : ""),
  );
}

function planColumns(x) {
  return [
    element("span", { class: "name", title: visible(shorten(x.id || x.method, 200)) }, element("bdi", {}, x.id === "" ? "plan" : visible(shortID(x.id)))),
    element("span", { class: "form" }, x.form === "plan" ? "" : visible(shorten(x.form, 16))),
    x.total > 0 ? meter(x.done, x.total) : element("span", { class: "meter" }),
  ];
}

// otherColumns are what a message is, which way it goes, and what it says.
function otherColumns(x) {
  const name = visible(shorten((x.type === "response" ? "answer: " : "") + (x.kind || x.method || x.type), 60));
  const says = visible(x.summary);
  return [element("span", { class: "name", title: name + (says && ": ") + says },
    element("span", { class: "way", title: x.toClient ? "to the client" : "to the agent" }, x.toClient ? "←" : "→"),
    says ? element("bdi", { class: "says" }, says) : null, element("bdi", { class: "method" }, name))];
}

function meter(done, total) {
  const fill = element("span", { class: "fill" });
  fill.style.width = (100 * done) / total + "%";
  return element("span", { class: "meter", title: done + " of " + total + " done" }, element("span", { class: "bar" }, fill), done + "/" + total);
}

// drawPlans shows a state as an editor does, and what an exchange removed from
// the state before it.
function drawPlans(box, recording, state, before, x) {
  const read = (p) => readPlan(planUpdate(recording.event(p.line)) || {});
  const cards = state.map((p) => drawPlan(read(p), x.lines.includes(p.line)));
  for (const p of x.form === "removed" ? before : []) {
    if (!state.some((q) => q.key === p.key)) cards.push(drawRemoved(read(p)));
  }
  box.replaceChildren(...(cards.length ? cards : [element("p", { class: "empty" }, "No plan.")]));
}

function drawRemoved(plan) {
  const title = visible(shorten(plan.id, 80));
  return element("article", { class: "plan removed", "aria-label": "plan " + title + ", removed" },
    element("header", {}, element("h3", {}, element("bdi", {}, title)), element("span", { class: "tag touched" }, "removed by this message")));
}

function drawPlan(plan, touched) {
  const title = plan.id === "" ? "Plan" : visible(shorten(plan.id, 80));
  const done = progress(plan);
  const head = element("header", {},
    element("h3", {}, element("bdi", {}, title)),
    plan.type !== "plan" && plan.type !== "items" ? element("span", { class: "tag" }, visible(shorten(plan.type, 30))) : null,
    touched ? element("span", { class: "tag touched" }, "this message") : null,
    done ? element("span", { class: "done" }, done.done + " of " + done.total) : null,
  );
  const card = element("article", { class: "plan" + (touched ? " touched" : ""), "aria-label": "plan " + title }, head);
  if (done && done.total) {
    const fill = element("span", { class: "fill" });
    fill.style.width = (100 * done.done) / done.total + "%";
    card.append(element("div", {
      class: "progress", role: "progressbar", "aria-label": "progress of " + title,
      "aria-valuemin": 0, "aria-valuemax": done.total, "aria-valuenow": done.done,
    }, fill));
  }
  if (plan.entries) card.append(drawEntries(plan.entries));
  else if (plan.text !== null) card.append(drawMarkdown(plan.text));
  else if (plan.uri !== null) card.append(element("p", { class: "uri" }, visible(shorten(plan.uri, 2000))));
  else card.append(element("p", { class: "empty" }, "In a form this page does not know; see the message."));
  return card;
}

function drawEntries(entries) {
  if (!entries.length) return element("p", { class: "empty" }, "No entries.");
  const list = element("ol", { class: "entries" });
  for (const entry of entries.slice(0, maxShown)) {
    const known = Object.hasOwn(statusNames, entry.status);
    const status = known ? statusNames[entry.status] : visible(shorten(entry.status, 30)) || "no status";
    list.append(element("li", { class: known ? entry.status : "unknown" },
      icon(known ? entry.status : "unknown"),
      element("span", { class: "spoken" }, status + ": "),
      element("span", { class: "content", dir: "auto" }, visible(shorten(entry.content, longText))),
      known ? null : element("span", { class: "tag odd" }, status),
      ["high", "medium", "low"].includes(entry.priority)
        ? element("span", { class: "priority " + entry.priority }, entry.priority)
        : element("span", { class: "tag odd" }, visible(shorten(entry.priority, 30)) || "no priority"),
    ));
  }
  if (entries.length > maxShown) list.append(element("li", { class: "more" }, "and " + count(entries.length - maxShown, "more entry", "more entries")));
  return list;
}

// drawMarkdown shows a markdown text line by line. It sets off headings and
// tasks; the rest is left as it is written.
function drawMarkdown(text) {
  const box = element("div", { class: "markdown", tabindex: 0, role: "region", "aria-label": "text of the plan" });
  const lines = shorten(text, 50000).split("\n");
  for (const line of lines.slice(0, maxShown)) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    const task = /^(\s*)(?:[-*+]|\d+[.)])\s+\[(.)\]\s+(.*)$/.exec(line);
    const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/.exec(line);
    if (heading) {
      box.append(element("div", { class: "heading", dir: "auto" }, visible(heading[2])));
    } else if (task) {
      const status = /x/i.test(task[2]) ? "completed" : /[-~/>]/.test(task[2]) ? "in_progress" : "pending";
      const row = element("div", { class: "task " + status, dir: "auto" }, icon(status),
        element("span", { class: "spoken" }, statusNames[status] + ": "), visible(task[3]));
      row.style.paddingInlineStart = Math.min(task[1].length, 12) * 0.5 + "em";
      box.append(row);
    } else if (item) {
      const row = element("div", { class: "item", dir: "auto" }, element("span", { class: "bullet" }, /\d/.test(item[2]) ? item[2] : "•"), visible(item[3]));
      row.style.paddingInlineStart = Math.min(item[1].length, 12) * 0.5 + "em";
      box.append(row);
    } else {
      box.append(element("div", { class: line.trim() ? "line" : "gap", dir: "auto" }, visible(line)));
    }
  }
  if (lines.length > maxShown) box.append(element("div", { class: "more" }, "and " + count(lines.length - maxShown, "more line")));
  return box;
}

const tooLarge = "These are too large to be compared line by line.";

// drawMessages shows what was sent and what arrived, side by side where they
// differ.
function drawMessages(box, recording, x) {
  const { sent, arrived } = recording.sent(x);
  const [near, far] = x.toClient ? ["agent", "client"] : ["client", "agent"];
  const left = layout(recording.content(sent));
  const named = (line) => {
    const event = recording.event(line);
    return x.plan ? "" : ": " + visible(shorten(messageName(event, x.answers?.get(line)), 60));
  };
  box.replaceChildren();
  const alike = x.action === "rewritten" && recording.sameContent(x);
  if (x.action === "forwarded" || x.action === "added" || alike) {
    const who = x.action === "added" ? "What the " + far + " got from the proxy" : "What the " + near + " sent, and the " + far + " got" + (alike ? " with another id" : "");
    box.append(messageHeads(who + named(sent), null),
      messageBody(left.map((l) => [l, undefined, true]), true));
    return;
  }
  if (!arrived.length) {
    box.append(messageHeads("What the " + near + " sent" + named(sent), "What the " + far + " got: nothing"));
    const body = messageBody(left.map((l) => [l, undefined, false]), false);
    body.classList.add("dropped");
    box.append(body);
    return;
  }
  arrived.forEach((line, i) => {
    const which = arrived.length > 1 ? " (" + (i + 1) + " of " + arrived.length + ")" : "";
    const right = layout(recording.content(line));
    const rows = alignLines(left, right);
    box.append(messageHeads("What the " + near + " sent" + named(sent), "What the " + far + " got" + which + named(line)));
    if (!rows) box.append(element("p", { class: "empty" }, tooLarge));
    box.append(messageBody(rows || besides(left, right), false));
  });
}

function messageHeads(left, right) {
  return element("div", { class: "heads" + (right ? "" : " one") }, element("h2", {}, left), right ? element("h2", {}, right) : null);
}

function messageBody(rows, single) {
  const body = element("div", { class: "message" + (single ? " one" : ""), tabindex: 0, role: "region", "aria-label": "message" });
  const add = (from, to) => {
    for (const [left, right, same] of rows.slice(from, to)) {
      const changed = same === false;
      const pair = element("div", { class: "pair " + (same ? "same" : changed ? "changed" : "besides") });
      const spans = changed && left && right ? changedSpans(plainText(left), plainText(right)) : [null, null];
      pair.append(messageLine(left, changed ? "old" : "", spans[0]));
      if (!single) pair.append(messageLine(right, changed ? "new" : "", spans[1]));
      body.append(pair);
    }
    if (rows.length > to) {
      const more = element("button", { type: "button", class: "more" }, "Show " + count(rows.length - to, "more line"));
      more.addEventListener("click", () => {
        more.remove();
        add(to, rows.length);
      });
      body.append(more);
    }
  };
  add(0, maxRows);
  return body;
}

function plainText(line) {
  return line.tokens.map((t) => shorten(t[1], longText)).join("");
}

// messageLine draws a line of a message; changed are the spans of its text
// that are marked, null for none.
function messageLine(line, side, changed) {
  if (!line) return element("div", { class: "text none" });
  const tag = { old: "del", new: "ins" }[side] || "div";
  const text = element(tag, { class: "text " + side });
  text.style.setProperty("--indent", line.indent);
  let at = 0;
  for (const [kind, value] of line.tokens) {
    const shown = shorten(value, longText);
    for (const [part, marked] of splitMarked(shown, at, changed)) {
      text.append(element(marked ? "mark" : "span", { class: kind }, visible(part)));
    }
    if (value.length > longText) text.append(element("span", { class: "more" }, " " + count(value.length - longText, "more character")));
    at += shown.length;
  }
  return text;
}

// splitMarked cuts text, which begins at offset at, where marked spans begin
// and end.
function splitMarked(text, at, spans) {
  if (!spans) return [[text, false]];
  const parts = [];
  let done = 0;
  for (const [from, to] of spans) {
    const a = Math.max(0, from - at), b = Math.min(text.length, to - at);
    if (a >= b) continue;
    if (a > done) parts.push([text.slice(done, a), false]);
    parts.push([text.slice(a, b), true]);
    done = b;
  }
  if (done < text.length) parts.push([text.slice(done), false]);
  return parts;
}
