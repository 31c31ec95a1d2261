// An agent of one SDK generation: node agent.mjs GENERATION. A prompt names the
// scenario; the agent plays turns of turns.json for it, in its generation's
// spelling, and says in the response which.
import { connectAgent, generationNamed, readJSON } from "./sdk.mjs";

const generation = generationNamed(process.argv[2]);
const turns = readJSON("turns.json");
const planFile = new URL("manual.md", import.meta.url).href;
let advertised = generation.version === 2; // where plan operations need no capability
let sessions = 0;

function turnsFor(scenario) {
  if (scenario === "unasked") {
    return generation.capability ? ["plan", "operations"] : [];
  }
  const operations = generation.shows && advertised;
  if (scenario === "unknown entries") {
    return [operations ? "items with unknown entries" : "plan with unknown entries"];
  }
  if (!operations) return ["plan"];
  if (!generation.shows.includes("removed")) return ["items"];
  return generation.version === 2 ? ["operations"] : ["plan", "operations"];
}

function spelled(update) {
  const text = JSON.stringify(update).replace("PLAN-FILE", planFile);
  return JSON.parse(text.replaceAll('"planId"', `"${generation.idMember}"`));
}

async function play(names, sessionId, sessionUpdate) {
  for (const name of names) {
    for (const update of turns[name].updates) {
      await sessionUpdate({ sessionId, update: spelled(update) });
    }
  }
}

await connectAgent(generation, process.stdout, process.stdin, {
  initialize({ clientCapabilities }) {
    advertised ||= Boolean(clientCapabilities?.[generation.capability]);
    return generation.version === 2
      ? { protocolVersion: 2, info: { name: "agent", version: "1" }, capabilities: {} }
      : { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
  },
  "session/new"() {
    return { sessionId: `session-${++sessions}` };
  },
  async "session/prompt"({ sessionId, prompt }, sessionUpdate) {
    const played = turnsFor(prompt[0].text);
    if (generation.version === 1) {
      await play(played, sessionId, sessionUpdate);
      return { stopReason: "end_turn", _meta: { played } };
    }
    // In version 2 the response says only that the prompt was accepted.
    setImmediate(async () => {
      await sessionUpdate({ sessionId, update: { sessionUpdate: "state_update", state: "running" } });
      await play(played, sessionId, sessionUpdate);
      await sessionUpdate({
        sessionId,
        update: { sessionUpdate: "state_update", state: "idle", stopReason: "end_turn" },
      });
    });
    return { messageId: `prompt-${sessionId}`, _meta: { played } };
  },
});
