// The user's view of a message without a plan: a tool call, a permission request and its
// response, a text.

// drawSeen draws the agent's message next to the client's view of it, or only one if they are
// equal.
function drawSeen(box, recording, x) {
  const drawn = drawnOf(recording, x);
  box.replaceChildren();
  box.className = "one";
  if (!drawn) return;
  if (drawn.one) {
    box.append(seenPart(seenTitle(recording, x), drawn.one()));
    return;
  }
  box.className = "";
  box.append(seenPart("What the agent sent", drawn.said()), seenPart("What the user sees", recording.isUnseen(x) ? null : drawn.seen()));
}

// seenTitle names the view. No user has seen a request whose method the client does not have.
function seenTitle(recording, x) {
  const asked = x.type === "response" ? recording.rowOf(x.request) : x;
  if (asked && asked.unseen) return x === asked ? "What the agent asked; no user has seen it" : "A request that no user has seen, as the response shows";
  if (recording.isUnseen(x)) return "What the agent sent; no user has seen it: the client does not know the session";
  return x.toClient || x.about === "permission" ? "What the user sees" : "What the user sent";
}

function seenPart(title, card) {
  return element("section", {}, element("h2", {}, title), card || element("p", { class: "empty" }, "Nothing."));
}

// drawnOf returns what draws an exchange as both sides show it, { one } or { said,
// seen }, null if there is nothing to draw.
function drawnOf(recording, x) {
  if (isChunk(x) && x.toClient) return drawnRun(recording, x);
  const draw = drawOf(recording, x);
  if (!draw) return null;
  const { sent, arrived } = recording.sent(x);
  if (x.fate === "forwarded" || x.fate === "added" || !x.toClient || x.idOnly) {
    return { one: () => draw(sent, x.toClient || x.fate === "added" ? "client" : "agent") };
  }
  return { said: () => draw(sent, "agent"), seen: () => (arrived.length ? draw(arrived[0], "client") : null) };
}

// drawOf returns the function that draws a line of an exchange as a side shows it,
// null if there is nothing to draw.
function drawOf(recording, x) {
  if (x.about === "permission") return (line) => drawPermission(recording, x, line);
  if (/^terminal_/.test(x.update)) {
    const id = get(updateOf(recording.event(x.lines[0].n)), "terminalId");
    return (line, side) => element("article", { class: "card" }, drawTerminal(terminalsOf(recording, x, side).of(id)));
  }
  if (/^terminal\//.test(x.method)) return drawnCommand(recording, x);
  if (x.about === "tool" && x.tool) {
    return (line, side) => {
      const updates = toolUpdates(recording, x, side);
      return updates.length ? drawTool(foldTool(updates), () => terminalsOf(recording, x, side)) : null;
    };
  }
  if (x.about === "text" || x.opens) return (line) => drawText(recording.event(line));
  return null;
}

// drawnCommand returns what draws a command that the client runs for the agent, or its
// output.
function drawnCommand(recording, x) {
  const card = (terminal) => element("article", { class: "card" }, drawTerminal(terminal));
  if (x.method === "terminal/create" && x.type === "request") {
    return (line) => {
      const params = get(recording.event(line), "params");
      const args = get(params, "args");
      const command = [get(params, "command"), ...(Array.isArray(args) ? args.slice(0, 100) : [])].map((a) => asText(a)).join(" ");
      return card({ command, cwd: asText(get(params, "cwd") ?? "") });
    };
  }
  if (x.method !== "terminal/output" || x.type !== "response") return null;
  return (line) => {
    const answer = recording.event(line).payload;
    return card({ output: asText(get(answer, "output") ?? ""), exit: exitOf(get(answer, "exitStatus")) });
  };
}

// drawPermission draws a permission request with its options, the chosen one
// marked, or the request that an answer belongs to.
function drawPermission(recording, x, line) {
  let event = recording.event(line), answer = null;
  if (event.type === "response") {
    if (!x.request) return null;
    answer = event;
    event = recording.event(x.request);
  } else if (x.answer) {
    answer = recording.event(x.answer);
  }
  const params = get(event, "params");
  const card = element("article", { class: "card" }, element("header", {},
    drawTitle(permissionTitle(params) || asText(get(params, "message")) || asText(event.method))));
  card.append(...drawAsked(params).filter(Boolean));
  const options = optionsOf(params);
  if (options.length) card.append(drawOptions(options, answer));
  const outcome = answer ? (answer.is_error ? "failed" : outcomeOf(params, answer.payload)) : "";
  card.append(element("p", { class: "empty" }, answer ? "Answered: " + visible(shorten(outcome, 100)) + "." : "Not answered yet."));
  return card;
}

// drawAsked draws what a request is about, below its title.
function drawAsked(params) {
  const texts = [get(params, "description"), get(params, "planContent"), get(params, "plan")].filter((t) => typeof t === "string" && t);
  const subject = get(params, "subject");
  const content = get(get(params, "toolCall") ?? get(subject, "toolCall"), "content");
  return [
    ...texts.map((t) => drawProse(t, "description")),
    get(subject, "type") === "command" ? drawTerminal({ command: asText(get(subject, "command") ?? ""), cwd: asText(get(subject, "cwd") ?? "") }) : null,
    ...(Array.isArray(content) ? content.slice(0, 20).flatMap((item) => drawContent(item, () => new Terminals(), new Map())) : []),
  ];
}

function drawOptions(options, answer) {
  const chosen = answer && !answer.is_error ? get(answer.payload, "outcome", "optionId") : undefined;
  const list = element("p", { class: "options" });
  for (const option of options.slice(0, 30)) {
    const id = get(option, "optionId");
    const is = id === chosen && chosen !== undefined;
    list.append(element("span", { class: "option" + (is ? " chosen" : "") },
      is ? icon("completed") : null, is ? element("span", { class: "spoken" }, "chosen: ") : null, visible(shorten(asText(get(option, "name") ?? id), 100))));
  }
  return list;
}
