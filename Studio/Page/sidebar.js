// The types, with the number of their objects.

import { formatCount, h, icon } from './dom.js';

export class Sidebar {
  constructor({ onChoose }) {
    this.onChoose = onChoose;
    this.search = h('input', {
      class: 'type-search', type: 'search', placeholder: 'Find a type', 'aria-label': 'Find a type',
      oninput: () => this.show(this.types, this.chosen),
    });
    this.list = h('div', { class: 'type-list' });
    this.element = h('nav', { class: 'sidebar', 'aria-label': 'Types' }, this.search, this.list);
  }

  show(types, chosen) {
    this.types = types;
    this.chosen = chosen;
    this.search.hidden = types.length < 8;
    const wanted = this.search.value.trim().toLowerCase();
    const found = types.filter((type) => type.name.toLowerCase().includes(wanted));
    const groups = [
      ['Types', 'type', found.filter((type) => !type.isEmbedded && !type.isAsymmetric)],
      ['Embedded', 'embedded', found.filter((type) => type.isEmbedded)],
      ['Asymmetric', 'asymmetric', found.filter((type) => type.isAsymmetric)],
    ];
    const focused = document.activeElement?.dataset?.type;
    this.list.replaceChildren(...groups.filter(([, , members]) => members.length > 0)
      .map(([title, symbol, members]) => h('section', {}, h('h2', {}, title),
        h('ul', {}, members.map((type) => h('li', {}, this.button(type, symbol)))))));
    if (found.length === 0) this.list.append(h('p', { class: 'muted' }, 'No such type.'));
    if (focused) this.list.querySelector(`[data-type="${CSS.escape(focused)}"]`)?.focus();
  }

  button(type, symbol) {
    return h('button', {
      class: 'type', type: 'button', 'data-type': type.name, disabled: type.isAsymmetric,
      title: type.isAsymmetric ? 'Objects that wait for their consumer can’t be looked at.' : null,
      'aria-current': type.name === this.chosen ? 'page' : null, onclick: () => this.onChoose(type.name),
    }, icon(symbol), h('span', { class: 'type-name' }, type.name),
    type.count === null ? null : h('span', { class: 'type-count' }, formatCount(type.count)));
  }
}
