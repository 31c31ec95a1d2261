// The state of the page: the recording, the filter, the list and the selection.

const $ = (id) => document.getElementById(id);

const isServed = document.documentElement.dataset.recording !== "inside"; // otherwise the document contains the recording
const initialAddress = readAddress(location.hash);
const filter = initialAddress.filter;
const recording = new Recording();
const rowList = new RowList(filter);
const search = new Search(recording, updateHits);

let selected = null; // the selected exchange
let isUserSelection = initialAddress.number > 0; // the user or the address made the selection, not the page
let pendingNumber = initialAddress.number; // the line number in the address; 0 once the page has received that line

// A live page selects the newest row. It goes live by itself when the recording grows before the user
// has acted.
let isLive = false;
let missedCount = 0; // new exchanges that a live page would have selected

const rowView = new RowView($("timeline"), drawRow, (i, target) => {
  const exchange = rowList.exchanges[i];
  if (target.closest("[data-run]")) toggleRun(exchange);
  else selectForUser(exchange);
});

// select selects an exchange that has a row, and scrolls the list to the row.
function select(exchange) {
  selected = exchange;
  rowView.select(rowList.rowIndex(exchange));
  drawSelected();
}

// selectForUser selects an exchange because the user asked for it: the page stops being live.
function selectForUser(exchange) {
  setLive(false);
  cancelFirstHit();
  isUserSelection = true;
  select(exchange);
  updateAddress();
}

// reveal selects an exchange that passes the filter. If the exchange is in a closed run, reveal opens the
// run.
function reveal(exchange) {
  if (!rowList.hasOwnRow(exchange)) {
    rowList.toggleRun(exchange.listedRun);
    rebuildList();
  }
  selectForUser(exchange);
}

// goToLine selects the exchange of the line with a number, and widens the filter if the exchange does
// not pass. With addsEntry, the browser's history keeps the previous view. goToLine reports whether
// the line has an exchange.
function goToLine(number, addsEntry = true) {
  const exchange = recording.exchangeOf(number);
  if (!exchange) return false;
  if (exchange.listedRun === null) {
    filter.widenFor(exchange);
    rebuildList();
    drawFilters();
  }
  reveal(exchange);
  updateAddress(addsEntry);
  return true;
}

// setPendingNumber makes the line with a number pending. Once the page has the whole file, none is.
const setPendingNumber = (number) => (pendingNumber = isLoaded ? 0 : number);

// selectPending selects the exchange of the pending number once the page has received it.
function selectPending() {
  const number = pendingNumber;
  if (!recording.exchangeOf(number)) return;
  pendingNumber = 0;
  goToLine(number, false);
}

// showAddress shows the view of an address.
function showAddress(address) {
  Object.assign(filter, address.filter);
  pendingNumber = address.number;
  isUserSelection = pendingNumber > 0;
  if (address.find !== search.text) {
    $("find").value = address.find;
    startSearch(address.find);
  }
  setLive(false);
  applyFilter();
  if (pendingNumber) selectPending();
  setPendingNumber(pendingNumber); // none if the whole recording lacks the line
}

// drawSelected draws the selected exchange in the next frame, since keys can repeat faster than
// frames.
const drawSelected = onNextFrame(() => {
  $("detail").hidden = !selected;
  if (selected) drawDetail(recording, selected);
  drawPosition();
  drawHitCount();
});

// selectedIndex returns the index of the selected exchange's row, -1 if it has none.
function selectedIndex() {
  return selected && rowList.includes(selected) ? rowList.rowIndex(selected) : -1;
}

function drawPosition() {
  const index = selectedIndex();
  $("position").textContent = index >= 0 ? (index + 1).toLocaleString("en") + " of " + rowList.exchanges.length.toLocaleString("en") : "";
}

// step moves the selection by a number of rows.
function step(offset) {
  if (rowList.isStale) rebuildList();
  if (!rowList.exchanges.length) return;
  let index = selected ? rowList.rowIndex(selected) : -1;
  // A selected exchange without a row is between the rows index and index+1: a step back ends at index.
  if (offset < 0 && selected && !rowList.includes(selected)) index++;
  selectForUser(rowList.exchanges[Math.min(rowList.exchanges.length - 1, Math.max(0, index + offset))]);
}

// toggleRun opens or closes the run of an exchange, and selects the first row of the run. With opens
// true it only opens, with false it only closes. It reports whether it changed anything.
function toggleRun(exchange, opens) {
  const run = exchange && rowList.runOf(exchange);
  if (!run || opens === rowList.openRuns.has(exchange.run)) return false;
  rowList.toggleRun(exchange.run);
  rebuildList();
  selectForUser(rowList.headOf(exchange));
  return true;
}

// setLive begins or ends live mode, which lists the exchanges in order.
function setLive(turnsOn) {
  isLive = turnsOn && isServed;
  $("live").setAttribute("aria-pressed", isLive);
  if (isLive) {
    missedCount = 0;
    cancelFirstHit();
    if (filter.sort) {
      filter.sort = "";
      rebuildList();
      drawFilters();
    }
    selectNewest();
    updateAddress();
  }
  drawLive();
}

function selectNewest() {
  if (rowList.exchanges.length) select(rowList.exchanges[rowList.exchanges.length - 1]);
}

function drawLive() {
  $("live-text").textContent = isLive || !missedCount ? "Live" : missedCount.toLocaleString("en") + " new";
}

// rebuildList rebuilds the list without scrolling. A row keeps its element if keepsRow(exchange) is
// true.
function rebuildList(keepsRow) {
  rowList.build(recording.exchanges);
  rowView.setItems(rowList.exchanges, selectedIndex(), keepsRow);
}

// applyFilter applies the changed filter to the page.
function applyFilter() {
  rebuildList();
  drawFilters();
  drawSummary();
  drawHitCount();
  if (isLive) selectNewest();
  else keepSelection();
}

// keepSelection keeps the user's selection after the list has changed. It selects the
// exchange's own row, or else the row of its closed run, or else the row before it, or else the first row.
function keepSelection() {
  const first = rowList.exchanges[0];
  if (selected && selected.listedRun !== null && isUserSelection) select(rowList.hasOwnRow(selected) ? selected : rowList.headOf(selected));
  else if (first) select((selected && isUserSelection && rowList.exchanges[rowList.rowIndex(selected)]) || first);
  else {
    selected = null;
    drawSelected();
  }
}

// changeFilter changes members of the filter. The browser's history keeps the previous view.
function changeFilter(changes) {
  Object.assign(filter, changes);
  applyFilter();
  updateAddress(true);
}

// setKind lists only messages of a kind.
function setKind(kind) {
  changeFilter({ kind, plan: kindsWithPlanFilter.includes(kind) ? filter.plan : null });
}

// setTool lists only the messages of a tool call; 0 removes this condition.
function setTool(tool) {
  changeFilter(tool ? { tool, kind: "all", plan: null } : { tool });
}

// showAll resets the filter, and keeps the user's selection.
function showAll() {
  filter.reset();
  changeFilter({});
}

// setSort orders the list. Live mode ends unless the order is that of the recording.
function setSort(sort) {
  if (sort) setLive(false);
  changeFilter({ sort });
  if (sort && rowList.exchanges.length) selectForUser(rowList.exchanges[0]);
}

// forgetRecording clears the page for another recording.
function forgetRecording() {
  recording.clear();
  rowList.clear();
  rowList.openRuns.clear();
  Object.assign(filter, { session: 0, plan: null, tool: 0 });
  selected = null;
  isUserSelection = false;
  missedCount = 0;
  search.start(search.text);
  rowView.setItems(rowList.exchanges, -1);
  drawSelected();
}
