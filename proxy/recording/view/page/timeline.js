// A RowView draws the items of a list as rows of equal height. Only the rows in the viewport
// have elements, so that the length of the list does not matter.

const maxHeight = 16000000; // in pixels; browsers limit the height of an element
const overscan = 6; // rows above and below the viewport that have elements, too

class RowView {
  // drawRow(row, item) fills the element of a row. onClick(index, target) is called for a click
  // on a row; target is the clicked element.
  constructor(box, drawRow, onClick) {
    this.box = box;
    this.drawRow = drawRow;
    this.spacer = box.firstElementChild;
    this.items = [];
    this.selectedIndex = -1;
    this.elements = new Map(); // of rows, by index
    this.refreshSoon = onNextFrame(() => this.refresh());
    this.measure();
    box.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => {
      this.measure();
      this.refresh();
      if (this.selectedIndex >= 0 && this.height) this.select(this.selectedIndex); // scrolls to the row
    }).observe(box);
    box.addEventListener("click", (e) => {
      const row = e.target.closest("[data-index]");
      if (row) onClick(Number(row.dataset.index), e.target);
    });
  }

  measure() {
    this.rowHeight = parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 30;
  }

  // setItems replaces the items and the index of the selected one, without scrolling. keepsRow is that
  // of refresh.
  setItems(items, selectedIndex, keepsRow) {
    this.items = items;
    this.selectedIndex = selectedIndex;
    this.refresh(keepsRow);
  }

  // refresh draws the rows in the viewport again. A row keeps its element if it still has the same item
  // and keepsRow(item) is true.
  refresh(keepsRow) {
    for (const [index, row] of this.elements) {
      if (keepsRow?.(row.item) && row.item === this.items[index]) continue;
      row.remove();
      this.elements.delete(index);
    }
    this.draw();
  }

  // height is the height of the spacer, in pixels.
  get height() {
    return Math.min(this.items.length * this.rowHeight, maxHeight);
  }

  // scale is the number of pixels of the list per pixel of scrolling: more than 1 if the list is
  // taller than an element can be.
  get scale() {
    const scrollHeight = this.height - this.box.clientHeight;
    return scrollHeight > 0 ? (this.items.length * this.rowHeight - this.box.clientHeight) / scrollHeight : 1;
  }

  // draw gives elements to the rows in the viewport, puts them in place and removes other elements.
  draw() {
    this.spacer.style.height = this.height + "px";
    const viewHeight = this.box.clientHeight;
    const top = this.box.scrollTop * this.scale; // the scroll position if there were no maxHeight
    const offset = this.box.scrollTop - top; // moves rows from there to the real scroll position
    const first = Math.max(0, Math.floor(top / this.rowHeight) - overscan);
    const last = Math.min(this.items.length - 1, Math.ceil((top + viewHeight) / this.rowHeight) + overscan);
    for (const [index, row] of this.elements) {
      if (index >= first && index <= last) continue;
      row.remove();
      this.elements.delete(index);
    }
    for (let i = first; i <= last; i++) {
      let row = this.elements.get(i);
      if (!row) {
        row = element("div", { class: "row", role: "option", id: "row-" + i, "data-index": i, "aria-posinset": i + 1 });
        row.item = this.items[i];
        this.drawRow(row, row.item);
        this.elements.set(i, row);
        this.spacer.append(row);
      }
      row.setAttribute("aria-setsize", this.items.length);
      row.setAttribute("aria-selected", i === this.selectedIndex);
      row.style.transform = "translateY(" + (i * this.rowHeight + offset) + "px)";
    }
    if (this.elements.has(this.selectedIndex)) this.box.setAttribute("aria-activedescendant", "row-" + this.selectedIndex);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // select marks the row with an index as selected, and scrolls to it if necessary.
  select(index) {
    this.selectedIndex = index;
    this.spacer.style.height = this.height + "px";
    const top = index * this.rowHeight;
    const viewHeight = this.box.clientHeight;
    const viewTop = this.box.scrollTop * this.scale;
    const margin = Math.min(2 * this.rowHeight, viewHeight / 3);
    const isAbove = top < viewTop + margin, isBelow = top + this.rowHeight > viewTop + viewHeight - margin;
    if (isAbove || isBelow) {
      this.box.scrollTop = Math.max(0, isAbove ? top - margin : top + this.rowHeight - viewHeight + margin) / this.scale;
    }
    this.draw();
  }
}
