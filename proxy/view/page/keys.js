// Filters, buttons and keys.

$("session").addEventListener("change", (e) => {
  filter.session = e.target.values[e.target.selectedIndex] ?? "";
  filter.plan = null;
  drawFilters();
  applyFilter();
});
$("plan").addEventListener("change", (e) => {
  filter.plan = e.target.values[e.target.selectedIndex];
  applyFilter();
});
$("kind").addEventListener("change", (e) => {
  kindChosen = true;
  setKind(e.target.values[e.target.selectedIndex]);
});
$("live").addEventListener("click", () => setLive(!live));
$("previous").addEventListener("click", () => step(-1));
$("next").addEventListener("click", () => step(1));
addEventListener("hashchange", () => {
  wanted = linked();
  if (wanted) follow();
});

const page = () => Math.max(1, Math.floor($("timeline").clientHeight / timeline.rowHeight) - 1);

const keys = {
  ArrowDown: () => step(1),
  ArrowRight: () => step(1),
  j: () => step(1),
  ArrowUp: () => step(-1),
  ArrowLeft: () => step(-1),
  k: () => step(-1),
  PageDown: () => step(page()),
  PageUp: () => step(-page()),
  Home: () => step(-Infinity),
  End: () => step(Infinity),
  l: () => setLive(true),
  o: () => {
    if ($("kind-label").hidden) return;
    kindChosen = true;
    setKind(filter.kind === "plan" ? "all" : "plan");
  },
};

addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.altKey || e.metaKey || e.target.matches("select, input[type=text]")) return;
  // A long text that has the focus is scrolled by its own keys.
  const scrolls = e.target.closest("[role=region]");
  if (scrolls && scrolls.scrollHeight > scrolls.clientHeight && e.key !== "j" && e.key !== "k") return;
  const act = keys[e.key] || keys[e.key.toLowerCase()];
  if (!act) return;
  e.preventDefault();
  act();
});

$("live").hidden = !following;
drawSummary();
if (following) {
  if (!wanted) setLive(true);
  read();
} else {
  addLines(embedded.textContent.replace(/^\n/, "")).then(() => {
    if (!chosen) step(-Infinity); // the linked event is not there
  });
}
