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

const textsOfChunks = new WeakMap(); // the results of chunkTexts, by chunk

// chunkTexts returns the text of a chunk as the agent sent it and as the client received it:
// { sent, received, lineCount }. A result is outdated when the chunk has more lines than lineCount.
function chunkTexts(recording, chunk) {
  let texts = textsOfChunks.get(chunk);
  if (!texts || texts.lineCount !== chunk.lines.length) {
    const textOf = (numbers) => numbers.map((n) => blockText(get(updateOf(recording.event(n)), "content"))).join("");
    texts = { sent: textOf(linesAtSide(chunk, "agent")), received: textOf(linesAtSide(chunk, "client")), lineCount: chunk.lines.length };
    textsOfChunks.set(chunk, texts);
  }
  return texts;
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
  const draw = ({ text, spans }) => () => text ? element("article", { class: "card" + (/thought/.test(exchange.update) ? " thought" : "") },
    drawProse(text, "text", chunks.length > 1 ? spans : []),
    chunks.length > 1 ? element("p", { class: "chunks" }, note) : null) : null;
  return sent.text === received.text || !sent.text ? { shared: draw(received) } : { sent: draw(sent), received: draw(received) };
}

// joinChunks returns the joined text of chunks, and a list with the span of the marked chunk, unless
// that is empty. state is "sent" or "received".
function joinChunks(recording, chunks, marked, state) {
  let text = "";
  const spans = [];
  for (const chunk of chunks) {
    const from = text.length;
    text += chunkTexts(recording, chunk)[state];
    if (chunk === marked && text.length > from) spans.push([from, text.length]);
  }
  return { text, spans };
}
