// Differences of files as an editor shows them: with the file's name, the numbers of
// lines, how much changed, and what did not change folded.
//
// A difference is { path, was, what, rows, added, removed }. was is the name before it,
// what is done to the file ("modify", "add", …), and a row is
// { kind, text, before, after }: kind is "old", "new", "" or "skip", before and after
// are the numbers of the line, 0 if they are not known.

const keptAround = 3; // unchanged lines that are shown next to changed ones
const maxLines = 400; // of a difference, until more are asked for
const maxFiles = 50; // of a patch

// textDiff returns the difference of two texts, rows null if they are too large. The
// numbers of lines are known if the texts are known to begin at a line.
function textDiff(path, before, after, line) {
  const d = { path, was: "", what: before === undefined || before === null ? "add" : "modify", rows: null, added: 0, removed: 0 };
  const a = linesOf(asText(before ?? "")), b = linesOf(asText(after ?? "")), first = d.what === "add" ? 1 : line;
  const number = (i) => (first && i !== undefined ? first + i : 0);
  d.rows = compared(a, b)?.map(([i, j]) => ({ kind: j === undefined ? "old" : i === undefined ? "new" : "", text: a[i] ?? b[j], before: number(i), after: number(j) })) || null;
  return counted(d);
}

function counted(d) {
  d.added = d.rows?.filter((r) => r.kind === "new").length;
  d.removed = d.rows?.filter((r) => r.kind === "old").length;
  return d;
}

function linesOf(text) {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}

// patchDiffs reads a patch of git, or one file's part of it.
function patchDiffs(patch) {
  const diffs = [];
  let d = null, left = 0, right = 0; // lines of the hunk that are still to come
  let before = 0, after = 0;
  const begin = () => {
    d = { path: "", was: "", what: "modify", rows: [], added: 0, removed: 0 };
    diffs.push(d);
  };
  for (const line of linesOf(patch)) {
    if (left > 0 || right > 0) {
      const kind = { "-": "old", "+": "new", " ": "", "\\": "note" }[line[0] ?? " "];
      if (kind === "note") continue; // no newline at the end of the file
      if (kind !== undefined) {
        d.rows.push({ kind, text: line.slice(1), before: kind === "new" ? 0 : before++, after: kind === "old" ? 0 : after++ });
        if (kind !== "new") left--;
        if (kind !== "old") right--;
        continue;
      }
      left = right = 0;
    }
    const hunk = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/s.exec(line);
    if (hunk) {
      if (!d) begin();
      [before, left, after, right] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3]), Number(hunk[4] ?? 1)];
      if (d.rows.length || before > 1) d.rows.push({ kind: "skip", text: hunk[5], before, after });
    } else if (line.startsWith("diff --git ") || (line.startsWith("--- ") && (!d || d.rows.length))) {
      if (diffs.length >= maxFiles) break;
      begin();
      if (line.startsWith("--- ")) readHead(d, line);
    } else if (d) {
      readHead(d, line);
    }
  }
  return diffs.map(counted);
}

// readHead reads a line above the hunks of a file.
function readHead(d, line) {
  const [, word, name] = /^(---|\+\+\+|rename from|rename to|copy from|copy to|new file|deleted file)(?: (.*))?$/s.exec(line) || [];
  switch (word) {
    case "---":
      if (name !== "/dev/null") d.path ||= pathIn(name);
      else d.what = "add";
      break;
    case "+++":
      if (name !== "/dev/null") d.path = pathIn(name);
      else d.what = "delete";
      break;
    case "rename from": case "copy from": d.was = pathIn(name); break;
    case "rename to": d.path = pathIn(name); d.what = "move"; break;
    case "copy to": d.path = pathIn(name); d.what = "copy"; break;
    case "new file": d.what = "add"; break;
    case "deleted file": d.what = "delete"; break;
  }
}

// pathIn returns a file's name as a patch has it: without a tab behind it, without
// a/ or b/ in front, and if it is quoted without the quotes.
function pathIn(name) {
  let path = asText(name).replace(/\t.*$/s, "");
  if (/^".*"$/s.test(path)) path = path.slice(1, -1).replace(/\\(["\\])/g, "$1");
  return path.replace(/^[ab]\/(?!\/)/, "");
}

const fileChanges = { add: "new", delete: "deleted", move: "moved", copy: "copied" };

// drawDiff draws a difference.
function drawDiff(d) {
  const card = element("div", { class: "diff" }, diffHead(d));
  if (!d.rows) card.append(element("p", { class: "empty" }, "The texts before and after it are too large to be compared line by line."));
  else if (d.rows.length) card.append(diffBody(d));
  return card;
}

function diffHead(d) {
  const head = element("div", { class: "diff-file" }, drawPath(d.path || "a file without a name"));
  if (d.was && d.was !== d.path) head.append(element("span", { class: "was" }, "was ", drawPath(d.was)));
  if (Object.hasOwn(fileChanges, d.what)) head.append(element("span", { class: "tag" }, fileChanges[d.what]));
  else if (d.what !== "modify") head.append(element("span", { class: "tag odd" }, visible(shorten(d.what, 30))));
  if (d.rows && (d.added || d.removed)) {
    head.append(element("span", { class: "counts" },
      element("span", { class: "plus" }, "+" + d.added.toLocaleString("en")), " ", element("span", { class: "minus" }, "−" + d.removed.toLocaleString("en")),
      element("span", { class: "spoken" }, " lines")));
  }
  return head;
}

// drawPath sets off a file's name from its folders.
function drawPath(path) {
  const shown = visible(shorten(path, 300));
  const at = Math.max(shown.lastIndexOf("/"), shown.lastIndexOf("\\")) + 1;
  return element("bdi", { class: "path", title: shown }, element("span", { class: "folder" }, shown.slice(0, at)), element("span", { class: "base" }, shown.slice(at)));
}

function diffBody(d) {
  const body = element("div", { class: "lines" + (d.rows.some((r) => r.before || r.after) ? " numbered" : ""), tabindex: 0, role: "group", "aria-label": "difference" });
  const add = (rows) => {
    body.append(drawRows(rows.slice(0, maxLines)));
    const rest = rows.slice(maxLines);
    if (rest.length) body.append(moreButton(count(rest.reduce((n, r) => n + (r.rows?.length ?? 1), 0), "more line"), () => add(rest)));
  };
  add(folded(d.rows));
  return body;
}

// folded returns rows with one, { kind: "fold", rows }, in the place of those that are unchanged
// and not next to a change.
function folded(rows) {
  const parts = [];
  for (let i = 0, end; i < rows.length; i = end) {
    const same = rows[i].kind === "";
    for (end = i; end < rows.length && (rows[end].kind === "") === same; ) end++;
    const from = i === 0 ? 0 : i + keptAround, to = end === rows.length ? end : end - keptAround;
    if (same && to - from > 1) parts.push(rows.slice(i, from), { kind: "fold", rows: rows.slice(from, to) }, rows.slice(to, end));
    else parts.push(rows.slice(i, end));
  }
  return parts.flat();
}

// drawRows draws rows, with what differs between old and new ones marked.
function drawRows(rows) {
  const box = document.createDocumentFragment();
  for (let i = 0; i < rows.length; ) {
    const olds = runOf(rows, i, "old"), news = runOf(rows, i + olds.length, "new");
    if (!olds.length && !news.length) box.append(drawDiffRow(rows[i++], null));
    const spans = olds.map((row, k) => (olds.length === news.length ? alikeSpans(row.text, news[k].text) : [null, null]));
    olds.forEach((row, k) => box.append(drawDiffRow(row, spans[k][0])));
    news.forEach((row, k) => box.append(drawDiffRow(row, spans[k] ? spans[k][1] : null)));
    i += olds.length + news.length;
  }
  return box;
}

function runOf(rows, from, kind) {
  let end = from;
  while (end < rows.length && rows[end].kind === kind) end++;
  return rows.slice(from, end);
}

// alikeSpans returns what differs in two lines, nothing if they have little in common.
function alikeSpans(before, after) {
  if (before.length + after.length > 2 * comparedText) return [null, null];
  return likeness(words(before), words(after)) >= 0.4 ? changedSpans(before, after) : [null, null];
}

function drawDiffRow(row, spans) {
  if (row.kind === "fold") return button("⋯ " + count(row.rows.length, "unchanged line"), { class: "fold" }, (b) => b.replaceWith(drawRows(row.rows)));
  if (row.kind === "skip") {
    return element("div", { class: "skip" }, "⋯ line " + row.after.toLocaleString("en"), row.text ? element("bdi", {}, " " + visible(shorten(row.text, 200))) : null);
  }
  const tag = { old: "del", new: "ins" }[row.kind] || "div";
  const line = element(tag, { class: "text " + row.kind });
  if (row.before || row.after) line.dataset.line = row.kind === "old" ? row.before : row.after;
  const shown = shorten(row.text.replace(/\r$/, ""), longText);
  for (const [part, marked] of splitMarked(shown, 0, spans)) line.append(marked ? element("mark", {}, visible(part)) : visible(part));
  return line;
}
