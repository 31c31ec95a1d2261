// The comparison of two sequences, of lines or of words.

const maxLineTable = 1500000; // cells of the table for the lines of two texts
const maxWordTable = 250000; // cells of the table for the words of two lines
const maxLinePairs = 10000; // pairs of lines whose similarity is computed
const maxComparedLength = 400; // characters of a line whose words similarity compares

// commonParts returns the pairs [i, j] of indices of a longest common subsequence of a and b:
// { pairs, isComplete }. If the table for it would have more cells than limit, there are only the
// pairs of the common start and end of a and b, and isComplete is false.
function commonParts(a, b, limit) {
  const pairs = [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) pairs.push([start, start++]);
  let endA = a.length, endB = b.length;
  const tail = [];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) tail.push([--endA, --endB]);
  const countA = endA - start, countB = endB - start;
  const isComplete = countA * countB <= limit;
  if (isComplete) pairs.push(...bestPairs(countA, countB, (i, j) => (a[start + i] === b[start + j] ? 1 : 0)).map(([i, j]) => [start + i, start + j]));
  return { pairs: pairs.concat(tail.reverse()), isComplete };
}

// bestPairs returns ascending pairs [i, j] of indices below countA and countB with the greatest sum
// of weights. Indices with the weight 0 are no pair.
function bestPairs(countA, countB, weight) {
  const rowSize = countB + 1, pairs = [];
  const best = new Float64Array((countA + 1) * rowSize); // cell i * rowSize + j: the sum for the indices from i and j on
  for (let i = countA - 1; i >= 0; i--) {
    for (let j = countB - 1; j >= 0; j--) {
      const cell = i * rowSize + j, cellWeight = weight(i, j);
      best[cell] = Math.max(best[cell + rowSize], best[cell + 1], cellWeight && best[cell + rowSize + 1] + cellWeight);
    }
  }
  for (let i = 0, j = 0; i < countA && j < countB; ) {
    const cell = i * rowSize + j, cellWeight = weight(i, j);
    if (cellWeight && best[cell] === best[cell + rowSize + 1] + cellWeight) pairs.push([i++, j++]);
    else if (best[cell] === best[cell + rowSize]) i++;
    else j++;
  }
  return pairs;
}

// align returns the alignment of a and b: the pairs [i, j] of indices of their parts in order. One
// index is undefined if the part has no match. align returns null if too much differs.
function align(a, b) {
  const { pairs, isComplete } = commonParts(a, b, maxLineTable);
  return isComplete ? alignmentOf(a, b, pairs) : null;
}

// alignmentOf returns the alignment of a and b with the given matches.
function alignmentOf(a, b, pairs) {
  const alignment = [];
  let i = 0, j = 0;
  for (const [endA, endB] of [...pairs, [a.length, b.length]]) {
    while (i < endA) alignment.push([i++, undefined]);
    while (j < endB) alignment.push([undefined, j++]);
    if (i < a.length) alignment.push([i++, j++]);
  }
  return alignment;
}

// words splits a text into words, white space and single other characters.
function words(text) {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || [];
}

// similarity returns the share of words that two lines have in common, from 0 to 1. left and right are
// the results of words for the lines; white space and single other characters do not count.
function similarity(left, right) {
  const [leftWords, rightWords] = [left, right].map((all) => all.filter((w) => /[\p{L}\p{N}_]/u.test(w)));
  const counts = new Map();
  for (const w of leftWords) counts.set(w, (counts.get(w) || 0) + 1);
  let common = 0;
  for (const w of rightWords) {
    const unmatchedCount = counts.get(w);
    if (!unmatchedCount) continue;
    counts.set(w, unmatchedCount - 1);
    common += 2;
  }
  return common / Math.max(1, leftWords.length + rightWords.length);
}

// alignLines returns rows [left, right, isSame] of the lines of two layouts: isSame is true in a row
// of equal lines, false in a row of changed ones. A side without a line is undefined. alignLines
// returns null if too much differs.
function alignLines(left, right) {
  const alignment = align(left.map((l) => l.comparable), right.map((l) => l.comparable));
  if (!alignment) return null;
  const rows = [];
  let leftOnly = [], rightOnly = []; // the lines since the last equal ones
  for (const [i, j] of [...alignment, [left.length, right.length]]) {
    if (j === undefined) leftOnly.push(left[i]);
    else if (i === undefined) rightOnly.push(right[j]);
    else {
      rows.push(...alignChanged(leftOnly, rightOnly), ...(left[i] ? [[left[i], right[j], true]] : []));
      [leftOnly, rightOnly] = [[], []];
    }
  }
  return rows;
}

// alignChanged returns rows of changed lines. Similar lines share a row.
function alignChanged(left, right) {
  const pairCount = left.length * right.length;
  if (!pairCount || pairCount > maxLinePairs) {
    return [...left.map((l) => [l, undefined, false]), ...right.map((r) => [undefined, r, false])];
  }
  const wordsOf = (l) => words(shorten(l.comparable, maxComparedLength));
  const leftWords = left.map(wordsOf), rightWords = right.map(wordsOf);
  // Two members with the same name are similar regardless of their values.
  const nameOf = (l) => (l.tokens[0][0] === "name" ? l.tokens[0][1] : "");
  const weights = left.map((l, i) => right.map((r, j) => {
    if (nameOf(l) !== nameOf(r)) return 0;
    const common = similarity(leftWords[i], rightWords[j]);
    return nameOf(l) || common >= 0.5 ? 0.01 + common : 0;
  }));
  return alignmentOf(left, right, bestPairs(left.length, right.length, (i, j) => weights[i][j])).map(([i, j]) => [left[i], right[j], false]);
}

// unalignedRows returns rows of the lines of two layouts without a comparison: isSame is null.
function unalignedRows(left, right) {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => [left[i], right[i], null]);
}

// changedSpans returns the spans [from, to] of each of two lines that have no match in the other line.
function changedSpans(left, right) {
  const leftWords = words(left), rightWords = words(right), spans = [[], []], offsets = [0, 0];
  const addPart = (side, part, isChanged) => {
    const from = offsets[side], last = spans[side].at(-1);
    offsets[side] += part.length;
    if (isChanged && last?.[1] === from) last[1] = offsets[side];
    else if (isChanged) spans[side].push([from, offsets[side]]);
  };
  for (const [i, j] of alignmentOf(leftWords, rightWords, commonParts(leftWords, rightWords, maxWordTable).pairs)) {
    if (i !== undefined) addPart(0, leftWords[i], j === undefined);
    if (j !== undefined) addPart(1, rightWords[j], i === undefined);
  }
  return spans;
}
