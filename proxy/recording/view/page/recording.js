// A recording is a list of lines, each an event: one message on its way from one component to
// the next. An exchange is a message with all its events and its fate, a row of package
// timeline. The number of an exchange is that of its first line.

class Recording {
  constructor() {
    this.clear();
  }

  // clear forgets everything.
  clear() {
    this.lines = []; // their text
    this.marks = new Map(); // the findings about the message in a line
    this.findings = 0;
    this.judged = undefined; // why messages could not be judged; empty if all were
    this.exchanges = []; // rows, in order
    this.byLine = []; // of each of their lines
    this.sessions = new Map(); // by number
    this.tools = new Map(); // the rows of each tool call, by its number
    this.runs = new Map(); // the rows of each run of chunks, by its number
    this.unreadable = 0;
    this.totals = { messages: 0, forwarded: 0, rewritten: 0, dropped: 0, added: 0, unknown: 0 };
    this.kinds = new Map(kinds.map((k) => [k.name, 0])); // how many rows there are of each kind
    this.texts = new Map(); // that many rows have
    this.losses = new Losses();
    this.markups = new Map(); // of a document: the lines with texts as HTML, by key
    this.ends = {};
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

  // sent returns the line of the message that one end sent, and the lines of the
  // messages that arrived at the other end.
  sent(x) {
    const arrived = x.lines.filter((l) => sideOf(l.to) !== "proxy").map((l) => l.n);
    return { sent: x.lines[0].n, arrived };
  }

  // markup returns the HTML of the text with a key, "" if there is none.
  markup(key) {
    const line = this.markups.get(key);
    return line ? JSON.parse(line)[2] || "" : "";
  }

  // isUnseen reports whether an exchange is of a session that the client does not know.
  isUnseen(x) {
    return this.marks.size > 0 && x.lines.some((l) => this.marks.get(l.n)?.some((f) => f.rule === "unknown-session"));
  }

  // rowOf returns the row of a line, undefined if it has none.
  rowOf(line) {
    return this.byLine[line];
  }

  // toolRows returns the rows that are about a tool call.
  toolRows(tool) {
    return this.tools.get(tool) || [];
  }

  addLine(text) {
    this.lines.push((" " + text).slice(1)); // a copy: a part of a text would keep the whole of it
    if (text === "?") this.unreadable++;
  }

  addSession(session) {
    this.sessions.set(session.number, { ...session, count: 0, messages: 0, plans: new Map() });
  }

  // addRow keeps a row that is new or has changed. It returns the exchange, which
  // stays the same object.
  addRow(row) {
    let x = this.byLine[row.n];
    const lines = x?.lines.length || 0, lost = x?.lost?.length || 0; // that are known
    for (const name of repeated) row[name] = this.once(row[name]);
    if (x) {
      this.count(x, -1);
      for (const name in x) if (!own.includes(name)) x[name] = row[name]; // JSON leaves out what says nothing
      Object.assign(x, row);
    } else {
      x = Object.assign(row, { plan: row.lines[0].plan, kinds: 0, listed: null, found: 0 });
      this.insert(x);
    }
    for (const l of x.lines.slice(lines)) this.byLine[l.n] = x;
    this.join(this.tools, x.tool, x);
    this.join(this.runs, x.run, x);
    for (const loss of (x.lost || []).slice(lost)) this.losses.add(x, loss);
    x.kinds = kindsOf(x, this.marks);
    this.count(x, 1);
    return x;
  }

  // once returns a text that many rows have, which is kept once.
  once(text) {
    if (!this.texts.has(text)) this.texts.set(text, text);
    return this.texts.get(text);
  }

  insert(x) {
    let at = this.exchanges.length;
    while (at > 0 && this.exchanges[at - 1].n > x.n) at--;
    if (at === this.exchanges.length) this.exchanges.push(x);
    else this.exchanges.splice(at, 0, x);
  }

  // join adds a row to those of a group, in order.
  join(groups, number, x) {
    if (!number) return;
    if (!groups.has(number)) groups.set(number, []);
    const rows = groups.get(number);
    if (!rows.length || rows[rows.length - 1].n < x.n) rows.push(x);
  }

  // addMark adds a finding. It returns the exchange of the line that it is about.
  addMark(finding) {
    const x = this.byLine[finding.number];
    this.findings++;
    this.marks.set(finding.number, [...(this.marks.get(finding.number) || []), finding]);
    if (!x) return undefined;
    this.count(x, -1);
    x.kinds = kindsOf(x, this.marks);
    this.count(x, 1);
    return x;
  }

  // count adds a row to the totals, or removes it.
  count(x, by) {
    this.totals.messages += by;
    this.totals[x.fate] += by;
    for (let i = 0; i < kinds.length; i++) {
      if (x.kinds & (1 << i)) this.kinds.set(kinds[i].name, this.kinds.get(kinds[i].name) + by);
    }
    const session = this.sessions.get(x.session);
    if (!session) return;
    session.messages += by;
    if (!x.plan) return;
    session.count += by;
    session.plans.set(x.plan.id, (session.plans.get(x.plan.id) || 0) + by);
  }
}

const own = ["plan", "kinds", "listed", "found"]; // the members of an exchange that a row does not have
const repeated = ["type", "method", "update", "fate", "about"];

// sideOf returns the side of a component: "client", "agent" or "proxy".
function sideOf(component) {
  const side = /^(?:client|agent)/i.exec(component);
  return side ? side[0].toLowerCase() : "proxy";
}

// Losses counts losses by kind and name.
class Losses {
  constructor() {
    this.kinds = new Map();
    this.times = 0;
  }

  // add counts the losses of an exchange.
  add(x, loss) {
    const key = JSON.stringify([loss.kind, loss.name || ""]);
    const known = this.kinds.get(key) || { kind: loss.kind, name: loss.name || "", detail: loss.detail || "", times: 0, first: x.n };
    known.times++;
    known.first = Math.min(known.first, x.n);
    this.kinds.set(key, known);
    this.times++;
  }
}
