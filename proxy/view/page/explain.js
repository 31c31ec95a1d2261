// What happened, in words, for someone who has not read the protocol.

function quoted(id) {
  return "“" + shorten(visible(id), 60) + "”";
}

function entriesOf(plan) {
  const p = progress(plan);
  return p.total === 0 ? "no entries" : count(p.total, "entry", "entries") + (p.done ? ", " + p.done + " done" : "");
}

// describe says what a plan update does: "sent plan “docs” as a list …".
function describe(update) {
  const plan = readPlan(update);
  const name = plan.id === "" ? "a plan without an id" : "plan " + quoted(plan.id);
  if (update.sessionUpdate === "plan_removed") return "removed " + name;
  if (update.sessionUpdate === "plan") {
    if (!plan.entries) return "sent a plan that cannot be read";
    return plan.entries.length ? "sent its plan as one list: " + entriesOf(plan) : "cleared its plan";
  }
  if (plan.entries) return "sent " + name + " as a list: " + entriesOf(plan);
  if (plan.text !== null) return "sent " + name + " as a markdown text";
  if (plan.uri !== null) return "sent " + name + " as a file";
  return "sent " + name + " in a form of its own (" + shorten(visible(plan.type), 40) + ")";
}

const unknownFate = "What became of it is not known: the recording ends here, or the next line could not be read.";

// explain returns the sentences about an exchange.
function explain(recording, x) {
  const { sent, arrived } = recording.sent(x);
  const event = recording.event(sent);
  if (!x.plan) return explainOther(recording, x, event);
  const update = planUpdate(event) || {};
  if (asText(event.from).toLowerCase() === "proxy") return ["The proxy itself " + describe(update) + "."];
  const who = rank(event.from) === 1e9 ? "The agent " : "The proxy " + visible(asText(event.from)) + " ";
  const said = who + describe(update) + ".";
  if (x.action === "forwarded") return [said, "The client got the same message."];
  if (x.action === "unknown") return [said, unknownFate];
  if (!arrived.length) {
    const live = x.agentBefore.some((p) => p.key === "id:" + x.id);
    const gone = update.sessionUpdate === "plan_removed" && !live;
    return [said, gone ? "The client got nothing: no such plan was live." : "The client got nothing: for this it has nothing to show."];
  }
  if (arrived.length > 1) return [said, "The client got " + count(arrived.length, "message") + " in its place."];
  const got = planUpdate(recording.event(arrived[0]));
  if (!got) return [said, "The client got another message in its place."];
  return [said, explainGot(x, update, got)];
}

function explainGot(x, update, got) {
  const plan = readPlan(got);
  if (got.sessionUpdate === "plan") {
    if (!plan.entries || !plan.entries.length) return "The client, which knows one list only, got an empty one.";
    const from = x.agent.length > 1 ? ", made of " + count(x.agent.length, "plan") : "";
    return "The client, which knows one list only, got one: " + entriesOf(plan) + from + ".";
  }
  if (got.sessionUpdate === "plan_removed") return "The client was told that plan " + quoted(plan.id) + " is removed.";
  if (update.sessionUpdate === "plan_update" && planType(update) === planType(got) && planID(update) === planID(got)) {
    return "The client got the same plan, spelled for it.";
  }
  return "The client got plan " + quoted(plan.id) + (plan.entries ? " as a list: " + entriesOf(plan) : "") + ".";
}

function explainOther(recording, x, event) {
  const from = rank(event.from) === 1e9 ? "agent" : rank(event.from) === 0 ? "client" : "proxy";
  const what = {
    request: "The " + from + " asked for " + visible(shorten(x.method, 80)) + ".",
    response: "The " + from + " answered" + (x.method ? " " + visible(shorten(x.method, 80)) : "") + (event.is_error ? " with an error." : "."),
    notification: "The " + from + " told of " + visible(shorten(x.kind || x.method, 80)) + ".",
  }[x.type];
  const became = {
    rewritten: x.lines.length > 2 ? "The proxy said it in " + count(x.lines.length - 1, "message") + "."
      : recording.sameContent(x) ? "The proxy changed its id only." : "The proxy changed it on the way.",
    dropped: "It did not go further.",
    added: "Nobody else said this: the proxy did so by itself.",
    unknown: unknownFate,
  }[x.action];
  return [what || "An event of an unknown type.", became, explainTurn(x)].filter(Boolean);
}

function explainTurn(x) {
  if (x.opens) return "A turn begins" + (x.turn.stop ? "; it ended after " + clock(x.turn.took) + ": " + visible(shorten(x.turn.stop, 60)) + "." : ".");
  return x.closes ? "The turn ended after " + clock(x.turn.took) + ": " + visible(shorten(x.turn.stop, 60)) + "." : "";
}
