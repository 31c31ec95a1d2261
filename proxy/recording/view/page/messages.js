// The messages of the selected exchange as JSON, with their differences.

const maxMessageLines = 1500; // of a message that are drawn at first

// drawMessages draws the sent and the received messages, side by side if they differ. A plan
// that the proxy made is next to the message that it was made of.
function drawMessages(box, recording, exchange) {
  const { sent, received } = recording.sentAndReceived(exchange);
  const [sender, receiver] = peersOf(exchange);
  const content = (line) => layout(showsEnvelope ? messageJSON(recording, line) : recording.content(line));
  const left = content(sent);
  const head = (line, text) => messageHead(recording, exchange, line, text);
  box.replaceChildren();
  const isSameContent = exchange.fate === "rewritten" && exchange.idOnly;
  const cause = exchange.fate === "added" && exchange.plan && exchange.of ? recording.exchangeOf(exchange.of) : undefined;
  if (cause) {
    box.append(messageHeads(head(cause.lines[0].n, "What it was made of"), head(sent, "What the " + receiver + " got from the proxy")),
      messageBody(unalignedRows(content(cause.lines[0].n), left), false));
    return;
  }
  if (exchange.fate === "forwarded" || exchange.fate === "added" || isSameContent) {
    const [title, findings] = head(sent, exchange.fate === "added" ? "What the " + receiver + " got from the proxy"
      : "What the " + sender + " sent, and the " + receiver + " got" + (isSameContent ? " with another id" : ""));
    box.append(messageHeads([title, findings || (isSameContent && drawFindings(recording, exchange, received[0]))], null),
      messageBody(left.map((l) => [l, undefined, true]), true));
    return;
  }
  const sentTitle = "What the " + sender + " sent", receivedTitle = "What the " + receiver + " got";
  if (!received.length) {
    box.append(messageHeads(head(sent, sentTitle), head(0, receivedTitle + ": nothing")));
    const body = messageBody(left.map((l) => [l, undefined, false]), false);
    body.classList.add("dropped");
    box.append(body);
    return;
  }
  received.forEach((line, i) => {
    const position = received.length > 1 ? " (" + (i + 1) + " of " + received.length + ")" : "";
    const right = content(line);
    const rows = alignLines(left, right);
    box.append(messageHeads(head(sent, sentTitle), head(line, receivedTitle + position)));
    if (!rows) box.append(element("p", { class: "empty" }, "These are too large to be compared line by line."));
    box.append(messageBody(rows || unalignedRows(left, right), false));
  });
}

// messageHead returns the head of a message: an element with its name and its buttons, and an element
// with its findings or null. line is the number of its line, 0 if there is no message.
function messageHead(recording, exchange, line, title) {
  if (!line) return [element("h2", {}, title), null];
  const method = exchange.lines.find((l) => l.n === line)?.method;
  const name = exchange.plan ? "" : printable(shorten(messageName(recording.event(line), method), 60));
  const label = title[0].toLowerCase() + title.slice(1);
  return [element("div", { class: "head" }, element("h2", {}, title + (name && ": " + name)), messageButtons(recording, line, label)), drawFindings(recording, exchange, line)];
}

// messageHeads draws the heads of two messages side by side, or of one.
function messageHeads(left, right) {
  const heads = [left, right].filter(Boolean);
  const box = element("div", { class: "heads" + (right ? "" : " single") }, ...heads.map(([title]) => title));
  if (heads.some(([, findings]) => findings)) box.append(...heads.map(([, findings]) => findings || element("span", { class: "no-findings" })));
  return box;
}

// messageBody draws rows [left, right, isSame] of the lines of two messages, or with isSingle of the
// left one only. isSame is null in rows that are not compared.
function messageBody(rows, isSingle) {
  const body = element("div", { class: "message" + (isSingle ? " single" : ""), tabindex: 0, role: "group", "aria-label": "message" });
  const add = (from, to) => {
    for (const [left, right, isSame] of rows.slice(from, to)) {
      const isChanged = isSame === false;
      const pair = element("div", { class: "pair " + (isSame ? "same" : isChanged ? "changed" : "uncompared") });
      pair.depth = Math.min(left?.indent ?? Infinity, right?.indent ?? Infinity);
      const spans = isChanged && left && right ? changedSpans(plainText(left), plainText(right)) : [null, null];
      pair.append(messageLine(left, isChanged ? "old" : "", spans[0]));
      if (!isSingle) pair.append(messageLine(right, isChanged ? "new" : "", spans[1]));
      if ([left, right].every((l) => !l || l.isOpening)) pair.prepend(foldButton(pair));
      body.append(pair);
    }
    if (rows.length > to) body.append(moreButton(formatCount(rows.length - to, "more line"), () => add(to, rows.length)));
  };
  add(0, maxMessageLines);
  return body;
}

// foldButton returns a button that folds the object or the array that begins in a pair: the pairs
// after it with a greater depth.
function foldButton(pair) {
  return button("▾", { class: "fold-json", "aria-expanded": true, "aria-label": "fold" }, (b) => {
    const opens = b.getAttribute("aria-expanded") !== "true";
    b.setAttribute("aria-expanded", opens);
    b.textContent = opens ? "▾" : "▸";
    for (let next = pair.nextElementSibling; next && next.depth > pair.depth; next = next.nextElementSibling) {
      next.hidden = !opens;
      next.querySelector(":scope > [aria-expanded=false]")?.click(); // folds inside open, too
    }
  });
}

function plainText(line) {
  return line.tokens.map((t) => shorten(t[1], maxTextLength)).join("");
}

// messageLine draws a line of a message, with spans of its text marked; spans may be null. side
// is "old", "new" or "".
function messageLine(line, side, spans) {
  if (!line) return element("div", { class: "text none" });
  const tag = { old: "del", new: "ins" }[side] || "div";
  const text = element(tag, { class: "text " + side });
  text.style.setProperty("--indent", line.indent);
  let offset = 0;
  for (const [kind, value] of line.tokens) {
    const short = shorten(value, maxTextLength);
    for (const [part, isMarked] of splitMarked(short, offset, spans)) {
      text.append(element(isMarked ? "mark" : "span", { class: kind }, printable(part)));
    }
    if (value.length > maxTextLength) text.append(element("span", { class: "more" }, " " + formatCount(value.length - maxTextLength, "more character")));
    offset += short.length;
  }
  return text;
}

// splitMarked splits a text at the borders of marked spans into parts [text, isMarked]. The spans
// count from the start of the line, in which the text begins at an offset.
function splitMarked(text, offset, spans) {
  if (!spans) return [[text, false]];
  const parts = [];
  let end = 0;
  for (const [from, to] of spans) {
    const start = Math.max(0, from - offset), stop = Math.min(text.length, to - offset);
    if (start >= stop) continue;
    if (start > end) parts.push([text.slice(end, start), false]);
    parts.push([text.slice(start, stop), true]);
    end = stop;
  }
  if (end < text.length) parts.push([text.slice(end), false]);
  return parts;
}
