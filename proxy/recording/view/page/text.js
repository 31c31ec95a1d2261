// Texts and elements. All texts of agents and clients get onto the page through element() or text
// nodes, so that the browser does not parse them as markup. The only exception is HTML that the
// program has rendered (prose.js).

// Characters that are invisible or reorder the text around them: controls except tab and line feed,
// bidirectional marks, zero-width characters. The zero-width joiner is not among them, because emoji
// need it.
const invisibleCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

// printable spells out the invisible characters of a text.
function printable(text) {
  return text.replace(invisibleCharacters, (c) => "⟨U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟩");
}

// asText returns a string as it is, and any other JSON value as JSON.
function asText(value) {
  if (typeof value === "string") return value;
  if (value === undefined) return "";
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deeply)";
  }
}

// shorten limits a text to a number of UTF-16 units, the last of which is then an ellipsis. It does not
// split a surrogate pair.
function shorten(text, limit) {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  return (/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut) + "…";
}

// shortenID shortens a long id in the middle, since generated ids differ at the end.
function shortenID(id) {
  return id.length <= 18 ? id : id.slice(0, 6) + "…" + id.slice(-8);
}

// element makes an element. Children are nodes or strings. Attributes that are undefined are omitted,
// and so are children that are null or undefined.
function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const name in attributes) {
    if (attributes[name] === undefined) continue;
    if (name === "class") node.className = attributes[name];
    else node.setAttribute(name, attributes[name]);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

// button makes a button. onClick is called with the button.
function button(content, attributes, onClick) {
  const b = element("button", { type: "button", ...attributes }, ...[content].flat());
  b.addEventListener("click", () => onClick(b));
  return b;
}

// moreButton makes a button that draws more of something and disappears.
function moreButton(label, drawMore) {
  return button("Show " + label, { class: "more" }, (b) => {
    b.remove();
    drawMore();
  });
}

// icon draws one of icons as SVG, the icon "unknown" for any other name.
function icon(name) {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon " + name);
  svg.setAttribute("aria-hidden", "true");
  for (const d of icons[name] || icons.unknown) {
    const path = document.createElementNS(ns, "path");
    path.setAttribute("d", d.replace("fill:", ""));
    path.setAttribute("class", d.startsWith("fill:") ? "solid" : "stroke");
    svg.append(path);
  }
  return svg;
}

const circle = "M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z";

// The paths of each icon in a square of 16 by 16. A path after "fill:" is filled, any other is stroked.
const icons = {
  pending: [circle],
  in_progress: [circle, "fill:M8 4.2a3.8 3.8 0 0 1 0 7.6z"],
  completed: ["fill:" + circle, "M5.2 8.2l2 2 3.6-4.2"],
  cancelled: [circle, "M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4"],
  unknown: ["M8 2a6 6 0 0 1 4.2 1.8M14 8a6 6 0 0 1-1.8 4.2M8 14a6 6 0 0 1-4.2-1.8M2 8a6 6 0 0 1 1.8-4.2"],
  forwarded: ["M3 8h9M8.5 4.5L12 8l-3.5 3.5"],
  rewritten: ["M3 5.5h8.5M9 3l2.5 2.5L9 8M13 10.5H4.5M7 8l-2.5 2.5L7 13"],
  added: ["M8 3v10M3 8h10"],
  warning: ["M8 2.5l6 11H2z", "M8 6.5v3.2M8 11.6v.1"],
  file: ["M4 1.8h5l3.2 3.2v9.2H4z", "M9 1.8V5h3.2"],
  todo: ["M2.5 4l1.2 1.2L6 2.8M8 4h6M2.5 8.6l1.2 1.2L6 7.4M8 8.6h6M2.5 13.2h2.5M8 13.2h6"],
  dropped: [circle, "M3.8 3.8l8.4 8.4"],
};

// onNextFrame returns a function that makes the browser call draw before its next frame. Further calls
// before that frame have no effect.
function onNextFrame(draw) {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    requestAnimationFrame(() => {
      isPending = false;
      draw();
    });
  };
}

// formatCount writes a number of things; plural is the singular with an s by default.
function formatCount(n, singular, plural = singular + "s") {
  return n.toLocaleString("en") + " " + (n === 1 ? singular : plural);
}

// formatShortClock is formatClock for a narrow column: from an hour on without fractions.
function formatShortClock(seconds) {
  return seconds < 3600 ? formatClock(seconds) : formatClock(seconds).replace(/\.\d+$/, "");
}

// formatClock writes the seconds since the start of the recording.
function formatClock(seconds) {
  if (!Number.isFinite(seconds)) return formatClock(0);
  if (seconds < 60) return seconds.toFixed(3) + " s";
  const whole = Math.floor(seconds);
  const pad = (n) => String(n).padStart(2, "0");
  const rest = pad(Math.floor(whole / 60) % 60) + ":" + pad(whole % 60) + "." + String(Math.floor((seconds - whole) * 1000)).padStart(3, "0");
  return whole < 3600 ? rest : Math.floor(whole / 3600) + ":" + rest;
}

// formatDuration writes a duration in seconds; "" if it is not a duration.
function formatDuration(seconds) {
  const pad = (n) => String(Math.floor(n)).padStart(2, "0");
  if (!(seconds >= 0)) return "";
  if (seconds < 0.0005) return "<1 ms";
  if (seconds < 0.9995) return Math.round(1000 * seconds) + " ms";
  if (seconds < 59.95) return seconds.toFixed(seconds < 9.995 ? 2 : 1) + " s";
  if (seconds < 60) return "1m 00s"; // rounded
  if (seconds < 3600) return Math.floor(seconds / 60) + "m " + pad(seconds % 60) + "s";
  return Math.floor(seconds / 3600).toLocaleString("en") + "h " + pad((seconds / 60) % 60) + "m";
}
