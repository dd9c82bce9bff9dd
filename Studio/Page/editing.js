// Entering values: in the place of the one that is shown, and for a new object.

import { h } from './dom.js';
import { hasLines, lineEnd } from './lineends.js';
import { linkDialog } from './linking.js';

/** Kinds of values of any type, as they are entered. */
const kinds = ['string', 'int', 'double', 'float', 'decimal128', 'bool', 'date', 'objectId', 'uuid', 'data', 'object', 'list', 'map'];
const fileByteLimit = 256 << 10;

/**
 * A line for one value: `onDone(text, shown)`, where null is nil, or `onCancel()`. `key` is an input for the key
 * of an entry; a value of any type may link to one of `types`.
 */
export function valueEditor({ slot, kind: exactKind, text, shown, key, types, onDone, onCancel }) {
  const isMixed = slot.base === 'mixed';
  const kind = isMixed ? kindSelect(text, exactKind) : null;
  const makeEntry = (own) => (kind?.value === 'object' ? anyLinkEntry(slot, own, shown, types) : entryOf(slot, own, shown));
  let entry = makeEntry(isMixed ? rest(text) : text);
  const nil = h('input', { type: 'checkbox', checked: text === null });
  const isNil = () => slot.isOptional && nil.checked;
  const read = () => {
    if (isNil()) return onDone(null, null);
    const { value, label } = entry.read();
    if (value === null) return undefined;
    if (!kind) return onDone(value, label);
    const isPlain = !['list', 'map'].includes(kind.value);
    return onDone(isPlain ? `${kind.value} ${value}` : kind.value, isPlain ? label : `empty ${kind.value}`);
  };
  const form = h('form', {
    class: 'editor',
    onsubmit: (event) => { event.preventDefault(); read(); },
    onkeydown: (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onCancel();
    },
  }, key, kind, entry.element,
  slot.isOptional ? h('label', {}, nil, 'nil') : null,
  h('button', { class: 'button', type: 'submit' }, 'Keep'));
  const disable = () => entry.disable(isNil());
  nil.addEventListener('change', disable);
  disable();
  let isLink = kind?.value === 'object';
  kind?.addEventListener('change', () => {
    // A link is chosen, all other values are typed.
    if (isLink === (kind.value === 'object')) return;
    isLink = !isLink;
    const { element } = entry;
    entry = makeEntry('');
    element.replaceWith(entry.element);
    disable();
  });
  queueMicrotask(() => (key ?? form.querySelector('input, textarea, select, button'))?.focus());
  return form;
}

const rest = (text) => (text === null ? '' : text.slice(text.indexOf(' ') + 1 || text.length));

function kindSelect(text, exactKind) {
  const word = (text ?? 'string').split(' ')[0];
  // What is shown as a number or an identifier has one of several types.
  const now = kinds.includes(word) ? word : exactKind ?? 'string';
  return h('select', { 'aria-label': 'Kind' }, kinds.map((kind) => h('option', { selected: kind === now }, kind)));
}

/** What a text is entered with, by what it stands for: an element, and functions that read and disable it. */
function entryOf(slot, text, shown) {
  if (slot.base === 'object') return linkEntry(slot, text, shown);
  if (slot.base === 'data') return dataEntry(slot, text);
  if (slot.base === 'bool') {
    const select = h('select', { 'aria-label': slot.name }, ['true', 'false'].map((word) => h('option', { selected: word === text }, word)));
    return { element: select, disable: (isOff) => { select.disabled = isOff; }, read: () => ({ value: select.value, label: select.value }) };
  }
  return textEntry(slot, text ?? '');
}

/** A text, which keeps its line ends. One with several kinds can't be changed: which one a line had is not known then. */
function textEntry(slot, text) {
  const isLong = hasLines(text);
  const end = lineEnd(text);
  const input = h(isLong ? 'textarea' : 'input', {
    'aria-label': slot.name, rows: isLong ? 4 : null, spellcheck: 'false', readonly: end === null,
  });
  input.value = text;
  const unchanged = input.value;
  const note = h('span', { class: 'muted', role: 'status' },
    'Its lines end in different ways (\\n, \\r, \\r\\n), which a browser does not keep: it can’t be changed here.');
  const value = () => (input.value === unchanged ? text : input.value.replaceAll('\n', end));
  return {
    element: end === null ? h('div', { class: 'noted-entry' }, input, note) : input,
    disable: (isOff) => { input.disabled = isOff; }, read: () => ({ value: value(), label: value() }),
  };
}

/** A link: a button with the object, which opens the search for another. */
function linkEntry(slot, text, shown) {
  let chosen = text ? { id: text, label: shown ?? text } : null;
  const button = h('button', {
    class: 'button', type: 'button', 'aria-label': `Choose ${slot.name}`,
    onclick: () => linkDialog(slot.target, (link) => { chosen = link; button.textContent = link.label; }),
  }, chosen?.label ?? `Choose a ${slot.target.name} …`);
  return {
    element: button, disable: (isOff) => { button.disabled = isOff; },
    read: () => ({ value: chosen?.id ?? null, label: chosen?.label }),
  };
}

/** A link in a value of any type: its text has the type of the object before its address. */
function anyLinkEntry(slot, text, shown, types) {
  const targets = types.filter((type) => !type.isEmbedded && !type.isAsymmetric);
  const name = text.slice(0, Math.max(0, text.search(/ [=@]/)));
  let chosen = text ? { text, label: shown ?? text } : null;
  const button = h('button', {
    class: 'button', type: 'button', 'aria-label': `Choose ${slot.name}`,
    onclick: () => linkDialog(targets.find((type) => type.name === select.value), (link) => {
      chosen = { text: `${select.value} ${link.id}`, label: link.label };
      button.textContent = link.label;
    }),
  }, chosen?.label ?? 'Choose an object …');
  const select = h('select', {
    'aria-label': 'Type of the object',
    onchange: () => { chosen = null; button.textContent = 'Choose an object …'; },
  }, targets.map((type) => h('option', { selected: type.name === name }, type.name)));
  return {
    element: h('span', { class: 'link-entry' }, select, button),
    disable: (isOff) => { select.disabled = isOff; button.disabled = isOff; },
    read: () => ({ value: chosen?.text ?? null, label: chosen?.label }),
  };
}

/** Data: as hexadecimal digits, or those of a file. */
function dataEntry(slot, text) {
  const digits = h('textarea', { 'aria-label': slot.name, rows: 3, spellcheck: 'false', placeholder: '00 ff …' });
  const isWhole = /^[0-9a-f]*$/.test(text ?? '');
  digits.value = isWhole ? text ?? '' : '';
  const note = h('span', { class: 'muted', role: 'status' });
  const file = h('input', {
    type: 'file', 'aria-label': `File for ${slot.name}`,
    onchange: async () => {
      const chosen = file.files[0];
      if (!chosen) return;
      if (chosen.size > fileByteLimit) {
        note.textContent = `A file has ${fileByteLimit >> 10} KiB at most here.`;
        return;
      }
      const bytes = new Uint8Array(await chosen.arrayBuffer());
      digits.value = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      note.textContent = chosen.name;
    },
  });
  return {
    element: h('div', { class: 'data-entry' }, digits, file, note),
    disable: (isOff) => { digits.disabled = isOff; file.disabled = isOff; },
    // Data that are not shown whole are not replaced by nothing.
    read: () => ({ value: isWhole || digits.value !== '' ? digits.value : null, label: `${digits.value.replace(/\s/g, '').length / 2} bytes` }),
  };
}

/** A dialog for a new object: `onDone(values)`. */
export function newObjectDialog(type, onDone) {
  const inputs = new Map();
  const rows = type.properties.filter((property) => property.canBeTyped).map((property) => {
    const input = h('input', { placeholder: property.isOptional ? 'nil' : 'default', spellcheck: 'false', required: property.isKey });
    inputs.set(property.name, input);
    return h('label', { class: 'new-value' }, h('span', {}, property.name,
      property.isKey ? h('span', { class: 'key-mark' }, 'key') : null,
      h('span', { class: 'field-type' }, ` ${property.type}`)), input);
  });
  const dialog = h('dialog', { class: 'dialog', 'aria-label': `New ${type.name}`, onclose: () => dialog.remove() },
    h('form', {
      method: 'dialog',
      onsubmit: () => onDone(Object.fromEntries([...inputs].map(([name, input]) => [name, input.value])
        .filter(([, value]) => value !== ''))),
    }, h('h2', {}, `New ${type.name}`), h('div', { class: 'new-values' }, rows),
    h('div', { class: 'dialog-end' },
      h('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, 'Cancel'),
      h('button', { class: 'button primary', type: 'submit' }, 'Add'))));
  document.body.append(dialog);
  dialog.showModal();
}
