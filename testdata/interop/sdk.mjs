// One interface to every generation of the official TypeScript SDK. Up to 1.2.0
// an application implements a class's callbacks, since 2.0 it registers
// handlers by method; so it does for version 2 in every generation.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable, Transform, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

export const readJSON = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url)));

export function generationNamed(name) {
  return readJSON("generations.json").find((generation) => generation.name === name);
}

// The packages are installed outside the repository.
const packages = createRequire(process.env.INTEROP_PACKAGES + "/");
const load = (module) => import(pathToFileURL(packages.resolve(module)));

// lines returns a stream that hands each line to change, and passes on what
// that returns.
export function lines(change) {
  let rest = "";
  return new Transform({
    transform(chunk, _, done) {
      const complete = (rest + chunk.toString("latin1")).split("\n");
      rest = complete.pop();
      const changed = complete.map((line) => change(Buffer.from(line, "latin1").toString()) + "\n");
      done(null, Buffer.from(changed.join("")));
    },
  });
}

// recorded has each line of both streams written down: what leaves with "> "
// before it, what arrives with "< ".
export function recorded(output, input, write) {
  const note = (mark) => (line) => {
    write(mark + line);
    return line;
  };
  const tap = lines(note("> "));
  tap.pipe(output);
  return [tap, input.pipe(lines(note("< ")))];
}

const stream = (sdk, output, input) =>
  sdk.ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));

const oldNames = {
  initialize: ["initialize"],
  "session/new": ["newSession"],
  "session/prompt": ["prompt"],
  "session/cancel": ["cancel"],
  "session/load": ["loadSession"],
  "session/set_mode": ["setSessionMode"],
  "session/list": ["listSessions", "unstable_listSessions"],
};

// connectClient connects the client of a generation and returns how it calls the
// agent: { request(method, params), notify(method, params) }. Its handlers are
// those of what agents call: "session/update" and "session/request_permission".
export async function connectClient(generation, output, input, handlers) {
  const sdk = await load(generation.module);
  const update = handlers["session/update"];
  const ask = handlers["session/request_permission"];
  if (sdk.ClientSideConnection) {
    const client = { sessionUpdate: async (params) => update(params), requestPermission: async (params) => ask(params) };
    const connection = new sdk.ClientSideConnection(() => client, stream(sdk, output, input));
    const call = (method, params) => {
      const name = oldNames[method].find((name) => connection[name]);
      return connection[name](params);
    };
    return { request: call, notify: call };
  }
  const connection = sdk
    .client()
    .onNotification("session/update", ({ params }) => update(params))
    .onRequest("session/request_permission", ({ params }) => ask(params))
    .connect(stream(sdk, output, input));
  return {
    request: (method, params) => connection.agent.request(method, params),
    notify: (method, params) => connection.agent.notify(method, params),
  };
}

// connectAgent connects the agent of a generation. handlers[method](params,
// client) answers what the client calls; client.say(params) sends an update, and
// client.ask(params) asks for permission.
export async function connectAgent(generation, output, input, handlers) {
  const sdk = await load(generation.module);
  if (sdk.AgentSideConnection) {
    const agent = (connection) => {
      const client = {
        say: (params) => connection.sessionUpdate(params),
        ask: (params) => connection.requestPermission(params),
      };
      const methods = {};
      for (const method of Object.keys(handlers)) {
        for (const name of oldNames[method]) {
          methods[name] = async (params) => handlers[method](params, client);
        }
      }
      return methods;
    };
    return new sdk.AgentSideConnection(agent, stream(sdk, output, input));
  }
  let app = sdk.agent();
  for (const [method, handler] of Object.entries(handlers)) {
    const handle = ({ params, client }) =>
      handler(params, {
        say: (params) => client.notify("session/update", params),
        ask: (params) => client.request("session/request_permission", params),
      });
    if (method === "session/cancel") app.onNotification(method, handle);
    else app.onRequest(method, handle);
  }
  if (generation.refuses === "close") app = sdk.agentProtocolRouter().withV2(app);
  return app.connect(stream(sdk, output, input));
}
