// The counts in the header: errors, unanswered requests, losses and findings.

const maxLosses = 200; // kinds that are listed

let lossesDrawn = null; // the losses that are listed
let timesDrawn = 0;

function drawCounts() {
  const { losses } = recording, n = (kind) => recording.kinds.get(kind);
  for (const [id, times, text] of [
    ["refused", n("refused"), count(n("refused"), "error")], ["unanswered", n("unanswered"), n("unanswered").toLocaleString("en") + (mayBeAnswered() ? " waiting" : " unanswered")],
    ["lost", losses.times, losses.times.toLocaleString("en") + " lost"], ["marked", n("marked"), count(recording.findings, "finding")],
  ]) {
    $("count-" + id).hidden = !times;
    $("count-" + id).textContent = text;
    if (id !== "lost") $("count-" + id).setAttribute("aria-pressed", filter.kind === id);
  }
  $("count-unanswered").classList.toggle("bad", !mayBeAnswered());
  if (lossesDrawn === losses && timesDrawn === losses.times) return;
  [lossesDrawn, timesDrawn] = [losses, losses.times];
  const items = [...losses.kinds.values()].slice(0, maxLosses).map((l) => element("li", {}, drawLoss(l)));
  if (losses.kinds.size > maxLosses) items.push(element("li", { class: "more" }, "and " + count(losses.kinds.size - maxLosses, "more kind")));
  $("losses-list").replaceChildren(...items);
  if (!losses.times) openLosses(false);
}

function openLosses(open) {
  $("losses").hidden = !open;
  $("count-lost").setAttribute("aria-expanded", open);
}

function drawLoss(loss) {
  return button([
    element("span", { class: "kind" }, visible(shorten(loss.kind, 120))),
    loss.name ? element("bdi", { class: "loss-name" }, visible(shorten(loss.name, 80))) : null,
    loss.detail ? element("span", { class: "loss-detail" }, visible(shorten(loss.detail, 160))) : null,
    element("span", { class: "times" }, loss.times === 1 ? "once" : loss.times.toLocaleString("en") + " times"),
    element("span", { class: "number" }, "#" + loss.first),
  ], {}, () => go(loss.first));
}
