// The search field and its buttons.

// The number of the exchange from which on the first hit of a new search will be selected; null if none
// will be.
let firstHitStart = null;

// cancelFirstHit leaves the selection as it is when the search finds its first hit.
const cancelFirstHit = () => (firstHitStart = null);

// updateHits shows new hits in the list and in the count.
function updateHits() {
  if (filter.only) {
    rowList.isStale = true;
    updatePage();
  }
  if (firstHitStart !== null) selectFirstHit();
  drawHitCount();
  rowView.refreshSoon();
}

// selectFirstHit selects the first hit from firstHitStart on, or else the first of all. It waits until
// the search has found the hit and the list is built with it.
function selectFirstHit() {
  const hits = listedHits(), hasAllHits = search.isDone && isLoaded && !rowList.isStale;
  const first = hits.find((x) => filter.sort || x.n >= firstHitStart) || (hasAllHits ? hits[0] : null);
  if (!first && !hasAllHits) return;
  cancelFirstHit();
  if (first) reveal(first);
}

// listedHits returns the hits that pass the filter, in the order of the list.
function listedHits() {
  return filter.sort ? rowList.exchanges.filter((x) => search.isHit(x)) : search.hits.filter((x) => x.listedRun !== null);
}

// startSearch starts the search for a text. With selectsHit, the first hit from the selected exchange
// on will be selected.
function startSearch(text, selectsHit) {
  firstHitStart = selectsHit && text.trim() ? (selected ? selected.n : 0) : null;
  search.start(text.slice(0, maxSearchLength));
  hitHighlight.clear();
  highlightHits($("detail"));
}

// stepHit selects the next hit, or with a negative offset the previous one.
function stepHit(offset) {
  if (search.lineNumber) return goToLine(search.lineNumber); // also if the filter hides the hit
  const hits = listedHits();
  if (!hits.length) return;
  const positionOf = (x) => (filter.sort ? rowList.rowIndex(x) : x.n);
  const from = selected ? positionOf(selected) : -1;
  const next = offset > 0 ? hits.find((x) => positionOf(x) > from) || hits[0] : hits.findLast((x) => positionOf(x) < from) || hits[hits.length - 1];
  reveal(next);
  drawHitCount();
}

// drawHitCount shows the number of hits and of those that the filter hides. The elements have a
// fixed size, so that nothing moves while the user types.
function drawHitCount() {
  const hits = search.pattern ? listedHits() : [];
  const index = selected && search.isHit(selected) ? hits.indexOf(selected) : -1;
  const total = hits.length.toLocaleString("en") + (search.isDone ? "" : "…");
  const hiddenCount = recording.totals.messages - rowList.passCount, hiddenHitCount = search.hits.length - hits.length;
  let position = search.isDone ? "none" : "…";
  if (hits.length) position = index < 0 ? total + " found" : (index + 1).toLocaleString("en") + " of " + total;
  $("found").textContent = !search.pattern ? "" : position + (hiddenHitCount > 0 ? "\n" + hiddenHitCount.toLocaleString("en") + " hidden" : "");
  for (const id of ["found-previous", "found-next"]) $(id).disabled = !hits.length;
  $("widen").disabled = !hiddenCount;
  $("widen").textContent = hiddenCount ? hiddenCount.toLocaleString("en") + " hidden: show all" : "nothing hidden";
  $("only").disabled = !search.pattern;
  $("only").setAttribute("aria-pressed", filter.only);
}

// clearSearch ends the search.
function clearSearch() {
  $("find").value = "";
  startSearch("");
  if (filter.only) changeFilter({ only: false });
  updateAddress();
}

let searchTimer = 0; // runs until the user pauses

// searchTyped starts the search for the text in the field.
function searchTyped() {
  clearTimeout(searchTimer);
  startSearch($("find").value, true);
  updateAddress();
}

$("find").addEventListener("input", () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(searchTyped, 120);
});

const searchKeys = {
  Enter(e) {
    if ($("find").value === search.text) return stepHit(e.shiftKey ? -1 : 1);
    searchTyped();
    if (search.lineNumber) goToLine(search.lineNumber);
  },
  Escape() {
    clearTimeout(searchTimer);
    clearSearch();
    $("timeline").focus();
  },
  ArrowDown: () => $("timeline").focus(),
};
$("find").addEventListener("keydown", (e) => {
  if (!Object.hasOwn(searchKeys, e.key)) return;
  e.preventDefault();
  searchKeys[e.key](e);
});
