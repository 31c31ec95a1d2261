// The chosen exchange: what happened, the plans or what the user sees of it, and the
// messages.

let hitShown = ""; // the exchange and the search whose first mark was brought into sight

// drawDetail shows an exchange.
function drawDetail(recording, x) {
  partMarks.clear();
  const live = plansAround(recording, x), { before, after } = live;
  const home = recording.sessions.get(x.session);
  document.getElementById("what").replaceChildren(...[
    element("a", { class: "number", href: "#" + x.n, title: "link to this event" }, "#" + x.n),
    element("span", { class: "action " + x.fate }, icon(x.fate), x.fate),
    element("span", { class: "route" }, route(x)),
    element("span", { class: "time" }, clock(x.at) + (wallClock(x.at) && " · " + wallClock(x.at))),
    home && element("span", { class: "session tint" + (home.number % 6), title: visible(home.id) },
      "S" + home.number + " ", element("bdi", {}, visible(shortID(home.id)))),
    toolButton(x),
  ].filter(Boolean));
  document.getElementById("story").replaceChildren(...explain(recording, x, live).map((s) => element("p", {}, ...[s].flat())));
  const seen = document.getElementById("seen"), plans = document.getElementById("plans");
  drawSeen(seen, recording, x);
  plans.hidden = !x.plan && (seen.childElementCount > 0 || (!after.agent.size && !after.client.size));
  drawPlans(document.getElementById("agent-plans"), recording, before.agent, after.agent, x);
  drawPlans(document.getElementById("client-plans"), recording, before.client, after.client, x);
  drawMessages(document.getElementById("messages"), recording, x);
  hitMarks.clear();
  drawHits(document.getElementById("detail"));
  const shownNow = x.n + " " + search.generation;
  if (hitShown !== shownNow) showHit();
  hitShown = shownNow;
}

// route names the components that an exchange passed.
function route(x) {
  const path = [x.lines[0].from];
  for (const l of x.lines) {
    if (l.from === path[path.length - 1]) path.push(l.to);
  }
  return path.map((p) => visible(shorten(asText(p), 30))).join(" → ");
}

// toolButton returns a button that shows only the messages of an exchange's tool call,
// null if it belongs to none.
function toolButton(x) {
  if (!x.tool) return null;
  const button = element("button", { type: "button", class: "quiet", id: "only-tool" }, "Only this tool call");
  button.addEventListener("click", () => setTool(x.tool));
  return button;
}
