// Highlights in the drawn texts of the selected exchange: the changed parts of a text, and the
// hits of the search. A highlight is a set of ranges (CSS Custom Highlight API), so that it can
// cross element borders.

const [partHighlight, hitHighlight] = ["part", "hit"].map((name) => {
  if (!globalThis.Highlight) return new Set(); // in a browser without highlights it has no effect
  const highlight = new Highlight();
  CSS.highlights.set(name, highlight);
  return highlight;
});

const maxSyntax = 300; // characters of markdown syntax between two drawn characters

// highlightSpans highlights the spans [from, to] of a markdown text in the element that it is
// drawn in. The drawn characters are those of the text in order, without its syntax. An element
// with data-at draws the text from that offset on.
function highlightSpans(box, text, spans) {
  if (!spans.length) return;
  const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  let source = null, offset = 0, spanIndex = 0;
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const parent = node.parentElement.closest("[data-at]");
    if (!parent) continue;
    if (parent !== source) [source, offset, spanIndex] = [parent, Number(parent.dataset.at), 0];
    let range = null;
    for (let i = 0; i < node.length; i++) {
      const distance = text.slice(offset, offset + maxSyntax).indexOf(node.data[i]);
      if (distance < 0) continue;
      offset += distance;
      while (spanIndex < spans.length && spans[spanIndex][1] <= offset) spanIndex++;
      if (spanIndex === spans.length || offset < spans[spanIndex][0]) {
        range = null;
      } else {
        if (!range) partHighlight.add((range = rangeOf([node, i], [node, i])));
        range.setEnd(node, i + 1);
      }
      offset++;
    }
  }
}

function rangeOf(from, to) {
  const range = document.createRange();
  range.setStart(...from);
  range.setEnd(...to);
  return range;
}

// highlightHits highlights the hits of the search in an element of the selected exchange.
function highlightHits(box) {
  if (!search.highlightPattern || !box.isConnected) return;
  const blocks = new Map(); // the text nodes of each block
  const nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const block = node.parentElement.closest("p, pre, td, th, h3, .text, .content, .plain, .source");
    if (block) blocks.set(block, [...(blocks.get(block) || []), node]);
  }
  for (const textNodes of blocks.values()) {
    for (const hit of textNodes.map((n) => n.data).join("").matchAll(search.highlightPattern)) {
      hitHighlight.add(rangeOf(boundaryAt(textNodes, hit.index), boundaryAt(textNodes, hit.index + hit[0].length)));
    }
  }
}

// scrollToHit scrolls to the first visible hit.
function scrollToHit() {
  const first = [...hitHighlight].find((r) => r.startContainer.isConnected && r.startContainer.parentElement.checkVisibility());
  // In a narrow window the whole page would scroll, and the search field would leave the viewport.
  if (getComputedStyle($("detail")).overflowY !== "visible") first?.startContainer.parentElement.scrollIntoView({ block: "center" });
}

// boundaryAt returns the boundary of a range at an offset in the joined text of text nodes: the
// node, and the offset in the node.
function boundaryAt(nodes, offset) {
  for (const node of nodes) {
    if (offset <= node.length) return [node, offset];
    offset -= node.length;
  }
  return [nodes[nodes.length - 1], nodes[nodes.length - 1].length];
}
