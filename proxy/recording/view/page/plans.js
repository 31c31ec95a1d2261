// The plans in messages, and the live plans.

// readPlan returns the plan in a line of an exchange: { id, form, done, total, entries, text,
// uri }. entries, text and uri are null if the plan has none.
function readPlan(recording, line) {
  const update = updateOf(recording.event(line.n)) || {};
  const content = (update.sessionUpdate === "plan_update" ? update.plan : update) || {};
  const plan = { done: 0, total: 0, ...line.plan, entries: null, text: null, uri: null };
  if (Array.isArray(content.entries)) plan.entries = content.entries.map(readEntry);
  else if (typeof content.content === "string") [plan.text, plan.uri] = [content.content, typeof content.path === "string" ? "file://" + content.path : null];
  else if (typeof content.uri === "string") plan.uri = content.uri;
  return plan;
}

function readEntry(entry) {
  if (!entry || typeof entry !== "object") return { content: asText(entry), status: "", priority: "" };
  return { content: asText(entry.content), status: asText(entry.status), priority: asText(entry.priority) };
}

const maxLivePlans = 64; // in a session; agents have a handful

// planKey returns the key of a plan among those of its session.
function planKey(plan) {
  return plan.form === "plan" ? "plan" : "id:" + plan.id;
}

// livePlansAround returns the live plans before and after an exchange: { before, after }, each
// with a Map of lines for the agent, from the plans that it sent, and for the client, from those
// that it received.
function livePlansAround(recording, exchange) {
  const after = { agent: new Map(), client: new Map() };
  let before = after;
  for (const other of exchange.session ? recording.exchanges : []) {
    if (other === exchange) before = { agent: new Map(after.agent), client: new Map(after.client) };
    const isSameSession = other.session === exchange.session;
    if (other.forgets === "all" || (other.forgets && isSameSession)) Object.values(after).forEach((plans) => plans.clear()); // the agent replays them
    for (const line of isSameSession && other.toClient ? other.lines : []) {
      if (line.plan && sideOf(line.from) === "agent") applyPlan(after.agent, line);
      if (line.plan && sideOf(line.to) === "client" && !recording.isOfUnknownSession(other)) applyPlan(after.client, line);
    }
    if (other === exchange) break;
  }
  return { before, after };
}

// applyPlan updates the live plans with the plan in a line.
function applyPlan(plans, line) {
  if (line.plan.form === "removed") plans.delete(planKey(line.plan));
  else plans.set(planKey(line.plan), line);
  if (plans.size > maxLivePlans) plans.delete(plans.keys().next().value);
}
