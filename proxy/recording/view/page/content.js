// The content of prompts, messages and thoughts. The chunks of a message are drawn as one text.

const maxChunks = 5000; // of a message that are drawn

// drawText draws the content blocks of a message. It returns null if there is nothing to draw.
function drawText(event) {
  const update = updateOf(event);
  const content = update ? get(update, "content") : get(event, "params", "prompt");
  const card = element("article", { class: "card" + (/thought/.test(asText(get(update, "sessionUpdate"))) ? " thought" : "") });
  let text = "";
  for (const block of (Array.isArray(content) ? content : [content]).slice(0, 200)) {
    if (get(block, "type") === "text") {
      text += (text && "\n\n") + asText(get(block, "text"));
      continue;
    }
    if (text) card.append(drawProse(text, "text"));
    text = "";
    card.append(...[drawBlock(block)].filter(Boolean));
  }
  if (text) card.append(drawProse(text, "text"));
  return card.childElementCount ? card : null;
}

// drawBlock draws a content block other than text. It returns null if the block has no type.
function drawBlock(block) {
  const type = get(block, "type");
  if (type === undefined) return null;
  const uri = get(block, "uri") ?? get(block, "resource", "uri");
  const name = asText(get(block, "title") ?? get(block, "name") ?? "");
  const content = get(block, "resource", "text");
  return element("p", { class: "block" }, element("span", { class: "tag" }, printable(shorten(asText(type).replace("_", " "), 30))),
    name ? element("bdi", {}, " " + printable(shorten(name, 100))) : null,
    typeof uri === "string" ? element("span", { class: "uri" }, " " + printable(shorten(uri, 300))) : null,
    typeof get(block, "mimeType") === "string" ? element("span", { class: "uri" }, " " + printable(shorten(block.mimeType, 60))) : null,
    typeof content === "string" ? " (" + formatCount(content.length, "character") + ")" : null);
}

const chunkTexts = new WeakMap(); // the results of chunkText, by chunk

// chunkText returns the text of a chunk as the agent sent it and as the client received it:
// { sent, received }.
function chunkText(recording, chunk) {
  let text = chunkTexts.get(chunk);
  if (!text || text.lines !== chunk.lines.length) {
    const textOf = (lines) => lines.map((n) => blockText(get(updateOf(recording.event(n)), "content"))).join("");
    text = { sent: textOf(linesAtSide(chunk, "agent")), received: textOf(linesAtSide(chunk, "client")), lines: chunk.lines.length };
    chunkTexts.set(chunk, text);
  }
  return text;
}

// runDrawings returns the functions that draw the message of a chunk, with the chunk
// highlighted; see viewDrawings.
function runDrawings(recording, exchange) {
  const run = recording.exchangesByRun.get(exchange.run), index = run.indexOf(exchange);
  const from = Math.max(0, Math.min(index - maxChunks / 2, run.length - maxChunks));
  const chunks = run.slice(from, from + maxChunks);
  const note = "This message came in " + formatCount(run.length, "chunk") + "; the marked part is number " + (index + 1).toLocaleString("en") + "." +
    (chunks.length < run.length ? " Here are " + chunks.length.toLocaleString("en") + " around it." : "");
  const sent = joinChunks(recording, chunks, exchange, "sent"), received = joinChunks(recording, chunks, exchange, "received");
  const draw = (part) => () => part.text ? element("article", { class: "card" + (/thought/.test(exchange.update) ? " thought" : "") },
    drawProse(part.text, "text", chunks.length > 1 ? part.spans : []),
    chunks.length > 1 ? element("p", { class: "chunks" }, note) : null) : null;
  return sent.text === received.text || !sent.text ? { shared: draw(received) } : { sent: draw(sent), received: draw(received) };
}

// joinChunks returns the text of chunks, and the spans of one of them in it. side is "sent" or
// "received".
function joinChunks(recording, chunks, marked, side) {
  let text = "";
  const spans = [];
  for (const chunk of chunks) {
    const from = text.length;
    text += chunkText(recording, chunk)[side];
    if (chunk === marked && text.length > from) spans.push([from, text.length]);
  }
  return { text, spans };
}
