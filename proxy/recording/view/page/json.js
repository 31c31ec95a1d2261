// The text of JSON messages. The page draws messages as they were sent: only the white space
// between tokens changes. Values are not decoded and encoded again, so that numbers, escapes
// and duplicate members stay visible.

const maxFlatLength = 600; // characters of an array's element that is on one line
const maxTextLength = 4000; // characters of a string that are drawn

// tokens splits a JSON text into tokens [kind, text, offset], without white space. The kind is a
// CSS class.
function tokens(text) {
  const list = [];
  for (let i = 0; i < text.length; ) {
    const c = text[i];
    let end = i + 1, kind = "mark"; // a punctuation mark
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
    } else if (c === ":" && list.at(-1)?.[0] === "string") {
      list.at(-1)[0] = "name";
    }
    list.push([kind, text.slice(i, end), i]);
    i = end;
  }
  return list;
}

// member returns the text of a member's value in the text of an object, undefined if there is no
// such member. Of duplicate members it returns the last.
function member(text, name) {
  const quotedName = JSON.stringify(name), all = tokens(text);
  let depth = 0, value, start = 0;
  all.forEach(([kind, token, offset], i) => {
    if (token === "{" || token === "[") depth++;
    if (depth === 1 && kind === "name" && token === quotedName) start = all[i + 2]?.[2];
    if (token === "}" || token === "]" || token === ",") {
      if (depth === 1 && start) value = text.slice(start, offset).trim();
      if (depth === 1) start = 0;
      if (token !== ",") depth--;
    }
  });
  return value;
}

// layout returns the lines of a JSON text: { indent, tokens, comparable, isOpening }. comparable is
// the text that is the same in equal lines: a line without its last comma. isOpening reports
// whether the line opens an object or an array.
function layout(text) {
  const all = tokens(text), lines = [], containers = []; // containers has the brackets that are still open
  let line = [], indent = 0; // the tokens of the current line, and its indent
  const add = (token) => {
    if (!line.length) indent = containers.length;
    line.push(token);
    if (token[1] === ":") line.push(["space", " "]);
  };
  const flush = () => {
    const lineText = line.map((t) => t[1]).join("");
    if (lineText) lines.push({ indent, tokens: line, comparable: lineText.replace(/,\s*$/, ""), isOpening: /[[{]$/.test(lineText) });
    line = [];
  };
  for (let i = 0; i < all.length; i++) {
    const value = all[i][1], isOpening = value === "{" || value === "[";
    const end = isOpening ? flatEnd(all, i, containers.at(-1) === "[") : 0;
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
      containers.pop();
    }
    add(all[i]);
    if (isOpening || value === ",") flush();
    if (isOpening) containers.push(value);
  }
  flush();
  return lines;
}

// flatEnd returns the index of the last token of the container that begins at all[i] if the
// container is on one line, 0 otherwise. Empty containers are on one line. So are short elements of
// arrays that contain no other container but empty ones, such as the entries of a plan: alignLines
// then compares them as a whole.
function flatEnd(all, i, isElement) {
  const isClosing = (index) => index < all.length && (all[index][1] === "}" || all[index][1] === "]");
  if (isClosing(i + 1)) return i + 1;
  if (!isElement) return 0;
  let width = 0;
  for (let index = i; index < all.length; index++) {
    const value = all[index][1];
    width += value.length;
    if (width > maxFlatLength) return 0;
    if (isClosing(index)) return index;
    if (index > i && (value === "{" || value === "[")) {
      if (!isClosing(index + 1)) return 0;
      index++;
    }
  }
  return 0;
}
