// The plans in messages, and the live plans.

// readPlan returns the plan in a line of an exchange: { id, form, done, total, entries, text,
// uri }. entries, text and uri are null if the plan has none.
function readPlan(recording, line) {
  const update = updateOf(recording.event(line.n)) || {};
  const object = (update.sessionUpdate === "plan_update" ? update.plan : update) || {};
  const plan = { done: 0, total: 0, ...line.plan, entries: null, text: null, uri: null };
  if (Array.isArray(object.entries)) plan.entries = object.entries.map(readEntry);
  else if (typeof object.content === "string") [plan.text, plan.uri] = [object.content, typeof object.path === "string" ? "file://" + object.path : null];
  else if (typeof object.uri === "string") plan.uri = object.uri;
  return plan;
}

function readEntry(entry) {
  if (!entry || typeof entry !== "object") return { content: asText(entry), status: "", priority: "" };
  return { content: asText(entry.content), status: asText(entry.status), priority: asText(entry.priority) };
}

const maxLivePlans = 64; // of a session; beyond that, the plan that has been live for the longest time is forgotten

// planKey returns the key of a plan among those of its session.
function planKey(plan) {
  return plan.form === "plan" ? "plan" : "id:" + plan.id;
}

// livePlansAround returns the live plans of an exchange's session before and after the exchange:
// { before, after }, both { agent, client }. agent is a Map of the lines with the plans that the agent
// sent, client of those that the client received, by planKey.
function livePlansAround(recording, exchange) {
  const after = { agent: new Map(), client: new Map() };
  let before = after;
  for (const current of exchange.session ? recording.exchanges : []) {
    if (current === exchange) before = { agent: new Map(after.agent), client: new Map(after.client) };
    const isSameSession = current.session === exchange.session;
    if (current.forgets === "all" || (current.forgets && isSameSession)) Object.values(after).forEach((plans) => plans.clear());
    for (const line of isSameSession && current.toClient ? current.lines : []) {
      if (line.plan && sideOf(line.from) === "agent") applyPlan(after.agent, line);
      if (line.plan && sideOf(line.to) === "client" && !recording.hasUnknownSession(current)) applyPlan(after.client, line);
    }
    if (current === exchange) break;
  }
  return { before, after };
}

// applyPlan updates the live plans with the plan in a line.
function applyPlan(plans, line) {
  if (line.plan.form === "removed") plans.delete(planKey(line.plan));
  else plans.set(planKey(line.plan), line);
  if (plans.size > maxLivePlans) plans.delete(plans.keys().next().value);
}
