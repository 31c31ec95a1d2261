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
    this.changed = new Set(); // exchanges, or the numbers of their runs, that have changed since
    this.stale = false; // it has to be made again
  }

  // make makes the list from all exchanges.
  make(exchanges) {
    this.clear();
    const { sort } = this.filter;
    for (const x of exchanges) {
      x.listed = this.filter.passes(x) ? x.run || 0 : null;
      if (x.listed === null) continue;
      this.passing++;
      if (x.listed && !sort) {
        if (!this.runs.has(x.listed)) this.runs.set(x.listed, []);
        this.runs.get(x.listed).push(x);
      }
      if (this.inSight(x)) this.rows.push(x);
    }
    if (sort === "slowest") this.rows.sort((a, b) => b.took - a.took);
    if (sort === "largest") this.rows.sort((a, b) => b.bytes - a.bytes);
  }

  // take records that an exchange is new or has changed.
  take(x) {
    this.stale = true;
    this.changed.add(x.run || x);
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
