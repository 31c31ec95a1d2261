// What happened, in words, for someone who has not read the protocol. A sentence is a
// text, or a list of texts and elements.

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
  const event = recording.event(x.lines[0].n);
  const told = x.plan ? explainPlan(recording, x, event) : explainOther(recording, x, event);
  if (x.error) told.splice(1, 0, [element("strong", { class: "lost" }, "Error: "), visible(x.error)]);
  return [...told, explainOf(recording, x), ...(x.lost || []).map(explainLoss), explainMarks(recording, x)].filter(Boolean);
}

// explainOf leads to what the proxy said a message for, and to what it said for a message.
function explainOf(recording, x) {
  if (x.of) return ["It belongs to ", jump(recording, x.of, "message"), "."];
  const caused = (x.caused || []).slice(0, 20);
  return caused.length ? ["For it the proxy sent ", ...caused.flatMap((n, i) => [i ? ", " : "", jump(recording, n, "message")]), "."] : null;
}

function explainPlan(recording, x, event) {
  const { arrived } = recording.sent(x);
  const update = planUpdate(event) || {};
  if (asText(event.from).toLowerCase() === "proxy") return ["The proxy itself " + describe(update) + "."];
  const who = sideOf(event.from) === "agent" ? "The agent " : "The proxy " + visible(asText(event.from)) + " ";
  const said = who + describe(update) + ".";
  if (x.fate === "forwarded") return [said, "The client got the same message."];
  if (x.fate === "unknown") return [said, unknownFate];
  if (!arrived.length) {
    const live = x.states.agentBefore.some((p) => p.key === x.lines[0].plan);
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
    const { agent } = x.states;
    const from = agent.length > 1 ? ", made of " + count(agent.length, "plan") : "";
    return "The client, which knows one list only, got one: " + entriesOf(plan) + from + ".";
  }
  if (got.sessionUpdate === "plan_removed") return "The client was told that plan " + quoted(plan.id) + " is removed.";
  if (update.sessionUpdate === "plan_update" && planType(update) === planType(got) && planID(update) === planID(got)) {
    return "The client got the same plan, spelled for it.";
  }
  return "The client got plan " + quoted(plan.id) + (plan.entries ? " as a list: " + entriesOf(plan) : "") + ".";
}

function explainOther(recording, x, event) {
  const from = sideOf(event.from);
  const method = visible(shorten(x.method || "", 80));
  const what = {
    request: "The " + from + " asked for " + method + ".",
    response: explainAnswer(recording, x, event, from, method),
    notification: "The " + from + " told of " + visible(shorten(x.update || x.method || "", 80)) + ".",
  }[x.type];
  const became = {
    rewritten: x.lines.length > 2 ? "The proxy said it in " + count(x.lines.length - 1, "message") + "."
      : x.idOnly ? "The proxy changed its id only." : "The proxy changed it on the way.",
    dropped: "It did not go further.",
    added: "Nobody else said this: the proxy did so by itself.",
    unknown: unknownFate,
  }[x.fate];
  return [what, became, explainAnswered(recording, x), explainTurn(x)].filter(Boolean);
}

function explainAnswer(recording, x, event, from, method) {
  const said = "The " + from + " answered" + (method ? " " + method : "");
  const error = event.is_error ? " with an error" : "";
  const after = typeof x.took === "number" ? " after " + lasting(x.took) : "";
  return x.request ? [said + error + after + ": ", jump(recording, x.request, "request"), "."] : said + error + after + ".";
}

function explainAnswered(recording, x) {
  if (x.type !== "request") return null;
  const answer = x.answer && recording.rowOf(x.answer);
  if (!answer) return "It is not answered yet.";
  const after = typeof answer.took === "number" ? " after " + lasting(answer.took) : "";
  return [(answer.failed ? "It failed" : "It was answered") + after + ": ", jump(recording, x.answer, "answer"), "."];
}

// jump returns a button that leads to the exchange of a line.
function jump(recording, line, what) {
  const x = recording.rowOf(line);
  const button = element("button", { type: "button", class: "jump" }, what + " #" + (x ? x.n : line));
  button.addEventListener("click", () => go(line));
  return button;
}

function explainTurn(x) {
  const stop = visible(shorten(x.stop || "", 60));
  if (x.opens) return "A turn begins" + (x.stop ? "; it ended after " + lasting(x.turnTook) + ": " + stop + "." : ".");
  return x.closes ? "The turn ended after " + lasting(x.turnTook) + ": " + stop + "." : null;
}

// explainLoss says what the receiver's version could not say.
function explainLoss(loss) {
  const name = loss.name ? " " + quoted(asText(loss.name)) : "";
  const detail = loss.detail ? ": " + visible(shorten(asText(loss.detail), 300)) : "";
  return [element("strong", { class: "lost" }, "Lost in translation: "), visible(shorten(asText(loss.kind), 100)) + name + detail + "."];
}

// explainMarks says which messages the schema does not allow.
function explainMarks(recording, x) {
  const marked = x.lines.map((l) => l.n).filter((n) => recording.marks.has(n));
  if (!marked.length) return null;
  const { sent, arrived } = recording.sent(x);
  const [near, far] = x.toClient ? ["agent", "client"] : ["client", "agent"];
  const which = [
    marked.includes(sent) ? "what the " + (x.own ? "proxy" : near) + " sent" : "",
    arrived.some((n) => n !== sent && marked.includes(n)) ? "what the " + far + " got" : "",
  ].filter(Boolean);
  return [element("strong", { class: "bad" }, "Not allowed by the schema: "), (which.join(" and ") || "what was said on the way") + "; the reason is above the message."];
}

// lasting says how long something took.
function lasting(seconds) {
  const s = Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
  if (s > 0 && s < 0.0005) return "less than 1 ms";
  if (s < 0.9995) return Math.round(s * 1000) + " ms";
  return s < 60 ? Number(s.toPrecision(3)) + " s" : clock(s).replace(/\.\d+$/, "");
}
