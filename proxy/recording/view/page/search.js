// A Search searches all exchanges for a text, some of them at a time, including those that the filter
// hides. An exchange that contains the text is a hit.
class Search {
  // onProgress() is called when the hits may have changed.
  constructor(recording, onProgress) {
    this.recording = recording;
    this.onProgress = onProgress;
    this.generation = 1; // the number of the search; a hit has it as its hitGeneration
    this.clear();
  }

  clear() {
    this.text = "";
    this.lineNumber = 0; // the number of a line if the text is one, such as #26
    this.generation++;
    this.hits = []; // in order
    this.nextIndex = 0; // the index of the first exchange that is not examined yet
    this.pattern = null; // matches words; null without a search
    this.words = ""; // the text without the conditions
    this.conditions = []; // predicates: method:, id:, < and >
    this.highlightPattern = null; // finds all matches of pattern; null without words
    this.chunkEnds = new Map(); // by run: { n, text }, the latest examined chunk and the end of the text up to it
  }

  // start starts the search for another text.
  start(text) {
    this.clear();
    this.text = text;
    if (!text.trim()) return this.onProgress();
    this.lineNumber = Number(/^\s*#(\d{1,9})\s*$/.exec(text)?.[1] || 0);
    const { words, conditions } = parseSearch(text);
    Object.assign(this, { words, conditions, pattern: searchPattern(words) });
    this.highlightPattern = words && !this.lineNumber ? new RegExp(this.pattern, "gi") : null;
    this.examineAll(this.generation);
  }

  // isDone reports whether the search has examined all exchanges.
  get isDone() {
    return !this.pattern || this.nextIndex >= this.recording.exchanges.length;
  }

  async examineAll(generation) {
    while (!this.isDone) {
      const deadline = performance.now() + sliceTime;
      while (!this.isDone && performance.now() < deadline) this.examine(this.recording.exchanges[this.nextIndex++]);
      this.onProgress();
      await yieldToBrowser();
      if (generation !== this.generation) return;
    }
  }

  // addExchange examines an exchange that is new or has changed, unless examineAll will examine it.
  // isLast reports whether it is the last exchange of the recording.
  addExchange(exchange, isLast) {
    if (!this.pattern || exchange.hitGeneration === this.generation) return;
    if (isLast && this.nextIndex === this.recording.exchanges.length - 1) this.nextIndex++;
    else if (!this.nextIndex || this.recording.exchanges[this.nextIndex - 1].n < exchange.n) return;
    this.examine(exchange);
  }

  // examine adds an exchange to the hits if it contains the text and satisfies the conditions.
  examine(exchange) {
    if (exchange.hitGeneration === this.generation || !this.conditions.every((condition) => condition(this.recording, exchange))) return;
    const endsInChunk = this.addChunk(exchange);
    if (!endsInChunk && !this.matches(exchange)) return;
    exchange.hitGeneration = this.generation;
    this.hits.splice(this.hits.findLastIndex((hit) => hit.n < exchange.n) + 1, 0, exchange);
  }

  isHit(exchange) {
    return this.pattern !== null && exchange.hitGeneration === this.generation;
  }

  matches(exchange) {
    if (this.lineNumber) return exchange.lines.some((l) => l.n === this.lineNumber);
    return [exchange.method, exchange.update, exchange.says].some((text) => text !== undefined && this.pattern.test(text)) ||
      exchange.lines.some((l) => this.matchesLine(this.recording.fileLines[l.n - 1]));
  }

  // addChunk adds an exchange to the chunks of its message, if it is a chunk. It reports whether the
  // searched text begins in earlier chunks and ends in this one. It keeps the end of the message so far:
  // one character less than the searched words, so that the end never matches alone.
  addChunk(exchange) {
    if (!isChunk(exchange) || this.lineNumber) return false;
    const before = this.chunkEnds.get(exchange.run) || { n: 0, text: "" };
    if (exchange.n <= before.n) return false;
    const chunk = blockText(get(updateOf(this.recording.event(exchange.lines[0].n)), "content"));
    const text = (before.text + chunk).replace(/\s+/g, " ");
    const keptLength = this.words.replace(/\s+/g, " ").length - 1;
    this.chunkEnds.set(exchange.run, { n: exchange.n, text: keptLength > 0 ? text.slice(-keptLength) : "" });
    return before.text !== "" && this.pattern.test(JSON.stringify(text).slice(1, -1));
  }

  // matchesLine reports whether the message in a line contains the text. The members of the event in
  // front of the message do not count, because each event names components. Removing them is slower
  // than searching, so only lines that match with them are searched again without them. An unnecessary
  // escape counts as its character.
  matchesLine(line) {
    if (this.pattern.test(line)) return this.pattern.test(line.replace(eventStart, "{"));
    return /\\[u/]/.test(line) && this.pattern.test(withoutEscapes(line).replace(eventStart, "{"));
  }
}

// eventStart matches the members of an event in front of its message.
const eventStart = /^\s*\{("(type|ts|protocol|from|to)":("[^"\\]*"|[-+.\deE]+),?)*/;

// withoutEscapes returns a JSON text without unnecessary escapes.
function withoutEscapes(text) {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text; // nested too deeply
  }
}

// parseSearch separates the conditions in the text of a search from its words. Conditions are
// method:prompt, id:7, and >1s for the response time.
function parseSearch(text) {
  const conditions = [];
  const words = text.replace(/(?<=^|\s)(?:(method|id):(\S+)|([<>])(\d+(?:\.\d+)?)(ms|s|m)?)(?=\s|$)/gi, (_, name, value, comparison, amount, unit) => {
    const lower = value?.toLowerCase(), seconds = Number(amount) * ({ ms: 0.001, m: 60 }[unit?.toLowerCase()] || 1);
    conditions.push({
      method: (recording, exchange) => [exchange.method, exchange.update].some((m) => m?.toLowerCase().includes(lower)),
      id: (recording, exchange) => exchange.type !== "notification" && exchange.lines.some((l) => [value, JSON.stringify(value)].includes(member(recording.fileLines[l.n - 1], "id"))),
      ">": (recording, exchange) => exchange.took > seconds,
      "<": (recording, exchange) => exchange.took < seconds,
    }[name?.toLowerCase() || comparison]);
    return "";
  }).trim();
  return { words, conditions };
}

// searchPattern returns the pattern that finds a text in JSON and in plain text, regardless of
// case. White space matches any white space, and a quotation mark those around strings, too.
function searchPattern(text) {
  const escapePart = (part) => JSON.stringify(part).slice(1, -1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll('\\\\"', '(?:\\\\)?"');
  return new RegExp(text.trim().split(/\s+/).map(escapePart).join("(?:\\s|\\\\[nrt])+"), "i");
}
