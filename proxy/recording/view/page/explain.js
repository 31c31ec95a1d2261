// The explanation of an exchange for readers who do not know the protocol. A sentence is a text,
// or a list of texts and elements.

function quote(text) {
  return "“" + shorten(printable(text), 60) + "”";
}

function entryCount(plan) {
  return plan.total === 0 ? "no entries" : formatCount(plan.total, "entry", "entries") + (plan.done ? ", " + plan.done + " done" : "");
}

// planAction returns what a message did with a plan: "sent plan “docs” as a list …".
function planAction(plan) {
  const name = plan.id === "" ? "a plan without an id" : "plan " + quote(plan.id);
  if (plan.form === "removed") return "removed " + name;
  if (plan.form === "plan") {
    if (!plan.entries) return "sent a plan that cannot be read";
    return plan.entries.length ? "sent its plan as one list: " + entryCount(plan) : "cleared its plan";
  }
  if (plan.entries) return "sent " + name + " as a list: " + entryCount(plan);
  if (plan.text !== null) return "sent " + name + " as a markdown text";
  if (plan.uri !== null) return "sent " + name + " as a file";
  return "sent " + name + " in a form of its own (" + shorten(printable(plan.form), 40) + ")";
}

const unknownFateText = "Its fate is unknown: the recording ends here, or the next line could not be read.";

// explain returns the sentences about an exchange.
function explain(recording, exchange) {
  const event = recording.event(exchange.lines[0].n);
  const sentences = exchange.plan ? explainPlan(recording, exchange) : explainOther(recording, exchange, event);
  if (exchange.error) sentences.splice(1, 0, [element("strong", { class: "lost" }, "Error: "), printable(exchange.error)]);
  return [...sentences, explainCause(recording, exchange), ...(exchange.lost || []).map(explainLoss), explainFindings(recording, exchange)].filter(Boolean);
}

// explainCause links a message of the proxy's own to the message that caused it, and back.
function explainCause(recording, exchange) {
  if (exchange.of) return ["It belongs to ", jumpButton(recording, exchange.of, "message"), "."];
  const caused = (exchange.caused || []).slice(0, 20);
  return caused.length ? ["It made the proxy send ", ...caused.flatMap((n, i) => [i ? ", " : "", jumpButton(recording, n, "message")]), "."] : null;
}

function explainPlan(recording, exchange) {
  const { received } = recording.sentAndReceived(exchange), from = exchange.lines[0].from;
  const action = planAction(readPlan(recording, exchange.lines[0])) + ".";
  if (from.toLowerCase() === "proxy") return ["The proxy itself " + action];
  const sentence = (sideOf(from) === "agent" ? "The agent " : "The proxy " + printable(from) + " ") + action;
  if (exchange.fate === "forwarded") return [sentence, "The client got the same message."];
  if (exchange.fate === "unknown") return [sentence, unknownFateText];
  if (!received.length) {
    return [sentence, "The client got nothing" + (exchange.why ? ": " + printable(exchange.why) : "") + "."];
  }
  if (received.length > 1) return [sentence, "The client got " + formatCount(received.length, "message") + " in its place."];
  const line = exchange.lines.find((l) => l.n === received[0]);
  return [sentence, line.plan ? explainReceivedPlan(exchange, readPlan(recording, line)) : "The client got another message in its place."];
}

// explainReceivedPlan describes the plan that the client got for a plan of the agent.
function explainReceivedPlan(exchange, plan) {
  if (plan.form === "plan") {
    return "The client, which knows one list only, got " + (plan.entries?.length ? "one: " + entryCount(plan) : "an empty one") + ".";
  }
  if (plan.form === "removed") return "The client got the removal of plan " + quote(plan.id) + ".";
  if (exchange.plan.form === plan.form && exchange.plan.id === plan.id) return "The client got the same plan, spelled for it.";
  return "The client got plan " + quote(plan.id) + (plan.entries ? " as a list: " + entryCount(plan) : "") + ".";
}

function explainOther(recording, exchange, event) {
  const from = sideOf(event.from);
  const method = printable(shorten(exchange.method || "", 80));
  const action = {
    request: "The " + from + " requested " + method + ".",
    response: explainResponse(recording, exchange, event, from, method),
    notification: "The " + from + " sent " + printable(shorten(exchange.update || exchange.method || "", 80)) + ".",
  }[exchange.type];
  const effect = {
    rewritten: exchange.lines.length > 2 ? "The proxy replaced it with " + formatCount(exchange.lines.length - 1, "message") + "."
      : exchange.idOnly ? "The proxy changed its id only." : "The proxy rewrote it.",
    dropped: "The proxy dropped it" + (exchange.why ? ": " + printable(exchange.why) : "") + ".",
    added: "It is a message of the proxy’s own.",
    unknown: unknownFateText,
  }[exchange.fate];
  return [action, effect, explainRequest(recording, exchange), explainTurn(exchange)].filter(Boolean);
}

function explainResponse(recording, exchange, event, from, method) {
  const sentence = "The " + from + " responded" + (method ? " to " + method : "");
  const error = event.is_error ? " with an error" : "";
  const after = typeof exchange.took === "number" ? " after " + formatDuration(exchange.took) : "";
  return exchange.request ? [sentence + error + after + ": ", jumpButton(recording, exchange.request, "request"), "."] : sentence + error + after + ".";
}

function explainRequest(recording, exchange) {
  if (exchange.type !== "request") return null;
  const response = exchange.answer && recording.exchangeOf(exchange.answer);
  if (!response) return "It has no response.";
  const after = typeof response.took === "number" ? " after " + formatDuration(response.took) : "";
  return [(response.failed ? "It failed" : "The response came") + after + ": ", jumpButton(recording, exchange.answer, "response"), "."];
}

// jumpButton returns a button that selects the exchange of a line.
function jumpButton(recording, line, label) {
  const exchange = recording.exchangeOf(line);
  return button(label + " #" + (exchange ? exchange.n : line), { class: "jump" }, () => goToLine(line));
}

function explainTurn(exchange) {
  const stop = printable(shorten(exchange.stop || "", 60));
  if (exchange.opens) return "A turn begins" + (exchange.stop ? "; it ended after " + formatDuration(exchange.turnTook) + ": " + stop + "." : ".");
  return exchange.closes ? "The turn ended after " + formatDuration(exchange.turnTook) + ": " + stop + "." : null;
}

// explainLoss describes content that did not arrive as it was sent.
function explainLoss(loss) {
  const name = loss.name ? " " + quote(asText(loss.name)) : "";
  const detail = loss.detail ? ": " + printable(shorten(asText(loss.detail), 300)) : "";
  return [element("strong", { class: "lost" }, "Lost in translation: "), printable(shorten(asText(loss.kind), 100)) + name + detail + "."];
}

// explainFindings names the messages with findings.
function explainFindings(recording, exchange) {
  const lines = exchange.lines.map((l) => l.n).filter((n) => recording.findings.has(n));
  if (!lines.length) return null;
  const { sent, received } = recording.sentAndReceived(exchange);
  const [sender, receiver] = peersOf(exchange);
  const messages = [
    lines.includes(sent) ? "what the " + (exchange.own ? "proxy" : sender) + " sent" : "",
    received.some((n) => n !== sent && lines.includes(n)) ? "what the " + receiver + " got" : "",
  ].filter(Boolean);
  return [element("strong", { class: "bad" }, "Not allowed by the protocol: "), (messages.join(" and ") || "a message of the proxy") + "; the reason is above the message."];
}
