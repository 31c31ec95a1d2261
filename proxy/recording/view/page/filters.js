// The filters of the list.

const maxOptions = 300; // of a filter
const maxSought = 200; // characters that are searched for

const sorts = [["", "In order"], ["slowest", "Slowest first"], ["largest", "Largest first"]];

// The members of a Filter: the value that lets everything into the list, what a text of an
// address says, and whether an exchange passes.
const conditions = {
  kind: { all: "all", read: (text) => kinds.find((k) => k.name === text)?.name, has: isOf },
  only: { all: false, read: () => true, has: (x) => !search.pattern || search.has(x) }, // what the search finds
  session: { all: 0, read: wholeNumber, has: (x, session) => x.session === session },
  plan: { all: null, read: (id) => id, has: (x, id) => x.plan?.id === id },
  tool: { all: 0, read: wholeNumber, has: (x, tool) => x.tool === tool },
  sort: { all: "", read: (text) => sorts.find(([name]) => name === text)?.[0], has: (x, sort) => sort !== "slowest" || x.took !== undefined },
};
const members = Object.keys(conditions);

// A Filter selects and orders the exchanges in the list.
class Filter {
  constructor() {
    for (const name of members) this[name] = conditions[name].all;
  }

  // lets reports whether a member of the filter lets an exchange into the list.
  lets(x, name) {
    return this[name] === conditions[name].all || conditions[name].has(x, this[name]);
  }

  // passes reports whether an exchange is in the list.
  passes(x) {
    return members.every((name) => this.lets(x, name));
  }

  // letIn widens the filter so that an exchange passes.
  letIn(x) {
    for (const name of members) if (!this.lets(x, name)) this[name] = conditions[name].all;
  }

  // widen lets everything into the list, in its order if that has everything.
  widen() {
    Object.assign(this, new Filter(), { sort: this.sort === "slowest" ? "" : this.sort });
  }
}

// setOptions brings the options of a select up to date and chooses one. Values are kept
// aside, since the empty string is the id of a plan without one.
function setOptions(select, options, chosen) {
  options.forEach(([, text], i) => {
    if (!select.options[i]) select.append(element("option", {}));
    if (select.options[i].textContent !== text) select.options[i].textContent = text;
  });
  while (select.options.length > options.length) select.lastElementChild.remove();
  select.values = options.map(([value]) => value);
  select.selectedIndex = Math.max(0, select.values.indexOf(chosen));
}

// chosenIn returns the value that is chosen in a select.
function chosenIn(select) {
  return select.values[select.selectedIndex];
}

// drawFilters brings the filters up to date with the recording.
function drawFilters() {
  const numbered = (n) => " (" + n.toLocaleString("en") + ")";
  const sizeOf = (s) => (filter.kind === "plan" ? s.count : s.messages);
  const sessions = [...recording.sessions.values()].filter((s) => sizeOf(s) || s.number === filter.session).slice(0, maxOptions)
    .map((s) => [s.number, sessionName(s) + numbered(sizeOf(s))]);
  if (filter.session && !sessions.some(([n]) => n === filter.session)) sessions.push([filter.session, "S" + filter.session]);
  setOptions($("session"), [[0, "All sessions"], ...sessions], filter.session);
  $("session-label").hidden = sessions.length < 2 && !filter.session;
  drawKinds(numbered);
  const totals = new Map();
  for (const s of filter.session ? [recording.sessions.get(filter.session)] : recording.sessions.values()) {
    for (const [id, n] of s ? s.plans : []) totals.set(id, (totals.get(id) || 0) + n);
  }
  if (filter.plan !== null && !totals.has(filter.plan)) totals.set(filter.plan, 0);
  const plans = [...totals].filter(([id], i) => i < maxOptions || id === filter.plan).map(([id, n]) => [id, (id === "" ? "without an id" : visible(shortID(id))) + " (" + n + ")"]);
  setOptions($("plan"), [[null, "All plans"], ...plans], filter.plan);
  setOptions($("sort"), sorts, filter.sort);
  drawToolFilter();
}

function sessionName(session) {
  return "S" + session.number + " · " + visible(shortID(session.id));
}

// drawKinds brings the kinds in the filter up to date. A recording of one kind offers none.
function drawKinds(numbered) {
  const { messages } = recording.totals, plans = recording.kinds.get("plan");
  $("kind-label").hidden = filter.kind === "all" && plans === messages;
  $("plan-label").hidden = filter.plan === null && (!plans || !["plan", "all", "talk"].includes(filter.kind));
  const offered = kinds.filter((k) => recording.kinds.get(k.name) || k.name === filter.kind || k.name === "all");
  setOptions($("kind"), offered.map((k) => [k.name, k.text + numbered(recording.kinds.get(k.name))]), filter.kind);
}

// drawToolFilter draws the tool call that the list is filtered by.
function drawToolFilter() {
  $("tool").hidden = !filter.tool;
  if (filter.tool) $("tool-name").textContent = visible(shorten(toolName(filter.tool), 40));
}

// toolName returns the title of a tool call, from its rows.
function toolName(tool) {
  const named = recording.toolRows(tool).findLast((x) => x.about === "tool" && x.says);
  return named ? named.says.replace(/ · [^·]*$/, "") : "number " + tool;
}
