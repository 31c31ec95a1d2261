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
    this.conditions = [];
    this.everywhere = null; // the pattern, to be marked
    this.ends = new Map(); // how the messages that come in chunks end so far, by run
  }

  // begin looks for another text.
  begin(text) {
    this.clear();
    this.text = text;
    if (!text.trim()) return this.found();
    this.number = numberIn(text);
    const { words, conditions } = readWords(text);
    Object.assign(this, { words, conditions, pattern: patternOf(words) });
    this.everywhere = words && !this.number ? new RegExp(this.pattern, "gi") : null;
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
    if (x.found === this.generation || !this.conditions.every((has) => has(this.recording, x))) return;
    const joins = this.joins(x); // also if it is in the chunk alone: the next one may go on
    if (!joins && !this.isIn(x)) return;
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

  // joins reports whether the text is in what a chunk says and the end of the chunks
  // before it. That end is too short to have the text in it alone.
  joins(x) {
    if (!isChunk(x) || this.number) return false;
    const before = this.ends.get(x.run) || { n: 0, text: "" };
    if (x.n <= before.n) return false;
    const says = blockText(get(updateOf(this.recording.event(x.lines[0].n)), "content"));
    const text = (before.text + says).replace(/\s+/g, " ");
    const kept = this.words.replace(/\s+/g, " ").length - 1;
    this.ends.set(x.run, { n: x.n, text: kept > 0 ? text.slice(-kept) : "" });
    return before.text !== "" && this.isInText(JSON.stringify(text));
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

// head matches the members before the message in a line.
const head = /^\s*\{("(type|ts|protocol|from|to)":("[^"\\]*"|[-+.\deE]+),?)*/;

// plainly returns a JSON text without those escapes that it can do without.
function plainly(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // nested too deeply
  }
}

// readWords extracts the conditions from a search: method:prompt, id:7, and >1s for the
// response time.
function readWords(text) {
  const conditions = [];
  const words = text.replace(/(?<=^|\s)(?:(method|id):(\S+)|([<>])(\d+(?:\.\d+)?)(ms|s|m)?)(?=\s|$)/gi, (_, name, value, than, n, unit) => {
    const lower = value?.toLowerCase(), seconds = Number(n) * ({ ms: 0.001, m: 60 }[unit] || 1);
    conditions.push({
      method: (recording, x) => [x.method, x.update].some((m) => m?.toLowerCase().includes(lower)),
      id: (recording, x) => x.type !== "notification" && x.lines.some((l) => [value, JSON.stringify(value)].includes(member(recording.lines[l.n - 1], "id"))),
      ">": (recording, x) => x.took > seconds,
      "<": (recording, x) => x.took < seconds,
    }[name?.toLowerCase() || than]);
    return "";
  }).trim();
  return { words, conditions };
}

// numberIn returns the number in a text such as #26, 0 if it is another text.
function numberIn(text) {
  const m = /^\s*#(\d{1,9})\s*$/.exec(text);
  return m ? Number(m[1]) : 0;
}

// patternOf returns the pattern for a text in JSON and in plain text, in either case. White
// space matches any white space, and a quotation mark also those around strings.
function patternOf(text) {
  const escaped = (part) => JSON.stringify(part).slice(1, -1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('\\\\"', '(?:\\\\)?"');
  return new RegExp(text.trim().split(/\s+/).map(escaped).join("(?:\\s|\\\\[nrt])+"), "i");
}
