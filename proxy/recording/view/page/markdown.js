// Markdown as a user sees it: paragraphs, lists, tables and so on. It becomes
// elements with text in them; markup in a text stays text. The text is an agent's:
// the work grows with its length only, and how deep things are in each other has a
// limit.
//
// A line is { text, at }, where at is its offset in the whole text, so that a part of
// the text can be marked wherever it is drawn.

const maxDepth = 10; // lists and quotes inside each other
const maxColumns = 60; // of a table

const headingLine = /^ {0,3}(#{1,6})(?:[ \t]+|$)/;
const ruleLine = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const markerLine = /^( {0,3})([-*+]|\d{1,9}[.)])(?=[ \t]|$)/;
const quoteLine = /^ {0,3}> ?/;
const taskMark = /^\[(.)\][ \t]+/u;

// markdownBlocks draws a text and returns the elements. spans are the parts of it that
// are marked, null for none.
function markdownBlocks(text, spans) {
  let at = 0;
  const lines = text.split("\n").map((whole) => {
    const line = detab({ text: whole.endsWith("\r") ? whole.slice(0, -1) : whole, at });
    at += whole.length + 1;
    return line;
  });
  const box = document.createDocumentFragment();
  new BlockReader(lines, box, 0, spans).read();
  return box;
}

// detab replaces the tabs that indent a line.
function detab(line) {
  const indent = /^ *\t[ \t]*/.exec(line.text);
  if (!indent) return line;
  let width = 0;
  for (const c of indent[0]) width += c === "\t" ? 4 - (width % 4) : 1;
  return { text: " ".repeat(width) + line.text.slice(indent[0].length), at: line.at + indent[0].length - width };
}

// fenceOf returns the fence that a line is, { fence, about }, null if it is none.
function fenceOf(text) {
  const found = /^ {0,3}(`+|~+)/.exec(text);
  if (!found || found[1].length < 3) return null;
  const about = text.slice(found[0].length);
  return found[1][0] === "`" && about.includes("`") ? null : { fence: found[1], about };
}

const blankLine = (line) => /^\s*$/.test(line.text);
const indentOf = (line) => line.text.length - line.text.trimStart().length;
const cutLine = (line, n) => ({ text: line.text.slice(n), at: line.at + n });

// startsBlock reports whether a line ends the paragraph above it.
function startsBlock(line) {
  const { text } = line;
  if (fenceOf(text) || headingLine.test(text) || isRule(text) || quoteLine.test(text)) return true;
  const marker = markerLine.exec(text);
  return marker !== null && text.length > marker[0].length && (!/\d/.test(marker[2]) || /^1[.)]$/.test(marker[2]));
}

function isRule(text) {
  return /^ {0,3}[*_-]/.test(text) && text.trimEnd().length < 200 && ruleLine.test(text.trimEnd());
}

class BlockReader {
  constructor(lines, box, depth, spans) {
    this.lines = lines;
    this.box = box;
    this.depth = depth;
    this.spans = spans;
    this.i = 0;
  }

  read() {
    while (this.i < this.lines.length) this.block();
  }

  // block draws the block that begins at the next line.
  block() {
    const line = this.lines[this.i];
    if (blankLine(line)) {
      this.i++;
      return;
    }
    if (indentOf(line) >= 4) this.indented();
    else if (fenceOf(line.text)) this.fenced(fenceOf(line.text));
    else if (headingLine.test(line.text)) this.heading(headingLine.exec(line.text));
    else if (isRule(line.text)) {
      this.i++;
      this.box.append(element("hr", {}));
    } else if (this.depth < maxDepth && quoteLine.test(line.text)) this.quote();
    else if (this.depth < maxDepth && markerLine.test(line.text)) this.list();
    else if (this.isTable()) this.table();
    else this.paragraph();
  }

  inside(lines, box) {
    new BlockReader(lines, box, this.depth + 1, this.spans).read();
    return box;
  }

  code(lines, language) {
    while (lines.length && blankLine(lines[lines.length - 1])) lines.pop();
    const code = element("code", { dir: "ltr" });
    lines.forEach((line, i) => {
      for (const [part, marked] of splitMarked(line.text + (i < lines.length - 1 ? "\n" : ""), line.at, this.spans)) {
        code.append(marked ? element("mark", {}, visible(part)) : visible(part));
      }
    });
    this.box.append(element("pre", {}, language ? element("span", { class: "language" }, visible(shorten(language, 40))) : null, code));
  }

  indented() {
    const lines = [];
    while (this.i < this.lines.length) {
      const line = this.lines[this.i];
      if (!blankLine(line) && indentOf(line) < 4) break;
      lines.push(cutLine(line, Math.min(4, line.text.length)));
      this.i++;
    }
    this.code(lines, "");
  }

  fenced({ fence, about }) {
    const indent = indentOf(this.lines[this.i]);
    const lines = [];
    for (this.i++; this.i < this.lines.length; this.i++) {
      const line = this.lines[this.i];
      const text = line.text.trim();
      if (text.length >= fence.length && indentOf(line) < 4 && text === fence[0].repeat(text.length)) {
        this.i++;
        break;
      }
      lines.push(cutLine(line, Math.min(indent, indentOf(line))));
    }
    this.code(lines, about.trim().split(/\s/, 1)[0]);
  }

  heading([start, marks]) {
    const line = cutLine(this.lines[this.i++], start.length);
    let end = line.text.trimEnd();
    let closing = end.length; // where the signs that may close it begin
    while (closing > 0 && end[closing - 1] === "#") closing--;
    if (closing === 0 || end[closing - 1] === " ") end = end.slice(0, closing).trimEnd();
    this.headingOf([{ text: end, at: line.at }], marks.length);
  }

  // A heading in a text is none of the page's.
  headingOf(lines, level) {
    this.inline(element("p", { class: "heading level" + level }), lines);
  }

  // inline draws lines of text into an element.
  inline(box, lines) {
    let at = 0;
    const spans = this.spans && [];
    for (const line of lines) {
      for (const [from, to] of this.spans || []) {
        const a = Math.max(from - line.at, 0), b = Math.min(to - line.at, line.text.length + 1);
        if (a < b) spans.push([at + a, at + b]);
      }
      at += line.text.length + 1;
    }
    this.box.append(drawInline(box, lines.map((l) => l.text).join("\n"), spans));
  }

  paragraph() {
    const lines = [];
    for (; this.i < this.lines.length; this.i++) {
      const line = this.lines[this.i];
      if (blankLine(line)) break;
      if (lines.length) {
        const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(line.text);
        if (under) {
          this.i++;
          this.headingOf(trimmed(lines), under[1][0] === "=" ? 1 : 2);
          return;
        }
        if (startsBlock(line) || this.isTable()) break;
      }
      lines.push(cutLine(line, indentOf(line)));
    }
    this.inline(element("p", {}), trimmed(lines));
  }

  quote() {
    const lines = [];
    for (; this.i < this.lines.length; this.i++) {
      const line = this.lines[this.i];
      const mark = quoteLine.exec(line.text);
      if (!mark && (blankLine(line) || !goesOn(lines, line))) break;
      lines.push(mark ? detab(cutLine(line, mark[0].length)) : line);
    }
    this.box.append(this.inside(lines, element("blockquote", {})));
  }

  // list draws a list whose items have the same kind of marker.
  list() {
    const [, , first] = markerLine.exec(this.lines[this.i].text);
    const kind = first[first.length - 1];
    const ordered = /\d/.test(first);
    const list = element(ordered ? "ol" : "ul", { start: ordered && Number(first.slice(0, -1)) !== 1 ? Number(first.slice(0, -1)) : undefined });
    while (this.i < this.lines.length) {
      const marker = indentOf(this.lines[this.i]) < 4 && !isRule(this.lines[this.i].text) && markerLine.exec(this.lines[this.i].text);
      if (!marker || !marker[2].endsWith(kind) || /\d/.test(marker[2]) !== ordered) break;
      list.append(this.item(marker[0].length));
    }
    this.box.append(list);
  }

  // item draws an item, whose marker has a width.
  item(width) {
    const rest = cutLine(this.lines[this.i++], width);
    const blanks = indentOf(rest);
    const indent = width + (blanks >= 1 && blanks <= 4 && !blankLine(rest) ? blanks : 1);
    const lines = [cutLine(rest, Math.min(indent - width, rest.text.length))];
    let end = 1; // without the blank lines behind it
    for (let i = this.i; i < this.lines.length; i++) {
      const line = this.lines[i];
      const blank = blankLine(line);
      if (!blank && indentOf(line) < indent && !goesOn(lines, line)) break;
      if (blank && lines.length === 1 && blankLine(lines[0])) break;
      lines.push(cutLine(line, Math.min(indent, indentOf(line))));
      if (!blank) end = lines.length;
    }
    this.i += end - 1;
    while (this.i < this.lines.length && blankLine(this.lines[this.i])) this.i++;
    return this.drawItem(lines.slice(0, end));
  }

  drawItem(lines) {
    const task = taskMark.exec(lines[0].text);
    if (!task) return this.inside(lines, element("li", {}));
    const status = /x/i.test(task[1]) ? "completed" : /[-~/>]/.test(task[1]) ? "in_progress" : "pending";
    lines[0] = cutLine(lines[0], task[0].length);
    const item = element("li", { class: "task " + status }, icon(status), element("span", { class: "spoken" }, statusNames[status] + ": "));
    item.append(this.inside(lines, element("div", {})));
    return item;
  }

  // isTable reports whether the next line is the head of a table.
  isTable() {
    const head = this.lines[this.i], under = this.lines[this.i + 1];
    if (!under || !head.text.includes("|") || !/^[ \t:|-]+$/.test(under.text) || !under.text.includes("-")) return false;
    const sides = cellsOf(under);
    return sides.length === cellsOf(head).length && sides.length <= maxColumns && sides.every((c) => /^:?-+:?$/.test(c.text));
  }

  table() {
    const head = cellsOf(this.lines[this.i]);
    const sides = cellsOf(this.lines[this.i + 1]).map((c) => (c.text.endsWith(":") ? (c.text.startsWith(":") ? "center" : "end") : ""));
    const table = element("table", {}, element("thead", {}, this.row(head, sides, "th")));
    const body = element("tbody", {});
    for (this.i += 2; this.i < this.lines.length; this.i++) {
      const line = this.lines[this.i];
      if (blankLine(line) || startsBlock(line)) break;
      body.append(this.row(cellsOf(line).slice(0, head.length), sides, "td"));
    }
    table.append(body);
    this.box.append(element("div", { class: "table", tabindex: 0, role: "group", "aria-label": "table" }, table));
  }

  row(cells, sides, tag) {
    const row = element("tr", {});
    const inner = new BlockReader([], row, this.depth, this.spans);
    cells.forEach((cell, i) => inner.inline(element(tag, { class: sides[i] || undefined }), [cell]));
    if (cells.length < sides.length) row.append(element(tag, { colspan: sides.length - cells.length }));
    return row;
  }
}

// goesOn reports whether a line goes on with the paragraph that the lines above end
// with, though it is not indented as they are.
function goesOn(lines, line) {
  const last = lines[lines.length - 1];
  if (!last || blankLine(last) || startsBlock(line) || markerLine.test(line.text)) return false;
  return !fenceOf(last.text) && !headingLine.test(last.text) && !isRule(last.text) && indentOf(last) < 4;
}

function trimmed(lines) {
  const last = lines[lines.length - 1];
  return [...lines.slice(0, -1), { text: last.text.trimEnd(), at: last.at }];
}

// cellsOf cuts a row of a table into cells.
function cellsOf(line) {
  const cells = [];
  let { text, at } = line;
  const indent = indentOf(line) + (text.trimStart().startsWith("|") ? 1 : 0);
  text = text.slice(indent).trimEnd();
  at += indent;
  let from = 0;
  const cut = (to) => {
    const part = text.slice(from, to);
    const start = part.length - part.trimStart().length;
    // A pipe in a cell has a backslash, also in code.
    cells.push({ text: part.trim().replace(/\\\|/g, "|"), at: at + from + start });
    from = to + 1;
  };
  for (let i = 0; i < text.length && cells.length <= maxColumns; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "|") cut(i);
  }
  if (from < text.length) cut(text.length);
  return cells;
}
