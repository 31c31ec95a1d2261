// The page receives lines from the server in a stream, or from its own document.

const sliceTime = 12; // milliseconds of work before the browser may draw and handle events

// yieldToBrowser waits until the browser has handled pending events.
function yieldToBrowser() {
  return new Promise((resume) => setTimeout(resume));
}

// A LineReader splits a text that arrives in pieces into lines. It calls onLine(line) for each
// line, and onBatch() after some lines, when the page can draw them.
class LineReader {
  constructor(onLine, onBatch) {
    this.onLine = onLine;
    this.onBatch = onBatch;
    this.lineParts = []; // the pieces of an incomplete line
    this.deadline = performance.now() + sliceTime;
  }

  // add reads the next piece. It resolves when all lines that end in the piece have been read.
  async add(text) {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.lineParts.push(text.slice(from, end));
      this.onLine(this.lineParts.length === 1 ? this.lineParts[0] : this.lineParts.join(""));
      this.lineParts.length = 0;
      from = end + 1;
      if (performance.now() < this.deadline) continue;
      this.onBatch();
      await yieldToBrowser();
      this.deadline = performance.now() + sliceTime;
    }
    if (from < text.length) this.lineParts.push(text.slice(from));
    this.onBatch();
  }
}

// readStream reads the stream of the server until the page is closed. When a stream ends or
// fails, readStream calls onFailure(failureCount), with the number of consecutive failures, and
// requests the stream again. Each stream repeats the recording from its start; readStream calls
// onStart() before the first lines of a stream. onLine and onBatch are those of LineReader.
async function readStream({ onStart, onLine, onBatch, onFailure }) {
  for (let failureCount = 0; ; ) {
    try {
      const response = await fetch("events", { cache: "no-store" });
      if (!response.ok) throw new Error("status " + response.status);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      const lineReader = new LineReader(onLine, onBatch);
      for (let chunk = await reader.read(), isFirst = true; !chunk.done; chunk = await reader.read(), isFirst = false) {
        if (isFirst) onStart();
        failureCount = 0;
        await lineReader.add(chunk.value);
      }
    } catch {
      // The end of a stream is a failure, too.
    }
    onFailure(++failureCount);
    await new Promise((resume) => setTimeout(resume, Math.min(5000, 250 * 2 ** failureCount)));
  }
}

// readDocument reads the recording from the script elements of the document, and removes them. It
// begins while the browser still parses the document.
async function readDocument(lineReader) {
  for (;;) {
    const isParsed = document.readyState !== "loading";
    const part = document.querySelector("script.part");
    if (part && (isParsed || part.nextElementSibling)) {
      part.remove();
      // The text begins with a line break that is not part of the recording. The program writes control
      // characters in place of < and carriage returns (writeEscaped).
      await lineReader.add(part.textContent.slice(1).replace(/[\x01\x02]/g, (c) => (c === "\x01" ? "<" : "\r")));
    } else if (isParsed) {
      return;
    } else {
      await yieldToBrowser();
    }
  }
}
