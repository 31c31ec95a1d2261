// A Recording holds the lines of the file and the exchanges. A line is one event: a message on
// its way from one component to the next. An exchange is a message with all its events and its
// fate: a timeline.Row of Go, and a row of the stream. Elsewhere on the page, a row is the line of
// an exchange in the list.
//
// The members of an exchange are those of timeline.Row, among them n, the number of its
// first line, and at, the seconds since the recording began. The page adds pageMembers.
class Recording {
  constructor() {
    this.clear();
  }

  clear() {
    this.lines = []; // the texts of all lines
    this.unreadable = 0; // the number of lines that are not events
    this.exchanges = []; // all exchanges, in order
    this.exchangesByLine = []; // the exchange of each line, by the line's number
    this.sessions = new Map(); // by number
    this.tools = new Map(); // the exchanges of each tool call, by its number
    this.runs = new Map(); // the exchanges of each run of chunks, by its number
    this.findings = new Map(); // the findings about each message, by the line's number
    this.findingCount = 0;
    this.unjudgedReason = undefined; // why messages were not judged; "" if all were, undefined before that is known
    this.totals = { messages: 0, forwarded: 0, rewritten: 0, dropped: 0, added: 0, unknown: 0 };
    this.kindCounts = new Map(kinds.map((k) => [k.name, 0])); // the number of exchanges of each kind
    this.internedTexts = new Map();
    this.losses = new Losses();
    this.htmlLines = new Map(); // the changes "html" of a document, by key
    this.peers = {};
  }

  // event returns the event of a line.
  event(number) {
    return JSON.parse(this.lines[number - 1]);
  }

  // content returns the text of an event's params or payload.
  content(number) {
    const text = this.lines[number - 1];
    return member(text, "params") ?? member(text, "payload") ?? "null";
  }

  // sentAndReceived returns the line of the message as its sender sent it, and the lines of
  // the messages that the receiver got for it.
  sentAndReceived(exchange) {
    const received = exchange.lines.filter((l) => sideOf(l.to) !== "proxy").map((l) => l.n);
    return { sent: exchange.lines[0].n, received };
  }

  // html returns the HTML of the text with a key, "" if there is none.
  html(key) {
    const line = this.htmlLines.get(key);
    return line ? JSON.parse(line)[2] || "" : "";
  }

  // isOfUnknownSession reports whether the client does not know the session of an exchange.
  isOfUnknownSession(exchange) {
    return this.findings.size > 0 && exchange.lines.some((l) => this.findings.get(l.n)?.some((f) => f.rule === "unknown-session"));
  }

  // exchangeOf returns the exchange of a line, undefined if it has none.
  exchangeOf(line) {
    return this.exchangesByLine[line];
  }

  // toolExchanges returns the exchanges of a tool call.
  toolExchanges(tool) {
    return this.tools.get(tool) || [];
  }

  addLine(text) {
    this.lines.push((" " + text).slice(1)); // a copy: a slice would keep the whole piece of the stream in memory
    if (text === "?") this.unreadable++;
  }

  addSession(session) {
    this.sessions.set(session.number, { ...session, planCount: 0, messages: 0, plans: new Map() });
  }

  // addRow adds the exchange of a new row of the stream, or updates the exchange of a changed one. It
  // returns the exchange, which stays the same object.
  addRow(row) {
    let exchange = this.exchangesByLine[row.n];
    const lineCount = exchange?.lines.length || 0, lossCount = exchange?.lost?.length || 0; // before the update
    for (const name of internedMembers) row[name] = this.intern(row[name]);
    if (exchange) {
      this.addToTotals(exchange, -1);
      for (const name in exchange) if (!pageMembers.includes(name)) exchange[name] = row[name]; // JSON omits empty members
      Object.assign(exchange, row);
    } else {
      exchange = Object.assign(row, { plan: row.lines[0].plan, kindBits: 0, listedRun: null, hitGeneration: 0 });
      insertInOrder(this.exchanges, exchange);
    }
    for (const l of exchange.lines.slice(lineCount)) this.exchangesByLine[l.n] = exchange;
    this.addToGroup(this.tools, exchange.tool, exchange);
    this.addToGroup(this.runs, exchange.run, exchange);
    for (const loss of (exchange.lost || []).slice(lossCount)) this.losses.add(exchange, loss);
    exchange.kindBits = kindBitsOf(exchange, this.findings);
    this.addToTotals(exchange, 1);
    return exchange;
  }

  // intern returns one copy of a text that many rows contain.
  intern(text) {
    if (!this.internedTexts.has(text)) this.internedTexts.set(text, text);
    return this.internedTexts.get(text);
  }

  // addToGroup adds an exchange to the group with a number, which is in order. An exchange
  // with the number 0 is in no group.
  addToGroup(groups, number, exchange) {
    if (!number) return;
    if (!groups.has(number)) groups.set(number, []);
    const group = groups.get(number);
    if (!group.length || group[group.length - 1].n < exchange.n) group.push(exchange);
  }

  // addFinding adds a finding. It returns the exchange of its message, undefined if there is
  // none.
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
    session.messages += sign;
    if (!exchange.plan) return;
    session.planCount += sign;
    session.plans.set(exchange.plan.id, (session.plans.get(exchange.plan.id) || 0) + sign);
  }
}

// pageMembers are the members of an exchange that a row of the stream does not have.
const pageMembers = ["plan", "kindBits", "listedRun", "hitGeneration"];
const internedMembers = ["type", "method", "update", "fate", "about"];

// insertInOrder inserts an exchange into a list that is ordered by n.
function insertInOrder(exchanges, exchange) {
  let index = exchanges.length;
  while (index > 0 && exchanges[index - 1].n > exchange.n) index--;
  if (index === exchanges.length) exchanges.push(exchange);
  else exchanges.splice(index, 0, exchange);
}

// sideOf returns the side of a component: "client", "agent" or "proxy".
function sideOf(component) {
  const side = /^(?:client|agent)/i.exec(component);
  return side ? side[0].toLowerCase() : "proxy";
}

// peersOf returns the peers between which an exchange is: [sender, receiver].
function peersOf(exchange) {
  return exchange.toClient ? ["agent", "client"] : ["client", "agent"];
}

// Losses counts the losses of each kind and name.
class Losses {
  constructor() {
    this.items = new Map(); // { kind, name, detail, count, first }; first is the number of the first exchange
    this.count = 0;
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
