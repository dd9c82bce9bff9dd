// One object: its values, and what links to it.

import { post } from './api.js';
import { formatCount, h, icon, plural } from './dom.js';
import { fieldList, ValueContext } from './values.js';

export class DetailPanel {
  /** `onFollow(object)`, `onClose()`, `onShowTable(type)`. */
  constructor({ onFollow, onClose, onBack, onShowTable }) {
    Object.assign(this, { onFollow, onClose, onBack, onShowTable });
    this.remove = h('button', {
      class: 'icon-button', type: 'button', 'aria-label': 'Delete this object', title: 'Delete', hidden: true,
      onclick: () => this.changes.remove(this.object, this.title.textContent),
    }, icon('remove'));
    this.body = h('div', { class: 'detail-body' });
    this.title = h('h2', { class: 'detail-title', tabindex: -1 });
    this.typeButton = h('button', {
      class: 'type-tag', type: 'button', title: 'Show all objects of this type',
      onclick: () => this.onShowTable(this.object.type),
    });
    this.back = h('button', {
      class: 'icon-button', type: 'button', 'aria-label': 'Back to the object before', title: 'Back',
      onclick: () => this.onBack(),
    }, icon('back'));
    this.resizer = h('div', {
      class: 'detail-resizer', role: 'separator', 'aria-orientation': 'vertical', tabindex: 0,
      'aria-label': 'Width of the object', 'aria-valuenow': 420, 'aria-valuemin': 300, 'aria-valuemax': 900,
      onpointerdown: (event) => this.resizing(event), onkeydown: (event) => this.resizePressed(event),
    });
    this.element = h('aside', {
      class: 'detail', 'aria-label': 'Object', hidden: true,
      onkeydown: (event) => { if (event.key === 'Escape') this.onClose(); },
    }, this.resizer, h('header', { class: 'detail-head' },
      this.back, h('div', { class: 'detail-name' }, this.typeButton, this.title), this.remove,
      h('button', {
        class: 'icon-button', type: 'button', 'aria-label': 'Close the object', title: 'Close (Escape)',
        onclick: () => this.onClose(),
      }, icon('close'))), this.body);
  }

  /** Shows an object; null for none. */
  async show(object, { canGoBack = false } = {}) {
    const isSame = object && this.object && object.id === this.object.id && object.type === this.object.type;
    this.object = object;
    this.element.hidden = !object;
    this.back.hidden = !canGoBack;
    if (!object) return;
    if (!isSame) {
      this.body.replaceChildren();
      this.typeButton.textContent = object.type;
      this.folds = new Map();
    }
    await this.load();
  }

  /** Reads the object again; what was unfolded stays so. */
  async load() {
    const { object } = this;
    const isTyping = () => this.body.querySelector('.editor') !== null;
    // What is being typed is not replaced, neither now nor when the answer comes.
    if (!object || isTyping()) return;
    this.loadCount = (this.loadCount ?? 0) + 1;
    const own = this.loadCount;
    try {
      const answer = await post('/api/object', object);
      if (this.object !== object || own !== this.loadCount || isTyping()) return;
      this.rememberFolds();
      const top = this.body.scrollTop;
      this.title.textContent = answer.label;
      this.title.title = answer.label;
      this.remove.hidden = !this.changes || answer.isEmbedded;
      this.title.classList.toggle('removed', this.changes?.isRemoved(object) === true);
      const context = new ValueContext(object, this.onFollow, answer.label, this.changes, this.types);
      const focused = this.body.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
      this.body.replaceChildren(fieldList(answer.fields, [], context), this.linkedFrom(answer, context));
      // The button that had the focus has been made anew.
      if (focused) this.body.querySelector(`[aria-label=${JSON.stringify(focused)}]`)?.focus({ preventScroll: true });
      this.restoreFolds();
      this.body.scrollTop = top;
    } catch (error) {
      if (this.object !== object || own !== this.loadCount || isTyping()) return;
      this.title.textContent = error.status === 410 ? 'Deleted' : 'Not readable';
      this.body.replaceChildren(h('div', { class: 'empty' }, h('p', {}, error.message)));
    }
  }

  linkedFrom(answer, context) {
    if (answer.linkedFrom.length === 0) return '';
    return h('section', { class: 'linked-from' }, h('h3', {}, 'Linked from'),
      answer.linkedFrom.map((source) => h('details', { class: 'nested', open: source.count <= 5 },
        h('summary', {}, h('span', { class: 'chip-type' }, source.type), `${source.property} `,
          h('span', { class: 'count' }, formatCount(source.count))),
        h('div', { class: 'chips' }, source.first.map((link) => h('button', {
          class: 'chip', type: 'button', onclick: () => context.onFollow({ type: link.t, id: link.id }),
        }, icon(link.k === 'embedded' ? 'embedded' : 'link'), link.v)),
        source.count > source.first.length
          ? h('span', { class: 'muted' }, `and ${plural(source.count - source.first.length, 'other')}`) : null))));
  }

  /** Which parts are unfolded, by their order. */
  rememberFolds() {
    [...this.body.querySelectorAll('details')].forEach((part, index) => this.folds.set(index, part.open));
  }

  restoreFolds() {
    [...this.body.querySelectorAll('details')].forEach((part, index) => {
      if (this.folds.has(index)) part.open = this.folds.get(index);
    });
  }

  // MARK: Width

  setWidth(width) {
    this.width = Math.min(900, Math.max(300, width));
    this.element.style.width = `${this.width}px`;
    this.resizer.setAttribute('aria-valuenow', Math.round(this.width));
  }

  resizing(event) {
    event.preventDefault();
    const start = event.clientX;
    const width = this.element.offsetWidth;
    this.resizer.setPointerCapture(event.pointerId);
    const move = (moved) => this.setWidth(width + start - moved.clientX);
    this.resizer.addEventListener('pointermove', move);
    this.resizer.addEventListener('pointerup', () => this.resizer.removeEventListener('pointermove', move),
      { once: true });
  }

  resizePressed(event) {
    const step = { ArrowLeft: 24, ArrowRight: -24 }[event.key];
    if (step) this.setWidth(this.element.offsetWidth + step);
  }
}
