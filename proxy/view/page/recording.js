// A recording is a list of lines. Each line is an event: one message on its way
// from one component to the next. What a person wants to see is an exchange: what
// one end sent, and what became of it on its way to the other end. The number of
// an exchange is the number of its first line in the file.

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
    this.totals = { plans: 0, others: 0, forwarded: 0, rewritten: 0, dropped: 0, unknown: 0 };
    this.ends = { client: "", agent: "", protocol: "" };
    this.open = { toClient: null, toAgent: null }; // at the only proxy, called Proxy
    this.undecided = null; // the one of them that the last line brought there
    this.waiting = new Map(); // at one of several proxies, by direction and proxy
    this.requests = new Map(); // methods of unanswered requests
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
    if (!event || typeof event !== "object" || !event.type) {
      this.unreadable++; // it may have told what became of the one before
      return [];
    }
    const toClient = rank(event.from) > rank(event.to);
    const update = planUpdate(event);
    const exchange = this.continued(event, number, toClient, update) || this.begun(event, number, toClient, update);
    exchange.lines.push(number);
    this.byNumber.set(number, exchange);
    this.follow(exchange, event, number, toClient, update);
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
      // What leaves is in the lines right behind what came in. The proxy also says
      // things of its own.
      const open = toClient ? this.open.toClient : this.open.toAgent;
      return open && open.type === event.type && open.lines[open.lines.length - 1] === number - 1 ? open : null;
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

  begun(event, number, toClient, update) {
    const sessionID = sessionOf(event);
    const x = {
      number, toClient, sessionID,
      seconds: typeof event.ts === "number" ? event.ts : 0,
      type: asText(event.type),
      method: asText(event.method),
      kind: "",
      lines: [],
      session: null,
      plan: update !== null,
      id: "", form: "", done: -1, total: -1,
      action: "", counted: false,
      agent: noPlans, client: noPlans,
      agentBefore: noPlans, clientBefore: noPlans,
    };
    if (event.type === "response") this.answer(x, event);
    if (event.type === "request") this.requests.set(asText(event.from) + JSON.stringify(event.id), { method: x.method, sessionID });
    const u = event.params && event.params.update;
    if (x.method === "session/update" && u && typeof u === "object") x.kind = asText(u.sessionUpdate);
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

  answer(x, event) {
    const key = asText(event.to) + JSON.stringify(event.id);
    const request = this.requests.get(key);
    if (!request) return;
    this.requests.delete(key);
    x.method = request.method;
    x.sessionID = request.sessionID;
    const result = event.payload;
    if (x.method !== "initialize" || !result || typeof result !== "object" || event.is_error) return;
    this.ends.protocol = asText(result.protocolVersion);
    this.ends.agent = nameOf(result.agentInfo || result.info);
  }

  session(id) {
    let s = this.sessions.get(id);
    if (!s) {
      s = { id, number: this.sessions.size + 1, count: 0, plans: new Map(), agent: noPlans, client: noPlans };
      this.sessions.set(id, s);
    }
    return s;
  }

  // follow notes where a message is now, and what it changes.
  follow(x, event, number, toClient, update) {
    const to = rank(event.to);
    if (to !== 0 && to !== 1e9) {
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
    if (x.lines.length === 1) return "forwarded";
    return this.content(x.lines[0]) === this.content(x.lines[x.lines.length - 1]) ? "forwarded" : "rewritten";
  }

  // settle notes what became of an exchange, and counts it.
  settle(x, action) {
    if (x.counted) {
      if (x.plan) this.totals[x.action]--;
    } else {
      this.totals[x.plan ? "plans" : "others"]++;
      if (x.plan && x.session) {
        x.session.count++;
        x.session.plans.set(x.id, (x.session.plans.get(x.id) || 0) + 1);
      }
      x.counted = true;
    }
    x.action = action;
    if (x.plan) this.totals[x.action]++;
  }

  // sent returns the line of the message that one end sent, and the lines of the
  // messages that arrived at the other end.
  sent(x) {
    const arrived = x.lines.filter((n) => [0, 1e9].includes(rank(this.event(n).to)));
    return { sent: x.lines[0], arrived };
  }
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
