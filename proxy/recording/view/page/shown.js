// A Shown is the list as it is shown: the exchanges that pass the filter. The chunks of one
// message are one row, that of the first, unless their run is open.
class Shown {
  constructor(filter) {
    this.filter = filter;
    this.open = new Set(); // the numbers of runs
    this.clear();
  }

  clear() {
    this.rows = [];
    this.runs = new Map(); // the exchanges of each run that pass, by its number
    this.passing = 0; // how many exchanges pass, in sight or in a closed run
    this.changed = 0; // the first row that is not as it was drawn
    this.stale = false; // it has to be made again
  }

  // make makes the list from all exchanges.
  make(exchanges) {
    this.clear();
    for (const x of exchanges) {
      x.listed = this.placeOf(x);
      if (x.listed === null) continue;
      if (this.filter.sort) this.rows.push(x);
      else this.enter(x);
    }
    if (this.filter.sort === "slowest") this.rows.sort((a, b) => b.took - a.took);
    if (this.filter.sort === "largest") this.rows.sort((a, b) => b.bytes - a.bytes);
    if (this.filter.sort) this.passing = this.rows.length;
  }

  // take brings the list up to date with an exchange that is new or has changed.
  take(x) {
    const before = x.listed, after = this.placeOf(x);
    if (before === null && after === null) return;
    if (this.filter.sort || (before !== null && before !== after && (before || after))) {
      this.stale = true; // it may be another row that shows the run
      return;
    }
    x.listed = after;
    if (before === null) this.enter(x);
    else if (after === null) this.leave(x);
    else this.note(this.position(this.headOf(x)));
  }

  // placeOf returns where an exchange belongs: null if it does not pass, else the number
  // of its run, 0 for none.
  placeOf(x) {
    return this.filter.passes(x) ? x.run || 0 : null;
  }

  enter(x) {
    this.passing++;
    if (x.listed) {
      if (!this.runs.has(x.listed)) this.runs.set(x.listed, []);
      this.runs.get(x.listed).push(x);
      if (!this.inSight(x)) {
        this.note(this.position(this.headOf(x)));
        return;
      }
    }
    const at = this.position(x) + 1;
    if (at === this.rows.length) this.rows.push(x);
    else this.rows.splice(at, 0, x);
    this.note(x.listed ? Math.max(0, this.position(this.headOf(x))) : at);
  }

  leave(x) {
    this.passing--;
    const at = this.position(x);
    this.rows.splice(at, 1);
    this.note(at);
  }

  note(at) {
    this.changed = Math.min(this.changed, at);
  }

  // takeChanged returns the first row that has changed since it was asked for.
  takeChanged() {
    const changed = this.changed;
    this.changed = Infinity;
    return changed;
  }

  // headOf returns the exchange in whose row another one is shown while its run is closed.
  // An exchange without a run has its own row.
  headOf(x) {
    return x.listed ? this.runs.get(x.listed)[0] : x;
  }

  // inSight reports whether an exchange that passes has a row.
  inSight(x) {
    return this.filter.sort !== "" || !x.listed || this.open.has(x.listed) || this.headOf(x) === x;
  }

  // runAt returns the exchanges of an exchange's run, null if it is alone.
  runAt(x) {
    const run = x.listed && !this.filter.sort ? this.runs.get(x.listed) : null;
    return run && run.length > 1 ? run : null;
  }

  // position returns the index of an exchange. If it has no row, it is the index of the
  // row before it, -1 if there is none.
  position(x) {
    if (this.filter.sort) return this.rows.indexOf(x);
    let low = 0, high = this.rows.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.rows[mid].n <= x.n) low = mid + 1;
      else high = mid;
    }
    return low - 1;
  }

  // has reports whether an exchange has a row.
  has(x) {
    return this.rows[this.position(x)] === x;
  }

  // toggle opens or closes a run.
  toggle(run) {
    if (!this.open.delete(run)) this.open.add(run);
    this.stale = true;
  }
}
