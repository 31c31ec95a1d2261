// A client of one SDK generation: node client.mjs GENERATION AGENTS SCENARIOS.
// AGENTS is a JSON array of commands; for each the client runs the agent, plays
// the scenarios, one session each, and prints a line of JSON: what its
// application shows at the end, and what the SDKs complained of.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { connectClient, generationNamed } from "./sdk.mjs";

const generation = generationNamed(process.argv[2]);
const [agents, scenarios] = process.argv.slice(3).map((arg) => JSON.parse(arg));
const limit = 30_000; // for one agent, so that a turn that does not end fails

// SDKs report a message that they reject here, and nowhere else.
let complaints = [];
console.error = console.warn = (...args) =>
  complaints.push(args.map((arg) => (typeof arg === "string" ? arg : inspect(arg))).join(" "));

// Application is what is written to the types of the generation's SDK: it
// ignores what these do not have.
class Application {
  plans = new Map();
  stopped = new Promise((resolve) => (this.stop = resolve)); // in version 2

  apply(update) {
    const { shows, idMember, version } = generation;
    switch (update.sessionUpdate) {
      case "plan":
        if (version === 1) this.plans.set(undefined, entries(update));
        break;
      case "plan_update":
        if (shows?.includes(update.plan.type)) {
          this.plans.set(update.plan[idMember], content[update.plan.type](update.plan));
        }
        break;
      case "plan_removed":
        if (shows?.includes("removed")) this.plans.delete(update[idMember]);
        break;
      case "state_update":
        if (update.state === "idle") this.stop(update.stopReason);
    }
  }
}

const entries = (plan) => plan.entries.map((entry) => entry.content);
const content = {
  items: entries,
  markdown: (plan) => [plan.content],
  file: (plan) => [readFileSync(fileURLToPath(plan.uri), "utf8")],
};

async function converse(command) {
  const agent = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "pipe"] });
  const closed = once(agent, "close");
  const stderr = text(agent.stderr);
  const timer = setTimeout(() => agent.kill("SIGKILL"), limit);
  const outcome = { sessions: [] };
  try {
    await Promise.race([
      playScenarios(agent, outcome.sessions),
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

async function playScenarios(agent, sessions) {
  const applications = new Map();
  const request = await connectClient(generation, agent.stdin, agent.stdout, (params) =>
    applications.get(params.sessionId).apply(params.update),
  );
  await request("initialize", initialize());
  for (const scenario of scenarios) {
    complaints = [];
    const { sessionId } = await request("session/new", { cwd: process.cwd(), mcpServers: [] });
    const application = new Application();
    applications.set(sessionId, application);
    const prompt = [{ type: "text", text: scenario }];
    const response = await request("session/prompt", { sessionId, prompt });
    const stopReason = generation.version === 1 ? response.stopReason : await application.stopped;
    await setImmediate(); // SDKs hand over the last updates asynchronously
    sessions.push({
      scenario,
      played: response._meta.played,
      stopReason,
      shown: [...application.plans.values()].flat(),
      rejected: complaints,
    });
  }
}

function initialize() {
  if (generation.version === 2) {
    return { protocolVersion: 2, info: { name: "client", version: "1" }, capabilities: {} };
  }
  const plan = generation.capability ? { [generation.capability]: {} } : {};
  const fs = { readTextFile: false, writeTextFile: false };
  return { protocolVersion: 1, clientCapabilities: { fs, terminal: false, ...plan } };
}

for (const command of agents) {
  console.log(JSON.stringify(await converse(command)));
}
