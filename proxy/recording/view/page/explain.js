// Explanations of messages for readers who do not know the protocol. A sentence is a text, or
// a list of texts and elements.

function quoted(id) {
  return "“" + shorten(visible(id), 60) + "”";
}

function entriesOf(plan) {
  return plan.total === 0 ? "no entries" : count(plan.total, "entry", "entries") + (plan.done ? ", " + plan.done + " done" : "");
}

// describe describes a plan in a line: "sent plan “docs” as a list …".
function describe(plan) {
  const name = plan.id === "" ? "a plan without an id" : "plan " + quoted(plan.id);
  if (plan.form === "removed") return "removed " + name;
  if (plan.form === "plan") {
    if (!plan.entries) return "sent a plan that cannot be read";
    return plan.entries.length ? "sent its plan as one list: " + entriesOf(plan) : "cleared its plan";
  }
  if (plan.entries) return "sent " + name + " as a list: " + entriesOf(plan);
  if (plan.text !== null) return "sent " + name + " as a markdown text";
  if (plan.uri !== null) return "sent " + name + " as a file";
  return "sent " + name + " in a form of its own (" + shorten(visible(plan.form), 40) + ")";
}

const unknownFate = "Its fate is unknown: the recording ends here, or the next line could not be read.";

// explain returns the sentences about an exchange, around which these plans are live.
function explain(recording, x, plans) {
  const event = recording.event(x.lines[0].n);
  const told = x.plan ? explainPlan(recording, x, plans) : explainOther(recording, x, event);
  if (x.error) told.splice(1, 0, [element("strong", { class: "lost" }, "Error: "), visible(x.error)]);
  return [...told, explainOf(recording, x), ...(x.lost || []).map(explainLoss), explainMarks(recording, x)].filter(Boolean);
}

// explainOf links a message of the proxy to the message that it belongs to, and back.
function explainOf(recording, x) {
  if (x.of) return ["It belongs to ", jump(recording, x.of, "message"), "."];
  const caused = (x.caused || []).slice(0, 20);
  return caused.length ? ["It made the proxy send ", ...caused.flatMap((n, i) => [i ? ", " : "", jump(recording, n, "message")]), "."] : null;
}

function explainPlan(recording, x, plans) {
  const { arrived } = recording.sent(x), from = x.lines[0].from;
  const sent = describe(readPlan(recording, x.lines[0])) + ".";
  if (from.toLowerCase() === "proxy") return ["The proxy itself " + sent];
  const said = (sideOf(from) === "agent" ? "The agent " : "The proxy " + visible(from) + " ") + sent;
  if (x.fate === "forwarded") return [said, "The client got the same message."];
  if (x.fate === "unknown") return [said, unknownFate];
  if (!arrived.length) {
    return [said, "The client got nothing" + (x.why ? ": " + visible(x.why) : "") + "."];
  }
  if (arrived.length > 1) return [said, "The client got " + count(arrived.length, "message") + " in its place."];
  const line = x.lines.find((l) => l.n === arrived[0]);
  return [said, line.plan ? explainGot(recording, x, plans.after.agent, readPlan(recording, line)) : "The client got another message in its place."];
}

// explainGot describes the plan that the client got for a plan of the agent; live are the
// agent's plans.
function explainGot(recording, x, live, got) {
  if (got.form === "plan") {
    if (!got.entries?.length) return "The client, which knows one list only, got an empty one.";
    const plans = [...live.values()], omitted = plans.map((line) => [line, whyOmitted(line, plans)]).filter(([, why]) => why);
    const size = plans.length - omitted.length;
    return "The client, which knows one list only, got one: " + entriesOf(got) + (size > 1 ? ", made of " + count(size, "plan") : "") + "." +
      omitted.map(([line, why]) => " It does not contain " + (line.plan.id ? "plan " + quoted(line.plan.id) : "the plan without an id") + ": " + why + ".").join("");
  }
  if (got.form === "removed") return "The client got the removal of plan " + quoted(got.id) + ".";
  if (x.plan.form === got.form && x.plan.id === got.id) return "The client got the same plan, spelled for it.";
  return "The client got plan " + quoted(got.id) + (got.entries ? " as a list: " + entriesOf(got) : "") + ".";
}

// whyOmitted returns why a line's plan is not in the list that the client got, "" if it is.
function whyOmitted(line, plans) {
  const { plan } = line, isList = (p) => p.form === "plan" || p.form === "items";
  if (!isList(plan)) {
    const list = plans.find((l) => isList(l.plan) && l.n > line.n && l.plan.total);
    return list && !plan.done ? "a list replaced it" : "";
  }
  const ended = (p) => p.total > 0 && p.done === p.total;
  return ended(plan) && plans.some((l) => l.plan.total > 0 && !ended(l.plan)) ? "all its entries are done" : "";
}

function explainOther(recording, x, event) {
  const from = sideOf(event.from);
  const method = visible(shorten(x.method || "", 80));
  const what = {
    request: "The " + from + " requested " + method + ".",
    response: explainAnswer(recording, x, event, from, method),
    notification: "The " + from + " sent " + visible(shorten(x.update || x.method || "", 80)) + ".",
  }[x.type];
  const became = {
    rewritten: x.lines.length > 2 ? "The proxy replaced it with " + count(x.lines.length - 1, "message") + "."
      : x.idOnly ? "The proxy changed its id only." : "The proxy rewrote it.",
    dropped: "The proxy dropped it" + (x.why ? ": " + visible(x.why) : "") + ".",
    added: "It is a message of the proxy’s own.",
    unknown: unknownFate,
  }[x.fate];
  return [what, became, explainAnswered(recording, x), explainTurn(x)].filter(Boolean);
}

function explainAnswer(recording, x, event, from, method) {
  const said = "The " + from + " responded" + (method ? " to " + method : "");
  const error = event.is_error ? " with an error" : "";
  const after = typeof x.took === "number" ? " after " + duration(x.took) : "";
  return x.request ? [said + error + after + ": ", jump(recording, x.request, "request"), "."] : said + error + after + ".";
}

function explainAnswered(recording, x) {
  if (x.type !== "request") return null;
  const answer = x.answer && recording.rowOf(x.answer);
  if (!answer) return "It has no response yet.";
  const after = typeof answer.took === "number" ? " after " + duration(answer.took) : "";
  return [(answer.failed ? "It failed" : "The response came") + after + ": ", jump(recording, x.answer, "response"), "."];
}

// jump returns a button that leads to the exchange of a line.
function jump(recording, line, what) {
  const x = recording.rowOf(line);
  return button(what + " #" + (x ? x.n : line), { class: "jump" }, () => go(line));
}

function explainTurn(x) {
  const stop = visible(shorten(x.stop || "", 60));
  if (x.opens) return "A turn begins" + (x.stop ? "; it ended after " + duration(x.turnTook) + ": " + stop + "." : ".");
  return x.closes ? "The turn ended after " + duration(x.turnTook) + ": " + stop + "." : null;
}

// explainLoss describes content without an equivalent in the receiver's version.
function explainLoss(loss) {
  const name = loss.name ? " " + quoted(asText(loss.name)) : "";
  const detail = loss.detail ? ": " + visible(shorten(asText(loss.detail), 300)) : "";
  return [element("strong", { class: "lost" }, "Lost in translation: "), visible(shorten(asText(loss.kind), 100)) + name + detail + "."];
}

// explainMarks names the messages with findings.
function explainMarks(recording, x) {
  const marked = x.lines.map((l) => l.n).filter((n) => recording.marks.has(n));
  if (!marked.length) return null;
  const { sent, arrived } = recording.sent(x);
  const [near, far] = x.toClient ? ["agent", "client"] : ["client", "agent"];
  const which = [
    marked.includes(sent) ? "what the " + (x.own ? "proxy" : near) + " sent" : "",
    arrived.some((n) => n !== sent && marked.includes(n)) ? "what the " + far + " got" : "",
  ].filter(Boolean);
  return [element("strong", { class: "bad" }, "Not allowed by the protocol: "), (which.join(" and ") || "a message of the proxy") + "; the reason is above the message."];
}
