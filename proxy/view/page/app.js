// The page: what is chosen, what is filtered, and where new lines come from.

const $ = (id) => document.getElementById(id);

const recording = new Recording();
// The kind is "plan", "all", another one of kinds, "changed" or "added".
const filter = { session: "", plan: null, kind: "plan" };
let kindChosen = false; // by the user
let chosen = null; // an exchange
let wanted = linked(); // the number of an event that is linked to and not there yet
let live = false;
let missed = 0; // exchanges that came while not live
let shown = []; // the exchanges that pass the filter

const timeline = new Timeline($("timeline"), fillRow, (i) => {
  setLive(false);
  choose(shown[i]);
});

function linked() {
  const m = /^#(\d+)$/.exec(location.hash);
  return m ? Number(m[1]) : 0;
}

function passes(x) {
  if (!ofKind(x)) return false;
  if (filter.session !== "" && x.sessionID !== filter.session) return false;
  return filter.plan === null || (x.plan && x.id === filter.plan);
}

function ofKind(x) {
  switch (filter.kind) {
    case "all": return true;
    case "plan": return x.plan;
    case "changed": return x.action === "rewritten" || x.action === "dropped";
    case "added": return x.action === "added";
  }
  return x.about === filter.kind;
}

// setKind shows only messages of a kind.
function setKind(kind) {
  filter.kind = kind;
  if (kind !== "plan" && kind !== "all") filter.plan = null;
  drawFilters();
  applyFilter();
}

// position returns the index of an exchange in shown. If the exchange is not
// shown, it is the index of the one before it.
function position(x) {
  let low = 0, high = shown.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (shown[mid].number <= x.number) low = mid + 1;
    else high = mid;
  }
  return low - 1;
}

// choose shows an exchange and marks it in the timeline.
function choose(x, keepAddress) {
  if (!x) return;
  chosen = x;
  const at = position(x);
  timeline.choose(shown[at] === x ? at : -1);
  if (!keepAddress) setAddress("#" + x.number);
  drawChosen();
}

let addressTimer = 0;

// setAddress puts a link to the chosen event into the address bar, when keys
// have come to rest: browsers allow only so many changes.
function setAddress(hash) {
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => history.replaceState(null, "", location.href.split("#")[0] + hash), 150);
}

let drawPending = false;

// drawChosen draws the chosen exchange with the next frame: keys repeat faster
// than that.
function drawChosen() {
  if (drawPending) return;
  drawPending = true;
  requestAnimationFrame(() => {
    drawPending = false;
    const x = chosen;
    $("detail").hidden = !x;
    if (!x) return;
    const session = x.session && element("span", { class: "session tint" + (x.session.number % 6), title: visible(x.sessionID) },
      "S" + x.session.number + " ", element("bdi", {}, visible(shortID(x.sessionID))));
    $("what").replaceChildren(
      element("a", { class: "number", href: "#" + x.number, title: "link to this event" }, "#" + x.number),
      element("span", { class: "action " + x.action }, icon(x.action), x.action),
      element("span", { class: "route" }, route(x)),
      element("span", { class: "time" }, clock(x.seconds)),
      ...(session ? [session] : []),
    );
    $("story").replaceChildren(...explain(recording, x).map((s) => element("p", {}, s)));
    drawSeen($("seen"), recording, x);
    $("plans").hidden = !x.plan && ($("seen").childElementCount > 0 || !x.agent.length && !x.client.length);
    drawPlans($("agent-plans"), recording, x.agent, x.agentBefore, x);
    drawPlans($("client-plans"), recording, x.client, x.clientBefore, x);
    drawMessages($("messages"), recording, x);
    $("position").textContent = shown[position(x)] === x ? position(x) + 1 + " of " + shown.length.toLocaleString("en") : "";
  });
}

// route names the components that an exchange passed.
function route(x) {
  const names = x.lines.map((n) => recording.event(n));
  const path = [names[0].from];
  for (const e of names) {
    if (e.from === path[path.length - 1]) path.push(e.to);
  }
  return path.map((p) => visible(shorten(asText(p), 30))).join(" → ");
}

// step chooses the exchange that is by so many further.
function step(by) {
  if (!shown.length) return;
  let at = chosen ? position(chosen) : -1;
  if (by < 0 && chosen && shown[at] !== chosen) at++;
  const next = Math.min(shown.length - 1, Math.max(0, at + by));
  setLive(false);
  choose(shown[next]);
}

function setLive(on) {
  live = on && following;
  $("live").setAttribute("aria-pressed", live);
  if (live) {
    missed = 0;
    setAddress("");
    if (shown.length) choose(shown[shown.length - 1], true);
  }
  drawLive();
}

function drawLive() {
  $("live-text").textContent = live || !missed ? "Live" : missed.toLocaleString("en") + " new";
}

// applyFilter shows the exchanges that pass. The chosen one is kept if it
// does; otherwise the nearest before it is chosen.
function applyFilter() {
  shown = recording.exchanges.filter(passes);
  timeline.show(shown);
  const x = chosen && passes(chosen) ? chosen : shown[Math.max(0, chosen ? position(chosen) : 0)];
  if (live && shown.length) choose(shown[shown.length - 1], true);
  else if (x) choose(x, true);
  else {
    chosen = null;
    drawChosen();
  }
  drawSummary();
}

function drawSummary() {
  const plans = filter.kind === "plan";
  const t = plans ? recording.totals.plans : recording.totals.all;
  const parts = [count(t.messages, plans ? "plan message" : "message")];
  for (const action of ["forwarded", "rewritten", "dropped", "added", "unknown"]) {
    if (t[action]) parts.push(t[action].toLocaleString("en") + " " + (action === "added" ? "added by the proxy" : action));
  }
  const ends = recording.ends;
  const protocol = ends.joined ? "" : ends.protocol && "protocol version " + ends.protocol;
  const version = (v) => (ends.joined && v ? " (protocol version " + v + ")" : "");
  const who = [
    ends.client && "client " + ends.client + version(ends.protocol), ends.agent && "agent " + ends.agent + version(ends.agentProtocol),
    ends.joined ? "joined by the proxy" : protocol,
  ].filter(Boolean);
  $("totals").textContent = parts.join(" · ");
  $("ends").textContent = visible(shorten(who.join(" · "), 220));
  $("unreadable").textContent = recording.unreadable ? count(recording.unreadable, "line") + " could not be read" : "";
  const hint = !recording.lines.length ? (following ? "Nothing is recorded yet. This page follows the file." : "Nothing is recorded.")
    : plans && !t.messages && recording.totals.all.messages ? "No plan messages yet. There are other messages: key O shows them."
    : "Nothing passes the filter.";
  $("none").textContent = hint;
  $("none").hidden = shown.length > 0;
}

// setOptions brings the options of a filter up to date. Values are kept aside,
// since the empty string is the id of a plan without one.
function setOptions(select, all, options) {
  const texts = [all, ...options.map((o) => o[1])];
  texts.forEach((text, i) => {
    if (!select.options[i]) select.append(element("option", {}));
    if (select.options[i].textContent !== text) select.options[i].textContent = text;
  });
  while (select.options.length > texts.length) select.lastElementChild.remove();
  select.values = [null, ...options.map((o) => o[0])];
}

const maxOptions = 300;

function drawFilters() {
  const sizeOf = (s) => (filter.kind === "plan" ? s.count : s.messages);
  const sessions = [...recording.sessions.values()].filter(sizeOf).slice(0, maxOptions);
  setOptions($("session"), "All sessions", sessions.map((s) => [s.id, "S" + s.number + " · " + visible(shortID(s.id)) + " (" + sizeOf(s).toLocaleString("en") + ")"]));
  drawKinds();
  const totals = new Map();
  for (const s of filter.session === "" ? recording.sessions.values() : [recording.session(filter.session)]) {
    for (const [id, n] of s.plans) totals.set(id, (totals.get(id) || 0) + n);
  }
  const plans = [...totals].slice(0, maxOptions);
  setOptions($("plan"), "All plans", plans.map(([id, n]) => [id, (id === "" ? "without an id" : visible(shortID(id))) + " (" + n + ")"]));
  const sessionAt = $("session").values.indexOf(filter.session === "" ? null : filter.session);
  const planAt = $("plan").values.indexOf(filter.plan);
  $("session").selectedIndex = Math.max(0, sessionAt);
  $("plan").selectedIndex = Math.max(0, planAt);
}

// drawKinds brings the kinds in the filter up to date. A
// recording of plan messages alone offers nothing to choose.
function drawKinds() {
  const t = recording.totals;
  const others = t.all.messages > t.plans.messages;
  $("kind-label").hidden = !others;
  $("plan-label").hidden = !t.plans.messages || !["plan", "all"].includes(filter.kind);
  if (!kindChosen && filter.kind === "plan" && others && (recording.ends.joined || !t.plans.messages && !following)) {
    filter.kind = "all"; // plans are the smaller part of what a bridge does
    applyFilter();
  }
  const sizes = kinds.map(([kind, name]) => [kind, name, recording.kinds.get(kind)]);
  sizes.push(["changed", "Changed on the way", t.all.rewritten + t.all.dropped], ["added", "Added by the proxy", t.all.added]);
  const options = sizes.filter(([kind, , n]) => n || kind === filter.kind).map(([kind, name, n]) => [kind, name + " (" + (n || 0).toLocaleString("en") + ")"]);
  setOptions($("kind"), "Everything (" + t.all.messages.toLocaleString("en") + ")", options);
  $("kind").values[0] = "all";
  $("kind").selectedIndex = $("kind").values.indexOf(filter.kind);
}

// addLines adds lines of the recording, and gives the page time to breathe.
async function addLines(text) {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  let deadline = performance.now() + 12;
  const before = shown.length;
  let changed = before;
  for (let i = 0; i < lines.length; i++) {
    let touched = [];
    try {
      touched = recording.add(lines[i]);
    } catch {
      recording.unreadable++; // one odd line does not end the timeline
    }
    for (const x of touched.filter(passes)) {
      const at = position(x);
      if (shown[at] !== x) {
        shown.splice(at + 1, 0, x);
        changed = Math.min(changed, at + 1);
      } else {
        changed = Math.min(changed, at);
      }
      if (x === chosen) drawChosen();
    }
    if (performance.now() > deadline) {
      timeline.grew(changed);
      drawSummary();
      await new Promise((resume) => setTimeout(resume));
      deadline = performance.now() + 12;
    }
  }
  timeline.items = shown;
  timeline.grew(changed);
  if (!live && chosen) missed += Math.max(0, shown.length - before);
  drawFilters();
  drawSummary();
  drawLive();
  if (wanted && recording.byNumber.has(wanted)) follow();
  if (live && shown.length) choose(shown[shown.length - 1], true);
  else if (!chosen && !wanted && shown.length) choose(shown[0], true);
  else if (chosen) $("position").textContent = shown[position(chosen)] === chosen ? position(chosen) + 1 + " of " + shown.length.toLocaleString("en") : "";
}

// follow goes to the event that is linked to.
function follow() {
  const x = recording.byNumber.get(wanted);
  if (!x) return;
  wanted = 0;
  setLive(false);
  if (!passes(x)) {
    Object.assign(filter, { session: "", plan: null, kind: x.plan ? "plan" : "all" });
    kindChosen = true;
    drawFilters();
    chosen = x;
    applyFilter();
  }
  choose(x);
}

const embedded = $("recording");
const following = embedded === null;

// read asks for lines until the page is closed. The server answers when there
// are some, or after a while, or at once while an event is looked for.
async function read() {
  let at = { recording: "0", offset: "0" };
  let failures = 0;
  for (;;) {
    try {
      const ask = new URLSearchParams(at);
      if (wanted) ask.set("wait", "no");
      const answer = await fetch("events?" + ask, { cache: "no-store" });
      if (!answer.ok) throw new Error("status " + answer.status);
      const text = await answer.text();
      const now = { recording: answer.headers.get("Trace-Recording"), offset: answer.headers.get("Trace-End") };
      if (now.recording !== at.recording && at.recording !== "0") forget();
      at = now;
      failures = 0;
      $("problem").hidden = true;
      if (text) await addLines(text);
      else if (wanted) {
        wanted = 0; // the recording does not have it
        setLive(true);
      }
    } catch {
      failures++;
      $("problem").textContent = "The viewer does not answer. What was read so far stays here.";
      $("problem").hidden = failures < 2;
      await new Promise((resume) => setTimeout(resume, Math.min(5000, 250 * 2 ** failures)));
    }
  }
}

// forget forgets a recording that has been replaced by another.
function forget() {
  recording.clear();
  Object.assign(filter, { session: "", plan: null, kind: kindChosen ? filter.kind : "plan" });
  chosen = null;
  missed = 0;
  applyFilter();
  drawFilters();
}
