// Values that can be changed where they are shown: properties, elements of collections, and entries of maps.

import { h, icon, plural } from './dom.js';
import { valueEditor } from './editing.js';
import { valueElement } from './values.js';

/** Bytes of data that are sent whole, and that can be changed as digits. */
const digitByteCount = 2048;

/** What a place takes: of a property, or of an element of its collection. */
export function slotOf(field, types, { isElement = false } = {}) {
  const target = types.find((type) => type.name === field.target);
  return {
    name: field.name, base: field.base, target, isEmbedded: target?.isEmbedded === true,
    isCollection: !isElement && field.collection !== null,
    isOptional: field.isOptional || field.base === 'mixed' || (field.base === 'object' && (!isElement || field.collection === 'map')),
  };
}

/** What values inside a value of any type are. */
export const mixedSlot = { name: 'value', base: 'mixed', isOptional: true };

/** The text that stands for a value in a change; null for nil. */
export function textOf(value, isMixed) {
  const plain = plainText(value);
  if (!isMixed || plain === null) return plain;
  return value.k === 'link' ? `object ${value.t} ${plain}` : `${value.k} ${plain}`;
}

function plainText(value) {
  switch (value.k) {
    case 'null': return null;
    case 'data': return value.n <= digitByteCount ? value.v : plural(value.n, 'byte').replaceAll(',', '');
    case 'link': return value.id;
    case 'embedded': return `{${value.id}}`;
    case 'list': return `[${value.n}]`;
    case 'map': return `{${value.n}}`;
    default: return String(value.v);
  }
}

/** What is read of a value in a list of changes. */
function shownText(value) {
  if (value.k === 'link' || value.k === 'embedded') return value.v;
  const text = plainText(value);
  return text !== null && text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Whether the answer has less of a value than a change needs: of a long text, or of data in a long answer. */
const isCut = (value) => (value.k === 'string' && value.n !== undefined)
  || (value.k === 'data' && value.n <= digitByteCount && value.v.length < 2 * value.n);

/** A value with buttons that change it, or the change of it that is not committed. `element` gets them. */
export function editableElement(element, value, slot, path, context, { isTakenOut } = {}) {
  const { changes, object, label } = context;
  const isMixed = slot.base === 'mixed';
  const stored = textOf(value, isMixed);
  element.classList.add('editable');
  const show = () => {
    const removal = isTakenOut ? changes.taken(object, path) : undefined;
    const pending = changes.pending(object, path);
    element.classList.toggle('pending', pending !== undefined || removal !== undefined);
    if (removal) return element.replaceChildren(h('del', {}, shownText(value) ?? 'nil'));
    const buttons = [];
    if (canBeChanged(value, slot)) {
      buttons.push(button('edit', `Change ${slot.name}${isTakenOut ? ` ${path.at(-1)}` : ''}`, () => element.replaceChildren(valueEditor({
        slot, kind: value.as, text: pending ? pending.value : stored, types: context.types,
        shown: pending ? pending.shownValue : value.k === 'link' ? value.v : null,
        onCancel: () => { show(); focusFirst(element); },
        onDone: (text, shown) => {
          element.replaceChildren();
          changes.set(object, label, path, { text: stored, shown: shownText(value) }, { text, shown: shown ?? text });
          show();
          focusFirst(element);
        },
      }))));
    }
    if (slot.isEmbedded && !isTakenOut) {
      const isNil = value.k === 'null';
      buttons.push(button(isNil ? 'add' : 'close', `${isNil ? 'Make' : 'Take out'} ${slot.name}`, () => {
        changes.set(object, label, path, { text: stored, shown: isNil ? null : 'object' },
          isNil ? { text: '{}', shown: 'new object' } : { text: null, shown: null });
        show();
      }));
    }
    if (isTakenOut && !isCut(value)) {
      buttons.push(button('remove', `Take out ${slot.name} ${path.at(-1)}`, () => {
        changes.takeOut(object, label, path, { text: stored, shown: shownText(value) });
        show();
      }));
    }
    const shown = pending
      ? h('span', {}, h('del', {}, pending.shownBefore ?? 'nil'), ' → ', h('ins', {}, pending.shownValue ?? 'nil'))
      : h('div', {}, valueElement(value, path, context, slot));
    return element.replaceChildren(shown, ...buttons);
  };
  show();
  return element;
}

function canBeChanged(value, slot) {
  if (slot.isCollection || slot.isEmbedded || isCut(value)) return false;
  // Elements of a collection inside a value of any type are changed one by one; an empty one as a whole.
  return !(['list', 'map'].includes(value.k) && value.n > 0);
}

/** Where an editor was, the focus is on the button that opens it. */
function focusFirst(element) { element.querySelector(':scope > button')?.focus({ preventScroll: true }); }

function button(name, label, onclick) {
  return h('button', { class: 'icon-button', type: 'button', 'aria-label': label, title: label, onclick }, icon(name));
}

/** What is put into a collection and not committed yet, and a button that puts in more. */
export function additions(kind, slot, path, context) {
  const { changes, object, label } = context;
  const element = h('div', { class: 'additions' });
  const put = (key, text, shown) => {
    element.replaceChildren();
    changes.insert(object, label, [...path, key], { text, shown: shown ?? text });
    show();
  };
  const open = () => {
    const key = kind === 'map' ? h('input', { 'aria-label': 'Key', placeholder: 'key', required: true, spellcheck: 'false' }) : null;
    if (slot.isEmbedded && !key) { put('+', '{}', 'new object'); return; }
    element.replaceChildren(valueEditor({
      slot: { ...slot, isOptional: slot.isOptional || slot.base === 'mixed' }, text: '', key, types: context.types, onCancel: show,
      onDone: (text, shown) => put(key ? key.value : '+', text, shown),
    }));
  };
  const show = () => element.replaceChildren(
    ...changes.insertions(object, path).map((change) => h('div', { class: 'pending' },
      h('ins', {}, kind === 'map' ? `${change.path.at(-1)}: ` : '', change.shownValue ?? 'nil'))),
    h('button', { class: 'quiet-button', type: 'button', 'aria-label': `Add to ${slot.name}`, onclick: open }, icon('add'), 'Add'));
  show();
  return element;
}
