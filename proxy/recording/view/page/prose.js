// Markdown texts, with a button that shows their source. The program renders the HTML of a text:
// the served page requests it from the server, a document contains it.

const firstSourceLength = 20000; // characters of a source that are drawn at first
const maxRequestLength = 100001; // characters of a text in a request; the program renders at most 100000 bytes
const maxCachedTexts = 50; // texts in htmlCache

let showsSource = false; // all texts of the page show their source
const htmlCache = new Map(); // the HTML of the texts requested last, or a promise of it, by text

// htmlOf returns the HTML of a text, "" if there is none, or a promise of it.
function htmlOf(text) {
  if (!isServed) return recording.html(htmlKey(text));
  if (htmlCache.has(text)) return htmlCache.get(text);
  const request = fetch("html", { method: "POST", body: text.slice(0, maxRequestLength) }).then((response) => (response.ok ? response.text() : ""), () => "");
  htmlCache.set(text, request);
  if (htmlCache.size > maxCachedTexts) htmlCache.delete(htmlCache.keys().next().value);
  return request.then((html) => {
    if (htmlCache.has(text)) htmlCache.set(text, html);
    return html;
  });
}

// htmlKey returns the key of a text's HTML in a document: its FNV-1a hash and length.
function htmlKey(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return (hash >>> 0) + "-" + text.length;
}

// drawProse draws a text, with spans of it highlighted. label names the text for screen readers.
function drawProse(text, label, spans = []) {
  const body = element("div", { class: "markdown", tabindex: 0, role: "group", "aria-label": label });
  const toggle = button("", { class: "quiet toggle", hidden: isPlain(text) ? "" : undefined }, () => {
    showsSource = !showsSource;
    for (const other of document.querySelectorAll(".prose")) other.show();
  });
  const box = element("div", { class: "prose" }, body, toggle);
  let limit = firstSourceLength;
  const drawSource = () => {
    const part = shorten(text, limit);
    body.replaceChildren(element("div", { class: showsSource ? "source" : "plain", dir: "auto", "data-at": 0 }, printable(part)));
    if (part.length < text.length) body.append(moreButton(formatCount(text.length - part.length + 1, "more character"), () => {
      limit *= 10;
      box.show();
    }));
  };
  const drawHTML = (html) => {
    body.removeAttribute("aria-busy");
    if (html) body.innerHTML = html; // the program has escaped the text in it
    else drawSource();
    for (const task of body.querySelectorAll(".task")) task.prepend(icon(task.classList[1]));
    highlightSpans(body, text, spans);
    highlightHits(body);
    if (body.isConnected && [...hitHighlight].some((r) => body.contains(r.startContainer))) scrollToHit();
  };
  box.show = () => {
    const html = showsSource || isPlain(text) ? "" : htmlOf(text);
    if (typeof html === "string") {
      drawHTML(html);
    } else {
      drawSource();
      body.setAttribute("aria-busy", true);
      html.then((loaded) => !showsSource && drawHTML(loaded));
    }
    toggle.textContent = showsSource ? "as the user sees it" : "as text";
    toggle.setAttribute("aria-label", showsSource ? "show texts as the user sees them" : "show texts as they were written");
  };
  box.show();
  return box;
}

// isPlain reports whether a text contains nothing that can be markdown syntax.
function isPlain(text) {
  return !/[\\`*_~[\]<>#|&]|^\s*(?:[-+=]|\d+[.)]\s)|^ {4}|\n|:\/\/|www\./m.test(text);
}
