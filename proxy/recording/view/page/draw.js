// The parts of the page that show one exchange.

const maxRows = 1500; // of a message, until more are asked for

let asWhole = false; // messages are shown with their ids and envelopes

const tooLarge = "These are too large to be compared line by line.";

// drawMessages shows the sent and the received message, side by side if they differ.
function drawMessages(box, recording, x) {
  const { sent, arrived } = recording.sent(x);
  const [near, far] = x.toClient ? ["agent", "client"] : ["client", "agent"];
  const content = (line) => layout(asWhole ? messageText(recording, line) : recording.content(line));
  const left = content(sent);
  const head = (line, text) => messageHead(recording, x, line, text);
  box.replaceChildren();
  const alike = x.fate === "rewritten" && x.idOnly;
  const before = x.fate === "added" && x.plan && x.of ? recording.rowOf(x.of) : undefined;
  if (before) {
    box.append(messageHeads(head(before.lines[0].n, "What it was made of"), head(sent, "What the " + far + " got from the proxy")),
      messageBody(besides(content(before.lines[0].n), left), false));
    return;
  }
  if (x.fate === "forwarded" || x.fate === "added" || alike) {
    const who = x.fate === "added" ? "What the " + far + " got from the proxy" : "What the " + near + " sent, and the " + far + " got" + (alike ? " with another id" : "");
    const [title, mark] = head(sent, who);
    box.append(messageHeads([title, mark || (alike && drawMark(recording, x, arrived[0]))], null),
      messageBody(left.map((l) => [l, undefined, true]), true));
    return;
  }
  const said = "What the " + near + " sent", got = "What the " + far + " got";
  if (!arrived.length) {
    box.append(messageHeads(head(sent, said), head(0, got + ": nothing")));
    const body = messageBody(left.map((l) => [l, undefined, false]), false);
    body.classList.add("dropped");
    box.append(body);
    return;
  }
  arrived.forEach((line, i) => {
    const which = arrived.length > 1 ? " (" + (i + 1) + " of " + arrived.length + ")" : "";
    const right = content(line);
    const rows = alignLines(left, right);
    box.append(messageHeads(head(sent, said), head(line, got + which)));
    if (!rows) box.append(element("p", { class: "empty" }, tooLarge));
    box.append(messageBody(rows || besides(left, right), false));
  });
}

// messageHead returns the head of a message: its name, the copy buttons, and the findings.
// line is 0 if there is none.
function messageHead(recording, x, line, text) {
  if (!line) return [element("h2", {}, text), null];
  const method = x.lines.find((l) => l.n === line)?.method;
  const name = x.plan ? "" : visible(shorten(messageName(recording.event(line), method), 60));
  const what = text[0].toLowerCase() + text.slice(1);
  return [element("div", { class: "head" }, element("h2", {}, text + (name && ": " + name)), copyButtons(recording, line, what)), drawMark(recording, x, line)];
}

// messageHeads puts the heads of two messages side by side, or that of one.
function messageHeads(left, right) {
  const heads = [left, right].filter(Boolean);
  const box = element("div", { class: "heads" + (right ? "" : " one") }, ...heads.map(([title]) => title));
  if (heads.some(([, mark]) => mark)) box.append(...heads.map(([, mark]) => mark || element("span", { class: "no-mark" })));
  return box;
}

function messageBody(rows, single) {
  const body = element("div", { class: "message" + (single ? " one" : ""), tabindex: 0, role: "group", "aria-label": "message" });
  const add = (from, to) => {
    for (const [left, right, same] of rows.slice(from, to)) {
      const changed = same === false;
      const pair = element("div", { class: "pair " + (same ? "same" : changed ? "changed" : "besides") });
      pair.depth = Math.min(left?.indent ?? Infinity, right?.indent ?? Infinity);
      const spans = changed && left && right ? changedSpans(plainText(left), plainText(right)) : [null, null];
      pair.append(messageLine(left, changed ? "old" : "", spans[0]));
      if (!single) pair.append(messageLine(right, changed ? "new" : "", spans[1]));
      if ([left, right].every((l) => !l || l.opens)) pair.prepend(foldButton(pair));
      body.append(pair);
    }
    if (rows.length > to) body.append(moreButton(count(rows.length - to, "more line"), () => add(to, rows.length)));
  };
  add(0, maxRows);
  return body;
}

// foldButton returns a button that folds an object or a list.
function foldButton(pair) {
  return button("▾", { class: "fold-json", "aria-expanded": true, "aria-label": "fold" }, (b) => {
    const open = b.getAttribute("aria-expanded") !== "true";
    b.setAttribute("aria-expanded", open);
    b.textContent = open ? "▾" : "▸";
    for (let next = pair.nextElementSibling; next && next.depth > pair.depth; next = next.nextElementSibling) {
      next.hidden = !open;
      next.querySelector(":scope > [aria-expanded=false]")?.click(); // what is inside opens with it
    }
  });
}

function plainText(line) {
  return line.tokens.map((t) => shorten(t[1], longText)).join("");
}

// messageLine draws a line of a message; changed are the spans of its text
// that are marked, null for none.
function messageLine(line, side, changed) {
  if (!line) return element("div", { class: "text none" });
  const tag = { old: "del", new: "ins" }[side] || "div";
  const text = element(tag, { class: "text " + side });
  text.style.setProperty("--indent", line.indent);
  let at = 0;
  for (const [kind, value] of line.tokens) {
    const shown = shorten(value, longText);
    for (const [part, marked] of splitMarked(shown, at, changed)) {
      text.append(element(marked ? "mark" : "span", { class: kind }, visible(part)));
    }
    if (value.length > longText) text.append(element("span", { class: "more" }, " " + count(value.length - longText, "more character")));
    at += shown.length;
  }
  return text;
}

// splitMarked cuts text, which begins at offset at, where marked spans begin
// and end.
function splitMarked(text, at, spans) {
  if (!spans) return [[text, false]];
  const parts = [];
  let done = 0;
  for (const [from, to] of spans) {
    const a = Math.max(0, from - at), b = Math.min(text.length, to - at);
    if (a >= b) continue;
    if (a > done) parts.push([text.slice(done, a), false]);
    parts.push([text.slice(a, b), true]);
    done = b;
  }
  if (done < text.length) parts.push([text.slice(done), false]);
  return parts;
}
