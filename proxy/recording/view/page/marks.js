// Messages that the schema of their version does not allow, and whose mistake that is.

// drawMark returns a box that says why the schema does not allow the message in a
// line, null if it does.
function drawMark(recording, x, line) {
  const reason = recording.marks.get(line);
  if (reason === undefined) return null;
  return element("div", { class: "mark-box" },
    element("p", { class: "whose" }, icon("warning"), element("strong", {}, "Not allowed by the schema."), " " + whoseMistake(recording, x, line)),
    element("p", { class: "reason" }, visible(shorten(asText(reason), 2000))));
}

// whoseMistake says who has to mend it.
function whoseMistake(recording, x, line) {
  const side = sideOf(recording.event(line).from);
  if (side !== "proxy") return "This is the " + side + "’s mistake.";
  if (!x.own && recording.marks.has(x.lines[0].n)) return "The proxy made it of a message that is not allowed either.";
  return "This is a mistake of acp-plan-proxy: please report it as an issue.";
}
