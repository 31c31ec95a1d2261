// Parts of the chosen event are marked where they are drawn, whatever elements they are in.

const [partMarks, hitMarks] = ["part", "hit"].map((name) => {
  if (!globalThis.Highlight) return new Set(); // of a browser that marks nothing
  const marks = new Highlight();
  CSS.highlights.set(name, marks);
  return marks;
});

const lag = 300; // characters of a text's syntax that may be between two that are drawn

// markParts marks the spans [from, to] of a text in the element in which it is drawn. What
// is drawn of the text is in order; where an element has data-at, it begins there.
function markParts(box, text, spans) {
  if (!spans.length) return;
  const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  let leaf = null, at = 0, next = 0;
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const inside = node.parentElement.closest("[data-at]");
    if (!inside) continue;
    if (inside !== leaf) [leaf, at, next] = [inside, Number(inside.dataset.at), 0];
    let range = null;
    for (let i = 0; i < node.length; i++) {
      const found = text.slice(at, at + lag).indexOf(node.data[i]);
      if (found < 0) continue;
      at += found;
      while (next < spans.length && spans[next][1] <= at) next++;
      if (next === spans.length || at < spans[next][0]) {
        range = null;
      } else {
        if (!range) partMarks.add((range = rangeOf([node, i], [node, i])));
        range.setEnd(node, i + 1);
      }
      at++;
    }
  }
}

function rangeOf(from, to) {
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  return range;
}

// drawHits marks what the search has found in an element of the chosen event.
function drawHits(box) {
  if (!search.everywhere || !box.isConnected) return;
  const leaves = new Map(); // their text nodes
  const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const leaf = node.parentElement.closest("p, pre, td, th, h3, .text, .content, .plain, .source");
    if (leaf) leaves.set(leaf, [...(leaves.get(leaf) || []), node]);
  }
  for (const inside of leaves.values()) {
    for (const hit of inside.map((n) => n.data).join("").matchAll(search.everywhere)) {
      hitMarks.add(rangeOf(placeIn(inside, hit.index), placeIn(inside, hit.index + hit[0].length)));
    }
  }
}

// showHit brings the first mark of the search into sight.
function showHit() {
  const first = [...hitMarks].find((r) => r.startContainer.isConnected && r.startContainer.parentElement.checkVisibility());
  // In a narrow window the page itself would scroll, and take the search out of sight.
  if (getComputedStyle($("detail")).overflowY !== "visible") first?.startContainer.parentElement.scrollIntoView({ block: "center" });
}

// placeIn returns the node with a place in the text of nodes, and the place in it.
function placeIn(nodes, at) {
  for (const node of nodes) {
    if (at <= node.length) return [node, at];
    at -= node.length;
  }
  return [nodes[nodes.length - 1], nodes[nodes.length - 1].length];
}
