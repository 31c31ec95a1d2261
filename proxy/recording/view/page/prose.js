// A text in markdown, with a button that shows it as it was written. The program makes HTML
// of it: the served page asks for that, a document has it inside.

const firstPart = 20000; // characters of a text as it was written that are shown until more are asked for
const maxMarkup = 100001; // characters of a text that are asked for: one more than the program draws
const keptMarkup = 50; // texts

let asWritten = false; // all texts of the page are shown alike
const markups = new Map(); // the HTML of the texts that were drawn last

// markupOf returns the HTML of a text, "" if there is none, or a promise of it.
function markupOf(text) {
  if (!following) return recording.markup(keyOf(text));
  if (markups.has(text)) return markups.get(text);
  const asked = fetch("html", { method: "POST", body: text.slice(0, maxMarkup) }).then((answer) => (answer.ok ? answer.text() : ""), () => "");
  markups.set(text, asked);
  if (markups.size > keptMarkup) markups.delete(markups.keys().next().value);
  return asked.then((html) => {
    if (markups.has(text)) markups.set(text, html);
    return html;
  });
}

// keyOf returns the key of a text, by which a document has its HTML.
function keyOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) + "-" + text.length;
}

// drawProse draws a text. label says what it is; spans are the parts of it that are marked.
function drawProse(text, label, spans = []) {
  const body = element("div", { class: "markdown", tabindex: 0, role: "group", "aria-label": label });
  const toggle = button("", { class: "quiet toggle", hidden: isPlain(text) ? "" : undefined }, () => {
    asWritten = !asWritten;
    for (const other of document.querySelectorAll(".prose")) other.show();
  });
  const box = element("div", { class: "prose" }, body, toggle);
  let limit = firstPart;
  const write = () => {
    const part = shorten(text, limit);
    body.replaceChildren(element("div", { class: asWritten ? "source" : "plain", dir: "auto", "data-at": 0 }, visible(part)));
    if (part.length < text.length) body.append(moreButton(count(text.length - part.length + 1, "more character"), () => {
      limit *= 10;
      box.show();
    }));
  };
  const fill = (html) => {
    body.removeAttribute("aria-busy");
    if (html) body.innerHTML = html; // in which the program has escaped the text
    else write();
    for (const task of body.querySelectorAll(".task")) task.prepend(icon(task.classList[1]));
    markParts(body, text, spans);
    drawHits(body);
    if (body.isConnected && [...hitMarks].some((r) => body.contains(r.startContainer))) showHit();
  };
  box.show = () => {
    body.classList.toggle("written", asWritten);
    const html = asWritten || isPlain(text) ? "" : markupOf(text);
    if (typeof html === "string") {
      fill(html);
    } else {
      write();
      body.setAttribute("aria-busy", true);
      html.then((made) => !asWritten && fill(made));
    }
    toggle.textContent = asWritten ? "as the user sees it" : "as text";
    toggle.setAttribute("aria-label", asWritten ? "show texts as the user sees them" : "show texts as they were written");
  };
  box.show();
  return box;
}

// isPlain reports whether a text has nothing in it that markdown might read as more
// than text.
function isPlain(text) {
  return !/[\\`*_~[\]<>#|&]|^\s*(?:[-+=]|\d+[.)]\s)|^ {4}|\n|:\/\/|www\./m.test(text);
}
