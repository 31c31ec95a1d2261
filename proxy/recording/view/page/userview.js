// The user's view of a message without a plan: a tool call, a permission request, its response,
// or a text.

// drawUserView draws a message as the agent sent it next to the message as the user sees it, or
// one of them if they are equal.
function drawUserView(box, recording, exchange) {
  const drawings = viewDrawings(recording, exchange);
  box.replaceChildren();
  box.className = "single";
  if (!drawings) return;
  if (drawings.shared) {
    box.append(viewSection(userViewTitle(recording, exchange), drawings.shared()));
    return;
  }
  box.className = "";
  box.append(viewSection("What the agent sent", drawings.sent()), viewSection("What the user sees", recording.hasUnknownSession(exchange) ? null : drawings.received()));
}

// userViewTitle returns the title of a single view. No user has seen a request whose method the
// client does not have.
function userViewTitle(recording, exchange) {
  const request = exchange.type === "response" ? recording.exchangeOf(exchange.request) : exchange;
  if (request && request.unseen) return exchange === request ? "What the agent asked; no user has seen it" : "A request that no user has seen, as the response shows";
  if (recording.hasUnknownSession(exchange)) return "What the agent sent; no user has seen it: the client does not know the session";
  return exchange.toClient || exchange.about === "permission" ? "What the user sees" : "What the user sent";
}

function viewSection(title, card) {
  return element("section", {}, element("h2", {}, title), card || element("p", { class: "empty" }, "Nothing."));
}

// viewDrawings returns the functions that draw an exchange: { sent, received } for the agent's
// message and the user's view of it, { shared } if they are equal. It returns null if there is
// nothing to draw.
function viewDrawings(recording, exchange) {
  if (isChunk(exchange) && exchange.toClient) return runDrawings(recording, exchange);
  const draw = lineDrawing(recording, exchange);
  if (!draw) return null;
  const { sent, received } = recording.sentAndReceived(exchange);
  if (exchange.fate === "forwarded" || exchange.fate === "added" || !exchange.toClient || exchange.idOnly) {
    return { shared: () => draw(sent, exchange.toClient || exchange.fate === "added" ? "client" : "agent") };
  }
  return { sent: () => draw(sent, "agent"), received: () => (received.length ? draw(received[0], "client") : null) };
}

// lineDrawing returns the function that draws a line of an exchange with the state that a side
// knows, null if there is nothing to draw.
function lineDrawing(recording, exchange) {
  if (exchange.about === "permission") return (line) => drawPermission(recording, exchange, line);
  if (/^terminal_/.test(exchange.update)) {
    const id = get(updateOf(recording.event(exchange.lines[0].n)), "terminalId");
    return (line, side) => element("article", { class: "card" }, drawTerminal(terminalsOf(recording, exchange, side).get(id)));
  }
  if (/^terminal\//.test(exchange.method)) return commandDrawing(recording, exchange);
  if (exchange.about === "tool" && exchange.tool) {
    return (line, side) => {
      const updates = toolUpdates(recording, exchange, side);
      return updates.length ? drawTool(foldTool(updates), () => terminalsOf(recording, exchange, side)) : null;
    };
  }
  if (exchange.about === "text" || exchange.opens) return (line) => drawText(recording.event(line));
  return null;
}

// commandDrawing returns the function that draws a command that the client runs for the agent, or the
// output of one, null for other messages.
function commandDrawing(recording, exchange) {
  const card = (terminal) => element("article", { class: "card" }, drawTerminal(terminal));
  if (exchange.method === "terminal/create" && exchange.type === "request") {
    return (line) => {
      const params = get(recording.event(line), "params");
      const args = get(params, "args");
      const command = [get(params, "command"), ...(Array.isArray(args) ? args.slice(0, 100) : [])].map(asText).join(" ");
      return card({ command, cwd: asText(get(params, "cwd") ?? "") });
    };
  }
  if (exchange.method !== "terminal/output" || exchange.type !== "response") return null;
  return (line) => {
    const result = recording.event(line).payload;
    return card({ output: asText(get(result, "output") ?? ""), exit: exitText(get(result, "exitStatus")) });
  };
}

// drawPermission draws a permission request, or the request of a response: with its options and its
// outcome.
function drawPermission(recording, exchange, line) {
  let event = recording.event(line), response = null;
  if (event.type === "response") {
    if (!exchange.request) return null;
    response = event;
    event = recording.event(exchange.request);
  } else if (exchange.answer) {
    response = recording.event(exchange.answer);
  }
  const params = get(event, "params");
  const card = element("article", { class: "card" }, element("header", {},
    drawTitle(permissionTitle(params) || asText(get(params, "message")) || asText(event.method))));
  card.append(...drawRequestContent(params).filter(Boolean));
  const options = optionsOf(params);
  if (options.length) card.append(drawOptions(options, response));
  const outcome = response ? (response.is_error ? "failed" : outcomeOf(params, response.payload)) : "";
  card.append(element("p", { class: "empty" }, response ? "Answered: " + printable(shorten(outcome, 100)) + "." : "Not answered yet."));
  return card;
}

// drawRequestContent draws the subject of a permission request.
function drawRequestContent(params) {
  const texts = [get(params, "description"), get(params, "planContent"), get(params, "plan")].filter((t) => typeof t === "string" && t);
  const subject = get(params, "subject");
  const content = get(get(params, "toolCall") ?? get(subject, "toolCall"), "content");
  return [
    ...texts.map((t) => drawProse(t, "description")),
    get(subject, "type") === "command" ? drawTerminal({ command: asText(get(subject, "command") ?? ""), cwd: asText(get(subject, "cwd") ?? "") }) : null,
    ...(Array.isArray(content) ? content.slice(0, 20).flatMap((item) => drawContent(item, () => new Terminals(), new Map())) : []),
  ];
}

function drawOptions(options, response) {
  const chosenID = response && !response.is_error ? get(response.payload, "outcome", "optionId") : undefined;
  const list = element("p", { class: "options" });
  for (const option of options.slice(0, 30)) {
    const id = get(option, "optionId");
    const isChosen = id === chosenID && chosenID !== undefined;
    list.append(element("span", { class: "option" + (isChosen ? " chosen" : "") },
      isChosen ? icon("completed") : null, isChosen ? element("span", { class: "spoken" }, "chosen: ") : null, printable(shorten(asText(get(option, "name") ?? id), 100))));
  }
  return list;
}
