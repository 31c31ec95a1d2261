// What is said on top of the list: what was lost in translation, and how many messages the
// schema does not allow.

const maxLosses = 200; // kinds that are listed

let lossesDrawn = null; // when the losses were drawn

function drawNotices() {
  const losses = recording.losses, marked = recording.kinds.get("marked");
  if (lossesDrawn?.losses !== losses || lossesDrawn.times !== losses.times) drawLosses(losses);
  $("marked").hidden = !marked;
  $("marked-text").textContent = count(marked, "message") + " that the schema does not allow";
  $("notices").hidden = !losses.times && !marked;
}

function drawLosses(losses) {
  lossesDrawn = { losses, times: losses.times };
  $("losses").hidden = !losses.times;
  $("losses-text").textContent = "Lost in translation: " + count(losses.kinds.size, "kind") + ", " + count(losses.times, "time");
  const listed = [...losses.kinds.values()].slice(0, maxLosses);
  const items = listed.map((l) => element("li", {}, drawLoss(l)));
  if (losses.kinds.size > maxLosses) items.push(element("li", { class: "more" }, "and " + count(losses.kinds.size - maxLosses, "more kind")));
  $("losses-list").replaceChildren(...items);
}

function drawLoss(loss) {
  const button = element("button", { type: "button", "data-n": loss.first },
    element("span", { class: "kind" }, visible(shorten(loss.kind, 120))),
    loss.name ? element("bdi", { class: "loss-name" }, visible(shorten(loss.name, 80))) : null,
    loss.detail ? element("span", { class: "loss-detail" }, visible(shorten(loss.detail, 160))) : null,
    element("span", { class: "times" }, loss.times === 1 ? "once" : loss.times.toLocaleString("en") + " times"),
    element("span", { class: "number" }, "#" + loss.first));
  return button;
}

$("losses-list").addEventListener("click", (e) => {
  const button = e.target.closest("button");
  if (button) go(Number(button.dataset.n));
});
$("marked").addEventListener("click", () => {
  const first = recording.exchanges.find((x) => isOf(x, "marked"));
  if (first) go(first.n);
});
