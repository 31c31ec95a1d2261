// Messages can be copied as they were on the wire.

// messageText returns the JSON-RPC message in a line of the recording. Its id, params,
// result or error are the text that was recorded; numbers and escapes are as they were.
function messageText(recording, number) {
  const line = recording.lines[number - 1];
  const event = recording.event(number);
  const params = member(line, "params");
  if (event.method === "(not a message)") return typeof event.params === "string" ? event.params : params ?? "";
  const members = ['"jsonrpc":"2.0"'];
  const add = (name, text) => members.push(JSON.stringify(name) + ":" + text);
  if (event.type !== "notification") add("id", member(line, "id") ?? "null");
  if (event.type !== "response") {
    add("method", member(line, "method") ?? '""');
    if (params !== undefined && params !== "null") add("params", params);
  } else {
    add(event.is_error ? "error" : "result", member(line, "payload") ?? "null");
  }
  return "{" + members.join(",") + "}";
}

// indented returns a message with line breaks, as the page shows it.
function indented(text) {
  return layout(text).map((l) => "  ".repeat(l.indent) + l.tokens.map((t) => t[1]).join("")).join("\n");
}

// copyButtons returns the buttons that copy the message in a line. what names the message for
// screen readers.
function copyButtons(recording, line, what) {
  const copying = (text, title, of) => button(text, { class: "quiet copy", title, "aria-label": title }, (b) => copy(of(messageText(recording, line)), what, b));
  const whole = button("envelope", { class: "quiet", "aria-pressed": asWhole, title: "show the message with its id and envelope" }, () => {
    asWhole = !asWhole;
    drawChosen();
  });
  return element("span", { class: "copies" }, copying("Copy", "copy " + what, (text) => text), copying("indented", "copy " + what + ", indented", indented), whole);
}

// copyMessages copies the sent or the received messages of an exchange.
function copyMessages(recording, x, whatArrived) {
  const { sent, arrived } = recording.sent(x);
  const same = x.fate === "forwarded" || x.fate === "added";
  const lines = whatArrived && !same ? arrived : [sent];
  const who = whatArrived ? (x.toClient ? "client" : "agent") + " got" : (x.own ? "proxy" : x.toClient ? "agent" : "client") + " sent";
  if (!lines.length) return say("Nothing is copied: the " + who + " nothing.");
  copy(lines.map((n) => messageText(recording, n)).join("\n"), "what the " + who, null);
}

// copy copies a text to the clipboard, and reports that.
async function copy(text, what, pressed) {
  const done = await toClipboard(text);
  say(done ? "Copied " + what + "." : "The browser does not let this page copy.");
  if (!pressed || !done || pressed.classList.contains("copied")) return;
  const before = pressed.textContent;
  pressed.textContent = "copied";
  pressed.classList.add("copied");
  setTimeout(() => {
    pressed.textContent = before;
    pressed.classList.remove("copied");
  }, 1500);
}

// toClipboard reports whether a text is in the clipboard now. Browsers have the
// clipboard only for some pages, not for all files: there a text is chosen and copied
// as a user does it.
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const area = element("textarea", { class: "spoken", "aria-hidden": "true", tabindex: -1 });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (focused) focused.focus({ preventScroll: true });
    return done;
  }
}

let sayTimer = 0;

// say shows a message to the user for a moment.
function say(text) {
  const box = $("said");
  clearTimeout(sayTimer);
  box.textContent = text;
  box.classList.add("shown");
  sayTimer = setTimeout(() => {
    box.classList.remove("shown");
    box.textContent = "";
  }, 2500);
}
