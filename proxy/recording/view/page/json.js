// Messages are shown as they were sent. Only the white space between values
// changes: no value is decoded and written again, so that numbers, escapes and
// doubled members can be seen.

const flatWidth = 600; // the longest element of an array that is shown in one line
const longText = 4000; // characters of a string that are shown

// tokens splits a JSON text into [class, text] pairs, without white space.
function tokens(text) {
  const found = [];
  let i = 0;
  while (i < text.length) {
    const c = text[i];
    let end = i + 1;
    if (c === " " || c === "\t" || c === "\n" || c === "\r") {
      i++;
      continue;
    }
    if (c === '"') {
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      end++;
      found.push(["string", text.slice(i, end)]);
    } else if ("{}[],:".includes(c)) {
      found.push(["mark", c]);
    } else {
      while (end < text.length && !' \t\n\r{}[],:"'.includes(text[end])) end++;
      found.push([/^[-\d]/.test(c) ? "number" : "literal", text.slice(i, end)]);
    }
    i = end;
  }
  return found;
}

// member returns the text of a member's value in the text of an object,
// undefined if it has no such member. Of two the last counts.
function member(text, name) {
  const quoted = JSON.stringify(name);
  let depth = 0, value, start = -1, i = 0;
  let key = "";
  while (i < text.length) {
    const c = text[i];
    if (c === '"') {
      const from = i++;
      while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
      if (depth === 1 && start < 0) key = text.slice(from, i + 1);
    } else if (c === "{" || c === "[") {
      depth++;
    } else if (c === ":" && depth === 1 && start < 0) {
      start = i + 1;
    } else if (c === "}" || c === "]" || c === ",") {
      if (depth === 1 && start >= 0) {
        if (key === quoted) value = text.slice(start, i).trim();
        start = -1;
      }
      if (c !== ",") depth--;
    }
    i++;
  }
  return value;
}

// layout returns a JSON text as lines: { indent, tokens, same }, where same is
// what two lines have in common that are to count as equal.
function layout(text) {
  const all = tokens(text);
  const lines = [];
  let line = [];
  let indent = 0;
  const flush = (depth) => {
    if (!line.length) return;
    const plain = line.map((t) => t[1]).join("");
    lines.push({ indent: depth, tokens: line, same: plain.replace(/,\s*$/, ""), opens: /[[{]$/.test(plain) });
    line = [];
  };
  let begun = 0; // the indent of the line in progress
  const open = []; // the containers around
  for (let i = 0; i < all.length; i++) {
    const [kind, value] = all[i];
    if (value === "{" || value === "[") {
      const end = flatEnd(all, i, open[open.length - 1] === "[");
      if (end > 0) {
        for (; i <= end; i++) {
          const [k, v] = all[i];
          line.push([k === "string" && all[i + 1] && all[i + 1][1] === ":" ? "name" : k, v]);
          if (v === ":" || v === ",") line.push(["space", " "]);
        }
        i--;
        continue;
      }
      line.push([kind, value]);
      flush(begun);
      open.push(value);
      begun = ++indent;
    } else if (value === "}" || value === "]") {
      flush(begun);
      open.pop();
      indent = Math.max(0, indent - 1);
      begun = indent;
      line.push([kind, value]);
    } else if (value === ",") {
      line.push([kind, value]);
      flush(begun);
      begun = indent;
    } else if (value === ":") {
      line.push([kind, value], ["space", " "]);
    } else {
      line.push([kind === "string" && all[i + 1] && all[i + 1][1] === ":" ? "name" : kind, value]);
    }
  }
  flush(begun);
  return lines;
}

// flatEnd returns where the container that begins at all[i] ends if it is to be
// one line, and 0 otherwise. Empty ones are, and elements of arrays, such as
// the entries of a plan: so they can be compared one by one.
function flatEnd(all, i, element) {
  const closes = (k) => k < all.length && (all[k][1] === "}" || all[k][1] === "]");
  if (closes(i + 1)) return i + 1;
  if (!element) return 0;
  let width = 0;
  for (let k = i; k < all.length; k++) {
    const value = all[k][1];
    width += value.length;
    if (width > flatWidth) return 0;
    if (closes(k)) return k;
    if (k > i && (value === "{" || value === "[")) {
      if (!closes(k + 1)) return 0;
      k++;
    }
  }
  return 0;
}
