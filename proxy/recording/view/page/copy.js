// Copying messages to the clipboard, as they were on the wire.

// messageJSON returns the JSON-RPC message in the line with a number. Its id, params, result and error
// are the recorded texts, so that numbers and escapes do not change. A line that a peer sent without
// a message in it is returned as the peer sent it.
function messageJSON(recording, number) {
  const line = recording.fileLines[number - 1];
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

// indentedJSON returns the text of a message with the line breaks and the indents of the page.
function indentedJSON(text) {
  return layout(text).map((l) => "  ".repeat(l.indent) + l.tokens.map((t) => t[1]).join("")).join("\n");
}

let showsEnvelope = false; // messages are drawn with jsonrpc, id and method

// messageButtons returns the buttons that copy the message in the line with a number, and the button
// that shows the envelopes of all messages. label names the message for screen readers.
function messageButtons(recording, number, label) {
  const copyButton = (text, title, format) => button(text, { class: "quiet copy", title, "aria-label": title }, (b) => copyText(format(messageJSON(recording, number)), label, b));
  const envelopeButton = button("envelope", { class: "quiet", "aria-pressed": showsEnvelope, title: "show the message with its id and envelope" }, () => {
    showsEnvelope = !showsEnvelope;
    drawSelected();
  });
  return element("span", { class: "copies" }, copyButton("Copy", "copy " + label, (text) => text), copyButton("indented", "copy " + label + ", indented", indentedJSON), envelopeButton);
}

// copyMessages copies the message of an exchange as it was sent, or the messages that were received for
// it. state is "sent" or "received".
function copyMessages(recording, exchange, state) {
  const { sent, received } = recording.sentAndReceived(exchange);
  const isUnchanged = exchange.fate === "forwarded" || exchange.fate === "added";
  const numbers = state === "received" && !isUnchanged ? received : [sent];
  const [sender, receiver] = peersOf(exchange);
  const action = state === "received" ? receiver + " got" : (exchange.own ? "proxy" : sender) + " sent";
  if (!numbers.length) return showNotice("Nothing is copied: the " + action + " nothing.");
  copyText(numbers.map((n) => messageJSON(recording, n)).join("\n"), "what the " + action, null);
}

// copyText copies a text to the clipboard, and shows a notice with the label of the text. The caption of
// pressedButton, which may be null, is "copied" for a moment.
async function copyText(text, label, pressedButton) {
  const isCopied = await writeClipboard(text);
  showNotice(isCopied ? "Copied " + label + "." : "The browser does not let this page copy.");
  if (!pressedButton || !isCopied || pressedButton.classList.contains("copied")) return;
  const caption = pressedButton.textContent;
  pressedButton.textContent = "copied";
  pressedButton.classList.add("copied");
  setTimeout(() => {
    pressedButton.textContent = caption;
    pressedButton.classList.remove("copied");
  }, 1500);
}

// writeClipboard writes a text to the clipboard, and reports whether that succeeded. Some
// browsers give no clipboard to a page in a file: there it selects the text and copies the
// selection.
async function writeClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const area = element("textarea", { class: "spoken", "aria-hidden": "true", tabindex: -1 });
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (focused) focused.focus({ preventScroll: true });
    return isCopied;
  }
}

let noticeTimer = 0; // runs while a notice is visible

// showNotice shows a text to the user for a moment.
function showNotice(text) {
  const box = $("notice");
  clearTimeout(noticeTimer);
  box.textContent = text;
  box.classList.add("shown");
  noticeTimer = setTimeout(() => {
    box.classList.remove("shown");
    box.textContent = "";
  }, 2500);
}
