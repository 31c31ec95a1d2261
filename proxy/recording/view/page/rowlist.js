// A RowList has the exchanges that are rows of the list, in the order of the list. An exchange must
// pass the filter. The chunks of one message form a run. A closed run is one row, that of its first
// chunk. In an open run, and in a sorted list, each chunk has a row.
class RowList {
  constructor(filter) {
    this.filter = filter;
    this.openRuns = new Set(); // the numbers of the open runs
    this.clear();
  }

  clear() {
    this.exchanges = []; // those with a row, in the order of the list
    this.runs = new Map(); // by number: the exchanges of a run that pass the filter; none in a sorted list
    this.passCount = 0; // exchanges that pass the filter, those in closed runs included
    this.changed = new Set(); // since the last build: the numbers of changed runs, and changed exchanges without a run
    this.isStale = false; // the list has to be built again
  }

  // build builds the list from all exchanges. It sets the listedRun of each: null if the exchange
  // does not pass the filter, otherwise the number of its run, 0 for none.
  build(exchanges) {
    this.clear();
    const { sort } = this.filter;
    for (const exchange of exchanges) {
      exchange.listedRun = this.filter.passes(exchange) ? exchange.run || 0 : null;
      if (exchange.listedRun === null) continue;
      this.passCount++;
      if (exchange.listedRun && !sort) {
        if (!this.runs.has(exchange.listedRun)) this.runs.set(exchange.listedRun, []);
        this.runs.get(exchange.listedRun).push(exchange);
      }
      if (this.hasOwnRow(exchange)) this.exchanges.push(exchange);
    }
    if (sort === "slowest") this.exchanges.sort((a, b) => b.took - a.took);
    if (sort === "largest") this.exchanges.sort((a, b) => b.bytes - a.bytes);
  }

  // markChanged records that an exchange is new or has changed.
  markChanged(exchange) {
    this.isStale = true;
    this.changed.add(exchange.run || exchange);
  }

  // headOf returns the first exchange of the run of an exchange that passes the filter. Its row is that of
  // the closed run. Without a run, headOf returns the exchange itself. The list must not be sorted.
  headOf(exchange) {
    return exchange.listedRun ? this.runs.get(exchange.listedRun)[0] : exchange;
  }

  // hasOwnRow reports whether an exchange that passes is a row, and not part of a closed run.
  hasOwnRow(exchange) {
    return this.filter.sort !== "" || !exchange.listedRun || this.openRuns.has(exchange.listedRun) || this.headOf(exchange) === exchange;
  }

  // runOf returns the exchanges of an exchange's run, null if the list does not have two of them.
  runOf(exchange) {
    const run = exchange.listedRun && !this.filter.sort ? this.runs.get(exchange.listedRun) : null;
    return run && run.length > 1 ? run : null;
  }

  // rowIndex returns the index of an exchange's row. Without a row, rowIndex returns the index of the
  // row before the exchange, or -1; in a sorted list it returns -1.
  rowIndex(exchange) {
    if (this.filter.sort) return this.exchanges.indexOf(exchange);
    let low = 0, high = this.exchanges.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.exchanges[mid].n <= exchange.n) low = mid + 1;
      else high = mid;
    }
    return low - 1;
  }

  // includes reports whether an exchange is one of the rows.
  includes(exchange) {
    return this.exchanges[this.rowIndex(exchange)] === exchange;
  }

  // toggleRun opens or closes the run with a number.
  toggleRun(run) {
    if (!this.openRuns.delete(run)) this.openRuns.add(run);
    this.isStale = true;
  }
}
