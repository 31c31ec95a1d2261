// What a message says of a plan.

const planKinds = new Set(["plan", "plan_update", "plan_removed"]);
// The names that drafts have for the member with a plan's id.
const planIDMembers = document.documentElement.dataset.planIdMembers.split(" ");

// planUpdate returns params.update if it concerns a plan.
function planUpdate(event) {
  if (event.method !== "session/update" || event.type === "request") return null;
  const update = event.params && event.params.update;
  return update && typeof update === "object" && planKinds.has(update.sessionUpdate) ? update : null;
}

// planID returns the id of the plan that an update is about, "" for the plan
// that has none. It is in the first of planIDMembers that is there.
function planID(update) {
  const holder = update.sessionUpdate === "plan_update" ? update.plan || {} : update;
  if (update.sessionUpdate === "plan") return "";
  return asText(planIDMembers.map((name) => holder[name]).find((id) => id !== undefined));
}

// planType returns the form a plan has in an update.
function planType(update) {
  switch (update.sessionUpdate) {
    case "plan": return "plan";
    case "plan_removed": return "removed";
  }
  return asText((update.plan || {}).type) || "items";
}

// readPlan returns what an update says of its plan, in one form for all:
// { id, type, entries, text, uri }.
function readPlan(update) {
  const holder = update.sessionUpdate === "plan_update" ? update.plan || {} : update;
  const plan = { id: planID(update), type: planType(update), entries: null, text: null, uri: null };
  if (Array.isArray(holder.entries)) plan.entries = holder.entries.map(readEntry);
  else if (typeof holder.content === "string") [plan.text, plan.uri] = [holder.content, typeof holder.path === "string" ? "file://" + holder.path : null];
  else if (typeof holder.uri === "string") plan.uri = holder.uri;
  return plan;
}

function readEntry(entry) {
  if (!entry || typeof entry !== "object") return { content: asText(entry), status: "", priority: "" };
  return { content: asText(entry.content), status: asText(entry.status), priority: asText(entry.priority) };
}

// progress returns { done, total } of a plan, null if it has none.
function progress(plan) {
  if (plan.entries) {
    return { done: plan.entries.filter((e) => e.status === "completed").length, total: plan.entries.length };
  }
  if (plan.text !== null) {
    const tasks = plan.text.match(taskLine) || [];
    if (tasks.length) return { done: tasks.filter((t) => /\[[xX]\]/.test(t)).length, total: tasks.length };
  }
  return null;
}

const taskLine = /^\s*(?:[-*+]|\d+[.)])\s+\[.\]\s/gm;
