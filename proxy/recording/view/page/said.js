// Texts: prompts, messages and thoughts. The chunks of a message are shown as one text.

const maxChunks = 5000; // of a message that are put together

// drawText draws the text of a message.
function drawText(event) {
  const update = updateOf(event);
  const content = update ? get(update, "content") : get(event, "params", "prompt");
  const card = element("article", { class: "card said" + (/thought/.test(asText(get(update, "sessionUpdate"))) ? " thought" : "") });
  let text = "";
  for (const block of (Array.isArray(content) ? content : [content]).slice(0, 200)) {
    if (get(block, "type") === "text") {
      text += (text && "\n\n") + asText(get(block, "text"));
      continue;
    }
    if (text) card.append(drawProse(text, "text"));
    text = "";
    const chip = drawBlock(block);
    if (chip) card.append(chip);
  }
  if (text) card.append(drawProse(text, "text"));
  return card.childElementCount ? card : null;
}

// drawBlock draws a content block other than text. It returns null if the block says nothing.
function drawBlock(block) {
  const type = get(block, "type");
  if (type === undefined) return null;
  const uri = get(block, "uri") ?? get(block, "resource", "uri");
  const name = asText(get(block, "title") ?? get(block, "name") ?? "");
  const held = get(block, "resource", "text");
  return element("p", { class: "block" }, element("span", { class: "tag" }, visible(shorten(asText(type).replace("_", " "), 30))),
    name ? element("bdi", {}, " " + visible(shorten(name, 100))) : null,
    typeof uri === "string" ? element("span", { class: "uri" }, " " + visible(shorten(uri, 300))) : null,
    typeof get(block, "mimeType") === "string" ? element("span", { class: "uri" }, " " + visible(shorten(block.mimeType, 60))) : null,
    typeof held === "string" ? " (" + count(held.length, "character") + ")" : null);
}

const chunkTexts = new WeakMap(); // what chunks say, by row

// chunkText returns the text of a chunk as { said, seen }: sent and received.
function chunkText(recording, row) {
  let text = chunkTexts.get(row);
  if (!text || text.lines !== row.lines.length) {
    const of = (lines) => lines.map((n) => blockText(get(updateOf(recording.event(n)), "content"))).join("");
    text = { said: of(linesOn(row, "agent")), seen: of(linesOn(row, "client")), lines: row.lines.length };
    chunkTexts.set(row, text);
  }
  return text;
}

// drawnRun returns the functions that draw the message of a chunk, with the chunk marked.
function drawnRun(recording, x) {
  const run = recording.runs.get(x.run), at = run.indexOf(x);
  const from = Math.max(0, Math.min(at - maxChunks / 2, run.length - maxChunks));
  const rows = run.slice(from, from + maxChunks);
  const came = "This message came in " + count(run.length, "chunk") + "; the marked part is number " + (at + 1).toLocaleString("en") + "." +
    (rows.length < run.length ? " Here are " + rows.length.toLocaleString("en") + " around it." : "");
  const said = joined(recording, rows, x, "said"), seen = joined(recording, rows, x, "seen");
  const draw = (part) => () => part.text ? element("article", { class: "card said" + (/thought/.test(x.update) ? " thought" : "") },
    drawProse(part.text, "text", rows.length > 1 ? part.spans : []),
    rows.length > 1 ? element("p", { class: "chunks" }, came) : null) : null;
  return said.text === seen.text || !said.text ? { one: draw(seen) } : { said: draw(said), seen: draw(seen) };
}

// joined returns the text of rows, and the span of an exchange in it.
function joined(recording, rows, x, side) {
  let text = "";
  const spans = [];
  for (const row of rows) {
    const from = text.length;
    text += chunkText(recording, row)[side];
    if (row === x && text.length > from) spans.push([from, text.length]);
  }
  return { text, spans };
}
