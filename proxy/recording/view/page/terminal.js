// The output of commands as a terminal shows it, without colours and other effects of escape
// sequences.

const maxOutput = 64 * 1024; // characters of an output that are drawn, the last ones
const maxTerminalLines = 1000; // lines of an output that are drawn, the last ones

// The escape sequences of ECMA-48: control sequences, command strings such as the title of the
// terminal, and the others.
const escapeSequences = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;

// plainOutput returns the visible text of an output.
function plainOutput(text) {
  return text.replace(escapeSequences, "").split("\n").map(applyOverwrites).join("\n");
}

// applyOverwrites returns the visible text of a line: the characters after a carriage return or a
// backspace overwrite those before it.
function applyOverwrites(line) {
  line = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (!/[\r\b]/.test(line)) return line;
  const screen = [];
  let column = 0;
  for (const c of line) {
    if (c === "\r") column = 0;
    else if (c === "\b") column = Math.max(0, column - 1);
    else screen[column++] = c;
  }
  return screen.join("");
}

// drawTerminal draws a terminal of Terminals. Each member may be empty or missing.
function drawTerminal({ command, output, exit, cwd }) {
  const text = plainOutput(asText(output ?? "").slice(-maxOutput));
  let lines = text.replace(/\n+$/, "").split("\n");
  const isCut = asText(output ?? "").length > maxOutput || lines.length > maxTerminalLines;
  lines = lines.slice(-maxTerminalLines);
  const screen = element("pre", { class: "terminal", tabindex: 0, role: "group", "aria-label": "terminal" });
  if (cwd) screen.append(element("span", { class: "cwd" }, printable(shorten(asText(cwd), 300)) + "\n"));
  if (command) screen.append(element("span", { class: "command" }, "$ " + printable(shorten(asText(command), maxTextLength)) + "\n"));
  if (isCut) screen.append(element("span", { class: "cwd" }, "… what was before this is in the messages\n"));
  screen.append(printable(lines.join("\n")));
  const box = element("div", { class: "screen" }, screen);
  if (exit) box.append(element("p", { class: "exit " + (exit === "exit code 0" ? "success" : "failure") }, printable(shorten(exit, 100))));
  return box;
}

// exitText describes the end of a command, "" if it is unknown.
function exitText(status) {
  const code = get(status, "exitCode") ?? get(status, "exit_code"), signal = get(status, "signal");
  if (typeof code === "number") return "exit code " + code;
  return signal ? "ended by " + asText(signal) : "";
}

// Terminals are the agent's terminals by their ids, as the messages describe them: agents of
// version 2 send session updates about a terminal, agents of version 1 use _meta of tool calls.
class Terminals {
  constructor() {
    this.byID = new Map();
  }

  get(id) {
    const key = asText(id);
    if (!this.byID.has(key)) this.byID.set(key, { command: "", output: "", exit: "", cwd: "", decoder: new TextDecoder() });
    return this.byID.get(key);
  }

  has(id) {
    return this.byID.has(asText(id));
  }

  // add updates the terminals with a session update.
  add(update) {
    const meta = get(update, "_meta");
    for (const name of ["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"]) {
      const value = get(meta, name);
      if (value && typeof value === "object") this.addMeta(name, value);
    }
    const kind = get(update, "sessionUpdate");
    if (kind === "terminal_output_chunk") this.writeBase64(this.get(update.terminalId), get(update, "data"));
    if (kind !== "terminal_update") return;
    const terminal = this.get(update.terminalId);
    if (update.command) terminal.command = asText(update.command);
    if (update.cwd) terminal.cwd = asText(update.cwd);
    if (Object.hasOwn(update, "output")) {
      Object.assign(terminal, { output: "", decoder: new TextDecoder() });
      this.writeBase64(terminal, get(update, "output", "data"));
    }
    terminal.exit = exitText(update.exitStatus) || terminal.exit;
  }

  // addMeta updates a terminal with a member of _meta.
  addMeta(name, value) {
    const terminal = this.get(value.terminal_id);
    if (name === "terminal_info") terminal.cwd = asText(value.cwd ?? "");
    else if (name === "terminal_exit") terminal.exit = exitText(value);
    else this.write(terminal, asText(value.data ?? ""));
  }

  write(terminal, text) {
    terminal.output = (terminal.output + text).slice(-2 * maxOutput);
  }

  // writeBase64 writes output in base64. A character can begin in one chunk and end in the next.
  writeBase64(terminal, data) {
    if (typeof data !== "string") return;
    try {
      const bytes = Uint8Array.from(atob(data.slice(-4 * maxOutput)), (c) => c.charCodeAt(0));
      this.write(terminal, terminal.decoder.decode(bytes, { stream: true }));
    } catch {
      this.write(terminal, "(not base64)");
    }
  }
}
