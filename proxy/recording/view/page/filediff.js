// The differences of files as an editor shows them, with unchanged lines folded.
//
// A difference is { path, oldPath, operation, rows, added, removed }: operation is "modify",
// "add", and so on; added and removed are numbers of lines, undefined if rows is null. A row is
// { kind, text, oldLine, newLine }: kind is "old", "new", "" for an unchanged line, or "skip" for
// lines that a patch omits; oldLine and newLine are line numbers, 0 if they are unknown. foldUnchanged
// adds rows of the kind "fold".

const contextLines = 3; // unchanged lines around a change that are not folded
const maxDiffRows = 400; // rows of a difference that are drawn before the user asks for more
const maxFiles = 50; // files of a patch that are read; the JSON of the message, below, has all

// textDiff returns the difference between two states of a part of a file; line is its first line,
// 0 if unknown. The rows are null if the texts are too large.
function textDiff(path, before, after, line) {
  const diff = { path, oldPath: "", operation: before === undefined || before === null ? "add" : "modify", rows: null, added: 0, removed: 0 };
  const oldLines = splitLines(asText(before ?? "")), newLines = splitLines(asText(after ?? "")), firstLine = diff.operation === "add" ? 1 : line;
  const lineNumber = (i) => (firstLine && i !== undefined ? firstLine + i : 0);
  const kindOf = (i, j) => (j === undefined ? "old" : i === undefined ? "new" : "");
  diff.rows = align(oldLines, newLines)?.map(([i, j]) => ({ kind: kindOf(i, j), text: oldLines[i] ?? newLines[j], oldLine: lineNumber(i), newLine: lineNumber(j) })) || null;
  return countChanges(diff);
}

function countChanges(diff) {
  diff.added = diff.rows?.filter((r) => r.kind === "new").length;
  diff.removed = diff.rows?.filter((r) => r.kind === "old").length;
  return diff;
}

function splitLines(text) {
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// patchDiffs returns the differences in a git patch, or in the hunks of a single file. It reads at
// most maxFiles files.
function patchDiffs(patch) {
  const diffs = [];
  let diff = null, oldCount = 0, newCount = 0; // the remaining old and new lines of the hunk
  let oldLine = 0, newLine = 0; // the numbers of the next lines
  const begin = () => diffs.push((diff = { path: "", oldPath: "", operation: "modify", rows: [], added: 0, removed: 0 }));
  for (const line of splitLines(patch)) {
    if (oldCount > 0 || newCount > 0) {
      const kind = { "-": "old", "+": "new", " ": "", "\\": "note" }[line[0] ?? " "];
      if (kind === "note") continue; // no newline at the end of the file
      if (kind !== undefined) {
        diff.rows.push({ kind, text: line.slice(1), oldLine: kind === "new" ? 0 : oldLine++, newLine: kind === "old" ? 0 : newLine++ });
        if (kind !== "new") oldCount--;
        if (kind !== "old") newCount--;
        continue;
      }
      oldCount = newCount = 0;
    }
    const hunk = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/s.exec(line);
    if (hunk) {
      if (!diff) begin();
      [oldLine, oldCount, newLine, newCount] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3]), Number(hunk[4] ?? 1)];
      if (diff.rows.length || oldLine > 1) diff.rows.push({ kind: "skip", text: hunk[5], oldLine, newLine });
    } else if (line.startsWith("diff --git ") || (line.startsWith("--- ") && (!diff || diff.rows.length))) {
      if (diffs.length >= maxFiles) break;
      begin();
      readHeader(diff, line);
    } else if (diff) {
      readHeader(diff, line);
    }
  }
  return diffs.map(countChanges);
}

// readHeader reads a line above the hunks of a file.
function readHeader(diff, line) {
  const [, key, name] = /^(diff --git|---|\+\+\+|rename from|rename to|copy from|copy to|new file|deleted file)(?: (.*))?$/s.exec(line) || [];
  switch (key) {
    case "diff --git": diff.path = commonPath(asText(name)); break;
    case "---":
      if (name !== "/dev/null") diff.path ||= withoutPrefix(patchName(name));
      else diff.operation = "add";
      break;
    case "+++":
      if (name !== "/dev/null") diff.path = withoutPrefix(patchName(name));
      else diff.operation = "delete";
      break;
    case "rename from": case "copy from": diff.oldPath = patchName(name); break;
    case "rename to": diff.path = patchName(name); diff.operation = "move"; break;
    case "copy to": diff.path = patchName(name); diff.operation = "copy"; break;
    case "new file": diff.operation = "add"; break;
    case "deleted file": diff.operation = "delete"; break;
  }
}

// commonPath returns the path in both names of a line "diff --git", "" if they differ. For a file
// without hunks, this line is the only one with its name. Names may contain blanks, so only their
// equal lengths separate them.
function commonPath(names) {
  const middle = names.length >> 1, path = withoutPrefix(patchName(names.slice(middle + 1)));
  return withoutPrefix(patchName(names.slice(0, middle))) === path ? path : "";
}

// withoutPrefix returns a name without the prefix a/ or b/ of git.
const withoutPrefix = (name) => name.replace(/^[ab]\/(?!\/)/, "");

// patchName returns a file name in a patch without a tab and what follows it, and without the quotes and
// escapes of git.
function patchName(text) {
  const name = asText(text).replace(/\t.*$/s, "");
  if (!/^".*"$/s.test(name)) return name;
  const escapes = { a: "%07", b: "%08", t: "%09", n: "%0A", v: "%0B", f: "%0C", r: "%0D" };
  const encode = (c, escape) => !escape ? encodeURIComponent(c) : escape.length === 1 ? escapes[escape] ?? encodeURIComponent(escape) :
    "%" + parseInt(escape, 8).toString(16).padStart(2, "0");
  try {
    return decodeURIComponent(name.slice(1, -1).replace(/\\([0-3][0-7]{2}|.)|[^]/gsu, encode));
  } catch {
    return name; // not UTF-8, or half a character
  }
}

// The names of operations on the page; "modify" has none.
const operationNames = { add: "new", delete: "deleted", move: "moved", copy: "copied" };

// drawDiff draws a difference.
function drawDiff(diff) {
  const card = element("div", { class: "diff" }, diffHead(diff));
  if (!diff.rows) card.append(element("p", { class: "empty" }, "The texts before and after the change are too large to be compared line by line."));
  else if (diff.rows.length) card.append(diffBody(diff));
  return card;
}

function diffHead(diff) {
  const head = element("div", { class: "diff-file" }, drawPath(diff.path || "a file without a name"));
  if (diff.oldPath && diff.oldPath !== diff.path) head.append(element("span", { class: "old-path" }, "was ", drawPath(diff.oldPath)));
  if (Object.hasOwn(operationNames, diff.operation)) head.append(element("span", { class: "tag" }, operationNames[diff.operation]));
  else if (diff.operation !== "modify") head.append(element("span", { class: "tag nonstandard" }, printable(shorten(diff.operation, 30))));
  if (diff.rows && (diff.added || diff.removed)) {
    head.append(element("span", { class: "counts" },
      element("span", { class: "plus" }, "+" + diff.added.toLocaleString("en")), " ", element("span", { class: "minus" }, "−" + diff.removed.toLocaleString("en")),
      element("span", { class: "spoken" }, " lines")));
  }
  return head;
}

// drawPath draws a path, with the base name apart from the folders.
function drawPath(path) {
  const text = printable(shorten(path, 300));
  const baseStart = Math.max(text.lastIndexOf("/"), text.lastIndexOf("\\")) + 1;
  return element("bdi", { class: "path", title: text }, element("span", { class: "folder" }, text.slice(0, baseStart)), element("span", { class: "base" }, text.slice(baseStart)));
}

function diffBody(diff) {
  const body = element("div", { class: "lines" + (diff.rows.some((r) => r.oldLine || r.newLine) ? " numbered" : ""), tabindex: 0, role: "group", "aria-label": "difference" });
  const add = (rows) => {
    body.append(drawDiffRows(rows.slice(0, maxDiffRows)));
    const rest = rows.slice(maxDiffRows);
    if (rest.length) body.append(moreButton(formatCount(rest.reduce((n, r) => n + (r.rows?.length ?? 1), 0), "more line"), () => add(rest)));
  };
  add(foldUnchanged(diff.rows));
  return body;
}

// foldUnchanged replaces unchanged rows that are not near a change with a row
// { kind: "fold", rows }.
function foldUnchanged(rows) {
  const parts = [];
  for (let i = 0, end; i < rows.length; i = end) {
    const isUnchanged = rows[i].kind === "";
    for (end = i; end < rows.length && (rows[end].kind === "") === isUnchanged; ) end++;
    const from = i === 0 ? 0 : i + contextLines, to = end === rows.length ? end : end - contextLines;
    if (isUnchanged && to - from > 1) parts.push(rows.slice(i, from), { kind: "fold", rows: rows.slice(from, to) }, rows.slice(to, end));
    else parts.push(rows.slice(i, end));
  }
  return parts.flat();
}

// drawDiffRows draws rows. In similar old and new lines it marks the changed words.
function drawDiffRows(rows) {
  const box = document.createDocumentFragment();
  for (let i = 0; i < rows.length; ) {
    const olds = rowsOfKind(rows, i, "old"), news = rowsOfKind(rows, i + olds.length, "new");
    if (!olds.length && !news.length) box.append(drawDiffRow(rows[i++], null));
    const spans = olds.map((row, k) => (olds.length === news.length ? similarSpans(row.text, news[k].text) : [null, null]));
    olds.forEach((row, k) => box.append(drawDiffRow(row, spans[k][0])));
    news.forEach((row, k) => box.append(drawDiffRow(row, spans[k] ? spans[k][1] : null)));
    i += olds.length + news.length;
  }
  return box;
}

function rowsOfKind(rows, from, kind) {
  let end = from;
  while (end < rows.length && rows[end].kind === kind) end++;
  return rows.slice(from, end);
}

// similarSpans returns the changedSpans of two lines, null for both if they are not similar.
function similarSpans(before, after) {
  if (before.length + after.length > 2 * maxComparedLength) return [null, null];
  return similarity(words(before), words(after)) >= 0.4 ? changedSpans(before, after) : [null, null];
}

function drawDiffRow(row, spans) {
  if (row.kind === "fold") return button("⋯ " + formatCount(row.rows.length, "unchanged line"), { class: "fold" }, (b) => b.replaceWith(drawDiffRows(row.rows)));
  if (row.kind === "skip") {
    return element("div", { class: "skip" }, "⋯ line " + row.newLine.toLocaleString("en"), row.text ? element("bdi", {}, " " + printable(shorten(row.text, 200))) : null);
  }
  const tag = { old: "del", new: "ins" }[row.kind] || "div";
  const line = element(tag, { class: "text " + row.kind });
  if (row.oldLine || row.newLine) line.dataset.line = row.kind === "old" ? row.oldLine : row.newLine;
  const text = shorten(row.text.replace(/\r$/, ""), maxTextLength);
  for (const [part, isMarked] of splitMarked(text, 0, spans)) line.append(isMarked ? element("mark", {}, printable(part)) : printable(part));
  return line;
}
