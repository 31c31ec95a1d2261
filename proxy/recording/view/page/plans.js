// The plans in messages, and the live plans.

// readPlan returns the plan in a line of an exchange: { id, form, done, total, entries, text,
// uri }.
function readPlan(recording, line) {
  const update = updateOf(recording.event(line.n)) || {};
  const holder = (update.sessionUpdate === "plan_update" ? update.plan : update) || {};
  const plan = { done: 0, total: 0, ...line.plan, entries: null, text: null, uri: null };
  if (Array.isArray(holder.entries)) plan.entries = holder.entries.map(readEntry);
  else if (typeof holder.content === "string") [plan.text, plan.uri] = [holder.content, typeof holder.path === "string" ? "file://" + holder.path : null];
  else if (typeof holder.uri === "string") plan.uri = holder.uri;
  return plan;
}

function readEntry(entry) {
  if (!entry || typeof entry !== "object") return { content: asText(entry), status: "", priority: "" };
  return { content: asText(entry.content), status: asText(entry.status), priority: asText(entry.priority) };
}

const maxLive = 64; // plans in a session; agents have a handful

// planKey returns a key for each plan of a session.
function planKey(plan) {
  return plan.form === "plan" ? "plan" : "id:" + plan.id;
}

// plansAround returns the live plans before and after an exchange, { before, after }: once for
// the agent, by its messages, and once for the client, by those it received. Each is a Map of
// lines.
function plansAround(recording, x) {
  const after = { agent: new Map(), client: new Map() };
  let before = after;
  for (const e of x.session ? recording.exchanges : []) {
    if (e === x) before = { agent: new Map(after.agent), client: new Map(after.client) };
    const here = e.session === x.session;
    if (e.forgets === "all" || (e.forgets && here)) Object.values(after).forEach((live) => live.clear()); // a replay follows
    for (const line of here && e.toClient ? e.lines : []) {
      if (line.plan && sideOf(line.from) === "agent") follow(after.agent, line);
      if (line.plan && sideOf(line.to) === "client" && !recording.isUnseen(e)) follow(after.client, line);
    }
    if (e === x) break;
  }
  return { before, after };
}

// follow updates the live plans with a line.
function follow(live, line) {
  if (line.plan.form === "removed") live.delete(planKey(line.plan));
  else live.set(planKey(line.plan), line);
  if (live.size > maxLive) live.delete(live.keys().next().value);
}
