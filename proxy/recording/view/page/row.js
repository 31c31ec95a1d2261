// The rows of the list: one for each exchange in it.

icons.alert = ["M8 2.2L14.5 13.5H1.5z", "M8 6.2v3.6M8 11.6v.2"];

const maxRunText = 160; // characters of a run's message in the row of the run

// drawRow fills the element of a row.
function drawRow(row, exchange) {
  row.classList.toggle("without-plan", !exchange.plan);
  row.classList.toggle("bad", exchange.failed === true || exchange.lost !== undefined || (isOfKind(exchange, "unanswered") && !awaitsResponses()));
  row.classList.add("columns", exchange.fate, "about-" + exchange.about);
  if (exchange.inTurn && !filter.sort) row.classList.add("turn", ...(exchange.opens ? ["opens"] : []), ...(exchange.closes ? ["closes"] : []));
  row.classList.toggle("hit", hasHit(exchange));
  const responseTime = element("span", { class: "duration" }, formatDuration(exchange.took));
  if (exchange.took !== undefined) responseTime.title = "answered after " + formatClock(exchange.took);
  // The bar below the time is logarithmic, from 1 ms to 100 s.
  if (exchange.took > 0) responseTime.style.setProperty("--part", Math.min(100, Math.max(0, 20 * Math.log10(1000 * exchange.took))) + "%");
  row.append(
    element("span", { class: "number" }, "#" + exchange.n),
    element("span", { class: "time", title: wallClock(exchange.at) || undefined }, formatShortClock(exchange.at)),
    drawSessionBadge(exchange),
    ...(exchange.plan ? planColumns(exchange) : otherColumns(exchange)),
    element("span", { class: "action", title: exchange.fate === "forwarded" ? undefined : exchange.fate },
      icon(exchange.fate), element("span", { class: "spoken" }, exchange.fate), drawFindingIcon(exchange)),
    responseTime,
    element("span", { class: "bytes", title: formatCount(exchange.bytes, "byte") }, formatSize(exchange.bytes)),
  );
}

// hasHit reports whether a row has a hit of the search: in a closed run, in any of its chunks.
function hasHit(exchange) {
  const run = search.pattern && !rowList.openRuns.has(exchange.run) && rowList.runOf(exchange);
  return run ? run.some((x) => search.isHit(x)) : search.isHit(exchange);
}

function drawSessionBadge(exchange) {
  const session = recording.sessions.get(exchange.session);
  return element("span", { class: "session tint" + (exchange.session || 0) % 6, title: session ? printable(session.id) : undefined }, session ? "S" + exchange.session : "");
}

function drawFindingIcon(exchange) {
  const line = isOfKind(exchange, "finding") && exchange.lines.find((l) => recording.findings.has(l.n));
  return line ? element("span", { class: "finding", title: printable(shorten(recording.findings.get(line.n).map((f) => f.text).join("; "), 400)) },
    icon("alert"), element("span", { class: "spoken" }, "not allowed by the protocol")) : null;
}

function planColumns(exchange) {
  const form = exchange.plan.form === "plan" ? "" : printable(shorten(exchange.plan.form, 16));
  return [
    element("span", { class: "name", title: printable(shorten(exchange.plan.id || exchange.method, 200)) },
      icon("todo"), " ", element("bdi", {}, exchange.plan.id === "" ? "plan" : printable(shortenID(exchange.plan.id))), " ", form ? element("span", { class: "form" }, form) : null),
    exchange.plan.total > 0 ? drawMeter(exchange.plan.done || 0, exchange.plan.total) : element("span", { class: "meter" }),
  ];
}

// otherColumns returns the columns of a message without a plan: one with direction, summary and name,
// and an empty meter.
function otherColumns(exchange) {
  const run = rowList.runOf(exchange);
  const isOpen = run && rowList.openRuns.has(exchange.run), isHead = run && run[0] === exchange;
  const name = printable(shorten((exchange.type === "response" ? "answer: " : "") + (exchange.update || exchange.method || exchange.type), 60));
  const summary = printable(isHead && !isOpen ? runText(run) : [exchange.says, exchange.error].filter(Boolean).join(": "));
  return [element("span", { class: "name" + (run && !isHead ? " member" : ""), title: name + (summary && ": ") + summary },
    element("span", { class: "direction", title: exchange.toClient ? "to the client" : "to the agent" }, exchange.toClient ? "←" : "→"), " ",
    ...(isHead ? [drawRunBadge(run, isOpen), " "] : []),
    ...(summary ? [element("bdi", { class: "summary" }, summary), " "] : []), element("bdi", { class: "method" }, name)), element("span", { class: "meter" })];
}

function drawRunBadge(run, isOpen) {
  return element("span", { class: "run", "data-run": run[0].run, title: (isOpen ? "close" : "open") + " the message, which came in " + formatCount(run.length, "part") },
    element("span", { "aria-hidden": "true" }, isOpen ? "▾" : "▸"), "×" + run.length.toLocaleString("en"),
    element("span", { class: "spoken" }, " parts, " + (isOpen ? "open:" : "closed:")));
}

// runText returns the start of a message in chunks, of at most maxRunText chunks and characters.
function runText(run) {
  let text = "";
  for (let i = 0; i < Math.min(run.length, maxRunText) && text.length < maxRunText; i++) {
    text += blockText(get(updateOf(recording.event(run[i].lines[0].n)), "content")).slice(0, maxRunText);
  }
  return shorten(text.replace(/\s+/g, " ").trim(), maxRunText);
}

function drawMeter(done, total) {
  const fill = element("span", { class: "fill" });
  fill.style.width = (100 * done) / total + "%";
  return element("span", { class: "meter", title: done + " of " + total + " done" }, element("span", { class: "bar" }, fill), done + "/" + total);
}

// formatSize writes a number of bytes for a narrow column.
function formatSize(bytes) {
  if (bytes < 1000) return bytes + " B";
  const [unit, name] = bytes < 999500 ? [1e3, "kB"] : [1e6, "MB"];
  const amount = bytes / unit;
  return amount.toFixed(amount < 99.95 ? 1 : 0) + " " + name;
}
