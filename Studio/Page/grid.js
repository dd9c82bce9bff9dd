// A table of any number of rows, of which only those in view are elements.
//
// Browsers have no element that is high enough for a million rows and more. So the height that is scrolled
// over has a limit; beyond it, short scrolling moves by pixels and long scrolling by shares of the whole.

import { announce, formatCount, h } from './dom.js';
import { columnStyle, fillCell } from './cells.js';
import { fittedWidth, headCells } from './columns.js';

const rowHeight = 32;
const heightLimit = 6_000_000;

export class Grid {
  /**
   * - `source`: `total`, `row(position)`, `want(first, end)`, `isFresh(row, column)`
   * - `onOpen(row, link)`, `onSort(name, isAdded)`: what was chosen
   */
  constructor({ source, onOpen, onSort }) {
    this.source = source;
    this.onOpen = onOpen;
    this.onSort = onSort;
    this.columns = [];
    this.widths = new Map();
    this.active = { row: 0, column: 0 };
    this.top = 0;
    this.lastScroll = 0;
    this.pool = [];
    this.head = h('div', { class: 'grid-head', role: 'row', 'aria-rowindex': 1 });
    this.layer = h('div', { class: 'grid-layer', role: 'rowgroup' });
    this.spacer = h('div', { class: 'grid-spacer' }, this.layer);
    this.scroller = h('div', { class: 'grid-scroll', tabindex: -1, onscroll: () => this.scrolled() },
      this.spacer);
    this.element = h('div', {
      class: 'grid', role: 'grid', tabindex: 0, 'aria-label': 'Objects', 'aria-multiselectable': 'false',
      onkeydown: (event) => this.pressed(event), onfocus: () => this.render(),
    }, h('div', { class: 'grid-clip', role: 'rowgroup' }, this.head), this.scroller);
    this.layer.addEventListener('click', (event) => this.clicked(event));
    this.layer.addEventListener('dblclick', (event) => this.clicked(event));
    new ResizeObserver(() => this.layout()).observe(this.scroller);
  }

  /** Shows other columns, from the first row on. */
  setColumns(columns, order, typeName) {
    const isOtherType = this.typeName !== typeName;
    this.typeName = typeName;
    this.columns = columns.map((property) => ({
      property, style: columnStyle(property),
      key: `${typeName}.${property.name}`,
    }));
    this.order = order;
    if (isOtherType) {
      this.active = { row: 0, column: 0 };
      this.scroller.scrollLeft = 0;
    }
    this.pool = [];
    this.layer.replaceChildren();
    this.element.setAttribute('aria-colcount', columns.length + 1);
    this.head.replaceChildren(...headCells(this));
    this.layout();
  }

  toTop() {
    this.active.row = 0;
    this.top = 0;
    this.lastScroll = 0;
    this.scroller.scrollTop = 0;
  }

  // MARK: Layout

  /** Sets the width of a column; without one, it fits what is in view. */
  resize(column, width) {
    if (width === undefined) this.widths.delete(column.key);
    else this.widths.set(column.key, Math.min(1200, Math.max(56, width)));
    if (width === undefined) this.fit();
    else this.layout();
  }

  /** Decides widths that nobody has set, once rows are there. */
  fit() {
    const first = this.firstRow();
    this.columns.forEach((column, index) => {
      if (this.widths.has(column.key)) return;
      const cells = [];
      for (let position = first; position < Math.min(first + 60, this.source.total); position += 1) {
        const cell = this.source.row(position)?.c[index];
        if (cell !== undefined) cells.push(cell);
      }
      this.widths.set(column.key, fittedWidth(column, cells));
    });
    this.layout();
  }

  layout() {
    // The positions have as many digits as the last one.
    this.numberWidth = Math.max(58, 28 + 7.2 * formatCount(this.source.total).length);
    let left = this.numberWidth;
    this.columns.forEach((column) => {
      column.width = this.widths.get(column.key) ?? 160;
      column.left = left;
      left += column.width;
    });
    this.width = left;
    this.head.style.width = `${left}px`;
    [...this.head.children].forEach((cell, index) => {
      cell.style.width = `${index === 0 ? this.numberWidth : this.columns[index - 1].width}px`;
    });
    for (const row of this.pool) this.layoutRow(row);
    this.measure();
    this.render();
  }

  layoutRow(row) {
    row.element.style.width = `${this.width}px`;
    row.number.style.width = `${this.numberWidth}px`;
    row.cells.forEach((cell, index) => { cell.style.width = `${this.columns[index].width}px`; });
  }

  /** Fits the height that is scrolled over to the number of rows. */
  measure() {
    this.viewHeight = this.scroller.clientHeight;
    const fullHeight = this.source.total * rowHeight;
    const spacerHeight = Math.min(fullHeight, heightLimit);
    this.topLimit = Math.max(0, fullHeight - this.viewHeight);
    this.scrollLimit = Math.max(0, spacerHeight - this.viewHeight);
    this.isScaled = fullHeight > heightLimit;
    this.spacer.style.height = `${spacerHeight}px`;
    this.spacer.style.width = `${this.width}px`;
    this.layer.style.height = `${Math.min(this.viewHeight, fullHeight)}px`;
    this.top = Math.min(this.top, this.topLimit);
    this.element.setAttribute('aria-rowcount', this.source.total + 1);
  }

  // MARK: Scrolling

  scrolled() {
    const scroll = this.scroller.scrollTop;
    this.head.style.transform = `translateX(${-this.scroller.scrollLeft}px)`;
    if (!this.isScaled) {
      this.top = scroll;
    } else {
      const moved = scroll - this.lastScroll;
      const isShort = Math.abs(moved) < 2 * this.viewHeight;
      if (scroll <= 0) this.top = 0;
      else if (scroll >= this.scrollLimit) this.top = this.topLimit;
      else if (isShort) this.top = Math.min(this.topLimit, Math.max(0, this.top + moved));
      else this.top = scroll / this.scrollLimit * this.topLimit;
      clearTimeout(this.syncTimer);
      this.syncTimer = setTimeout(() => this.syncScroll(), 180);
    }
    this.lastScroll = scroll;
    this.scheduleRender();
  }

  /** Moves the scroll bar to where the rows in view are. */
  syncScroll() {
    if (this.topLimit === 0) return;
    const wanted = this.isScaled ? this.top / this.topLimit * this.scrollLimit : this.top;
    if (Math.abs(this.scroller.scrollTop - wanted) < 1) return;
    this.scroller.scrollTop = wanted;
    this.lastScroll = this.scroller.scrollTop;
  }

  firstRow() { return Math.floor(this.top / rowHeight); }

  /** Scrolls as little as shows a row. */
  reveal(position) {
    const start = position * rowHeight;
    if (start < this.top) this.top = start;
    else if (start + rowHeight > this.top + this.viewHeight) this.top = start + rowHeight - this.viewHeight;
    this.top = Math.max(0, Math.min(this.topLimit, this.top));
    this.syncScroll();
    const column = this.columns[this.active.column];
    if (!column) return;
    const left = this.scroller.scrollLeft;
    if (column.left - this.numberWidth < left) this.scroller.scrollLeft = column.left - this.numberWidth;
    else if (column.left + column.width > left + this.scroller.clientWidth) {
      this.scroller.scrollLeft = column.left + column.width - this.scroller.clientWidth;
    }
  }

  // MARK: Rows

  scheduleRender() {
    this.frame ??= requestAnimationFrame(() => this.render());
  }

  render() {
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
    const first = this.firstRow();
    const end = Math.min(this.source.total, Math.ceil((this.top + this.viewHeight) / rowHeight));
    // Before anything has arrived, nobody knows how many rows there are. Some rows more are fetched in the
    // direction of scrolling.
    const view = Math.ceil(this.viewHeight / rowHeight);
    const isDown = this.top >= (this.topBefore ?? 0);
    if (this.top !== this.topBefore) this.isDown = isDown;
    this.topBefore = this.top;
    this.source.want(first, Math.max(end, first + view));
    if (this.isDown) this.source.prefetch(end + 2 * view);
    else this.source.prefetch(first - 2 * view);
    while (this.pool.length < end - first) this.pool.push(this.makeRow());
    this.pool.forEach((row, index) => {
      const isShown = index < end - first;
      row.element.hidden = !isShown;
      if (isShown) this.fillRow(row, first + index);
    });
    const id = `cell-${this.active.row}-${this.active.column}`;
    if (document.getElementById(id)) this.element.setAttribute('aria-activedescendant', id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  makeRow() {
    const number = h('div', { class: 'cell number-cell', role: 'rowheader' });
    const cells = this.columns.map((column, index) => h('div', {
      class: `cell ${column.style}`, role: 'gridcell', 'aria-colindex': index + 2,
    }));
    const element = h('div', { class: 'grid-row', role: 'row' }, number, cells);
    const row = { element, number, cells, shown: undefined };
    this.layoutRow(row);
    this.layer.append(element);
    return row;
  }

  fillRow(row, position) {
    const data = this.source.row(position);
    row.element.style.transform = `translateY(${position * rowHeight - this.top}px)`;
    const isActive = position === this.active.row;
    row.element.classList.toggle('active', isActive);
    row.element.classList.toggle('opened', data !== undefined && data.id === this.openedId);
    if (row.position !== position) {
      row.position = position;
      row.element.dataset.position = position;
      row.element.setAttribute('aria-rowindex', position + 2);
      row.number.textContent = formatCount(position + 1);
      row.cells.forEach((cell, index) => { cell.id = `cell-${position}-${index}`; });
    }
    if (row.data !== data) {
      row.data = data;
      row.element.classList.toggle('waiting', data === undefined);
      row.cells.forEach((cell, index) => {
        if (data === undefined) cell.textContent = '';
        else fillCell(cell, data.c[index]);
      });
    }
    row.cells.forEach((cell, index) => {
      cell.classList.toggle('current', isActive && index === this.active.column);
      cell.classList.toggle('fresh', data !== undefined && this.source.isFresh(data, index));
    });
  }

  // MARK: Mouse and keys

  clicked(event) {
    const element = event.target.closest('.grid-row');
    if (!element) return;
    const position = Number(element.dataset.position);
    const cell = event.target.closest('[role=gridcell]');
    const column = cell ? Number(cell.getAttribute('aria-colindex')) - 2 : this.active.column;
    this.active = { row: position, column };
    this.element.focus({ preventScroll: true });
    this.render();
    const row = this.source.row(position);
    if (row) this.onOpen(row, event.target.closest('[data-link]') ? row.c[column] : null);
  }

  pressed(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.viewHeight / rowHeight) - 1);
    const { row, column } = this.active;
    const last = { row: this.source.total - 1, column: this.columns.length - 1 };
    if (event.altKey) {
      const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
      if (step) { this.resize(this.columns[column], this.columns[column].width + step); event.preventDefault(); }
      return;
    }
    const target = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], PageDown: [row + page, column], PageUp: [row - page, column],
      Home: [0, column], End: [last.row, column],
    }[event.key];
    if (target) {
      event.preventDefault();
      this.active = {
        row: Math.max(0, Math.min(last.row, target[0])), column: Math.max(0, Math.min(last.column, target[1])),
      };
      this.reveal(this.active.row);
      this.render();
    } else if (event.key === 'Enter') {
      const data = this.source.row(row);
      if (!data) return;
      event.preventDefault();
      this.onOpen(data, event.shiftKey && data.c[column]?.k === 'link' ? data.c[column] : null);
    } else if (event.key === 's' && this.columns[column]?.property.isSortable) {
      this.onSort(this.columns[column].property.name, false);
      announce(`Sorted by ${this.columns[column].property.name}`);
    }
  }
}
