// Changes that are collected, looked at, and committed together; and what undoes them.

import { post } from './api.js';
import { announce, h, icon, plural } from './dom.js';

export class Changes {
  /** `onChange()`: other changes are collected. `onCommit()`: they were made. */
  constructor({ onChange, onCommit }) {
    this.onChange = onChange;
    this.onCommit = onCommit;
    this.list = [];
    this.undoable = [];
    this.summary = h('strong', {});
    this.error = h('p', { class: 'changes-error', role: 'alert', hidden: true });
    this.review = h('ul', { class: 'changes-list' });
    this.undo = this.button('Undo the last commit', 'quiet-button', () => this.undoLast());
    this.discard = this.button('Discard', 'button', () => this.clear());
    this.commit = this.button('Commit', 'button primary', () => this.send(this.list));
    this.element = h('section', { class: 'changes', 'aria-label': 'Changes', hidden: true },
      this.review, this.error,
      h('div', { class: 'changes-line' }, this.summary, h('span', { class: 'spring' }), this.undo, this.discard, this.commit));
  }

  button(label, name, onclick) {
    return h('button', { class: name, type: 'button', onclick }, label);
  }

  /** A value is to be changed; back to what it was is no change. */
  set(object, label, path, before, value) {
    const known = this.pending(object, path);
    const first = known ? known.before : before;
    this.list = this.list.filter((change) => change !== known);
    if (first !== value) this.list.push({ kind: 'set', ...object, label, path, before: first, value });
    this.show();
  }

  /** The change of a value that is not committed yet. */
  pending({ type, id }, path) {
    return this.list.find((change) => change.kind === 'set' && change.type === type && change.id === id
      && JSON.stringify(change.path) === JSON.stringify(path));
  }

  isRemoved({ type, id }) {
    return this.list.some((change) => change.kind === 'delete' && change.type === type && change.id === id);
  }

  remove(object, label) {
    this.list = this.list.filter((change) => change.type !== object.type || change.id !== object.id);
    this.list.push({ kind: 'delete', ...object, label });
    this.show();
  }

  add(type, values) {
    this.list.push({ kind: 'add', type, label: 'new', values });
    this.show();
  }

  clear() {
    this.list = [];
    this.show();
  }

  drop(change) {
    this.list = this.list.filter((other) => other !== change);
    this.show();
  }

  show() {
    this.error.hidden = true;
    this.render();
    this.onChange();
  }

  render() {
    const isEmpty = this.list.length === 0;
    this.element.hidden = isEmpty && this.undoable.length === 0;
    this.summary.textContent = isEmpty ? 'Committed.' : `${plural(this.list.length, 'change')} not committed`;
    this.discard.hidden = isEmpty;
    this.commit.hidden = isEmpty;
    this.undo.hidden = !isEmpty || this.undoable.length === 0;
    this.review.replaceChildren(...this.list.map((change) => h('li', { class: change.kind },
      h('span', { class: 'kind' }, { set: 'change', add: 'add', delete: 'delete' }[change.kind]),
      h('span', { class: 'chip-type' }, change.type), h('strong', {}, change.label), difference(change),
      h('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Take this change back', onclick: () => this.drop(change),
      }, icon('close')))));
  }

  async send(list, isUndoing = false) {
    this.commit.disabled = true;
    this.undo.disabled = true;
    try {
      const answer = await post('/api/changes', { changes: list });
      if (isUndoing) this.undoable.pop();
      else {
        if (answer.undo) this.undoable.push(answer.undo);
        // What came before a deletion can't be undone without it.
        else this.undoable = [];
        this.list = [];
      }
      announce(isUndoing ? 'Undone' : `Committed ${plural(list.length, 'change')}`);
      this.show();
      this.onCommit();
    } catch (error) {
      this.error.hidden = false;
      this.error.textContent = `Nothing was committed. ${error.message}`;
    }
    this.commit.disabled = false;
    this.undo.disabled = false;
  }

  undoLast() { return this.send(this.undoable[this.undoable.length - 1], true); }
}

function difference(change) {
  const shown = (text) => (text === null ? h('span', { class: 'nil' }, 'nil') : `${text}`);
  if (change.kind === 'set') {
    return h('span', { class: 'difference' }, `${change.path.join('.')} `,
      h('del', {}, shown(change.before)), ' → ', h('ins', {}, shown(change.value)));
  }
  if (change.kind === 'add') {
    return h('span', { class: 'difference' },
      Object.entries(change.values).map(([name, value]) => `${name}: ${value}`).join(', '));
  }
  return h('span', { class: 'difference muted' }, 'can’t be undone after the commit');
}
