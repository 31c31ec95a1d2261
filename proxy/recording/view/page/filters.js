// The filters of the list.

const maxOptions = 300; // in a select element
const maxSearchLength = 200; // in characters
const kindsWithPlanFilter = ["all", "talk", "plan"];

const sortOptions = [["", "In order"], ["slowest", "Slowest first"], ["largest", "Largest first"]];

// The conditions of a Filter, by the names of its members. unset is the value of a member that
// lets every exchange pass; parse reads a value in an address; passes reports whether an
// exchange passes with a value.
const conditions = {
  kind: { unset: "all", parse: (text) => kinds.find((k) => k.name === text)?.name, passes: isOfKind },
  only: { unset: false, parse: () => true, passes: (x) => !search.pattern || search.isHit(x) }, // only hits
  session: { unset: 0, parse: parseNumber, passes: (x, session) => x.session === session },
  plan: { unset: null, parse: (id) => id, passes: (x, id) => x.plan?.id === id },
  tool: { unset: 0, parse: parseNumber, passes: (x, tool) => x.tool === tool },
  sort: { unset: "", parse: (text) => sortOptions.find(([name]) => name === text)?.[0], passes: (x, sort) => sort !== "slowest" || x.took !== undefined },
};
const conditionNames = Object.keys(conditions);

// A Filter selects and orders the exchanges in the list.
class Filter {
  constructor() {
    for (const name of conditionNames) this[name] = conditions[name].unset;
  }

  // passesCondition reports whether an exchange passes one condition.
  passesCondition(exchange, name) {
    return this[name] === conditions[name].unset || conditions[name].passes(exchange, this[name]);
  }

  // passes reports whether an exchange passes all conditions.
  passes(exchange) {
    return conditionNames.every((name) => this.passesCondition(exchange, name));
  }

  // widenFor removes the conditions that an exchange does not pass.
  widenFor(exchange) {
    for (const name of conditionNames) if (!this.passesCondition(exchange, name)) this[name] = conditions[name].unset;
  }

  // reset lets every exchange pass. It keeps an order that omits none.
  reset() {
    Object.assign(this, new Filter(), { sort: this.sort === "slowest" ? "" : this.sort });
  }
}

// setOptions updates the options [value, text] of a select element, and selects one of the
// values. The values are not in the option elements, since those can only be strings: null is
// all plans, and "" a plan without an id.
function setOptions(box, options, value) {
  options.forEach(([, text], i) => {
    if (!box.options[i]) box.append(element("option", {}));
    if (box.options[i].textContent !== text) box.options[i].textContent = text;
  });
  while (box.options.length > options.length) box.lastElementChild.remove();
  box.values = options.map(([optionValue]) => optionValue);
  box.selectedIndex = Math.max(0, box.values.indexOf(value));
}

// selectedValue returns the selected value of a select element.
function selectedValue(box) {
  return box.values[box.selectedIndex];
}

// drawFilters updates the filters with the counts of the recording.
function drawFilters() {
  const countSuffix = (n) => " (" + n.toLocaleString("en") + ")";
  const countOf = (s) => (filter.kind === "plan" ? s.planCount : s.messageCount);
  const sessions = [...recording.sessions.values()].filter((s) => countOf(s) || s.number === filter.session).slice(0, maxOptions)
    .map((s) => [s.number, sessionName(s) + countSuffix(countOf(s))]);
  if (filter.session && !sessions.some(([n]) => n === filter.session)) sessions.push([filter.session, "S" + filter.session]);
  setOptions($("session"), [[0, "All sessions"], ...sessions], filter.session);
  $("session-label").hidden = sessions.length < 2 && !filter.session;
  drawKinds(countSuffix);
  const planCounts = new Map();
  for (const s of filter.session ? [recording.sessions.get(filter.session)] : recording.sessions.values()) {
    for (const [id, n] of s ? s.countsByPlan : []) planCounts.set(id, (planCounts.get(id) || 0) + n);
  }
  if (filter.plan !== null && !planCounts.has(filter.plan)) planCounts.set(filter.plan, 0);
  const plans = [...planCounts].filter(([id], i) => i < maxOptions || id === filter.plan).map(([id, n]) => [id, (id === "" ? "without an id" : printable(shortenID(id))) + " (" + n + ")"]);
  setOptions($("plan"), [[null, "All plans"], ...plans], filter.plan);
  setOptions($("sort"), sortOptions, filter.sort);
  drawToolFilter();
}

function sessionName(session) {
  return "S" + session.number + " · " + printable(shortenID(session.id));
}

// drawKinds updates the kinds of the filter. A recording that has only plans offers no kinds.
function drawKinds(countSuffix) {
  const { messages } = recording.totals, plans = recording.kindCounts.get("plan");
  $("kind-label").hidden = filter.kind === "all" && plans === messages;
  $("plan-label").hidden = filter.plan === null && (!plans || !kindsWithPlanFilter.includes(filter.kind));
  const available = kinds.filter((k) => recording.kindCounts.get(k.name) || k.name === filter.kind || k.name === "all");
  setOptions($("kind"), available.map((k) => [k.name, k.text + countSuffix(recording.kindCounts.get(k.name))]), filter.kind);
}

// drawToolFilter draws the tool call that the list is filtered by.
function drawToolFilter() {
  $("tool").hidden = !filter.tool;
  if (filter.tool) $("tool-name").textContent = printable(shorten(toolName(filter.tool), 40));
}

// toolName returns the title of a tool call. The summary of a message about it is the title, and may
// end with " · " and the status.
function toolName(tool) {
  const titled = recording.toolExchanges(tool).findLast((x) => x.about === "tool" && x.says);
  return titled ? titled.says.replace(/ · [^·]*$/, "") : "number " + tool;
}
