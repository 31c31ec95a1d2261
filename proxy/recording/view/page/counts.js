// The counts in the header: errors, unanswered requests, losses and findings. Each is a button.

const maxLosses = 200; // kinds of losses in the list

let drawnLosses = null, drawnLossCount = 0; // the Losses in the list, and their count when the list was drawn

function drawCounts() {
  const { losses, kindCounts } = recording, unanswered = kindCounts.get("unanswered");
  for (const [id, count, text] of [
    ["error", kindCounts.get("error"), formatCount(kindCounts.get("error"), "error")],
    ["unanswered", unanswered, unanswered.toLocaleString("en") + (awaitsResponses() ? " waiting" : " unanswered")],
    ["lost", losses.count, losses.count.toLocaleString("en") + " lost"], ["finding", kindCounts.get("finding"), formatCount(recording.findingCount, "finding")],
  ]) {
    $("count-" + id).hidden = !count;
    $("count-" + id).textContent = text;
    if (id !== "lost") $("count-" + id).setAttribute("aria-pressed", filter.kind === id);
  }
  $("count-unanswered").classList.toggle("bad", !awaitsResponses());
  if (drawnLosses === losses && drawnLossCount === losses.count) return;
  [drawnLosses, drawnLossCount] = [losses, losses.count];
  const items = [...losses.items.values()].slice(0, maxLosses).map((l) => element("li", {}, drawLoss(l)));
  if (losses.items.size > maxLosses) items.push(element("li", { class: "more" }, "and " + formatCount(losses.items.size - maxLosses, "more kind")));
  $("losses-list").replaceChildren(...items);
  if (!losses.count) showLosses(false);
}

function showLosses(isOpen) {
  $("losses").hidden = !isOpen;
  $("count-lost").setAttribute("aria-expanded", isOpen);
}

function drawLoss(loss) {
  return button([
    element("span", { class: "kind" }, printable(shorten(loss.kind, 120))),
    loss.name ? element("bdi", { class: "loss-name" }, printable(shorten(loss.name, 80))) : null,
    loss.detail ? element("span", { class: "loss-detail" }, printable(shorten(loss.detail, 160))) : null,
    element("span", { class: "times" }, loss.count === 1 ? "once" : loss.count.toLocaleString("en") + " times"),
    element("span", { class: "number" }, "#" + loss.first),
  ], {}, () => goToLine(loss.first));
}
