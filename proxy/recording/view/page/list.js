// The timeline. Only the rows in sight exist, so that its length does not matter.

const maxHeight = 16000000; // browsers draw no taller element

class Timeline {
  // fill(row, item) puts an item's text into a row; choose(index, target) is called
  // when a row is clicked, with the element in it that was.
  constructor(box, fill, choose) {
    this.box = box;
    this.fill = fill;
    this.space = box.firstElementChild;
    this.items = [];
    this.chosen = -1;
    this.rows = new Map(); // rows in sight, by index
    this.refreshSoon = soon(() => this.refresh());
    this.measure();
    box.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => {
      this.measure();
      this.refresh();
      if (this.chosen >= 0 && this.height) this.choose(this.chosen); // it stays in sight
    }).observe(box);
    box.addEventListener("click", (e) => {
      const row = e.target.closest("[data-index]");
      if (row) choose(Number(row.dataset.index), e.target);
    });
  }

  measure() {
    this.rowHeight = parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 30;
  }

  // show replaces the items, and marks the chosen one where it is. Rows of which keeps is
  // true stay as they are.
  show(items, chosen, keeps) {
    this.items = items;
    this.chosen = chosen;
    this.refresh(keeps);
  }

  // refresh draws the rows in sight again.
  refresh(keeps) {
    for (const [index, row] of this.rows) {
      if (keeps?.(row.item) && row.item === this.items[index]) continue;
      row.remove();
      this.rows.delete(index);
    }
    this.draw();
  }

  get height() {
    return Math.min(this.items.length * this.rowHeight, maxHeight);
  }

  // scale is how many pixels of the list one pixel of scrolling moves.
  get scale() {
    const room = this.height - this.box.clientHeight;
    return room > 0 ? (this.items.length * this.rowHeight - this.box.clientHeight) / room : 1;
  }

  draw() {
    this.space.style.height = this.height + "px";
    const view = this.box.clientHeight;
    const top = this.box.scrollTop * this.scale;
    const offset = this.box.scrollTop - top;
    const first = Math.max(0, Math.floor(top / this.rowHeight) - 6);
    const last = Math.min(this.items.length - 1, Math.ceil((top + view) / this.rowHeight) + 6);
    for (const [index, row] of this.rows) {
      if (index >= first && index <= last) continue;
      row.remove();
      this.rows.delete(index);
    }
    for (let i = first; i <= last; i++) {
      let row = this.rows.get(i);
      if (!row) {
        row = element("div", { class: "row", role: "option", id: "row-" + i, "data-index": i, "aria-posinset": i + 1 });
        row.item = this.items[i];
        this.fill(row, row.item);
        this.rows.set(i, row);
        this.space.append(row);
      }
      row.setAttribute("aria-setsize", this.items.length);
      row.setAttribute("aria-selected", i === this.chosen);
      row.style.transform = "translateY(" + (i * this.rowHeight + offset) + "px)";
    }
    if (this.rows.has(this.chosen)) this.box.setAttribute("aria-activedescendant", "row-" + this.chosen);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // choose marks an item and brings it into sight.
  choose(index) {
    this.chosen = index;
    this.space.style.height = this.height + "px";
    const top = index * this.rowHeight;
    const view = this.box.clientHeight;
    const at = this.box.scrollTop * this.scale;
    const margin = Math.min(2 * this.rowHeight, view / 3);
    if (top < at + margin || top + this.rowHeight > at + view - margin) {
      const goal = top < at + margin ? top - margin : top + this.rowHeight - view + margin;
      this.box.scrollTop = Math.max(0, goal) / this.scale;
    }
    this.draw();
  }
}
