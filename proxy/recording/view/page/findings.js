// Findings: violations of the protocol, with the component that has to correct each.

// drawFindings returns a box with the findings about the message in a line, null if there are none.
function drawFindings(recording, exchange, line) {
  const findings = recording.findings.get(line);
  if (!findings) return null;
  return element("div", { class: "findings" }, ...findings.slice(0, 20).flatMap((f) => [
    element("p", {}, icon("warning"),
      element("strong", {}, f.rule === "schema" ? "Not allowed by the schema." : "Not allowed by the protocol (" + f.rule + ")."), " " + faultText(recording, exchange, f)),
    element("p", { class: "reason" }, printable(shorten(asText(f.text), 2000))),
  ]));
}

// faultText says which component is at fault for a finding.
function faultText(recording, exchange, finding) {
  const side = sideOf(finding.by);
  if (side !== "proxy") return "This is the " + side + "’s mistake.";
  if (!exchange.own && recording.findings.has(exchange.lines[0].n)) return "The proxy made it of a message that is not allowed either.";
  return "This is a mistake of acp-plan-proxy: please report it as an issue.";
}
