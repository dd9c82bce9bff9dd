// Values in the cells of a table.

import { formatBytes, h, icon } from './dom.js';

const numeric = new Set(['int', 'float', 'double', 'decimal128']);

/** How a column is aligned and set: `number`, `code`, or `text`. */
export function columnStyle(property) {
  if (property.collection) return 'text';
  if (numeric.has(property.base)) return 'number';
  if (['date', 'objectId', 'object id', 'UUID', 'uuid', 'data'].includes(property.base)) return 'code';
  return 'text';
}

/** A cell as text: for measuring widths, copying, and screen readers. */
export function cellText(cell) {
  if (cell === null) return 'nil';
  if (typeof cell !== 'object') return String(cell);
  switch (cell.k) {
    case 'data': return `${formatBytes(cell.n)}  ${cell.v}`;
    case 'list': return `${cell.n}  ${cell.v}`;
    case 'map': return `${cell.n}  ${cell.v}`;
    default: return cell.v;
  }
}

/** Fills an element with a cell. */
export function fillCell(element, cell) {
  if (cell === undefined) {
    // Rows of another version of the schema, whose properties come in a moment.
    element.textContent = '';
  } else if (cell === null) {
    element.replaceChildren(h('span', { class: 'nil' }, 'nil'));
  } else if (typeof cell === 'string') {
    element.textContent = cell;
  } else if (typeof cell === 'boolean') {
    element.replaceChildren(h('span', { class: `flag ${cell ? 'on' : 'off'}` }, String(cell)));
  } else {
    element.replaceChildren(...parts(cell));
  }
}

function parts(cell) {
  switch (cell.k) {
    case 'link': return [h('span', { class: 'chip', 'data-link': '' }, icon('link'), cell.v)];
    case 'embedded': return [h('span', { class: 'embedded' }, icon('embedded'), cell.v)];
    case 'data':
      return [h('span', { class: 'count' }, formatBytes(cell.n)), h('code', {}, cell.v)];
    case 'list':
    case 'map':
      return cell.n === 0
        ? [h('span', { class: 'nil' }, 'empty')]
        : [h('span', { class: 'count' }, String(cell.n)), cell.v];
    default: return [h('span', { class: 'kind' }, cell.k), cell.v];
  }
}
