// The view of objects: the condition, the table, and one object beside it.

import { exportAddress } from './api.js';
import { Changes } from './changes.js';
import { announce, formatCount, h, icon } from './dom.js';
import { newObjectDialog } from './editing.js';
import { DetailPanel } from './detail.js';
import { FilterBar } from './filter.js';
import { Grid } from './grid.js';
import { Importing } from './importing.js';
import * as route from './route.js';
import { RowSource } from './rows.js';

export class ObjectsView {
  /** `isWritable`: whether objects can be changed. */
  constructor({ isWritable }) {
    this.orders = new Map();
    this.source = new RowSource({
      onChange: (isFirst) => this.changed(isFirst), onError: (error) => this.failed(error),
    });
    this.grid = new Grid({
      source: this.source,
      onOpen: (row, link) => this.open(link ? { type: link.t, id: link.id } : { type: this.type.name, id: row.id }),
      onSort: (name, isAdded) => this.sort(name, isAdded),
    });
    this.filter = new FilterBar({
      onApply: (text) => route.go({ ...route.current(), type: this.type.name, filter: text }),
    });
    this.detail = new DetailPanel({
      onFollow: (object) => this.open(object),
      onClose: () => { route.go({ ...route.current(), object: null }); this.grid.element.focus(); },
      onBack: () => history.back(),
      onShowTable: (type) => route.go({ view: 'objects', type, object: route.current().object }),
    });
    this.title = h('h1', { class: 'view-title' });
    this.exportLink = h('a', {
      class: 'quiet-button', download: '', title: 'Save the objects of this table as JSON Lines',
    }, icon('save'), 'Export');
    this.importing = new Importing({ isWritable, onDone: (undo) => this.imported(undo) });
    if (isWritable) this.allowChanges();
    this.message = h('div', { class: 'empty', hidden: true });
    this.element = h('section', { class: 'objects', 'aria-label': 'Objects' },
      h('div', { class: 'objects-main' },
        h('header', { class: 'view-head' }, this.title, this.filter.summary, h('span', { class: 'spring' }),
          this.exportLink, this.importing.button, this.newButton),
        this.filter.element, h('div', { class: 'grid-place' }, this.grid.element, this.message), this.changes?.element),
      this.detail.element);
    this.importing.acceptDrops(this.element);
    this.depth = 0;
  }

  allowChanges() {
    this.changes = new Changes({
      onChange: () => { if (this.detail.object) this.detail.load(); },
      onCommit: () => this.refresh(this.type, this.types),
    });
    this.detail.changes = this.changes;
    this.newButton = h('button', {
      class: 'quiet-button', type: 'button',
      onclick: () => newObjectDialog(this.type, (values) => this.changes.add(this.type.name, values)),
    }, icon('add'), 'New');
  }

  imported(undo) {
    this.changes.sendCount += 1;
    this.changes.showUndo(undo);
    this.refresh(this.type, this.types);
  }

  /** Shows what a route says. */
  show({ filter, object }, type, types) {
    this.detail.types = types;
    const order = this.order(type);
    const key = JSON.stringify([type.name, filter, order]);
    this.types = types;
    const isOtherType = this.type?.name !== type.name;
    this.type = type;
    this.title.textContent = type.name;
    if (this.newButton) this.newButton.hidden = type.isEmbedded;
    this.importing.show(type);
    this.exportLink.setAttribute('href', exportAddress({ type: type.name, filter, order }));
    this.filter.show(type, types, filter, order);
    if (key !== this.key) {
      this.key = key;
      this.filter.hideError();
      this.message.hidden = true;
      this.source.show({ type: type.name, filter, order });
      this.grid.element.classList.remove('outdated');
      this.grid.element.setAttribute('aria-busy', 'true');
      this.grid.toTop();
      this.grid.setColumns(type.properties, order, type.name);
    }
    if (isOtherType) this.filter.summary.textContent = '';
    const isNew = object && object.id !== this.detail.object?.id;
    this.depth = object ? (isNew && this.detail.object ? this.depth + 1 : this.depth) : 0;
    this.grid.openedId = object?.type === type.name ? object.id : undefined;
    this.detail.show(object, { canGoBack: this.depth > 0 });
    this.grid.layout();
  }

  order(type) { return this.orders.get(type.name) ?? []; }

  open(object) {
    route.go({ ...route.current(), type: this.type.name, object });
  }

  /** Ascending, descending, and not at all, in turn. */
  sort(name, isAdded) {
    const order = this.order(this.type);
    const before = order.find((entry) => entry.name === name);
    const others = isAdded ? order.filter((entry) => entry.name !== name) : [];
    const next = !before ? [{ name, isDescending: false }]
      : !before.isDescending ? [{ name, isDescending: true }] : [];
    this.orders.set(this.type.name, [...others, ...next]);
    this.show(route.current(), this.type, this.types);
  }

  changed(isFirst) {
    if (isFirst) {
      this.grid.element.setAttribute('aria-busy', 'false');
      this.grid.measure();
      this.grid.fit();
      this.filter.showFound(this.source);
      announce(`${formatCount(this.source.total)} objects`);
    } else {
      this.grid.measure();
      this.grid.scheduleRender();
      this.filter.showFound(this.source);
    }
    const isEmpty = this.source.total === 0;
    this.message.hidden = !isEmpty;
    if (isEmpty) this.message.replaceChildren(...this.emptyMessage());
    clearTimeout(this.flashTimer);
    this.flashTimer = setTimeout(() => this.grid.scheduleRender(), 1700);
  }

  emptyMessage() {
    return this.filter.applied
      ? [h('h2', {}, 'Nothing found'),
        h('p', {}, `No ${this.type.name} fulfils the condition.`),
        h('button', {
          class: 'button', type: 'button',
          onclick: () => { this.filter.input.value = ''; this.filter.apply(); },
        }, 'Show all objects')]
      : [h('h2', {}, 'No objects yet'),
        h('p', {}, `As soon as a program adds a ${this.type.name}, it appears here.`)];
  }

  failed(error) {
    if (error.status === 422) {
      this.source.refuse();
      this.grid.element.setAttribute('aria-busy', 'false');
      this.grid.element.classList.add('outdated');
    }
    this.filter.showError(error);
  }

  /** The realm shows another version. */
  refresh(type, types) {
    if (JSON.stringify(type.properties) !== JSON.stringify(this.type.properties)) {
      this.showOtherProperties(type, types);
      return;
    }
    this.type = type;
    this.types = types;
    this.detail.types = types;
    this.filter.type = type;
    this.filter.types = types;
    this.source.restart();
    this.grid.scheduleRender();
    if (this.detail.object) this.detail.load();
  }

  /** The type has other properties: nothing that was fetched fits them. */
  showOtherProperties(type, types) {
    const isThere = ({ name }) => type.properties.some((property) => property.name === name && property.isSortable);
    this.orders.set(type.name, this.order(type).filter(isThere));
    this.source.show(null);
    this.key = null;
    this.show(route.current(), type, types);
  }
}
