// The filters, buttons and keys, and the start of the page.

// The actions of select elements, by id; they are called with the selected value.
const selectActions = {
  kind: setKind, sort: setSort,
  session: (session) => changeFilter({ session, plan: null, tool: 0 }), plan: (plan) => changeFilter({ plan }),
};
for (const id in selectActions) $(id).addEventListener("change", () => selectActions[id](selectedValue($(id))));

// toggleKind returns the action of a count in the header: list only its kind of messages, or all
// again.
const toggleKind = (kind) => () => {
  const turnsOn = filter.kind !== kind;
  filter.reset();
  setKind(turnsOn ? kind : "all");
  if (turnsOn && rowList.exchanges.length) selectForUser(rowList.exchanges[0]);
};
// The actions of buttons, by id.
const buttonActions = {
  tool: () => setTool(0), widen: showAll, live: () => setLive(!isLive), previous: () => step(-1), next: () => step(1),
  "found-next": () => stepHit(1), "found-previous": () => stepHit(-1), only: () => changeFilter({ only: !filter.only }),
  "count-error": toggleKind("error"), "count-unanswered": toggleKind("unanswered"), "count-finding": toggleKind("finding"),
  "count-lost": () => showLosses($("losses").hidden), "help-open": () => $("help").showModal(), "help-close": () => $("help").close(),
};
for (const id in buttonActions) $(id).addEventListener("click", () => buttonActions[id]());

let hasUserActed = initialAddress.number > 0 || initialAddress.find !== ""; // an address with an exchange or a search counts, too
for (const type of ["keydown", "pointerdown", "wheel"]) {
  addEventListener(type, () => (hasUserActed = true), { capture: true, passive: true });
}

// pageSize returns the number of rows that Page Up and Page Down move.
const pageSize = () => Math.max(1, Math.floor($("timeline").clientHeight / rowView.rowHeight) - 1);

// The actions of keys, by KeyboardEvent.key. A letter without an upper-case action also has its action with
// Shift or Caps Lock.
const keyActions = {
  ArrowDown: () => step(1),
  ArrowRight: () => toggleRun(selected, true) || step(1),
  j: () => step(1),
  ArrowUp: () => step(-1),
  ArrowLeft: () => toggleRun(selected, false) || step(-1),
  k: () => step(-1),
  PageDown: () => step(pageSize()),
  PageUp: () => step(-pageSize()),
  Home: () => step(-Infinity),
  End: () => step(Infinity),
  Enter: () => toggleRun(selected),
  l: () => setLive(true),
  o: () => setKind(filter.kind === "plan" ? "all" : "plan"),
  a: () => showAll(),
  s: () => setSort(sortOptions[(sortOptions.findIndex(([name]) => name === filter.sort) + 1) % sortOptions.length][0]),
  t: () => {
    if (filter.tool || (selected && selected.tool)) setTool(filter.tool ? 0 : selected.tool);
  },
  c: () => selected && copyMessages(recording, selected, "sent"),
  C: () => selected && copyMessages(recording, selected, "received"),
  "/": () => $("find").select(),
  n: () => stepHit(1),
  N: () => stepHit(-1),
  Escape: () => clearSearch(),
  "?": () => $("help").showModal(),
};

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches("select, input") || $("help").open) return;
  if (e.key === "Enter" && e.target.closest("button, summary, a")) return;
  // In a long text with the focus, these keys scroll.
  const scrollable = e.target.closest("[role=group]");
  if (scrollable && scrollable.scrollHeight > scrollable.clientHeight && /^(Arrow|Page|Home|End)/.test(e.key)) return;
  const action = keyActions[e.key] || keyActions[e.key.toLowerCase()];
  if (!action) return;
  e.preventDefault();
  action();
});

$("live").hidden = !isServed;
drawFilters();
drawSummary();
if (initialAddress.find) {
  $("find").value = initialAddress.find;
  startSearch(initialAddress.find, !initialAddress.number);
}
if (isServed) readStream({ onStart: restartRecording, onLine: readLine, onBatch: updatePage, onFailure: showStreamFailure });
else readDocument(new LineReader(readLine, updatePage));
