// Filters, buttons and keys, and how the page begins.

const choosing = {
  kind: setKind, sort: setSort,
  session: (session) => refine({ session, plan: null, tool: 0 }), plan: (plan) => refine({ plan }),
};
for (const id in choosing) $(id).addEventListener("change", () => choosing[id](chosenIn($(id))));

// countsOf lists only what a count in the heading counts, or everything again.
const countsOf = (kind) => () => {
  const on = filter.kind !== kind;
  filter.widen();
  setKind(on ? kind : "all");
  if (on && shown.rows.length) pick(shown.rows[0]);
};
const pressing = {
  tool: () => setTool(0), widen, live: () => setLive(!live), previous: () => step(-1), next: () => step(1),
  "found-next": () => stepFound(1), "found-previous": () => stepFound(-1), only: () => refine({ only: !filter.only }),
  "count-refused": countsOf("refused"), "count-unanswered": countsOf("unanswered"), "count-marked": countsOf("marked"),
  "count-lost": () => openLosses($("losses").hidden), "help-open": () => $("help").showModal(), "help-close": () => $("help").close(),
};
for (const id in pressing) $(id).addEventListener("click", () => pressing[id]());

for (const deed of ["keydown", "pointerdown", "wheel"]) {
  addEventListener(deed, () => (touched = true), { capture: true, passive: true });
}

const page = () => Math.max(1, Math.floor($("timeline").clientHeight / timeline.rowHeight) - 1);

const keys = {
  ArrowDown: () => step(1),
  ArrowRight: () => toggleRun(chosen, true) || step(1),
  j: () => step(1),
  ArrowUp: () => step(-1),
  ArrowLeft: () => toggleRun(chosen, false) || step(-1),
  k: () => step(-1),
  PageDown: () => step(page()),
  PageUp: () => step(-page()),
  Home: () => step(-Infinity),
  End: () => step(Infinity),
  Enter: () => toggleRun(chosen),
  l: () => setLive(true),
  o: () => setKind(filter.kind === "plan" ? "all" : "plan"),
  a: () => widen(),
  s: () => setSort(sorts[(sorts.findIndex(([name]) => name === filter.sort) + 1) % sorts.length][0]),
  t: () => {
    if (filter.tool || (chosen && chosen.tool)) setTool(filter.tool ? 0 : chosen.tool);
  },
  c: () => chosen && copyMessages(recording, chosen, false),
  C: () => chosen && copyMessages(recording, chosen, true),
  "/": () => $("find").select(),
  n: () => stepFound(1),
  N: () => stepFound(-1),
  Escape: () => stopFinding(),
  "?": () => $("help").showModal(),
};

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches("select, input") || $("help").open) return;
  if (e.key === "Enter" && e.target.closest("button, summary, a")) return;
  // A long text that has the focus is scrolled by its own keys.
  const scrolls = e.target.closest("[role=group]");
  if (scrolls && scrolls.scrollHeight > scrolls.clientHeight && /^(Arrow|Page|Home|End)/.test(e.key)) return;
  const act = keys[e.key] || keys[e.key.toLowerCase()];
  if (!act) return;
  e.preventDefault();
  act();
});

$("live").hidden = !following;
drawFilters();
drawSummary();
if (opened.find) {
  $("find").value = opened.find;
  find(opened.find, !opened.number);
}
if (following) readStream({ begin: again, take: takeLine, done: settle, failed: tellFailed });
else readParts(new Lines(takeLine, settle));
