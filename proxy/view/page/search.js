// The search: which exchanges have a text in them, on the screen or not.

// A Search looks for a text in all exchanges, a part of them at a time.
class Search {
  // found() is called when there is something new to draw.
  constructor(recording, found) {
    this.recording = recording;
    this.found = found;
    this.generation = 1; // of the text; an exchange that has it in it remembers this
    this.clear();
  }

  clear() {
    this.text = "";
    this.number = 0; // of the event, if the text names one
    this.generation++;
    this.hits = []; // exchanges, in order
    this.next = 0; // the first exchange that has not been looked at
    this.pattern = null;
  }

  // begin looks for another text.
  begin(text) {
    this.clear();
    this.text = text;
    if (!text.trim()) return this.found();
    this.number = numberIn(text);
    this.pattern = patternOf(text);
    this.run(this.generation);
  }

  // done reports whether every exchange has been looked at.
  get done() {
    return !this.pattern || this.next >= this.recording.exchanges.length;
  }

  async run(generation) {
    while (!this.done) {
      const late = performance.now() + sliceTime;
      while (!this.done && performance.now() < late) this.look(this.recording.exchanges[this.next++]);
      this.found();
      await pause();
      if (generation !== this.generation) return;
    }
  }

  // take looks at an exchange that is new or has changed. If it is behind those that have
  // been looked at, its turn comes.
  take(x, isLast) {
    if (!this.pattern || x.found === this.generation) return;
    if (isLast && this.next === this.recording.exchanges.length - 1) this.next++;
    else if (!this.next || this.recording.exchanges[this.next - 1].n < x.n) return;
    this.look(x);
  }

  look(x) {
    if (x.found === this.generation || !this.isIn(x)) return;
    x.found = this.generation;
    let at = this.hits.length;
    while (at > 0 && this.hits[at - 1].n > x.n) at--;
    this.hits.splice(at, 0, x);
  }

  has(x) {
    return this.pattern !== null && x.found === this.generation;
  }

  isIn(x) {
    if (this.number) return x.lines.some((l) => l.n === this.number);
    return [x.method, x.update, x.says].some((text) => text !== undefined && this.pattern.test(text)) ||
      x.lines.some((l) => this.isInLine(this.recording.lines[l.n - 1]));
  }

  // isInLine looks at what is in front of the message, too, only if the text is
  // in the line: every line has the names of components there.
  isInLine(line) {
    if (this.isInText(line)) return this.isInText(line.replace(head, "{"));
    return /\\[u/]/.test(line) && this.isInText(plainly(line).replace(head, "{"));
  }

  isInText(text) {
    return this.pattern.test(text);
  }
}

// head is what a line says before the message.
const head = /^\s*\{("(type|ts|protocol|from|to)":("[^"\\]*"|[-+.\deE]+),?)*/;

// plainly returns a JSON text without those escapes that it can do without.
function plainly(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // nested too deeply
  }
}

// numberIn returns the number in a text such as #26, 0 if it is another text.
function numberIn(text) {
  const m = /^\s*#(\d{1,9})\s*$/.exec(text);
  return m ? Number(m[1]) : 0;
}

// patternOf returns what finds a text in JSON and in plain text, in whatever case it is
// written. White space finds any other, and quotation marks find those around strings too.
function patternOf(text) {
  const escaped = (part) => JSON.stringify(part).slice(1, -1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('\\\\"', '(?:\\\\)?"');
  return new RegExp(text.trim().split(/\s+/).map(escaped).join("(?:\\s|\\\\[nrt])+"), "i");
}
