// A recording is a list of lines. Each line is an event: one message on its way
// from one component to the next. What a person wants to see is an exchange: what
// one end sent, and what became of it on its way to the other end. The number of
// an exchange is the number of its first line in the file.

// What the proxy sends in the place of a message has the same time, or in older
// recordings nearly so.
const sameTime = 0.001; // seconds

const maxWaiting = 64; // exchanges that are at one proxy of a chain at once

// rank orders components along the connection. The conductor's proxies are
// numbered from the client on: Proxy(0), or proxy:0 in older recordings.
function rank(name) {
  const lower = asText(name).toLowerCase();
  if (lower.startsWith("client")) return 0;
  if (lower.startsWith("agent")) return 1e9;
  const number = /\d+/.exec(lower);
  return 1 + (number ? Number(number[0]) : 0);
}

// The types of an event's members.
const eventMembers = {
  type: "string", protocol: "string", from: "string", to: "string", method: "string", session: "string", ts: "number", is_error: "boolean",
};

// isEvent reports whether a line says what a line of a recording does.
function isEvent(value) {
  if (!value || !["request", "response", "notification"].includes(value.type)) return false;
  return Object.entries(eventMembers).every(([name, type]) => value[name] === undefined || value[name] === null || typeof value[name] === type);
}

class Recording {
  constructor() {
    this.clear();
  }

  clear() {
    this.lines = []; // their text
    this.exchanges = [];
    this.byNumber = new Map(); // of each of their lines
    this.sessions = new Map();
    this.unreadable = 0;
    this.totals = { plans: noTotals(), all: noTotals() };
    this.kinds = new Map(); // how many messages there are of each kind
    this.ends = { client: "", agent: "", protocol: "", agentProtocol: "", joined: false };
    this.open = { toClient: null, toAgent: null }; // at the only proxy, called Proxy
    this.undecided = null; // the one of them that the last line brought there
    this.waiting = new Map(); // at one of several proxies, by direction and proxy
    this.requests = new Map(); // unanswered requests, on each part of their way
  }

  // event returns what a line says.
  event(number) {
    return JSON.parse(this.lines[number - 1]);
  }

  // content returns the text of an event's params or payload.
  content(number) {
    const text = this.lines[number - 1];
    return member(text, "params") ?? member(text, "payload") ?? "null";
  }

  // add takes in the next line. It returns the exchanges that are new or have
  // changed by it.
  add(text) {
    this.lines.push(text);
    if (!text.trim()) return [];
    const number = this.lines.length;
    let event;
    try {
      event = JSON.parse(text);
    } catch {
      event = null;
    }
    const before = this.undecided;
    this.undecided = null;
    if (!isEvent(event)) {
      this.unreadable++; // it may have told what became of the one before
      return [];
    }
    const toClient = rank(event.from) > rank(event.to);
    const update = planUpdate(event);
    const request = this.requestOf(event, toClient);
    const exchange = this.continued(event, number, toClient, update) || this.begun(event, number, toClient, update, request);
    exchange.lines.push(number);
    if (request) (exchange.answers ??= new Map()).set(number, request.method);
    this.byNumber.set(number, exchange);
    if (event.type === "request") this.ask(event, toClient, { method: asText(event.method), exchange, number });
    this.follow(exchange, event, number, toClient, update);
    this.introduce(event, request);
    this.followTurn(exchange, event, request);
    this.followTool(exchange, event, number);
    this.settle(exchange, this.fate(exchange, event));
    if (!before || before === exchange) return [exchange];
    // The events of one message are next to each other: there are no more.
    this.settle(before, "dropped");
    const side = before.toClient ? "toClient" : "toAgent";
    if (this.open[side] === before) this.open[side] = null;
    return [before, exchange];
  }

  // continued returns the exchange that an event from a proxy carries on.
  continued(event, number, toClient, update) {
    const from = rank(event.from);
    if (from === 0 || from === 1e9) return null;
    if (asText(event.from).toLowerCase() === "proxy") {
      // What leaves is in the lines right behind what came in, and has its time. The
      // proxy also says things by itself.
      const open = toClient ? this.open.toClient : this.open.toAgent;
      if (!open || open.lines[open.lines.length - 1] !== number - 1) return null;
      return Math.abs(secondsOf(event) - open.seconds) <= sameTime ? open : null;
    }
    const waiting = this.waiting.get(toClient + asText(event.from));
    if (!waiting || event.type === "response") return null;
    const content = this.content(number);
    let best = -1;
    waiting.forEach((x, i) => {
      if (x.method !== event.method || x.type !== event.type) return;
      if (best < 0 && x.sessionID === sessionOf(event) && x.plan === (update !== null)) best = i;
    });
    const same = waiting.findIndex((x) => x.method === event.method && this.content(x.lines[x.lines.length - 1]) === content);
    if (same >= 0) best = same;
    return best < 0 ? null : waiting.splice(best, 1)[0];
  }

  begun(event, number, toClient, update, request) {
    const x = {
      number, toClient,
      sessionID: request ? request.exchange.sessionID : sessionOf(event),
      seconds: secondsOf(event),
      type: asText(event.type),
      method: request ? request.method : asText(event.method),
      kind: "", // of session update
      about: "", // one of kinds
      summary: "",
      request: request ? request.number : 0, // the line that it answers
      answer: 0, // the line that answers it
      answers: null, // the methods that its responses answer, by line
      tool: null,
      turn: null, opens: false, closes: false, // the turn it belongs to
      own: asText(event.from).toLowerCase() === "proxy",
      lines: [],
      arrived: 0, // how many of them lead to an end of the connection
      session: null,
      plan: update !== null,
      id: "", form: "", done: -1, total: -1,
      action: "", counted: false,
      agent: noPlans, client: noPlans,
      agentBefore: noPlans, clientBefore: noPlans,
    };
    const u = updateOf(event);
    if (u) x.kind = asText(u.sessionUpdate);
    x.about = update ? "plan" : kindOf(x.method, x.kind);
    if (!update) {
      const asked = request && x.about === "permission" ? get(this.event(request.number), "params") : undefined;
      x.summary = shorten(summary({ ...event, method: asText(event.method) }, x.method, asked).replace(/\s+/g, " ").trim(), 120);
      if (asked) request.exchange.answer = number;
    }
    if (x.sessionID !== "") x.session = this.session(x.sessionID);
    if (x.session) [x.agentBefore, x.clientBefore] = [x.session.agent, x.session.client];
    if (update) {
      x.id = planID(update);
      x.form = planType(update);
      const p = progress(readPlan(update));
      if (p) [x.done, x.total] = [p.done, p.total];
    }
    this.exchanges.push(x);
    return x;
  }

  // ask remembers a request until it is answered. One that is forwarded can be
  // answered on either side of the proxy.
  ask(event, toClient, request) {
    this.requests.set(requestKey(event.from, toClient, event.id), request);
    if (asText(event.to) !== "Proxy") this.requests.set(requestKey("Proxy", toClient, event.id), request);
  }

  // requestOf returns the request that an event answers. It went the other way,
  // between the same two components.
  requestOf(event, toClient) {
    if (event.type !== "response") return null;
    const key = requestKey(event.to, !toClient, event.id);
    const request = this.requests.get(key);
    this.requests.delete(key);
    if (asText(event.from) !== "Proxy" && asText(event.to) !== "Proxy") this.requests.delete(requestKey("Proxy", !toClient, event.id));
    return request || null;
  }

  // introduce notes what the two ends say of themselves when they answer
  // initialize. If the proxy answers by itself, it has joined two versions.
  introduce(event, request) {
    const result = event.payload;
    if (!request || request.method !== "initialize" || !result || typeof result !== "object" || event.is_error) return;
    const version = asText(result.protocolVersion);
    if (rank(event.from) === 1e9) this.ends.agentProtocol = version;
    if (rank(event.to) === 0) {
      this.ends.protocol = version;
      this.ends.joined = asText(event.from) === "Proxy" && version !== this.ends.agentProtocol;
    }
    this.ends.agent = nameOf(result.agentInfo || result.info);
  }

  // followTurn notes where turns begin and end, and what is in them: the prompt
  // begins one, and what tells its stop reason ends it.
  followTurn(x, event, request) {
    if (!x.session) return;
    const s = x.session;
    if (event.type === "request" && event.method === "session/prompt" && rank(event.from) === 0) {
      if (!s.turn) {
        s.turn = { seconds: x.seconds, stop: "", took: 0 };
        x.opens = true;
      }
    }
    const ends = request ? request.method === "session/prompt" : event.type === "notification";
    const stop = ends && s.turn && !x.opens ? stopReason(event) : "";
    x.turn = x.turn || s.turn;
    if (!stop) return;
    Object.assign(s.turn, { stop, took: secondsOf(event) - s.turn.seconds });
    s.turn = null;
    x.closes = true;
    x.about = "turn";
    x.summary = "turn ended: " + shorten(stop, 60);
  }

  // followTool notes which messages are about the same tool call.
  followTool(x, event, number) {
    const update = updateOf(event);
    const id = get(update, "toolCallId") ?? get(event.params, "toolCall", "toolCallId") ?? get(event.params, "subject", "toolCall", "toolCallId");
    if (!x.session || typeof id !== "string") return;
    if (!x.session.tools.has(id)) x.session.tools.set(id, { title: "", said: [], seen: [] });
    const tool = x.session.tools.get(id);
    x.tool = tool;
    if (!update) return;
    if (rank(event.from) === 1e9) tool.said.push(number);
    if (rank(event.to) === 0) tool.seen.push(number);
    if (typeof update.title === "string" && update.title) tool.title = shorten(update.title, 120);
    const status = typeof update.status === "string" ? " · " + update.status.replace("_", " ") : "";
    if (!x.plan) x.summary = shorten((tool.title || id).replace(/\s+/g, " "), 90) + shorten(status, 30);
  }

  session(id) {
    let s = this.sessions.get(id);
    if (!s) {
      s = { id, number: this.sessions.size + 1, count: 0, messages: 0, plans: new Map(), tools: new Map(), turn: null, agent: noPlans, client: noPlans };
      this.sessions.set(id, s);
    }
    return s;
  }

  // follow notes where a message is now, and what it changes.
  follow(x, event, number, toClient, update) {
    const to = rank(event.to);
    if (to === 0 || to === 1e9) x.arrived++;
    else {
      if (asText(event.to).toLowerCase() === "proxy") {
        this.open[toClient ? "toClient" : "toAgent"] = x;
      } else {
        const key = toClient + asText(event.to);
        if (!this.waiting.has(key)) this.waiting.set(key, []);
        const waiting = this.waiting.get(key);
        waiting.push(x);
        if (waiting.length > maxWaiting) waiting.shift();
      }
    }
    if (!toClient && x.lines.length === 1) this.reset(x, event);
    if (!x.session) return;
    if (update && toClient) {
      if (rank(event.from) === 1e9) x.session.agent = stateAfter(x.session.agent, update, number);
      if (to === 0) x.session.client = stateAfter(x.session.client, update, number);
    }
    x.agent = x.session.agent;
    x.client = x.session.client;
  }

  // reset forgets plans as clients and agents do: a session that is loaded is
  // told again from the beginning.
  reset(x, event) {
    if (event.type !== "request") return;
    const params = event.params && typeof event.params === "object" ? event.params : {};
    if (x.method === "initialize") {
      this.ends.client = nameOf(params.clientInfo || params.info);
      for (const s of this.sessions.values()) s.agent = s.client = noPlans;
    }
    const replays = x.method === "session/resume" && params.replayFrom;
    if (x.session && (x.method === "session/load" || replays)) x.session.agent = x.session.client = noPlans;
  }

  // fate returns what became of an exchange whose last event this is. At the only
  // proxy this is not known before the next event, because the recording may end
  // between two events of one message.
  fate(x, event) {
    const to = rank(event.to);
    if (asText(event.to).toLowerCase() === "proxy") {
      this.undecided = x;
      return "unknown";
    }
    if (to !== 0 && to !== 1e9) return "dropped";
    if (x.lines.length === 1) return x.own ? "added" : "forwarded";
    // At each proxy of a chain a message has an event more. The only proxy makes a
    // second event of a message only if it has changed it.
    const changed = asText(event.from).toLowerCase() === "proxy" || x.arrived !== 1;
    return changed || this.content(x.lines[0]) !== this.content(x.lines[x.lines.length - 1]) ? "rewritten" : "forwarded";
  }

  // settle notes what became of an exchange, and counts it.
  settle(x, action) {
    const totals = x.plan ? [this.totals.plans, this.totals.all] : [this.totals.all];
    if (x.counted) {
      for (const t of totals) t[x.action]--;
      this.countKind(x, -1);
    } else {
      for (const t of totals) t.messages++;
      if (x.session) x.session.messages++;
      if (x.plan && x.session) {
        x.session.count++;
        x.session.plans.set(x.id, (x.session.plans.get(x.id) || 0) + 1);
      }
      x.counted = true;
    }
    x.action = action;
    for (const t of totals) t[x.action]++;
    x.countedAs = x.about;
    this.countKind(x, 1);
  }

  countKind(x, by) {
    this.kinds.set(x.countedAs, (this.kinds.get(x.countedAs) || 0) + by);
  }

  // sameContent reports whether an exchange was changed in its id only.
  sameContent(x) {
    const { sent, arrived } = this.sent(x);
    if (arrived.length !== 1 || this.content(sent) !== this.content(arrived[0])) return false;
    const [one, other] = [this.event(sent), this.event(arrived[0])];
    return one.type === other.type && one.method === other.method && one.is_error === other.is_error;
  }

  // sent returns the line of the message that one end sent, and the lines of the
  // messages that arrived at the other end.
  sent(x) {
    const arrived = x.lines.filter((n) => [0, 1e9].includes(rank(this.event(n).to)));
    return { sent: x.lines[0], arrived };
  }
}

function noTotals() {
  return { messages: 0, forwarded: 0, rewritten: 0, dropped: 0, added: 0, unknown: 0 };
}

function requestKey(from, toClient, id) {
  return asText(from) + toClient + JSON.stringify(id);
}

function secondsOf(event) {
  return typeof event.ts === "number" ? event.ts : 0;
}

function sessionOf(event) {
  if (typeof event.session === "string") return event.session;
  const params = event.params;
  return params && typeof params.sessionId === "string" ? params.sessionId : "";
}

function nameOf(info) {
  if (!info || typeof info !== "object") return "";
  return [asText(info.title || info.name), asText(info.version)].filter(Boolean).join(" ");
}
