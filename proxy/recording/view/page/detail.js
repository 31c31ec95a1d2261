// The selected exchange: explanation, plans or the user's view, and the messages.

let hitShown = ""; // the exchange and the search whose first mark was brought into sight

// drawDetail shows an exchange.
function drawDetail(recording, x) {
  partMarks.clear();
  const live = plansAround(recording, x), { before, after } = live;
  const home = recording.sessions.get(x.session);
  $("what").replaceChildren(...[
    element("a", { class: "number", href: "#" + x.n, title: "link to this event" }, "#" + x.n),
    element("span", { class: "action " + x.fate }, icon(x.fate), x.fate),
    element("span", { class: "route" }, route(x)),
    element("span", { class: "time" }, clock(x.at) + (wallClock(x.at) && " · " + wallClock(x.at))),
    home && element("span", { class: "session tint" + (home.number % 6), title: visible(home.id) },
      "S" + home.number + " ", element("bdi", {}, visible(shortID(home.id)))),
    x.tool && button("Only this tool call", { class: "quiet", id: "only-tool" }, () => setTool(x.tool)),
  ].filter(Boolean));
  $("story").replaceChildren(...explain(recording, x, live).map((s) => element("p", {}, ...[s].flat())));
  const seen = $("seen"), plans = $("plans");
  drawSeen(seen, recording, x);
  plans.hidden = !x.plan && (seen.childElementCount > 0 || (!after.agent.size && !after.client.size));
  drawPlans($("agent-plans"), recording, before.agent, after.agent, x);
  drawPlans($("client-plans"), recording, before.client, after.client, x);
  drawMessages($("messages"), recording, x);
  hitMarks.clear();
  drawHits($("detail"));
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
