// Messages are shown as they were sent. Only the white space between values
// changes: no value is decoded and written again, so that numbers, escapes and
// doubled members can be seen.

const flatWidth = 600; // the longest element of an array that is shown in one line
const longText = 4000; // characters of a string that are shown

// tokens splits a JSON text into [class, text, place] triples, without white space.
function tokens(text) {
  const found = [];
  for (let i = 0; i < text.length; ) {
    const c = text[i];
    let end = i + 1, kind = "mark";
    if (c === " " || c === "\t" || c === "\n" || c === "\r") {
      i++;
      continue;
    }
    if (c === '"') {
      kind = "string";
      while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
      end++;
    } else if (!"{}[],:".includes(c)) {
      kind = /^[-\d]/.test(c) ? "number" : "literal";
      while (end < text.length && !' \t\n\r{}[],:"'.includes(text[end])) end++;
    } else if (c === ":" && found.at(-1)?.[0] === "string") {
      found.at(-1)[0] = "name";
    }
    found.push([kind, text.slice(i, end), i]);
    i = end;
  }
  return found;
}

// member returns the text of a member's value in the text of an object,
// undefined if it has no such member. Of two the last counts.
function member(text, name) {
  const quoted = JSON.stringify(name), all = tokens(text);
  let depth = 0, value, start = 0;
  all.forEach(([kind, token, at], i) => {
    if (token === "{" || token === "[") depth++;
    if (depth === 1 && kind === "name" && token === quoted) start = all[i + 2]?.[2];
    if (token === "}" || token === "]" || token === ",") {
      if (depth === 1 && start) value = text.slice(start, at).trim();
      if (depth === 1) start = 0;
      if (token !== ",") depth--;
    }
  });
  return value;
}

// layout returns a JSON text as lines: { indent, tokens, same }, where same is
// what two lines have in common that are to count as equal.
function layout(text) {
  const all = tokens(text), lines = [], open = []; // the containers around
  let line = [], indent = 0; // of the line
  const add = (token) => {
    if (!line.length) indent = open.length;
    line.push(token);
    if (token[1] === ":") line.push(["space", " "]);
  };
  const flush = () => {
    const plain = line.map((t) => t[1]).join("");
    if (plain) lines.push({ indent, tokens: line, same: plain.replace(/,\s*$/, ""), opens: /[[{]$/.test(plain) });
    line = [];
  };
  for (let i = 0; i < all.length; i++) {
    const value = all[i][1], opens = value === "{" || value === "[";
    const end = opens ? flatEnd(all, i, open.at(-1) === "[") : 0;
    if (end > 0) {
      for (; i < end; i++) {
        add(all[i]);
        if (all[i][1] === ",") line.push(["space", " "]);
      }
      add(all[end]);
      continue;
    }
    if (value === "}" || value === "]") {
      flush();
      open.pop();
    }
    add(all[i]);
    if (opens || value === ",") flush();
    if (opens) open.push(value);
  }
  flush();
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
