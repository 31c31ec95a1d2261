// A client of one SDK generation: node client.mjs GENERATION AGENTS SCENARIOS.
// AGENTS is a JSON array of commands; for each the client runs the agent, plays
// the scenarios, one session each, and prints a line of JSON: what its
// application shows at the end, what the SDKs complained of, and each line that
// arrived and left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { inspect } from "node:util";
import { connectClient, generationNamed, recorded } from "./sdk.mjs";

const generation = generationNamed(process.argv[2]);
const [agents, scenarios] = process.argv.slice(3).map((arg) => JSON.parse(arg));
const v2 = generation.version === 2;
const limit = 60_000; // for one agent, so that a turn that does not end fails

// SDKs report a message that they reject here, and nowhere else.
let complaints = [];
console.error = console.warn = (...args) =>
  complaints.push(args.map((arg) => (typeof arg === "string" ? arg : inspect(arg))).join(" "));

// Application is what is written to the types of the generation's SDK: it
// ignores what these do not have. It shows plans, or else a transcript.
class Application {
  plans = new Map();
  transcript = [];
  modes = [];
  states = [];
  idle = new Promise((resolve) => (this.stop = resolve)); // in version 2

  apply(update) {
    const { shows, idMember } = generation;
    const apply = (v2 ? this.v2 : this.v1)[update.sessionUpdate];
    if (apply) return apply.call(this, update);
    switch (update.sessionUpdate) {
      case "user_message_chunk":
      case "agent_message_chunk":
      case "agent_thought_chunk":
        this.message(update).text += update.content.text;
        if (update.content.text === "Working") this.working?.();
        break;
      case "plan_update":
        if (shows?.includes(update.plan.type)) {
          this.plans.set(update.plan[idMember], content[update.plan.type](update.plan));
        }
        break;
      case "plan_removed":
        if (shows?.includes("removed")) this.plans.delete(update[idMember]);
    }
  }

  v1 = {
    plan(update) {
      this.plans.set(undefined, entries(update));
    },
    tool_call: this.toolCall,
    tool_call_update: this.toolCall,
    current_mode_update({ currentModeId }) {
      this.mode(currentModeId);
    },
  };

  v2 = {
    user_message: this.whole,
    agent_message: this.whole,
    agent_thought: this.whole,
    tool_call_update: this.toolCall,
    tool_call_content_chunk({ toolCallId, content }) {
      this.toolCall({ toolCallId }).content.push(content);
    },
    config_option_update: this.options,
    state_update(update) {
      this.states.push(update.state);
      if (update.state === "idle") this.stop(update);
    },
  };

  // message returns the message that an update is about. Version 1 knows where
  // one ends by the kind of the next, version 2 by ids.
  message({ sessionUpdate, messageId }) {
    const kind = sessionUpdate.split("_")[1] === "thought" ? "thought" : sessionUpdate.split("_")[0];
    const last = this.transcript.at(-1);
    const found = v2
      ? this.transcript.find((item) => item.kind === kind && item.messageId === messageId)
      : last?.kind === kind && last.messageId === messageId && last;
    if (found) return found;
    const message = { kind, messageId, text: "" };
    this.transcript.push(message);
    return message;
  }

  whole(update) {
    if (update.content) this.message(update).text = update.content.map((block) => block.text).join("");
  }

  toolCall({ sessionUpdate, ...members }) {
    let call = this.transcript.find((item) => item.toolCallId === members.toolCallId);
    if (!call) this.transcript.push((call = { kind: "tool", content: [] }));
    const { kind, ...rest } = members;
    for (const [name, value] of Object.entries({ ...rest, ...(kind && { toolKind: kind }) })) {
      if (value !== undefined && value !== null) call[name] = value;
    }
    return call;
  }

  mode(mode) {
    if (mode && this.modes.at(-1) !== mode) this.modes.push(mode);
  }

  // options takes in what a response says of modes, or an update.
  options({ modes, configOptions }) {
    this.mode(v2 ? configOptions?.find((option) => option.configId === "mode")?.currentValue : modes?.currentModeId);
  }

  show(scenario) {
    if (this.plans.size > 0) return [...this.plans.values()].flat();
    const lines = this.transcript.map((item) => (item.toolCallId ? shownCall(item) : `${item.kind}: ${item.text}`));
    if (scenario === "mode") lines.push(`modes: ${this.modes.join(" ")}`);
    return lines;
  }
}

const entries = (plan) => plan.entries.map((entry) => entry.content);
// File plans are not in the newest draft: no application shows them.
const content = {
  items: entries,
  markdown: (plan) => [plan.content],
};

function shownCall({ title, toolKind, status, content }) {
  const items = content.map((item) => {
    if (item.type === "content") return item.content.text;
    const { path, removed, added } = changes(item);
    return `${path}: -${removed} +${added}`;
  });
  return ["tool: " + title, toolKind, status, ...items].join(", ");
}

// changes returns which lines a diff removes and adds, and where.
function changes(diff) {
  if (!v2) {
    const [before, after] = [diff.oldText ?? "", diff.newText].map((text) => text.split("\n"));
    const without = (lines, others) => lines.filter((line) => line && !others.includes(line)).join();
    return { path: diff.path, removed: without(before, after), added: without(after, before) };
  }
  const lines = diff.patch.text.slice(diff.patch.text.indexOf("\n@@")).split("\n");
  const begun = (mark) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1)).join();
  return { path: diff.changes[0].path, removed: begun("-"), added: begun("+") };
}

async function converse(command) {
  const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  const closed = once(agent, "close");
  const stderr = text(agent.stderr);
  const timer = setTimeout(() => agent.kill("SIGKILL"), limit);
  const outcome = { sessions: [], lines: [] };
  const [output, input] = recorded(agent.stdin, agent.stdout, (line) => outcome.lines.push(line));
  try {
    await Promise.race([
      playScenarios(output, input, outcome.sessions),
      closed.then(() => Promise.reject(new Error("the agent is gone"))),
    ]);
  } catch (error) {
    outcome.failure = error.message ?? inspect(error);
  }
  agent.stdin.end();
  const [status, signal] = await closed;
  clearTimeout(timer);
  return { ...outcome, exit: signal ?? status, stderr: await stderr };
}

async function playScenarios(output, input, sessions) {
  const applications = new Map();
  const agent = await connectClient(generation, output, input, {
    "session/update": ({ sessionId, update }) => applications.get(sessionId).apply(update),
    "session/request_permission"({ sessionId, title, toolCall, options }) {
      const application = applications.get(sessionId);
      if (!v2) application.toolCall(toolCall);
      application.transcript.push({ kind: "asked", text: v2 ? title : toolCall.title });
      const { optionId } = options.find((option) => option.kind === "allow_once");
      return { outcome: { outcome: "selected", optionId } };
    },
  });
  const hello = await agent.request("initialize", initialize());
  if (hello.protocolVersion !== generation.version) {
    throw new Error(`the agent speaks version ${hello.protocolVersion}`);
  }
  for (const scenario of scenarios) {
    complaints = [];
    const application = new Application();
    const how = { load, list }[scenario] ?? converseIn;
    const result = await how(agent, application, applications, scenario, hello);
    await setImmediate(); // SDKs hand over the last updates asynchronously
    sessions.push({
      scenario,
      shown: application.show(scenario),
      states: application.states,
      rejected: complaints,
      ...result,
    });
  }
}

// converseIn plays a scenario that is a prompt, in a new session.
async function converseIn(agent, application, applications, scenario) {
  const opened = await agent.request("session/new", { cwd: process.cwd(), mcpServers: [] });
  const { sessionId } = opened;
  applications.set(sessionId, application);
  application.options(opened);
  if (scenario === "mode") await setMode(agent, application, sessionId);
  if (scenario === "cancel") application.working = () => agent.notify("session/cancel", { sessionId });
  if (!v2) application.transcript.push({ kind: "user", text: scenario });
  const prompt = [{ type: "text", text: scenario }];
  const response = await agent.request("session/prompt", { sessionId, prompt });
  const { stopReason, _meta } = v2 ? await application.idle : response;
  return { played: _meta?.played, stopReason };
}

async function setMode(agent, application, sessionId) {
  if (v2) {
    const value = { configId: "mode", type: "id", value: "plan" };
    application.options(await agent.request("session/set_config_option", { sessionId, ...value }));
  } else {
    await agent.request("session/set_mode", { sessionId, modeId: "plan" });
    application.mode("plan");
  }
}

async function load(agent, application, applications) {
  const params = { sessionId: "old", cwd: process.cwd(), mcpServers: [] };
  applications.set("old", application);
  const loaded = v2
    ? await agent.request("session/resume", { ...params, replayFrom: { type: "start" } })
    : await agent.request("session/load", params);
  application.options(loaded);
  return { played: ["load"], stopReason: "end_turn" };
}

async function list(agent, application, applications, scenario, hello) {
  const knows = v2 || (!generation.lacks?.includes("list") && hello.agentCapabilities?.sessionCapabilities?.list);
  if (!knows) return { played: [] };
  const { sessions } = await agent.request("session/list", {});
  const shown = sessions.map((session) => session.title ?? session.sessionId).sort();
  return { played: ["list"], stopReason: "end_turn", shown };
}

function initialize() {
  if (v2) {
    return { protocolVersion: 2, info: { name: "client", version: "1" }, capabilities: {} };
  }
  const plan = generation.capability ? { [generation.capability]: {} } : {};
  const fs = { readTextFile: false, writeTextFile: false };
  return { protocolVersion: 1, clientCapabilities: { fs, terminal: false, ...plan } };
}

for (const command of agents) {
  console.log(JSON.stringify(await converse(command)));
}
