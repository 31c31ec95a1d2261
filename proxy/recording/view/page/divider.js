// The divider between the list and the selected exchange, which sets the width of the list.

const minWidth = 300; // of the list and of the detail section, in pixels

// widths returns the width of the list, the width of the list and the detail section, and the maximum
// for the list, in pixels.
function widths() {
  const total = $("main").clientWidth;
  return { current: $("list").offsetWidth, total, max: Math.max(minWidth, total - minWidth) };
}

// setListWidth sets the width of the list; undefined is the default of the style sheet.
function setListWidth(pixels) {
  if (pixels === undefined) $("main").style.removeProperty("--list");
  else $("main").style.setProperty("--list", Math.round(Math.min(widths().max, Math.max(minWidth, pixels))) + "px");
  drawDivider();
}

function drawDivider() {
  const { current, total, max } = widths();
  const percent = (pixels) => Math.round((100 * pixels) / Math.max(1, total));
  $("divider").setAttribute("aria-valuenow", percent(current));
  $("divider").setAttribute("aria-valuemin", percent(minWidth));
  $("divider").setAttribute("aria-valuemax", percent(max));
}

$("divider").addEventListener("pointerdown", (e) => {
  if (e.button !== 0) return;
  e.preventDefault();
  $("divider").focus();
  $("divider").setPointerCapture(e.pointerId);
});
$("divider").addEventListener("pointermove", (e) => {
  if ($("divider").hasPointerCapture(e.pointerId)) setListWidth(e.clientX - $("main").getBoundingClientRect().left);
});
$("divider").addEventListener("dblclick", () => setListWidth());
$("divider").addEventListener("keydown", (e) => {
  const newWidth = {
    ArrowLeft: () => widths().current - 24, ArrowRight: () => widths().current + 24,
    Home: () => minWidth, End: () => widths().max, Enter: () => undefined,
  }[e.key];
  if (!newWidth || e.ctrlKey || e.altKey || e.metaKey) return;
  e.preventDefault();
  e.stopPropagation();
  setListWidth(newWidth());
});
new ResizeObserver(drawDivider).observe($("main"));
