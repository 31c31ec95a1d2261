// The search field.

let sought = null; // the number from which on the text is looked for as it is typed, until the user goes elsewhere

// found draws the new hits.
function found() {
  if (filter.only) {
    shown.stale = true;
    settle();
  }
  if (sought !== null) goToFound();
  drawFound();
  timeline.refreshSoon();
}

// goToFound selects the first hit of a typed text, once it is known.
function goToFound() {
  const hits = hitsShown();
  const first = hits.find((x) => filter.sort || x.n >= sought) || (search.done && wasRead ? hits[0] : null);
  if (!first && !(search.done && wasRead)) return;
  sought = null;
  if (first) reveal(first);
}

// hitsShown returns the exchanges that have the text in them and pass the filter, as they
// are in the list.
function hitsShown() {
  return filter.sort ? shown.rows.filter((x) => search.has(x)) : search.hits.filter((x) => x.listed !== null);
}

// find starts a search. For a typed text it selects the first hit after the selected exchange.
function find(text, typed) {
  sought = typed && text.trim() ? (chosen ? chosen.n : 0) : null;
  search.begin(text.slice(0, maxSought));
  hitMarks.clear();
  drawHits($("detail"));
}

// stepFound selects the next hit, or the previous one.
function stepFound(by) {
  if (search.number) return go(search.number);
  const hits = hitsShown();
  if (!hits.length) return;
  const order = (x) => (filter.sort ? shown.position(x) : x.n);
  const from = chosen ? order(chosen) : -1;
  const next = by > 0 ? hits.find((x) => order(x) > from) || hits[0] : hits.findLast((x) => order(x) < from) || hits[hits.length - 1];
  reveal(next);
  drawFound();
}

// drawFound shows the number of hits, also of those that the filter hides. Its size is fixed,
// so that nothing moves while the user types.
function drawFound() {
  const hits = search.pattern ? hitsShown() : [];
  const at = chosen && search.has(chosen) ? hits.indexOf(chosen) : -1;
  const total = hits.length.toLocaleString("en") + (search.done ? "" : "…");
  const hidden = recording.totals.messages - shown.passing, beyond = search.hits.length - hits.length;
  const places = hits.length ? (at < 0 ? total + " found" : (at + 1).toLocaleString("en") + " of " + total) : search.done ? "none" : "…";
  $("found").textContent = !search.pattern ? "" : places + (beyond > 0 ? "\n" + beyond.toLocaleString("en") + " hidden" : "");
  for (const id of ["found-previous", "found-next"]) $(id).disabled = !hits.length;
  $("widen").disabled = !hidden;
  $("widen").textContent = hidden ? hidden.toLocaleString("en") + " hidden: show all" : "nothing hidden";
  $("only").disabled = !search.pattern;
  $("only").setAttribute("aria-pressed", filter.only);
}

// stopFinding clears the search.
function stopFinding() {
  $("find").value = "";
  find("");
  if (filter.only) refine({ only: false });
  changeAddress();
}

let findTimer = 0;

// findTyped searches for the text of the field.
function findTyped() {
  clearTimeout(findTimer);
  find($("find").value, true);
  changeAddress();
}

$("find").addEventListener("input", () => {
  clearTimeout(findTimer);
  findTimer = setTimeout(findTyped, 120);
});

const findKeys = {
  Enter(e) {
    if ($("find").value === search.text) return stepFound(e.shiftKey ? -1 : 1);
    findTyped();
    if (search.number) go(search.number);
  },
  Escape() {
    clearTimeout(findTimer);
    stopFinding();
    $("timeline").focus();
  },
  ArrowDown: () => $("timeline").focus(),
};
$("find").addEventListener("keydown", (e) => {
  if (!Object.hasOwn(findKeys, e.key)) return;
  e.preventDefault();
  findKeys[e.key](e);
});
