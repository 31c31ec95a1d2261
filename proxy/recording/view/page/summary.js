// The summary in the header: totals, client and agent, and the judgment of the messages.

function drawSummary() {
  const { totals, peers } = recording;
  const parts = [formatCount(totals.messages, "message")];
  for (const fate of ["forwarded", "rewritten", "dropped", "added", "unknown"]) {
    if (totals[fate]) parts.push(totals[fate].toLocaleString("en") + " " + (fate === "added" ? "added by the proxy" : fate));
  }
  const version = (v) => (peers.joined && v ? " (protocol version " + v + ")" : "");
  const peerTexts = [
    peers.client && "client " + peers.client + version(peers.clientProtocol), peers.agent && "agent " + peers.agent + version(peers.agentProtocol),
    peers.joined ? "joined by the proxy" : peers.clientProtocol && "protocol version " + peers.clientProtocol,
    peers.began && "began " + wallClock(0),
  ].filter(Boolean);
  $("totals").textContent = parts.join(" · ");
  $("peers").textContent = printable(shorten(peerTexts.join(" · "), 260));
  $("redacted").hidden = !peers.redacted;
  $("unreadable").textContent = recording.unreadableCount ? formatCount(recording.unreadableCount, "line") + " could not be read" : "";
  $("judged").textContent = judgmentText();
  $("none").textContent = emptyListText();
  $("none").hidden = rowList.exchanges.length > 0;
  drawCounts();
}

// wallClock returns the wall-clock time at an offset in seconds from the start of the
// recording, "" if the recording does not have the time of its start.
function wallClock(seconds) {
  const began = new Date(recording.peers.began);
  const time = new Date(began.getTime() + 1000 * seconds);
  return recording.peers.began && Number.isFinite(time.getTime()) ? time.toLocaleDateString("sv") + " " + time.toLocaleTimeString("sv") : "";
}

// judgmentText says that the messages were not judged, or that nothing is wrong with them. It
// is "" otherwise.
function judgmentText() {
  const { unjudgedReason, findingCount, kindCounts, losses } = recording;
  if (unjudgedReason === undefined || !recording.totals.messages) return "";
  if (unjudgedReason) return "Not judged: " + printable(unjudgedReason);
  return findingCount || losses.count || kindCounts.get("error") ? "" : "No errors, losses or findings.";
}

// emptyListText returns the reason for an empty list.
function emptyListText() {
  if (!recording.totals.messages) return isServed ? "Nothing is recorded yet. This page follows the file." : "Nothing is recorded.";
  return filter.sort === "slowest" ? "Only answers take time, and no answer passes the filter." : "Nothing passes the filter.";
}
