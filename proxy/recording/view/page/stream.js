// The source of lines: a stream of the server, or the page itself.

const sliceTime = 12; // milliseconds of work at a time

// pause lets the page draw and listen.
function pause() {
  return new Promise((resume) => setTimeout(resume));
}

// Lines splits a text that arrives in pieces into lines. It calls take(line) for each, and
// done() when the page can draw them.
class Lines {
  constructor(take, done) {
    this.take = take;
    this.done = done;
    this.rest = []; // of a line that has not come to its end
    this.late = performance.now() + sliceTime;
  }

  async add(text) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.rest.push(text.slice(from, end));
      this.take(this.rest.length === 1 ? this.rest[0] : this.rest.join(""));
      this.rest.length = 0;
      from = end + 1;
      if (performance.now() < this.late) continue;
      this.done();
      await pause();
      this.late = performance.now() + sliceTime;
    }
    if (from < text.length) this.rest.push(text.slice(from));
    this.done();
  }
}

// readStream reads the stream of the server until the page is closed. When the stream breaks,
// it asks again, and the stream begins from the start. begin() is called when a stream brings
// its first lines, failed(times) when one has ended or none begins. The others are those of
// Lines.
async function readStream({ begin, take, done, failed }) {
  for (let failures = 0; ; ) {
    try {
      const answer = await fetch("events", { cache: "no-store" });
      if (!answer.ok) throw new Error("status " + answer.status);
      const texts = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const lines = new Lines(take, done);
      for (let text = await texts.read(), first = true; !text.done; text = await texts.read(), first = false) {
        if (first) begin();
        failures = 0;
        await lines.add(text.value);
      }
    } catch {
      // However it ends, the stream is asked for again.
    }
    failed(++failures);
    await new Promise((resume) => setTimeout(resume, Math.min(5000, 250 * 2 ** failures)));
  }
}

// readParts reads the recording in the page, and removes the parts that it has read. The page
// can be drawn before all of it is parsed.
async function readParts(lines) {
  for (;;) {
    const parsed = document.readyState !== "loading";
    const part = document.querySelector("script.part");
    if (part && (parsed || part.nextElementSibling)) {
      part.remove();
      // JSON has neither of these two as they are; in their places are < and a carriage return.
      await lines.add(part.textContent.slice(1).replace(/[\x01\x02]/g, (c) => (c === "\x01" ? "<" : "\r")));
    } else if (parsed) {
      return;
    } else {
      await pause();
    }
  }
}
