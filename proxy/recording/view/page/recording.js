// A Recording holds the lines of the file and the exchanges. A line of the file is one event: a
// message on its way from one component to the next. An exchange is a message with all its events and
// its fate. In the stream, an exchange is a timeline.Row; elsewhere on the page, a row is an element
// of the visible list.
//
// The members of an exchange are those of timeline.Row: n is the number of its first line, lines has
// the number, the components and the plan of each event, and at is the number of seconds since the
// recording began. The page adds pageMembers.
class Recording {
  constructor() {
    this.clear();
  }

  clear() {
    this.fileLines = []; // the texts of all lines
    this.unreadableCount = 0; // lines that are not events
    this.exchanges = []; // all exchanges, in order
    this.exchangesByLine = []; // the exchange of each line, by the line's number
    this.sessions = new Map(); // by number; addSession adds members
    this.exchangesByTool = new Map(); // lists of exchanges, by the number of their tool call
    this.exchangesByRun = new Map(); // lists of exchanges, by the number of their run of chunks
    this.findings = new Map(); // lists of findings about a message, by the number of its line
    this.findingCount = 0;
    this.unjudgedReason = undefined; // why messages were not judged; "" if all were, undefined before that is known
    this.totals = { messages: 0, forwarded: 0, rewritten: 0, dropped: 0, added: 0, unknown: 0 };
    this.kindCounts = new Map(kinds.map((k) => [k.name, 0])); // the number of exchanges of each kind
    this.internedTexts = new Map(); // maps each shared text to its one copy
    this.losses = new Losses();
    this.htmlLines = new Map(); // the latest line ["html", key, HTML] of each key
    this.peers = {}; // a timeline.Peers
  }

  // event returns the event in the line with a number.
  event(number) {
    return JSON.parse(this.fileLines[number - 1]);
  }

  // content returns the JSON text of the params or the payload in the line with a number.
  content(number) {
    const text = this.fileLines[number - 1];
    return member(text, "params") ?? member(text, "payload") ?? "null";
  }

  // sentAndReceived returns the number of the line in which the sender sent the message, and the
  // numbers of the lines in which the receiver got it or its replacements.
  sentAndReceived(exchange) {
    const received = exchange.lines.filter((l) => sideOf(l.to) !== "proxy").map((l) => l.n);
    return { sent: exchange.lines[0].n, received };
  }

  // html returns the HTML of the text with a key (see htmlKey), "" if there is none.
  html(key) {
    const line = this.htmlLines.get(key);
    return line ? JSON.parse(line)[2] || "" : "";
  }

  // hasUnknownSession reports whether a finding says that the session of an exchange was not opened, or
  // was closed.
  hasUnknownSession(exchange) {
    return this.findings.size > 0 && exchange.lines.some((l) => this.findings.get(l.n)?.some((f) => f.rule === "unknown-session"));
  }

  // exchangeOf returns the exchange of the line with a number, undefined if the line has none.
  exchangeOf(number) {
    return this.exchangesByLine[number];
  }

  // toolExchanges returns the exchanges of the tool call with a number.
  toolExchanges(number) {
    return this.exchangesByTool.get(number) || [];
  }

  // addLine adds the next line of the file; "?" stands for a line that is not an event.
  addLine(text) {
    this.fileLines.push((" " + text).slice(1)); // a copy: a slice would keep the whole piece of the stream in memory
    if (text === "?") this.unreadableCount++;
  }

  // addSession adds a session without messages. planCount is the number of its messages with a plan,
  // countsByPlan the number of messages with each plan, by the plan's id.
  addSession(session) {
    this.sessions.set(session.number, { ...session, messageCount: 0, planCount: 0, countsByPlan: new Map() });
  }

  // addRow adds the exchange of a new timeline.Row, or updates the exchange of a changed one. It returns
  // the exchange, which stays the same object.
  addRow(row) {
    let exchange = this.exchangesByLine[row.n];
    const lineCount = exchange?.lines.length || 0, lossCount = exchange?.lost?.length || 0; // before the update
    for (const name of internedMembers) row[name] = this.intern(row[name]);
    if (exchange) {
      this.addToTotals(exchange, -1);
      // JSON omits empty members: they must not keep their old values.
      for (const name in exchange) if (!pageMembers.includes(name)) exchange[name] = row[name];
      Object.assign(exchange, row);
    } else {
      exchange = Object.assign(row, { plan: row.lines[0].plan, kindBits: 0, listedRun: null, hitGeneration: 0 });
      this.exchanges.push(exchange);
    }
    for (const l of exchange.lines.slice(lineCount)) this.exchangesByLine[l.n] = exchange;
    this.addToGroup(this.exchangesByTool, exchange.tool, exchange);
    this.addToGroup(this.exchangesByRun, exchange.run, exchange);
    for (const loss of (exchange.lost || []).slice(lossCount)) this.losses.add(exchange, loss);
    exchange.kindBits = kindBitsOf(exchange, this.findings);
    this.addToTotals(exchange, 1);
    return exchange;
  }

  // intern returns the one copy of a text that all exchanges share.
  intern(text) {
    if (!this.internedTexts.has(text)) this.internedTexts.set(text, text);
    return this.internedTexts.get(text);
  }

  // addToGroup adds an exchange to the group with a number, unless the last exchange of the group is this one or a later one.
  // With the number 0 or undefined, the exchange is in no group.
  addToGroup(groups, number, exchange) {
    if (!number) return;
    if (!groups.has(number)) groups.set(number, []);
    const group = groups.get(number);
    if (!group.length || group[group.length - 1].n < exchange.n) group.push(exchange);
  }

  // addFinding adds a finding. It returns the exchange with the message that the finding is about,
  // undefined if there is none.
  addFinding(finding) {
    const exchange = this.exchangesByLine[finding.number];
    this.findingCount++;
    this.findings.set(finding.number, [...(this.findings.get(finding.number) || []), finding]);
    if (!exchange) return undefined;
    this.addToTotals(exchange, -1);
    exchange.kindBits = kindBitsOf(exchange, this.findings);
    this.addToTotals(exchange, 1);
    return exchange;
  }

  // addToTotals adds an exchange to the totals, or removes it: sign is 1 or -1.
  addToTotals(exchange, sign) {
    this.totals.messages += sign;
    this.totals[exchange.fate] += sign;
    for (const { name } of kinds) {
      if (isOfKind(exchange, name)) this.kindCounts.set(name, this.kindCounts.get(name) + sign);
    }
    const session = this.sessions.get(exchange.session);
    if (!session) return;
    session.messageCount += sign;
    if (!exchange.plan) return;
    session.planCount += sign;
    session.countsByPlan.set(exchange.plan.id, (session.countsByPlan.get(exchange.plan.id) || 0) + sign);
  }
}

// pageMembers are the members of an exchange that a timeline.Row does not have: the plan in its first
// line; its kinds (see kindBitsOf); its run in the list (see RowList.build); and the number of the
// latest search that has found it.
const pageMembers = ["plan", "kindBits", "listedRun", "hitGeneration"];
// The members whose few values are shared.
const internedMembers = ["type", "method", "update", "fate", "about"];

// sideOf returns the side of a component: "client", "agent" or "proxy".
function sideOf(component) {
  const side = /^(?:client|agent)/i.exec(component);
  return side ? side[0].toLowerCase() : "proxy";
}

// peersOf returns the sender and the receiver of an exchange. A message that the proxy sends to the
// client counts as the agent's, and one to the agent as the client's.
function peersOf(exchange) {
  return exchange.toClient ? ["agent", "client"] : ["client", "agent"];
}

// Losses counts the losses, in total and of each kind and name.
class Losses {
  constructor() {
    this.items = new Map(); // { kind, name, detail, count, first }; first is the number of the first exchange
    this.count = 0; // all losses
  }

  // add counts a loss of an exchange.
  add(exchange, { kind, name = "", detail = "" }) {
    const key = JSON.stringify([kind, name]);
    const item = this.items.get(key) || { kind, name, detail, count: 0, first: exchange.n };
    item.count++;
    item.first = Math.min(item.first, exchange.n);
    this.items.set(key, item);
    this.count++;
  }
}
