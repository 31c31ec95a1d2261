// The page: the selection, and updates from the stream.

const $ = (id) => document.getElementById(id);

const following = document.documentElement.dataset.recording !== "inside";
const opened = readAddress(location.hash);
const filter = opened.filter;
const recording = new Recording();
const shown = new Shown(filter);
const search = new Search(recording, found);
let chosen = null; // an exchange
let placed = opened.number > 0; // the user, or the address, has chosen it
let wanted = opened.number; // the number of an event that is linked to and not there yet
let touched = placed || opened.find !== ""; // the user has done something
let wasRead = false; // everything that the file had
let grown = false; // the recording has grown since, for the first time
let live = false;
let missed = 0; // exchanges that came while not live

const timeline = new Timeline($("timeline"), drawRow, (i, target) => {
  const x = shown.rows[i];
  if (target.closest("[data-run]")) toggleRun(x);
  else pick(x);
});

// choose shows an exchange that has a row, and brings that into sight.
function choose(x) {
  chosen = x;
  timeline.choose(shown.position(x));
  drawChosen();
}

// pick chooses an exchange for the user.
function pick(x) {
  setLive(false);
  sought = null;
  placed = true;
  choose(x);
  changeAddress();
}

// reveal picks an exchange that passes the filter, and opens its run if need be.
function reveal(x) {
  if (!shown.inSight(x)) {
    shown.toggle(x.listed);
    remake();
  }
  pick(x);
}

// go selects the exchange of a line, and widens the filter if necessary. The previous view is
// a step back, unless the browser has made it one. go reports whether the line exists.
function go(number, back = true) {
  const x = recording.rowOf(number);
  if (!x) return false;
  if (x.listed === null) {
    filter.letIn(x);
    remake();
    drawFilters();
  }
  reveal(x);
  changeAddress(back);
  return true;
}

// arrive selects the event of the address once it is loaded.
function arrive() {
  const number = wanted;
  if (!recording.rowOf(number)) return;
  wanted = 0;
  go(number, false);
}

// drawChosen draws the chosen exchange with the next frame: keys repeat faster
// than that.
const drawChosen = soon(() => {
  $("detail").hidden = !chosen;
  if (chosen) drawDetail(recording, chosen);
  drawPosition();
  drawFound();
});

function drawPosition() {
  const at = chosen ? shown.position(chosen) : -1;
  $("position").textContent = at >= 0 && shown.rows[at] === chosen ? (at + 1).toLocaleString("en") + " of " + shown.rows.length.toLocaleString("en") : "";
}

// step chooses the exchange that is by so many further.
function step(by) {
  if (shown.stale) remake();
  if (!shown.rows.length) return;
  let at = chosen ? shown.position(chosen) : -1;
  if (by < 0 && chosen && shown.rows[at] !== chosen) at++;
  pick(shown.rows[Math.min(shown.rows.length - 1, Math.max(0, at + by))]);
}

// toggleRun opens or closes the run of an exchange, and reports whether it has one. A closed
// run is chosen by its first row.
function toggleRun(x, open) {
  const run = x && shown.runAt(x);
  if (!run || open === shown.open.has(x.run)) return false;
  shown.toggle(x.run);
  remake();
  pick(shown.headOf(x));
  return true;
}

function setLive(on) {
  live = on && following;
  $("live").setAttribute("aria-pressed", live);
  if (live) {
    missed = 0;
    sought = null;
    if (filter.sort) {
      filter.sort = "";
      remake();
      drawFilters();
    }
    chooseNewest();
    changeAddress();
  }
  drawLive();
}

function chooseNewest() {
  if (shown.rows.length) choose(shown.rows[shown.rows.length - 1]);
}

function drawLive() {
  $("live-text").textContent = live || !missed ? "Live" : missed.toLocaleString("en") + " new";
}

// remake makes the list again. Nothing moves. Rows stay of which keeps is true.
function remake(keeps) {
  shown.make(recording.exchanges);
  timeline.show(shown.rows, chosen && shown.has(chosen) ? shown.position(chosen) : -1, keeps);
}

// refilter applies the filter. It keeps the selection if that passes; otherwise it selects the
// nearest exchange before it.
function refilter() {
  remake();
  drawFilters();
  drawSummary();
  drawFound();
  if (live) chooseNewest();
  else keepChosen();
}

// keepChosen selects the exchange nearest to the selected one.
function keepChosen() {
  const first = shown.rows[0];
  if (chosen && chosen.listed !== null && placed) choose(shown.inSight(chosen) ? chosen : shown.headOf(chosen));
  else if (first) choose((chosen && placed && shown.rows[shown.position(chosen)]) || first);
  else {
    chosen = null;
    drawChosen();
  }
}

// refine changes the filter. The previous view is a step back.
function refine(changes) {
  Object.assign(filter, changes);
  refilter();
  changeAddress(true);
}

// setKind shows only messages of a kind.
function setKind(kind) {
  refine({ kind, plan: ["plan", "all", "talk"].includes(kind) ? filter.plan : null });
}

// setTool shows only a tool call, or everything if its number is 0.
function setTool(tool) {
  refine(tool ? { tool, kind: "all", plan: null } : { tool });
}

// widen shows everything, and keeps the selection.
function widen() {
  filter.widen();
  refine({});
}

function setSort(sort) {
  if (sort) setLive(false);
  refine({ sort });
  if (sort && shown.rows.length) pick(shown.rows[0]);
}

function drawSummary() {
  const t = recording.totals, ends = recording.ends;
  const parts = [count(t.messages, "message")];
  for (const fate of ["forwarded", "rewritten", "dropped", "added", "unknown"]) {
    if (t[fate]) parts.push(t[fate].toLocaleString("en") + " " + (fate === "added" ? "added by the proxy" : fate));
  }
  const version = (v) => (ends.joined && v ? " (protocol version " + v + ")" : "");
  const who = [
    ends.client && "client " + ends.client + version(ends.clientProtocol), ends.agent && "agent " + ends.agent + version(ends.agentProtocol),
    ends.joined ? "joined by the proxy" : ends.clientProtocol && "protocol version " + ends.clientProtocol,
    ends.began && "began " + wallClock(0),
  ].filter(Boolean);
  $("totals").textContent = parts.join(" · ");
  $("ends").textContent = visible(shorten(who.join(" · "), 260));
  $("redacted").hidden = !ends.redacted;
  $("unreadable").textContent = recording.unreadable ? count(recording.unreadable, "line") + " could not be read" : "";
  $("judged").textContent = judgment();
  $("none").textContent = hint();
  $("none").hidden = shown.rows.length > 0;
  drawCounts();
}

// wallClock returns the wall-clock time of an offset in seconds, "" if it is unknown.
function wallClock(seconds) {
  const began = new Date(recording.ends.began);
  const at = new Date(began.getTime() + 1000 * seconds);
  return recording.ends.began && Number.isFinite(at.getTime()) ? at.toLocaleDateString("sv") + " " + at.toLocaleTimeString("sv") : "";
}

// judgment reports whether messages could be judged, and whether there are no findings.
function judgment() {
  const { judged, findings, kinds: n, losses } = recording;
  if (judged === undefined || !recording.totals.messages) return "";
  if (judged) return "Not judged: " + visible(judged);
  return findings || losses.times || n.get("refused") ? "" : "No errors, losses or findings.";
}

// hint returns the reason for an empty list.
function hint() {
  if (!recording.totals.messages) return following ? "Nothing is recorded yet. This page follows the file." : "Nothing is recorded.";
  return filter.sort === "slowest" ? "Only answers take time, and no answer passes the filter." : "Nothing passes the filter.";
}

// takeLine reads a line of a stream: the next one of the recording, or a change.
function takeLine(line) {
  if (line.charCodeAt(0) !== 0x5b) return recording.addLine(line);
  if (line.startsWith('["html","')) return recording.markups.set(line.slice(9, line.indexOf('"', 9)), line);
  const [change, ...values] = JSON.parse(line);
  takeChange[change](...values);
}

const takeChange = {
  session: (session) => recording.addSession(session),
  row: takeRow,
  ends: (ends) => (recording.ends = ends),
  mark(finding) {
    const x = recording.addMark(finding);
    if (x) took(x);
  },
  judged(why) {
    recording.judged = why;
    drawSummary();
  },
  grows: () => hasGrown(),
  read() {
    wasRead = true;
    moreCame ||= !following; // the HTML of texts in chunks came last
    timeline.refreshSoon();
    wanted = recording.rowOf(wanted) ? wanted : 0; // the recording does not have it
  },
  new: () => forget(),
};

function takeRow(row) {
  const isNew = !recording.rowOf(row.n);
  const x = recording.addRow(row);
  took(x);
  search.take(x, x === recording.exchanges[recording.exchanges.length - 1]);
  if (wasRead) hasGrown();
  if (!isNew || !wasRead) return;
  if (!touched) grown = true;
  else if (!live && filter.passes(x)) missed++;
}

const patience = 30000; // milliseconds in which a recording that grows grows on

let rests = 0; // a timer, while the recording grows

// mayBeAnswered reports whether pending requests may still get a response.
function mayBeAnswered() {
  return !wasRead || rests > 0;
}

// hasGrown records that the recording has just grown. In a document that is permanent.
function hasGrown() {
  clearTimeout(rests);
  if (!rests) timeline.refreshSoon();
  rests = setTimeout(() => {
    if (!following) return;
    rests = 0;
    timeline.refreshSoon();
    drawSummary();
  }, patience);
}

// took brings the list up to date with an exchange that is new or has changed.
function took(x) {
  shown.take(x);
  if (x === chosen) drawChosen();
  else if (chosen && chosen.run && chosen.run === x.run) moreCame = true;
}

let remadeAt = 0, remaking = 0; // when the list was made, and how long that took
let drawnAt = 0; // when the filters were drawn
let drawing = 0; // a timer
let moreCame = false; // of the message that the chosen exchange has a part of

// settle updates the page with new lines.
function settle() {
  const now = performance.now();
  if (shown.stale && now - remadeAt > 10 * remaking) {
    const { changed } = shown;
    remake((x) => !changed.has(x.run || x));
    [remadeAt, remaking] = [now, performance.now() - now];
  }
  if (wanted) arrive();
  if (sought !== null) goToFound();
  if (grown && !live) setLive(true);
  grown = false;
  if (live) {
    chooseNewest();
  } else if (!wanted && shown.rows.length && (!chosen || (!placed && chosen !== shown.rows[0]))) {
    choose(shown.rows[0]);
  }
  if (drawing) return;
  drawing = setTimeout(drawAll, Math.max(0, drawnAt + 100 - now));
}

// drawAll draws everything but the list.
function drawAll() {
  drawing = 0;
  drawnAt = performance.now();
  drawFilters();
  drawSummary();
  drawFound();
  drawLive();
  drawPosition();
  if (moreCame) drawChosen();
  moreCame = false;
  $("timeline").ariaBusy = !wasRead || shown.stale;
  $("counts").ariaBusy = recording.judged === undefined;
  if (shown.stale) settle();
}

// forget forgets a recording that has been replaced by another.
function forget() {
  recording.clear();
  shown.clear();
  shown.open.clear();
  Object.assign(filter, { session: 0, plan: null, tool: 0 });
  chosen = null;
  placed = false;
  missed = 0;
  search.begin(search.text);
  timeline.show(shown.rows, -1);
  drawChosen();
}

// again prepares the page for a stream that repeats the recording.
function again() {
  $("problem").hidden = true;
  if (!recording.lines.length) return;
  const { session, plan, tool } = filter;
  const at = chosen && placed && !live ? chosen.n : 0;
  forget();
  wasRead = false;
  Object.assign(filter, { session, plan, tool });
  wanted = at;
}

// tellFailed reports a lasting failure of the stream.
function tellFailed(times) {
  $("problem").textContent = "The viewer does not answer. What was read so far stays here.";
  $("problem").hidden = times < 2;
}
