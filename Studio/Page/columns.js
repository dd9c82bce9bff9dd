// The head of a table: names and types of columns, sorting, and widths.

import { cellText } from './cells.js';
import { h } from './dom.js';

/** The cells of the head; they call `onSort` and `resize` of the table. */
export function headCells(grid) {
  return [
    h('div', { class: 'cell number-cell', role: 'columnheader', 'aria-label': 'Position' }, '#'),
    ...grid.columns.map((column, index) => headCell(grid, column, index)),
  ];
}

function headCell(grid, column, index) {
  const { property } = column;
  const place = grid.order.findIndex((entry) => entry.name === property.name);
  const isSorted = place >= 0;
  const isDescending = isSorted && grid.order[place].isDescending;
  const direction = !isSorted ? 'none' : isDescending ? 'descending' : 'ascending';
  const mark = !isSorted ? '' : isDescending ? '↓' : '↑';
  const name = h('span', { class: 'column-name' }, property.name,
    property.isKey ? h('span', { class: 'key-mark', title: 'Primary key' }, 'key') : null);
  const label = h('button', {
    class: 'column-label', type: 'button', tabindex: -1, disabled: !property.isSortable,
    title: property.isSortable
      ? `${property.name}: ${property.type}. Sort; with Shift as a further order.`
      : `${property.name}: ${property.type}`,
    onclick: (event) => grid.onSort(property.name, event.shiftKey),
  }, name, h('span', { class: 'column-type' }, property.type),
  h('span', { class: 'sort-mark' }, mark, grid.order.length > 1 && isSorted ? String(place + 1) : ''));
  return h('div', {
    class: `cell ${column.style}`, role: 'columnheader', 'aria-sort': direction, 'aria-colindex': index + 2,
  }, label, h('div', {
    class: 'resizer', 'aria-hidden': 'true',
    onpointerdown: (event) => resizing(grid, column, event), ondblclick: () => grid.resize(column),
  }));
}

function resizing(grid, column, event) {
  event.preventDefault();
  const start = event.clientX;
  const { width } = column;
  const handle = event.currentTarget;
  handle.setPointerCapture(event.pointerId);
  const move = (moved) => grid.resize(column, width + moved.clientX - start);
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true });
}

let canvas;

/** The width that fits the name of a column and some of its cells. */
export function fittedWidth(column, cells) {
  canvas ??= document.createElement('canvas').getContext('2d');
  const family = getComputedStyle(document.body).fontFamily;
  canvas.font = `600 12.5px ${family}`;
  const name = canvas.measureText(column.property.name).width + (column.property.isKey ? 34 : 0);
  canvas.font = `11px ${family}`;
  const type = canvas.measureText(column.property.type).width;
  let widest = Math.max(name + type + 34, 64);
  canvas.font = column.style === 'code' ? '12px monospace' : `13px ${family}`;
  for (const cell of cells) {
    // What is before the text: a symbol, a number of elements, or the kind of a value of any type.
    const extra = cell === null || typeof cell !== 'object' ? 0 : cell.k === 'link' || cell.k === 'embedded' ? 20 : 62;
    widest = Math.max(widest, canvas.measureText(cellText(cell).slice(0, 60)).width + extra);
  }
  return Math.min(340, Math.ceil(widest * 1.08) + 26);
}
