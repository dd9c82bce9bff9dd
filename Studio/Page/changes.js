// Changes that are collected, looked at, and committed together; and what undoes them.

import { outcomeText, post } from './api.js';
import { announce, h, icon, plural } from './dom.js';
import { OutdatedChanges } from './outdated.js';

export class Changes {
  /** `onChange()`: other changes are collected. `onCommit()`: they were made. */
  constructor({ onChange, onCommit }) {
    this.onChange = onChange;
    this.onCommit = onCommit;
    this.list = [];
    this.undoable = null;
    this.isSending = false;
    /** Counts what is sent and answered: an answer to a question of before may be older than the last one. */
    this.sendCount = 0;
    this.outdated = new OutdatedChanges(() => this.render());
    this.summary = h('strong', { role: 'status' });
    this.error = h('p', { class: 'changes-error', role: 'alert', hidden: true });
    this.review = h('ul', { class: 'changes-list' });
    this.undo = this.button('Undo the last commit', 'quiet-button', () => this.undoLast());
    this.dropOutdated = this.button('Drop outdated', 'button', () => this.dropAllOutdated());
    this.keepOutdated = this.button('Keep mine', 'button', () => this.keep(this.list));
    this.discard = this.button('Discard', 'button', () => this.clear());
    this.commit = this.button('Commit', 'button primary', () => this.sendChanges());
    this.element = h('section', { class: 'changes', 'aria-label': 'Changes', hidden: true },
      this.review, this.error,
      h('div', { class: 'changes-line' }, this.summary, h('span', { class: 'spring' }),
        this.undo, this.dropOutdated, this.keepOutdated, this.discard, this.commit));
  }

  button(label, name, onclick) {
    return h('button', { class: name, type: 'button', onclick }, label);
  }

  /** A value is to be changed; back to what it was is no change. `before` and `value` have `text` and `shown`. */
  set(object, label, path, before, value) {
    const known = this.pending(object, path);
    const first = known ? { text: known.before, shown: known.shownBefore } : before;
    this.list = this.list.filter((change) => change !== known);
    if (first.text !== value.text) {
      this.list.push({
        kind: 'set', ...object, label, path, before: first.text, value: value.text,
        shownBefore: first.shown, shownValue: value.shown,
      });
    }
    this.show();
  }

  /** An element or entry is to be taken out of its collection. */
  takeOut(object, label, path, before) {
    this.list = this.list.filter((change) => !startsWith(change, object, path));
    this.list.push({ kind: 'remove', ...object, label, path, before: before.text, shownBefore: before.shown });
    this.show();
  }

  /** A value is to be put at the end of a collection, or under a key. */
  insert(object, label, path, value) {
    this.list.push({ kind: 'insert', ...object, label, path, value: value.text, shownValue: value.shown });
    this.show();
  }

  /** The change of a value that is not committed yet. */
  pending(object, path) { return this.find('set', object, path); }

  /** That an element is to be taken out. */
  taken(object, path) { return this.find('remove', object, path); }

  find(kind, object, path) {
    return this.list.find((change) => change.kind === kind && isAt(change, object, path));
  }

  /** What is to be put into a collection. */
  insertions(object, path) {
    return this.list.filter((change) => change.kind === 'insert' && isAt({ ...change, path: change.path.slice(0, -1) }, object, path));
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

  /** Drops what others have made outdated. */
  dropAllOutdated() {
    this.list = this.list.filter((change) => !this.outdated.has(change));
    this.show();
  }

  /** Makes outdated changes ones of what is there now, as far as that is possible. */
  keep(changes) {
    this.list = this.list.map((change) => (changes.includes(change) && this.outdated.canBeKept(change) ? this.outdated.kept(change) : change))
      .filter((change) => change !== null);
    this.show();
  }

  /** Looks whether others have changed what is to be changed. */
  look() {
    // What is just committed is not what it was.
    if (!this.isSending) this.outdated.look(this.list);
  }

  show() {
    this.error.hidden = true;
    this.render();
    this.onChange();
    this.look();
  }

  render() {
    const isEmpty = this.list.length === 0;
    if (!isEmpty) this.note = '';
    const outdated = this.list.filter((change) => this.outdated.has(change));
    this.element.hidden = isEmpty && this.undoable === null && !this.note;
    this.summary.textContent = isEmpty ? `Committed.${this.note ?? ''}`
      : `${plural(this.list.length, 'change')} not committed${outdated.length > 0 ? `, ${outdated.length} outdated` : ''}`;
    this.discard.hidden = isEmpty;
    this.commit.hidden = isEmpty;
    this.commit.disabled = this.isSending || outdated.length > 0;
    this.commit.title = outdated.length > 0 ? 'Drop or keep what is outdated first' : '';
    this.dropOutdated.hidden = outdated.length === 0;
    this.keepOutdated.hidden = !outdated.some((change) => this.outdated.canBeKept(change));
    this.undo.disabled = this.isSending;
    this.undo.hidden = !isEmpty || this.undoable === null;
    // Which commit that is, for the tests: the number of the server.
    this.undo.dataset.commit = this.undoable ? this.undoable.number : '';
    if (this.undoable) this.undo.textContent = `Undo the last commit (${plural(this.undoable.changes, 'change')})`;
    this.review.replaceChildren(...this.list.map((change) => this.line(change)));
  }

  /** A change in the list: what it is, and what others have made of the value. */
  line(change) {
    const outdated = this.outdated.of(change);
    return h('li', { class: outdated ? `${change.kind} outdated` : change.kind },
      h('span', { class: 'kind' }, kindWords[change.kind]),
      h('span', { class: 'chip-type' }, change.type), h('strong', {}, change.label), difference(change),
      outdated ? h('span', { class: 'now' }, outdated.now === undefined ? outdated.error : `is ${outdated.shown ?? 'nil'} by now`) : null,
      this.outdated.canBeKept(change) ? h('button', {
        class: 'quiet-button', type: 'button', title: 'Make this change of what is there now', onclick: () => this.keep([change]),
      }, 'Keep mine') : null,
      h('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Take this change back', onclick: () => this.drop(change),
      }, icon('close')));
  }

  /** Which commit can be undone next, by any page of this server; null for none. */
  showUndo(undo) {
    if (JSON.stringify(undo) === JSON.stringify(this.undoable)) return;
    this.undoable = undo;
    this.render();
  }

  async send(path, body, done) {
    this.isSending = true;
    this.sendCount += 1;
    this.outdated.forget();
    this.render();
    try {
      const answer = await post(path, body);
      this.isSending = false;
      this.sendCount += 1;
      this.undoable = answer.undo;
      done(answer);
      this.show();
      this.onCommit();
    } catch (error) {
      this.isSending = false;
      this.sendCount += 1;
      this.render();
      this.error.hidden = false;
      this.error.textContent = outcomeText(error, 'Nothing was changed.');
      this.look();
    }
  }

  sendChanges() {
    const { list } = this;
    return this.send('/api/changes', { changes: list }, (answer) => {
      // What was changed while the commit was under way waits for the next one.
      this.list = this.list.filter((change) => !list.includes(change));
      this.note = answer.undo ? '' : ' It can’t be undone, nor can what was committed before.';
      announce(`Committed ${plural(list.length, 'change')}.${this.note}`);
    });
  }

  undoLast() {
    return this.send('/api/undo', { number: this.undoable.number }, () => announce('Undone'));
  }
}

const kindWords = { set: 'change', insert: 'put in', remove: 'take out', add: 'add', delete: 'delete' };

/** Whether a change is at a place of an object. */
function isAt(change, { type, id }, path) {
  return change.type === type && change.id === id && JSON.stringify(change.path) === JSON.stringify(path);
}

/** Whether a change is at a place of an object or below. */
function startsWith(change, object, path) {
  return change.path !== undefined && isAt({ ...change, path: change.path.slice(0, path.length) }, object, path);
}

function difference(change) {
  const shown = (text) => (text === null || text === undefined ? h('span', { class: 'nil' }, 'nil') : `${text}`);
  const text = (...parts) => h('span', { class: 'difference' }, ...parts);
  switch (change.kind) {
    case 'set':
      return text(`${change.path.join('.')} `, h('del', {}, shown(change.shownBefore)), ' → ', h('ins', {}, shown(change.shownValue)));
    case 'remove': return text(`${change.path.join('.')} `, h('del', {}, shown(change.shownBefore)));
    case 'insert': return text(`${change.path.join('.').replace(/\.\+$/, '')} `, h('ins', {}, shown(change.shownValue)));
    case 'add': return text(Object.entries(change.values).map(([name, value]) => `${name}: ${value}`).join(', '));
    default: return text('');
  }
}
