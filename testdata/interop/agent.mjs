// An agent of one SDK generation: node agent.mjs GENERATION [RECORD]. A prompt
// names the scenario: a conversation of those below, or one about plans, for
// which the agent plays turns of turns.json, in its generation's spelling. It
// says in the response what it has played. RECORD is a file that gets every line
// that arrives and leaves.
import { appendFileSync } from "node:fs";
import { connectAgent, generationNamed, lines, readJSON, recorded } from "./sdk.mjs";

const [name, record] = process.argv.slice(2);
const generation = generationNamed(name);
const turns = readJSON("turns.json");
const planFile = new URL("manual.md", import.meta.url).href;
const v2 = generation.version === 2;
let advertised = v2; // where plan operations need no capability
const sessions = new Map();

class Session {
  mode = "ask";
  cancelled = new Promise((resolve) => (this.cancel = resolve));

  constructor() {
    this.id = `session-${sessions.size + 1}`;
    sessions.set(this.id, this);
  }

  // The session's modes, as results and updates have them.
  get modes() {
    const modes = [["ask", "Ask"], ["plan", "Plan"]];
    if (!v2) {
      return { modes: { currentModeId: this.mode, availableModes: modes.map(([id, name]) => ({ id, name })) } };
    }
    const options = modes.map(([value, name]) => ({ value, name }));
    const option = { configId: "mode", name: "Mode", category: "mode", type: "select", currentValue: this.mode, options };
    return { configOptions: [option] };
  }
}

// The parts of updates that the two versions spell differently.
const content = (text) => ({ type: "text", text });
const chunk = (kind, text) => ({
  sessionUpdate: kind + "_chunk",
  ...(v2 && { messageId: kind }),
  content: content(text),
});
const toolCall = (members) => ({ sessionUpdate: v2 ? "tool_call_update" : "tool_call", status: "pending", ...members });
const diff = v2
  ? {
      type: "diff",
      changes: [{ operation: "modify", path: "/work/a.txt", fileType: "text" }],
      patch: {
        format: "git_patch",
        text: "diff --git /work/a.txt /work/a.txt\n--- /work/a.txt\n+++ /work/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
      },
    }
  : { type: "diff", path: "/work/a.txt", oldText: "one\ntwo\n", newText: "one\nthree\n" };

// A scenario returns the stop reason.
const scenarios = {
  async turn(session, client) {
    for (const text of ["Let me ", "see."]) await client.say(chunk("agent_thought", text));
    for (const text of ["Hello, ", "world."]) await client.say(chunk("agent_message", text));
    if (v2) {
      // The message as a whole, as agents send it in the end.
      const whole = [content("Hello, world.")];
      await client.say({ sessionUpdate: "agent_message", messageId: "agent_message", content: whole });
    }
  },
  async tool(session, client) {
    const update = { sessionUpdate: "tool_call_update", toolCallId: "edit" };
    const done = { type: "content", content: content("Done") };
    await client.say(toolCall({ toolCallId: "edit", title: "Edit a.txt", kind: "edit" }));
    await client.say({ ...update, status: "in_progress" });
    if (v2) {
      await client.say({ ...update, content: [diff] });
      await client.say({ sessionUpdate: "tool_call_content_chunk", toolCallId: "edit", content: done });
      await client.say({ ...update, status: "completed" });
    } else {
      await client.say({ ...update, status: "completed", content: [diff, done] });
    }
  },
  async permission(session, client) {
    const call = { toolCallId: "run", title: "Run the tests", kind: "execute" };
    await client.say(toolCall(call));
    const options = [
      { optionId: "yes", name: "Yes", kind: "allow_once" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
    const what = v2
      ? { title: "Run the tests", subject: { type: "tool_call", toolCall: { toolCallId: "run" } } }
      : { toolCall: { ...call, status: "pending" } };
    if (v2) await client.say({ sessionUpdate: "state_update", state: "requires_action" });
    const { outcome } = await client.ask({ ...what, options });
    if (v2) await client.say({ sessionUpdate: "state_update", state: "running" });
    await client.say(chunk("agent_message", `The answer is ${outcome.optionId ?? outcome.outcome}.`));
    await client.say({ sessionUpdate: "tool_call_update", toolCallId: "run", status: "completed" });
  },
  async cancel(session, client) {
    await client.say(chunk("agent_message", "Working"));
    await session.cancelled;
    return "cancelled";
  },
  async mode(session, client) {
    await client.say(chunk("agent_message", `The mode is ${session.mode}.`));
    session.mode = "ask";
    await client.say(
      v2
        ? { sessionUpdate: "config_option_update", ...session.modes }
        : { sessionUpdate: "current_mode_update", currentModeId: session.mode },
    );
  },
};

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
  return v2 ? ["operations"] : ["plan", "operations"];
}

function spelled(update) {
  const text = JSON.stringify(update).replace("PLAN-FILE", planFile);
  return JSON.parse(text.replaceAll('"planId"', `"${generation.idMember}"`));
}

async function play(names, client) {
  for (const name of names) {
    for (const update of turns[name].updates) await client.say(spelled(update));
  }
}

const inSession = (sessionId, client) => ({
  say: (update) => client.say({ sessionId, update }),
  ask: (params) => client.ask({ sessionId, ...params }),
});

// prompt plays the scenario that a prompt names.
function prompt({ sessionId, prompt }, client) {
  const scenario = prompt[0].text;
  const session = sessions.get(sessionId);
  const played = scenarios[scenario] ? [scenario] : turnsFor(scenario);
  const run = scenarios[scenario] ?? ((session, client) => play(played, client));
  return { _meta: { played }, run: async () => (await run(session, inSession(sessionId, client))) ?? "end_turn" };
}

// history is what "session/load" or "session/resume" replays.
async function replay({ sessionId }, client) {
  const session = new Session();
  sessions.set(sessionId, session);
  const { say } = inSession(sessionId, client);
  await say(chunk("user_message", "Hi"));
  await say(chunk("agent_message", "Hello "));
  await say(chunk("agent_message", "again"));
  if (v2) await say({ sessionUpdate: "state_update", state: "idle" });
  return session.modes;
}

const handlers = {
  initialize({ clientCapabilities }) {
    advertised ||= Boolean(clientCapabilities?.[generation.capability]);
    if (v2) {
      const session = { prompt: {}, mcp: { stdio: {} } };
      return { protocolVersion: 2, info: { name: "agent", version: "1" }, capabilities: { session } };
    }
    const lists = !generation.lacks?.includes("list");
    const agentCapabilities = { loadSession: true, ...(lists && { sessionCapabilities: { list: {} } }) };
    return { protocolVersion: 1, agentCapabilities, authMethods: [] };
  },
  "session/new"() {
    const session = new Session();
    return { sessionId: session.id, ...session.modes };
  },
  "session/list"() {
    return { sessions: [{ sessionId: "old", cwd: process.cwd(), title: "Yesterday" }] };
  },
  "session/cancel"({ sessionId }) {
    sessions.get(sessionId).cancel();
  },
};
if (v2) {
  handlers["session/resume"] = replay;
  handlers["session/set_config_option"] = ({ sessionId, value }) => {
    const session = sessions.get(sessionId);
    session.mode = value;
    return session.modes;
  };
  // In version 2 the response says only that the prompt was accepted.
  handlers["session/prompt"] = async (params, client) => {
    const { run, _meta } = prompt(params, client);
    const { say } = inSession(params.sessionId, client);
    const messageId = `prompt-${params.sessionId}`;
    await say({ sessionUpdate: "user_message", messageId, content: params.prompt });
    setImmediate(async () => {
      await say({ sessionUpdate: "state_update", state: "running" });
      const stopReason = await run();
      await say({ sessionUpdate: "state_update", state: "idle", stopReason, _meta });
    });
    return { messageId, _meta };
  };
} else {
  handlers["session/load"] = replay;
  handlers["session/set_mode"] = ({ sessionId, modeId }) => {
    sessions.get(sessionId).mode = modeId;
    return {};
  };
  handlers["session/prompt"] = async (params, client) => {
    const { run, _meta } = prompt(params, client);
    return { stopReason: await run(), _meta };
  };
}

let [output, input] = [process.stdout, process.stdin];
if (record) {
  [output, input] = recorded(output, input, (line) => appendFileSync(record, line + "\n"));
}
if (generation.refuses === "answer") {
  // An agent that answers with the version that it speaks, whatever it was
  // asked for.
  input = input.pipe(
    lines((line) => {
      const message = JSON.parse(line);
      if (message.method !== "initialize" || message.params.protocolVersion >= 2) return line;
      const params = { protocolVersion: 2, info: { name: "unknown", version: "unknown" }, capabilities: {} };
      return JSON.stringify({ ...message, params });
    }),
  );
}
await connectAgent(generation, output, input, handlers);
