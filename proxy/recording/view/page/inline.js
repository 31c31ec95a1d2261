// What markdown says inside a paragraph, a heading or a cell. The text is read once
// from left to right into pieces, and the pieces are drawn in a second pass. The
// work of both grows with the length of the text only, whatever the text is: an
// agent's text is not to be trusted.

const maxTarget = 2000; // characters of a link's address, or of its title
const maxNested = 12; // elements inside each other; deeper ones are left out

const entities = {
  amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…", ndash: "–", mdash: "—",
  lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•", middot: "·", times: "×", deg: "°", euro: "€",
  larr: "←", rarr: "→", uarr: "↑", darr: "↓", harr: "↔", check: "✓", cross: "✗", le: "≤", ge: "≥", ne: "≠",
};

// A piece is one of these, at an offset of the text:
//   { at, text }            text; code if it is a code span
//   { at, text, run }       a run of *, _ or ~; opens and closes are what it turned out to be
//   { at, text, link }      a bracket; if it begins a link, link is its address and closed is set
//   { at, end }             the end of the link that the piece end begins
//   { at, br: true }        a hard line break
class InlineReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.from = 0; // of the text that is not in a piece yet
    this.pieces = [];
    this.runs = []; // that may still open something
    this.brackets = []; // that may still begin a link
    this.dead = 0; // brackets below this offset cannot: a link has no link inside
    this.floors = new Map(); // below which no run opens what was looked for
    this.ticks = null; // where runs of backticks are, by their length
  }

  read() {
    const special = /[\\`*_~[\]!<&\n]/g;
    while (this.at < this.text.length) {
      special.lastIndex = this.at;
      const found = special.exec(this.text);
      if (!found) break;
      this.at = found.index;
      if (!this.special(found[0])) this.at++; // it means itself
    }
    this.at = this.text.length;
    this.flush();
    this.pair(0);
    return this.pieces;
  }

  // flush makes a piece of the text up to here.
  flush() {
    if (this.at > this.from) this.pieces.push({ at: this.from, text: this.text.slice(this.from, this.at) });
    this.from = this.at;
  }

  // put makes a piece of what is next, and goes behind it.
  put(piece, length) {
    this.flush();
    piece.at = this.at;
    this.pieces.push(piece);
    this.at = this.from = this.at + length;
    return true;
  }

  special(c) {
    switch (c) {
      case "\\": return this.escape();
      case "`": return this.code();
      case "&": return this.entity();
      case "<": return this.autolink();
      case "\n": return this.lineEnd();
      case "!": return this.text[this.at + 1] === "[" && this.bracket("![");
      case "[": return this.bracket("[");
      case "]": return this.closeBracket();
    }
    return this.run(c);
  }

  escape() {
    const next = this.text[this.at + 1];
    if (next === "\n") return this.put({ br: true }, 2);
    if (!next || !/[!-/:-@[-`{-~]/.test(next)) return false;
    return this.put({ text: next }, 2);
  }

  lineEnd() {
    let end = this.at;
    while (end > this.from && this.text[end - 1] === " ") end--;
    const blanks = this.at - end;
    if (blanks < 2) return false;
    this.at = end;
    return this.put({ br: true }, blanks + 1);
  }

  // code reads a code span: what is between two runs of as many backticks.
  code() {
    this.ticks ??= this.findTicks();
    let length = 1;
    while (this.text[this.at + length] === "`") length++;
    const runs = this.ticks.get(length) || []; // not there: a backslash took the first one
    while (runs.length && runs[runs.length - 1] <= this.at) runs.pop();
    const end = runs[runs.length - 1];
    if (end === undefined) return this.put({ text: "`".repeat(length) }, length);
    const text = this.text.slice(this.at + length, end).replace(/\n/g, " ");
    const padded = text.startsWith(" ") && text.endsWith(" ") && text.trim() !== "";
    return this.put({ text: padded ? text.slice(1, -1) : text, code: true }, end + length - this.at);
  }

  // findTicks returns where runs of backticks are, the last one first.
  findTicks() {
    const ticks = new Map();
    for (const run of this.text.matchAll(/`+/g)) {
      const length = run[0].length;
      if (!ticks.has(length)) ticks.set(length, []);
      ticks.get(length).push(run.index);
    }
    for (const at of ticks.values()) at.reverse();
    return ticks;
  }

  // entity reads a character by its name or number. A name that is not known is left
  // as it is.
  entity() {
    const found = /^&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/.exec(this.text.slice(this.at, this.at + 12));
    if (!found) return false;
    const [whole, decimal, hex, name] = found;
    if (name) return Object.hasOwn(entities, name) && this.put({ text: entities[name] }, whole.length);
    const code = decimal ? Number(decimal) : parseInt(hex, 16);
    const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return this.put({ text: valid ? String.fromCodePoint(code) : "\ufffd" }, whole.length);
  }

  // autolink reads an address between < and >.
  autolink() {
    const found = /^<([a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*|[\w.+-]{1,64}@[\w.-]{1,255})>/.exec(this.text.slice(this.at, this.at + maxTarget));
    return found !== null && this.put({ text: found[1], address: true }, found[0].length);
  }

  bracket(text) {
    const piece = { text, image: text === "![" };
    this.put(piece, text.length);
    this.brackets.push({ piece, runs: this.runs.length });
    return true;
  }

  // closeBracket ends the link that the last bracket begins, if an address follows.
  closeBracket() {
    const open = this.brackets.pop();
    if (!open) return false;
    if (!open.piece.image && open.piece.at < this.dead) return false;
    if (this.text[this.at + 1] !== "(") return false;
    const target = this.target(this.at + 2);
    if (!target) return false;
    open.piece.link = target.address;
    open.piece.text = "";
    if (!open.piece.image) this.dead = open.piece.at;
    this.flush();
    this.pair(open.runs);
    return this.put({ end: open.piece }, target.end - this.at);
  }

  // target reads the address and the title of a link, from behind the parenthesis.
  target(at) {
    const blanks = () => {
      while (at < this.text.length && " \t\n".includes(this.text[at])) at++;
    };
    blanks();
    let address;
    if (this.text[at] === "<") {
      const found = /^<([^<>\n]*)>/.exec(this.text.slice(at, at + maxTarget));
      if (!found) return null;
      address = found[1];
      at += found[0].length;
    } else {
      const end = this.addressEnd(at);
      if (end < 0) return null;
      address = this.text.slice(at, end);
      at = end;
    }
    blanks();
    const quote = { "\"": "\"", "'": "'", "(": ")" }[this.text[at]];
    if (quote) {
      const end = this.text.slice(at + 1, at + maxTarget).indexOf(quote);
      if (end < 0) return null;
      at += end + 2;
      blanks();
    }
    return this.text[at] === ")" ? { address, end: at + 1 } : null;
  }

  // addressEnd returns where an address without <> ends, -1 if it is none. Parentheses
  // in it are in pairs.
  addressEnd(at) {
    let depth = 0;
    for (let i = at; i < at + maxTarget && i < this.text.length; i++) {
      const c = this.text[i];
      if (c === " " || c === "\n" || c === "\t") return depth ? -1 : i;
      if (c === "<") return -1;
      if (c === "(" && ++depth > 5) return -1;
      if (c === ")" && depth-- === 0) return i;
    }
    return -1;
  }

  // run reads a run of *, _ or ~, which may open or close emphasis.
  run(c) {
    let length = 1;
    while (this.text[this.at + length] === c) length++;
    const before = this.text[this.at - 1] ?? " ", after = this.text[this.at + length] ?? " ";
    const blank = /\s/, punctuation = /[\p{P}\p{S}]/u;
    const left = !blank.test(after) && (!punctuation.test(after) || blank.test(before) || punctuation.test(before));
    const right = !blank.test(before) && (!punctuation.test(before) || blank.test(after) || punctuation.test(after));
    const piece = {
      text: c.repeat(length), run: c, length, left: length, opens: [], closes: [],
      canOpen: c === "_" ? left && (!right || punctuation.test(before)) : left,
      canClose: c === "_" ? right && (!left || punctuation.test(after)) : right,
    };
    if (c === "~" && length > 2) piece.canOpen = piece.canClose = false;
    this.put(piece, length);
    if (piece.canOpen || piece.canClose) this.runs.push(piece);
    return true;
  }

  // pair finds out which runs from an index on open and close emphasis.
  pair(bottom) {
    const waiting = this.runs.splice(bottom);
    const open = [];
    this.floors.clear();
    for (const run of waiting) {
      if (run.canClose) this.close(run, open);
      if (run.canOpen && run.left) open.push(run);
    }
  }

  // close has a run close what runs in open have opened.
  close(run, open) {
    while (run.left) {
      const kind = run.run + run.canOpen + (run.run === "~" ? run.length : run.length % 3);
      const floor = this.floors.get(kind) ?? 0;
      let at = open.length - 1;
      while (at >= floor && !matches(open[at], run)) at--;
      if (at < floor) {
        this.floors.set(kind, open.length);
        return;
      }
      const opener = open[at];
      const size = run.run === "~" ? run.left : Math.min(2, run.left, opener.left);
      const tag = run.run === "~" ? "del" : size === 2 ? "strong" : "em";
      opener.opens.push(tag);
      run.closes.push(tag);
      opener.left -= size;
      run.left -= size;
      open.length = opener.left ? at + 1 : at;
      for (const [k, f] of this.floors) this.floors.set(k, Math.min(f, open.length));
    }
  }
}

// matches reports whether a run closes what another one opens.
function matches(opener, closer) {
  if (opener.run !== closer.run) return false;
  if (opener.run === "~") return opener.length === closer.length;
  const both = opener.canClose || closer.canOpen;
  return !(both && (opener.length + closer.length) % 3 === 0 && (opener.length % 3 || closer.length % 3));
}

// drawInline draws a text into an element. spans are the parts of the text that are
// marked, null for none.
function drawInline(box, text, spans) {
  const open = [box];
  const top = () => open[open.length - 1];
  const begin = (tag, attributes) => {
    const inner = open.length > maxNested ? top() : element(tag, attributes);
    if (inner !== top()) top().append(inner);
    open.push(inner);
  };
  const write = (at, text, tag) => {
    for (const [part, marked] of splitMarked(text, at, spans)) {
      const shown = marked ? element("mark", {}, visible(part)) : visible(part);
      top().append(tag ? element(tag, {}, shown) : shown);
    }
  };
  for (const piece of new InlineReader(text).read()) {
    if (piece.br) top().append(element("br", {}));
    else if (piece.end) endLink(piece.end, open);
    else if (piece.link !== undefined) begin("span", { class: piece.image ? "image" : "link" });
    else if (piece.run) {
      for (let i = 0; i < piece.closes.length; i++) open.pop();
      write(piece.at, piece.text.slice(0, piece.left));
      for (const tag of piece.opens.reverse()) begin(tag, {});
    } else if (piece.address) {
      top().append(element("span", { class: "link" }, visible(piece.text)));
    } else {
      write(piece.at, piece.text, piece.code ? "code" : "");
    }
  }
  // Not earlier: each element that is added to one whose direction depends on its text
  // would have the browser look for the first letter again.
  box.setAttribute("dir", "auto");
  return box;
}

// endLink ends a link, and says where it leads. Nothing on the page leads there: an
// agent could have a reader open an address, and tell by it who reads the recording
// and when. The page loads no picture either, so that one is its description.
function endLink(piece, open) {
  const link = open.pop();
  const address = piece.link.trim();
  if (piece.image || !address || link === open[open.length - 1] || link.textContent === visible(address)) return;
  open[open.length - 1].append(element("span", { class: "address" }, " (" + visible(shorten(address, 200)) + ")"));
}
