// The border between the list and the chosen event can be moved.

const narrowest = 300; // pixels of the list, and of what is next to it

// widths returns how wide the list is, and may be.
function widths() {
  const whole = $("main").clientWidth;
  return { now: $("list").offsetWidth, whole, most: Math.max(narrowest, whole - narrowest) };
}

// setWidth makes the list so wide, undefined for as wide as it is by itself.
function setWidth(pixels) {
  if (pixels === undefined) $("main").style.removeProperty("--list");
  else $("main").style.setProperty("--list", Math.round(Math.min(widths().most, Math.max(narrowest, pixels))) + "px");
  drawDivider();
}

function drawDivider() {
  const { now, whole, most } = widths();
  const percent = (pixels) => Math.round((100 * pixels) / Math.max(1, whole));
  $("divider").setAttribute("aria-valuenow", percent(now));
  $("divider").setAttribute("aria-valuemin", percent(narrowest));
  $("divider").setAttribute("aria-valuemax", percent(most));
}

$("divider").addEventListener("pointerdown", (e) => {
  if (e.button !== 0) return;
  e.preventDefault();
  $("divider").focus();
  $("divider").setPointerCapture(e.pointerId);
});
$("divider").addEventListener("pointermove", (e) => {
  if ($("divider").hasPointerCapture(e.pointerId)) setWidth(e.clientX - $("main").getBoundingClientRect().left);
});
$("divider").addEventListener("dblclick", () => setWidth());
$("divider").addEventListener("keydown", (e) => {
  const to = {
    ArrowLeft: () => widths().now - 24, ArrowRight: () => widths().now + 24,
    Home: () => narrowest, End: () => widths().most, Enter: () => undefined,
  }[e.key];
  if (!to || e.ctrlKey || e.altKey || e.metaKey) return;
  e.preventDefault();
  e.stopPropagation();
  setWidth(to());
});
new ResizeObserver(drawDivider).observe($("main"));
