// The lines that the page receives: stream.go describes them.

let isLoaded = false; // the page has received the file to its end
let shouldGoLive = false; // live mode begins at the next updatePage

// readLine reads the next line of the recording, or a change. It does not parse a change "html",
// whose text may never be drawn.
function readLine(line) {
  if (line[0] !== "[") return recording.addLine(line);
  if (line.startsWith('["html","')) return recording.htmlLines.set(line.slice(9, line.indexOf('"', 9)), line);
  const [name, ...values] = JSON.parse(line);
  changeHandlers[name](...values);
}

const changeHandlers = {
  session: (session) => recording.addSession(session),
  row: applyRow,
  peers: (peers) => (recording.peers = peers),
  finding(finding) {
    const exchange = recording.addFinding(finding);
    if (exchange) markChanged(exchange);
  },
  judged(unjudgedReason) {
    recording.unjudgedReason = unjudgedReason;
    drawSummary();
  },
  grows: noteGrowth,
  read() {
    isLoaded = true;
    isDetailStale ||= !isServed; // a document has the HTML of chunked texts at its end
    rowView.refreshSoon();
    if (!recording.exchangeOf(pendingNumber)) setPendingNumber(0); // the recording does not contain the line
  },
  new: forgetRecording,
};

function applyRow(row) {
  const isNew = !recording.exchangeOf(row.n);
  const exchange = recording.addRow(row);
  markChanged(exchange);
  search.addExchange(exchange, exchange === recording.exchanges[recording.exchanges.length - 1]);
  if (isLoaded) noteGrowth();
  if (!isNew || !isLoaded) return;
  if (!hasUserActed) shouldGoLive = true;
  else if (!isLive && filter.passes(exchange)) missedCount++;
}

const growthTimeout = 30000; // milliseconds without growth after which the recording counts as complete

let growthTimer = 0; // runs while the recording grows

// awaitsResponses reports whether pending requests may still get a response.
function awaitsResponses() {
  return !isLoaded || growthTimer > 0;
}

// noteGrowth records that the recording has just grown. A document keeps that state: its
// recording was growing when the document was written.
function noteGrowth() {
  clearTimeout(growthTimer);
  if (!growthTimer) rowView.refreshSoon();
  growthTimer = setTimeout(() => {
    if (!isServed) return;
    growthTimer = 0;
    rowView.refreshSoon();
    drawSummary();
  }, growthTimeout);
}

// markChanged records that an exchange is new or has changed.
function markChanged(exchange) {
  rowList.markChanged(exchange);
  if (exchange === selected) drawSelected();
  else if (selected && selected.run && selected.run === exchange.run) isDetailStale = true;
}

let listBuiltAt = 0, listBuildTime = 0; // when the list was last built, and the milliseconds that took
let drawnAt = 0; // when drawAll last ran
let drawTimer = 0; // runs until drawAll is due
let isDetailStale = false; // the text of the selected message may have changed, but not the selected exchange

// updatePage brings the list and the selection up to date with new lines. Building a long list is
// slow: updatePage does so for at most about a tenth of the time.
function updatePage() {
  const now = performance.now();
  if (rowList.isStale && now - listBuiltAt > 10 * listBuildTime) {
    const { changed } = rowList;
    rebuildList((x) => !changed.has(x.run || x));
    [listBuiltAt, listBuildTime] = [now, performance.now() - now];
  }
  if (pendingNumber) selectPending();
  if (firstHitStart !== null) selectFirstHit();
  if (shouldGoLive && !isLive) setLive(true);
  shouldGoLive = false;
  if (isLive) selectNewest();
  else if (!pendingNumber && rowList.exchanges.length && (!selected || (!isUserSelection && selected !== rowList.exchanges[0]))) select(rowList.exchanges[0]);
  drawTimer ||= setTimeout(drawAll, Math.max(0, drawnAt + 100 - now));
}

// drawAll draws everything around the list, at most ten times a second, and the detail section if it is
// stale.
function drawAll() {
  drawTimer = 0;
  drawnAt = performance.now();
  drawFilters();
  drawSummary();
  drawHitCount();
  drawLive();
  drawPosition();
  if (isDetailStale) drawSelected();
  isDetailStale = false;
  $("timeline").ariaBusy = !isLoaded || rowList.isStale;
  $("counts").ariaBusy = recording.unjudgedReason === undefined;
  if (rowList.isStale) updatePage();
}

// restartRecording prepares the page for a stream that repeats the recording: the filter and
// the selection stay.
function restartRecording() {
  $("problem").hidden = true;
  if (!recording.fileLines.length) return;
  const { session, plan, tool } = filter;
  const number = pendingNumber || (selected && isUserSelection && !isLive ? selected.n : 0);
  forgetRecording();
  isLoaded = false;
  Object.assign(filter, { session, plan, tool });
  setPendingNumber(number);
}

// showStreamFailure shows that the stream has failed, from the second consecutive failure on.
function showStreamFailure(failureCount) {
  $("problem").textContent = "The viewer does not answer. What was read so far stays here.";
  $("problem").hidden = failureCount < 2;
}
