// What a terminal shows of a command's output: colours and the other things that its
// escape sequences do are left out.

const maxOutput = 64 * 1024; // characters of an output that are shown, the last ones
const maxTerminalLines = 1000;

// The sequences of ECMA-48: those that a letter ends, texts for the terminal, such as
// its title, and those of two characters.
const escapes = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]/g;

// plainOutput returns the visible text of an output, without control sequences.
function plainOutput(text) {
  return text.replace(escapes, "").split("\n").map(overwritten).join("\n");
}

// overwritten returns the visible text of a line: text behind a carriage return replaces that
// before it.
function overwritten(line) {
  line = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (!/[\r\b]/.test(line)) return line;
  const screen = [];
  let at = 0;
  for (const c of line) {
    if (c === "\r") at = 0;
    else if (c === "\b") at = Math.max(0, at - 1);
    else screen[at++] = c;
  }
  return screen.join("");
}

// drawTerminal draws { command, output, exit, cwd }; what is not known is left out.
function drawTerminal({ command, output, exit, cwd }) {
  const text = plainOutput(asText(output ?? "").slice(-maxOutput));
  let lines = text.replace(/\n+$/, "").split("\n");
  const cut = asText(output ?? "").length > maxOutput || lines.length > maxTerminalLines;
  lines = lines.slice(-maxTerminalLines);
  const screen = element("pre", { class: "terminal", tabindex: 0, role: "group", "aria-label": "terminal" });
  if (cwd) screen.append(element("span", { class: "cwd" }, visible(shorten(asText(cwd), 300)) + "\n"));
  if (command) screen.append(element("span", { class: "command" }, "$ " + visible(shorten(asText(command), longText)) + "\n"));
  if (cut) screen.append(element("span", { class: "cwd" }, "… what was before this is in the messages\n"));
  screen.append(visible(lines.join("\n")));
  const box = element("div", { class: "screen" }, screen);
  if (exit) box.append(element("p", { class: "exit " + (exit === "exit code 0" ? "well" : "badly") }, visible(shorten(exit, 100))));
  return box;
}

// exitOf describes the end of a command, "" if it is unknown.
function exitOf(status) {
  const code = get(status, "exitCode") ?? get(status, "exit_code"), signal = get(status, "signal");
  if (typeof code === "number") return "exit code " + code;
  return signal ? "ended by " + asText(signal) : "";
}

// Terminals puts together what messages tell of terminals: an agent's of version 2
// are told of by updates of their own, those of version 1 in _meta of tool calls.
class Terminals {
  constructor() {
    this.byID = new Map();
  }

  of(id) {
    const key = asText(id);
    if (!this.byID.has(key)) this.byID.set(key, { command: "", output: "", exit: "", cwd: "", decoder: new TextDecoder() });
    return this.byID.get(key);
  }

  has(id) {
    return this.byID.has(asText(id));
  }

  // add reads a session update.
  add(update) {
    const meta = get(update, "_meta");
    for (const name of ["terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit"]) {
      const told = get(meta, name);
      if (told && typeof told === "object") this.told(name, told);
    }
    const kind = get(update, "sessionUpdate");
    if (kind === "terminal_output_chunk") this.decode(this.of(update.terminalId), get(update, "data"));
    if (kind !== "terminal_update") return;
    const terminal = this.of(update.terminalId);
    if (update.command) terminal.command = asText(update.command);
    if (update.cwd) terminal.cwd = asText(update.cwd);
    if (Object.hasOwn(update, "output")) {
      Object.assign(terminal, { output: "", decoder: new TextDecoder() });
      this.decode(terminal, get(update, "output", "data"));
    }
    terminal.exit = exitOf(update.exitStatus) || terminal.exit;
  }

  told(name, told) {
    const terminal = this.of(told.terminal_id);
    if (name === "terminal_info") terminal.cwd = asText(told.cwd ?? "");
    else if (name === "terminal_exit") terminal.exit = exitOf(told);
    else this.write(terminal, asText(told.data ?? ""));
  }

  write(terminal, text) {
    terminal.output = (terminal.output + text).slice(-2 * maxOutput);
  }

  // decode writes what is in base64. A character can begin in one chunk and end in the
  // next.
  decode(terminal, data) {
    if (typeof data !== "string") return;
    try {
      const bytes = Uint8Array.from(atob(data.slice(-4 * maxOutput)), (c) => c.charCodeAt(0));
      this.write(terminal, terminal.decoder.decode(bytes, { stream: true }));
    } catch {
      this.write(terminal, "(not base64)");
    }
  }
}
