// Entering values: in the place of the one that is shown, and for a new object.

import { h } from './dom.js';

/** A line for one value: `onDone(text)`, where null is nil, or `onCancel()`. */
export function valueEditor({ field, text, onDone, onCancel }) {
  const isBool = /^bool\??$/.test(field.type);
  const isLong = text !== null && text.includes('\n');
  const input = isBool
    ? h('select', { 'aria-label': field.name }, ['true', 'false'].map((word) => h('option', { selected: word === text }, word)))
    : h(isLong ? 'textarea' : 'input', { 'aria-label': field.name, rows: isLong ? 4 : null, spellcheck: 'false' });
  if (!isBool) input.value = text ?? '';
  const nil = h('input', { type: 'checkbox', checked: text === null });
  const isNil = () => field.isOptional && nil.checked;
  const form = h('form', {
    class: 'editor',
    onsubmit: (event) => { event.preventDefault(); onDone(isNil() ? null : input.value); },
    onkeydown: (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      onCancel();
    },
  }, input,
  field.isOptional ? h('label', {}, nil, 'nil') : null,
  h('button', { class: 'button', type: 'submit' }, 'Keep'));
  nil.addEventListener('change', () => { input.disabled = nil.checked; });
  input.disabled = isNil();
  queueMicrotask(() => input.focus());
  return form;
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
