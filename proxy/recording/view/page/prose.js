// A text in markdown, with a button that shows it as it was written.

const firstPart = 20000; // characters that are shown until more are asked for

let asWritten = false; // all texts of the page are shown alike

// drawProse draws a text. label says what it is; spans are the parts of it that are
// marked, null for none.
function drawProse(text, label, spans = null) {
  const body = element("div", { class: "markdown", tabindex: 0, role: "group", "aria-label": label });
  const button = element("button", { type: "button", class: "quiet toggle" });
  const box = element("div", { class: "prose" }, body, button);
  let limit = firstPart;
  box.show = () => {
    const part = partOf(text, limit);
    body.replaceChildren(asWritten ? writtenText(part, spans) : markdownBlocks(part, spans));
    body.classList.toggle("written", asWritten);
    if (part.length < text.length) body.append(moreOf(text.length - part.length, () => {
      limit *= 10;
      box.show();
    }));
    button.textContent = asWritten ? "as the user sees it" : "as text";
    button.setAttribute("aria-label", (asWritten ? "show texts as the user sees them" : "show texts as they were written"));
  };
  button.addEventListener("click", () => {
    asWritten = !asWritten;
    for (const other of document.querySelectorAll(".prose")) other.show();
  });
  box.show();
  button.hidden = isPlain(text);
  return box;
}

// isPlain reports whether a text has nothing in it that markdown might read as more
// than text.
function isPlain(text) {
  return !/[\\`*_~[\]<>#|&]|^\s*(?:[-+=]|\d+[.)]\s)|^ {4}|\n/m.test(text);
}

// partOf returns the beginning of a text, up to the end of a line where there is one.
function partOf(text, limit) {
  if (text.length <= limit) return text;
  const end = text.lastIndexOf("\n", limit);
  return shorten(text, limit + 1).slice(0, end > limit / 2 ? end : -1);
}

function moreOf(characters, show) {
  const more = element("button", { type: "button", class: "more" }, "Show " + count(characters, "more character"));
  more.addEventListener("click", show);
  return more;
}

function writtenText(text, spans) {
  const box = element("div", { class: "source", dir: "auto" });
  for (const [part, marked] of splitMarked(text, 0, spans)) box.append(marked ? element("mark", {}, visible(part)) : visible(part));
  return box;
}
