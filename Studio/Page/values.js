// Values with all that is known of them: collections and embedded objects unfold.

import { dataAddress, post } from './api.js';
import { formatBytes, formatCount, h, icon, plural } from './dom.js';
import { additions, editableElement, mixedSlot, slotOf } from './editable.js';
import { placeMap } from './map.js';

/** Where values are: in an object, which links lead away from, and whose values can be changed with `changes`. */
export class ValueContext {
  constructor(object, onFollow, label, changes, types) {
    Object.assign(this, { object, onFollow, label, changes, types });
  }
}

/** The element of a value. `path` leads to it from the object; `slot` says what values the place takes. */
export function valueElement(value, path, context, slot) {
  switch (value.k) {
    case 'null': return h('span', { class: 'nil' }, 'nil');
    case 'bool': return h('span', { class: `flag ${value.v ? 'on' : 'off'}` }, String(value.v));
    case 'int':
    case 'number': return h('span', { class: 'figure' }, value.v);
    case 'date': return dateElement(value.v);
    case 'id': return h('code', { class: 'long' }, value.v);
    case 'string': return textElement(value);
    case 'data': return dataElement(value, path, context);
    case 'link': return linkElement(value, context);
    case 'embedded': return embeddedElement(value, path, context);
    case 'list':
    case 'map': return collectionElement(value, path, context, slot);
    default: return h('span', {}, value.v ?? '');
  }
}

function dateElement(text) {
  const date = new Date(text);
  const own = Number.isNaN(date.getTime()) ? null : date.toLocaleString();
  return h('span', { class: 'figure', title: own ? `Here: ${own}` : null }, text);
}

function textElement(value) {
  if (value.v === '') return h('span', { class: 'nil' }, 'empty text');
  return h('span', {},
    h('span', { class: 'long-text' }, value.v),
    value.n ? h('p', { class: 'muted' }, `The beginning of ${formatBytes(value.n)}.`) : null);
}

function linkElement(value, context) {
  return h('button', {
    class: 'chip', type: 'button', title: `${value.t} ${value.v}`,
    onclick: () => context.onFollow({ type: value.t, id: value.id }),
  }, icon('link'), h('span', { class: 'chip-type' }, value.t), value.v);
}

function embeddedElement(value, path, context) {
  const point = value.point ? placeMap(value.point) : null;
  const fields = value.fields
    ? fieldList(value.fields, path, context)
    : linkElement(value, context);
  if (point) {
    return h('div', {}, point, h('details', { class: 'nested' },
      h('summary', {}, h('span', { class: 'chip-type' }, value.t), value.v), fields));
  }
  return h('details', { class: 'nested', open: true },
    h('summary', {}, h('span', { class: 'chip-type' }, value.t)), fields);
}

/** Properties with their values. */
export function fieldList(fields, path, context) {
  return h('dl', { class: 'fields' }, fields.map((field) => [
    h('dt', {}, h('span', { class: 'field-name' }, field.name),
      field.isKey ? h('span', { class: 'key-mark' }, 'key') : null,
      h('span', { class: 'field-type' }, field.type)),
    fieldElement(field, [...path, field.name], context),
  ]));
}

function fieldElement(field, path, context) {
  if (!field.isEditable || !context.changes) return h('dd', {}, valueElement(field.value, path, context));
  const slot = slotOf(field, context.types);
  return editableElement(h('dd', {}), field.value, { ...slot, field }, path, context);
}

/** What the elements of a collection are; null where they can't be changed. */
function elementSlot(slot, context) {
  if (!slot || !context.changes) return null;
  return slot.isCollection ? { ...slotOf(slot.field, context.types, { isElement: true }), field: slot.field } : mixedSlot;
}

function collectionElement(value, path, context, slot) {
  const isMap = value.k === 'map';
  const inner = elementSlot(slot, context);
  const added = inner ? additions(value.k, inner, path, context) : null;
  if (value.n === 0) return h('div', {}, h('span', { class: 'nil' }, 'empty'), added);
  const list = h('ol', { class: isMap ? 'items keyed' : 'items', start: 0 });
  const more = h('button', { class: 'quiet-button', type: 'button' });
  let count = 0;
  const add = (items) => {
    for (const item of items) {
      const step = isMap ? item.key : String(count);
      const place = h('div', { class: 'item-value' });
      const element = isMap ? item.value : item;
      if (inner) editableElement(place, element, inner, [...path, step], context, { isTakenOut: true });
      else place.append(valueElement(element, [...path, step], context));
      list.append(h('li', {}, h('span', { class: 'item-key' }, isMap ? item.key : formatCount(count)), place));
      count += 1;
    }
    more.hidden = count >= value.n;
    more.textContent = `Show more of ${formatCount(value.n)}`;
  };
  more.addEventListener('click', async () => {
    more.disabled = true;
    try {
      const answer = await post('/api/elements', { ...context.object, path, from: count });
      add(answer.items);
      if (answer.items.length === 0) more.hidden = true;
    } catch (error) {
      more.textContent = error.message;
    }
    more.disabled = false;
  });
  add(value.items ?? []);
  return h('details', { class: 'nested', open: value.n <= 12 },
    h('summary', {}, plural(value.n, isMap ? 'entr' : 'element').replace('entrs', 'entries').replace(/entr$/, 'entry')),
    list, more, added);
}

function dataElement(value, path, context) {
  const { type, id } = context.object;
  if (value.n === 0) return h('span', { class: 'nil' }, 'no bytes');
  const picture = value.image
    ? h('img', {
      class: 'picture', src: dataAddress(type, id, path), loading: 'lazy',
      alt: `Picture of ${formatBytes(value.n)}, ${value.image.toUpperCase()}`,
    })
    : null;
  return h('div', { class: 'data' }, picture,
    h('details', { class: 'nested', open: !picture && value.n <= 256 },
      h('summary', {}, formatBytes(value.n), value.image ? `, ${value.image.toUpperCase()}` : ''),
      hexElement(value.v, value.n),
      h('a', { class: 'quiet-button', href: dataAddress(type, id, path, true), download: '' },
        icon('save'), 'Save as a file')));
}

/** Bytes as hexadecimal digits and characters, eight in a line: that fits beside a table. */
function hexElement(digits, count) {
  const lines = [];
  for (let start = 0; start < digits.length; start += 16) {
    const bytes = digits.slice(start, start + 16).match(/../g);
    const characters = bytes.map((byte) => {
      const code = parseInt(byte, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : '·';
    }).join('');
    lines.push(`${(start / 2).toString(16).padStart(4, '0')}  ${bytes.join(' ').padEnd(23)}  ${characters}`);
  }
  const rest = count - digits.length / 2;
  return h('pre', { class: 'hex' }, lines.join('\n'),
    rest > 0 ? `\n… ${formatBytes(rest)} more` : '');
}
