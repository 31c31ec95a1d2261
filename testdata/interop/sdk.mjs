// One interface to every generation of the official TypeScript SDK. Up to 1.2.0
// an application implements a class's callbacks, since 2.0 it registers
// handlers by method.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

export const readJSON = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url)));

export function generationNamed(name) {
  return readJSON("generations.json").find((generation) => generation.name === name);
}

// The packages are installed outside the repository.
const packages = createRequire(process.env.INTEROP_PACKAGES + "/");
const load = (module) => import(pathToFileURL(packages.resolve(module)));

const stream = (sdk, output, input) =>
  sdk.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));

const oldNames = {
  initialize: "initialize",
  "session/new": "newSession",
  "session/prompt": "prompt",
};

// connectClient returns a function that sends a request to the agent.
export async function connectClient(generation, output, input, onSessionUpdate) {
  const sdk = await load(generation.module);
  if (sdk.ClientSideConnection) {
    const client = { sessionUpdate: async (params) => onSessionUpdate(params) };
    const connection = new sdk.ClientSideConnection(() => client, stream(sdk, output, input));
    return (method, params) => connection[oldNames[method]](params);
  }
  const connection = sdk
    .client()
    .onNotification("session/update", ({ params }) => onSessionUpdate(params))
    .connect(stream(sdk, output, input));
  return (method, params) => connection.agent.request(method, params);
}

// connectAgent answers requests with handlers[method](params, sessionUpdate),
// where sessionUpdate sends a notification to the client.
export async function connectAgent(generation, output, input, handlers) {
  const sdk = await load(generation.module);
  if (sdk.AgentSideConnection) {
    const agent = (connection) =>
      Object.fromEntries(
        Object.entries(oldNames).map(([method, name]) => [
          name,
          async (params) => handlers[method](params, (update) => connection.sessionUpdate(update)),
        ]),
      );
    return new sdk.AgentSideConnection(agent, stream(sdk, output, input));
  }
  const app = sdk.agent();
  for (const method of Object.keys(oldNames)) {
    app.onRequest(method, ({ params, client }) =>
      handlers[method](params, (update) => client.notify("session/update", update)),
    );
  }
  return app.connect(stream(sdk, output, input));
}
