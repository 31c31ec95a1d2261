// The difference between the agent's message and the client's.

const maxTable = 1500000; // cells of the table of common subsequences of lines
const maxWordTable = 250000; // and of the table of words of two lines
const comparedText = 400; // characters of a line that are compared to find the most similar one

// commonParts returns the pairs [i, j] of a longest common subsequence of a
// and b. If they are too long for that it returns only those of their common
// beginning and end, and tells that they are not complete.
function commonParts(a, b, limit) {
  const pairs = [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) pairs.push([start, start++]);
  let endA = a.length, endB = b.length;
  const tail = [];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) tail.push([--endA, --endB]);
  const n = endA - start, m = endB - start;
  const complete = n * m <= limit;
  if (complete) pairs.push(...bestPairs(n, m, (i, j) => (a[start + i] === b[start + j] ? 1 : 0)).map(([i, j]) => [start + i, start + j]));
  return { pairs: pairs.concat(tail.reverse()), complete };
}

// bestPairs returns the pairs [i, j] of rising numbers below n and m whose weights are most in
// all. What has no weight makes no pair.
function bestPairs(n, m, weight) {
  const best = new Float64Array((n + 1) * (m + 1)), pairs = [], next = m + 1;
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const at = i * next + j, w = weight(i, j);
      best[at] = Math.max(best[at + next], best[at + 1], w && best[at + next + 1] + w);
    }
  }
  for (let i = 0, j = 0; i < n && j < m; ) {
    const at = i * next + j, w = weight(i, j);
    if (w && best[at] === best[at + next + 1] + w) pairs.push([i++, j++]);
    else if (best[at] === best[at + next]) i++;
    else j++;
  }
  return pairs;
}

// compared returns the matching parts of a and b in order, as [i, j]; one is undefined for a
// part without a match. It returns null if too much differs.
function compared(a, b) {
  const common = commonParts(a, b, maxTable);
  return common.complete ? stepsOf(a, b, common.pairs) : null;
}

// stepsOf returns the same of parts of which these pairs are common.
function stepsOf(a, b, pairs) {
  const steps = [];
  let i = 0, j = 0;
  for (const [atA, atB] of [...pairs, [a.length, b.length]]) {
    while (i < atA) steps.push([i++, undefined]);
    while (j < atB) steps.push([undefined, j++]);
    if (i < a.length) steps.push([i++, j++]);
  }
  return steps;
}

// words splits a text into the units that a reader distinguishes.
function words(text) {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || [];
}

// likeness returns the similarity of two lines, from 0 to 1.
function likeness(a, b) {
  const [inA, inB] = [a, b].map((all) => all.filter((w) => /\w/.test(w)));
  const counts = new Map();
  for (const w of inA) counts.set(w, (counts.get(w) || 0) + 1);
  let common = 0;
  for (const w of inB) {
    const left = counts.get(w);
    if (!left) continue;
    counts.set(w, left - 1);
    common += 2;
  }
  return common / Math.max(1, inA.length + inB.length);
}

// alignLines returns rows [left, right, same] of the lines of two layouts. Equal
// lines share a row, and so do the most similar ones. A side without a line is
// undefined. It returns null if too much differs.
function alignLines(left, right) {
  const steps = compared(left.map((l) => l.same), right.map((l) => l.same));
  if (!steps) return null;
  const rows = [];
  let olds = [], news = []; // between two lines that are equal
  for (const [i, j] of [...steps, [left.length, right.length]]) {
    if (j === undefined) olds.push(left[i]);
    else if (i === undefined) news.push(right[j]);
    else {
      rows.push(...alignChanged(olds, news), ...(left[i] ? [[left[i], right[j], true]] : []));
      [olds, news] = [[], []];
    }
  }
  return rows;
}

function alignChanged(left, right) {
  const n = left.length, m = right.length;
  if (!n || !m || n * m > 10000) {
    return [...left.map((l) => [l, undefined, false]), ...right.map((r) => [undefined, r, false])];
  }
  const cut = (l) => words(shorten(l.same, comparedText));
  const a = left.map(cut), b = right.map(cut);
  // Two members are alike if they have the same name, whatever their values.
  const nameOf = (l) => (l.tokens[0][0] === "name" ? l.tokens[0][1] : "");
  const alike = left.map((l, i) => right.map((r, j) => {
    if (nameOf(l) !== nameOf(r)) return 0;
    const common = likeness(a[i], b[j]);
    return nameOf(l) || common >= 0.5 ? 0.01 + common : 0;
  }));
  return stepsOf(left, right, bestPairs(n, m, (i, j) => alike[i][j])).map(([i, j]) => [left[i], right[j], false]);
}

// besides returns rows of the lines of two layouts that are not compared.
function besides(left, right) {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => [left[i], right[i], null]);
}

// changedSpans returns, for two lines that differ, the [from, to] spans of
// each line's text that the other does not have.
function changedSpans(left, right) {
  const a = words(left), b = words(right), spans = [[], []], at = [0, 0];
  const pass = (side, part, changed) => {
    const from = at[side], last = spans[side].at(-1);
    at[side] += part.length;
    if (changed && last?.[1] === from) last[1] = at[side];
    else if (changed) spans[side].push([from, at[side]]);
  };
  for (const [i, j] of stepsOf(a, b, commonParts(a, b, maxWordTable).pairs)) {
    if (i !== undefined) pass(0, a[i], j === undefined);
    if (j !== undefined) pass(1, b[j], i === undefined);
  }
  return spans;
}
