// The rows of the list.

icons.marked = ["M8 2.2L14.5 13.5H1.5z", "M8 6.2v3.6M8 11.6v.2"];

const maxRunText = 160; // characters of a run that are put together

// drawRow fills a row of the timeline.
function drawRow(row, x) {
  row.classList.toggle("other", !x.plan);
  row.classList.toggle("bad", x.failed === true || x.lost !== undefined || (isOf(x, "unanswered") && !mayBeAnswered()));
  row.classList.add("columns", x.fate, "about-" + x.about);
  if (x.inTurn && !filter.sort) row.classList.add("turn", ...(x.opens ? ["opens"] : []), ...(x.closes ? ["closes"] : []));
  row.classList.toggle("found", hasFound(x));
  const took = element("span", { class: "took", title: x.took === undefined ? undefined : "answered after " + clock(x.took) }, x.took === undefined ? "" : duration(x.took));
  if (x.took > 0) took.style.setProperty("--part", Math.min(100, Math.max(0, 20 * Math.log10(1000 * x.took))) + "%"); // 1 ms to 100 s
  row.append(
    element("span", { class: "number" }, "#" + x.n),
    element("span", { class: "time", title: wallClock(x.at) || undefined }, shortClock(x.at)),
    sessionBadge(x),
    ...(x.plan ? planColumns(x) : otherColumns(x)),
    element("span", { class: "action", title: x.fate === "forwarded" ? undefined : x.fate }, icon(x.fate), element("span", { class: "spoken" }, x.fate), drawMarked(x)),
    took,
    element("span", { class: "bytes", title: count(x.bytes, "byte") }, size(x.bytes)),
  );
}

// hasFound reports whether the search has found something in the exchanges of a row.
function hasFound(x) {
  const run = search.pattern && !shown.open.has(x.run) && shown.runAt(x);
  return run ? run.some((y) => search.has(y)) : search.has(x);
}

function sessionBadge(x) {
  const session = recording.sessions.get(x.session);
  return element("span", { class: "session tint" + (x.session || 0) % 6, title: session ? visible(session.id) : undefined }, session ? "S" + x.session : "");
}

function drawMarked(x) {
  const line = isOf(x, "marked") && x.lines.find((l) => recording.marks.has(l.n));
  return line ? element("span", { class: "mark", title: visible(shorten(recording.marks.get(line.n).map((f) => f.text).join("; "), 400)) },
    icon("marked"), element("span", { class: "spoken" }, "not allowed by the protocol")) : null;
}

function planColumns(x) {
  const form = x.plan.form === "plan" ? "" : visible(shorten(x.plan.form, 16));
  return [
    element("span", { class: "name", title: visible(shorten(x.plan.id || x.method, 200)) },
      icon("todo"), " ", element("bdi", {}, x.plan.id === "" ? "plan" : visible(shortID(x.plan.id))), " ", form ? element("span", { class: "form" }, form) : null),
    x.plan.total > 0 ? meter(x.plan.done || 0, x.plan.total) : element("span", { class: "meter" }),
  ];
}

// otherColumns returns the direction, the summary and the name of a message.
function otherColumns(x) {
  const run = shown.runAt(x);
  const isOpen = run && shown.open.has(x.run), heads = run && run[0] === x;
  const name = visible(shorten((x.type === "response" ? "answer: " : "") + (x.update || x.method || x.type), 60));
  const says = visible(heads && !isOpen ? runText(run) : [x.says, x.error].filter(Boolean).join(": "));
  return [element("span", { class: "name" + (run && !heads ? " member" : ""), title: name + (says && ": ") + says },
    element("span", { class: "way", title: x.toClient ? "to the client" : "to the agent" }, x.toClient ? "←" : "→"), " ",
    ...(heads ? [runMark(run, isOpen), " "] : []),
    ...(says ? [element("bdi", { class: "says" }, says), " "] : []), element("bdi", { class: "method" }, name)), element("span", { class: "meter" })];
}

function runMark(run, isOpen) {
  return element("span", { class: "run", "data-run": run[0].run, title: (isOpen ? "close" : "open") + " the message, which came in " + count(run.length, "part") },
    element("span", { "aria-hidden": "true" }, isOpen ? "▾" : "▸"), "×" + run.length.toLocaleString("en"),
    element("span", { class: "spoken" }, " parts, " + (isOpen ? "open:" : "closed:")));
}

// runText returns the start of a message in chunks. It keeps its position in the chunks.
function runText(run) {
  run.text ??= "";
  for (run.read ??= 0; run.read < run.length && run.text.length < maxRunText; run.read++) {
    const update = updateOf(recording.event(run[run.read].lines[0].n));
    run.text += blockText(get(update, "content")).slice(0, maxRunText);
  }
  return shorten(run.text.replace(/\s+/g, " ").trim(), maxRunText);
}

function meter(done, total) {
  const fill = element("span", { class: "fill" });
  fill.style.width = (100 * done) / total + "%";
  return element("span", { class: "meter", title: done + " of " + total + " done" }, element("span", { class: "bar" }, fill), done + "/" + total);
}

// size writes a number of bytes in the room of a row.
function size(bytes) {
  if (bytes < 1000) return bytes + " B";
  const [unit, name] = bytes < 999500 ? [1e3, "kB"] : [1e6, "MB"];
  const n = bytes / unit;
  return n.toFixed(n < 99.95 ? 1 : 0) + " " + name;
}
