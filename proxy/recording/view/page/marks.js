// Findings: messages that the protocol does not allow, and whose mistake that is.

// drawMark returns a box with the findings about the message in a line, null if there are none.
function drawMark(recording, x, line) {
  const found = recording.marks.get(line);
  if (!found) return null;
  return element("div", { class: "mark-box" }, ...found.slice(0, 20).flatMap((f) => [
    element("p", { class: "whose" }, icon("warning"),
      element("strong", {}, f.rule === "schema" ? "Not allowed by the schema." : "Not allowed by the protocol (" + f.rule + ")."), " " + whoseMistake(recording, x, line, f)),
    element("p", { class: "reason" }, visible(shorten(asText(f.text), 2000))),
  ]));
}

// whoseMistake names the side that has to correct a finding.
function whoseMistake(recording, x, line, finding) {
  const side = sideOf(finding.by);
  if (side !== "proxy") return "This is the " + side + "’s mistake.";
  if (!x.own && recording.marks.has(x.lines[0].n)) return "The proxy made it of a message that is not allowed either.";
  return "This is a mistake of acp-plan-proxy: please report it as an issue.";
}
