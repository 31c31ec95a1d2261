// The detail section: the explanation of the selected exchange, plans or the user's view, and
// the messages.

let lastHitView = ""; // the exchange and the search for which the section last scrolled to a hit

// drawDetail draws an exchange.
function drawDetail(recording, exchange) {
  partHighlight.clear();
  const { before, after } = livePlansAround(recording, exchange);
  const session = recording.sessions.get(exchange.session);
  $("exchange-head").replaceChildren(...[
    element("a", { class: "number", href: "#" + exchange.n, title: "link to this event" }, "#" + exchange.n),
    element("span", { class: "action " + exchange.fate }, icon(exchange.fate), exchange.fate),
    element("span", { class: "route" }, route(exchange)),
    element("span", { class: "time" }, formatClock(exchange.at) + (wallClock(exchange.at) && " · " + wallClock(exchange.at))),
    session && element("span", { class: "session tint" + (session.number % 6), title: printable(session.id) },
      "S" + session.number + " ", element("bdi", {}, printable(shortenID(session.id)))),
    exchange.tool && button("Only this tool call", { class: "quiet", id: "only-tool" }, () => setTool(exchange.tool)),
  ].filter(Boolean));
  $("explanation").replaceChildren(...explain(recording, exchange).map((s) => element("p", {}, ...[s].flat())));
  const userView = $("user-view"), plans = $("plans");
  drawUserView(userView, recording, exchange);
  plans.hidden = !exchange.plan && (userView.childElementCount > 0 || (!after.agent.size && !after.client.size));
  drawPlans($("agent-plans"), recording, before.agent, after.agent, exchange);
  drawPlans($("client-plans"), recording, before.client, after.client, exchange);
  drawMessages($("messages"), recording, exchange);
  hitHighlight.clear();
  highlightHits($("detail"));
  const hitView = exchange.n + " " + search.generation;
  if (lastHitView !== hitView) scrollToHit();
  lastHitView = hitView;
}

// route returns the names of the components on the way of an exchange.
function route(exchange) {
  const path = [exchange.lines[0].from];
  for (const l of exchange.lines) {
    if (l.from === path[path.length - 1]) path.push(l.to);
  }
  return path.map((p) => printable(shorten(asText(p), 30))).join(" → ");
}
