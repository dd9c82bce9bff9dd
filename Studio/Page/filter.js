// The line with the condition: completion, mistakes with their place, and how rows are found.

import { post } from './api.js';
import { debounced, formatDuration, h, icon, plural } from './dom.js';

const operators = ['==', '!=', '<', '<=', '>', '>=', 'BEGINSWITH[c]', 'CONTAINS[c]', 'ENDSWITH', 'LIKE',
  'IN {', 'BETWEEN {', 'TEXT '];
const continuations = ['AND', 'OR', 'SORT(', 'DISTINCT(', 'LIMIT('];
const functions = ['ANY', 'ALL', 'NONE', 'NOT'];
const wordPattern = /[\p{L}\p{N}_@.#]+$/u;

export class FilterBar {
  /** `onApply(text)`: the condition was entered. */
  constructor({ onApply }) {
    this.onApply = onApply;
    this.list = h('ul', { class: 'completions', role: 'listbox', id: 'completions', hidden: true });
    this.input = h('input', {
      class: 'filter-input', type: 'text', spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off',
      role: 'combobox', 'aria-label': 'Condition', 'aria-expanded': 'false', 'aria-controls': 'completions',
      'aria-autocomplete': 'list', 'aria-describedby': 'filter-error',
      oninput: () => { this.complete(); this.applySoon(); },
      onkeydown: (event) => this.pressed(event), onblur: () => this.hideCompletions(),
    });
    this.clear = h('button', {
      class: 'icon-button', type: 'button', 'aria-label': 'Show all objects', title: 'Show all objects',
      onclick: () => { this.input.value = ''; this.apply(); this.input.focus(); },
    }, icon('close'));
    this.planButton = h('button', {
      class: 'quiet-button', type: 'button', 'aria-expanded': 'false', 'aria-controls': 'plan',
      title: 'How the objects are found', onclick: () => this.togglePlan(),
    }, icon('plan'), 'Explain');
    this.error = h('div', { class: 'filter-error', id: 'filter-error', role: 'alert', hidden: true });
    this.plan = h('div', { class: 'plan', id: 'plan', hidden: true });
    this.summary = h('span', { class: 'summary', role: 'status' });
    this.applySoon = debounced(450, () => this.apply());
    this.element = h('div', { class: 'filter' },
      h('div', { class: 'filter-line' },
        h('div', { class: 'filter-box' }, icon('search'), this.input, this.clear, this.list),
        this.planButton),
      this.error, this.plan);
  }

  show(type, types, text, order) {
    this.type = type;
    this.types = types;
    this.order = order;
    if (this.input.value.trim() !== text) this.input.value = text;
    this.applied = text;
    this.clear.hidden = this.input.value === '';
    const property = type.properties.find((candidate) => candidate.base === 'string' && !candidate.collection)
      ?? type.properties[0];
    this.input.placeholder = property ? `Filter, for example: ${example(property)}` : 'Filter';
    if (!this.plan.hidden) this.loadPlan(false);
  }

  apply() {
    this.clear.hidden = this.input.value === '';
    const text = this.input.value.trim();
    if (text === this.applied) return;
    this.applied = text;
    this.onApply(text);
  }

  // MARK: What came of it

  showFound(source) {
    this.hideError();
    const all = this.type.count ?? 0;
    const time = formatDuration(source.microseconds * 1000);
    this.summary.textContent = this.applied === ''
      ? plural(source.total, 'object')
      : `${plural(source.total, 'object')} of ${all.toLocaleString('en')} · ${time}`;
  }

  showError(error) {
    this.error.hidden = false;
    this.error.replaceChildren(h('p', {}, icon('warning'), error.message),
      error.detail ? h('pre', {}, error.detail) : '');
    this.input.setAttribute('aria-invalid', 'true');
    this.summary.textContent = '';
  }

  hideError() {
    this.error.hidden = true;
    this.input.removeAttribute('aria-invalid');
  }

  togglePlan() {
    this.plan.hidden = !this.plan.hidden;
    this.planButton.setAttribute('aria-expanded', String(!this.plan.hidden));
    if (!this.plan.hidden) this.loadPlan(false);
  }

  async loadPlan(isRun) {
    const query = { type: this.type.name, filter: this.applied, order: this.order };
    try {
      const { text } = await post('/api/plan', { query, isRun });
      this.plan.replaceChildren(h('pre', {}, text || 'all objects, in the order of their keys'),
        h('button', {
          class: 'quiet-button', type: 'button', onclick: () => this.loadPlan(true),
        }, 'Run and measure'));
    } catch (error) {
      this.plan.replaceChildren(h('p', { class: 'muted' }, error.message));
    }
  }

  // MARK: Completion

  pressed(event) {
    const isOpen = !this.list.hidden;
    if (event.key === 'Enter') {
      event.preventDefault();
      if (isOpen && this.chosen >= 0) this.choose(this.list.children[this.chosen].dataset.word);
      else { this.hideCompletions(); this.apply(); }
    } else if (event.key === 'Tab' && isOpen && !event.shiftKey) {
      event.preventDefault();
      this.choose(this.list.children[Math.max(0, this.chosen)].dataset.word);
    } else if (event.key === 'Escape') {
      if (isOpen) this.hideCompletions();
      else { this.input.value = ''; this.apply(); }
    } else if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const count = this.list.children.length;
      this.chosen = (this.chosen + (event.key === 'ArrowDown' ? 1 : count)) % count;
      if (this.chosen < 0) this.chosen = count - 1;
      this.mark();
    }
  }

  complete() {
    const before = this.input.value.slice(0, this.input.selectionStart);
    const isInText = (before.split("'").length + before.split('"').length) % 2 === 1;
    const word = wordPattern.exec(before)?.[0] ?? '';
    const words = isInText ? [] : candidates(before.slice(0, before.length - word.length), word, this.type, this.types);
    if (words.length === 0) { this.hideCompletions(); return; }
    this.word = word;
    this.chosen = -1;
    this.list.replaceChildren(...words.slice(0, 9).map(({ text, kind }, index) => h('li', {
      role: 'option', id: `completion-${index}`, 'data-word': text,
      onmousedown: (event) => { event.preventDefault(); this.choose(text); },
    }, h('span', {}, text), h('span', { class: 'muted' }, kind))));
    this.list.hidden = false;
    this.input.setAttribute('aria-expanded', 'true');
    this.mark();
  }

  mark() {
    [...this.list.children].forEach((item, index) => {
      item.setAttribute('aria-selected', String(index === this.chosen));
    });
    if (this.chosen >= 0) this.input.setAttribute('aria-activedescendant', `completion-${this.chosen}`);
    else this.input.removeAttribute('aria-activedescendant');
  }

  hideCompletions() {
    this.list.hidden = true;
    this.input.setAttribute('aria-expanded', 'false');
    this.input.removeAttribute('aria-activedescendant');
  }

  choose(word) {
    const end = this.input.selectionStart;
    const start = end - this.word.length;
    const space = /[({ .]$/.test(word) ? '' : ' ';
    this.input.setRangeText(word + space, start, end, 'end');
    this.hideCompletions();
    this.applySoon();
  }
}

function example(property) {
  const name = property.name;
  if (property.collection) return `${name}.@count > 0`;
  if (property.base === 'string') return `${name} BEGINSWITH[c] 'a'`;
  if (property.base === 'bool') return `${name} == TRUE`;
  return property.type === 'object' ? `${name} != NIL` : `${name} > 0`;
}

/** Words that may follow: names after operators and at the beginning, operators after names. */
function candidates(before, word, type, types) {
  const steps = word.split('.');
  const last = steps.pop();
  let at = type;
  for (const step of steps) {
    const target = at?.properties.find((property) => property.name === step)?.target;
    at = types.find((candidate) => candidate.name === target);
  }
  if (!at) return [];
  const path = steps.map((step) => `${step}.`).join('');
  const names = at.properties.map((property) => ({ text: path + property.name, kind: property.type }));
  const previous = before.trim().split(/[\s()]+/).pop() ?? '';
  const isAfterName = type.properties.some((property) => property.name === previous.split('.')[0]);
  const isAfterValue = /['"}\d]$|^(true|false|nil)$/i.test(previous) && !isAfterName;
  const words = isAfterName ? operators.map((text) => ({ text, kind: 'operator' }))
    : isAfterValue ? continuations.map((text) => ({ text, kind: 'word' }))
      : [...names, ...functions.map((text) => ({ text, kind: 'word' }))];
  if (word === '' && !isAfterName && !isAfterValue && before.trim() !== '') return [];
  return words.filter(({ text }) => text.toLowerCase().startsWith((path + last).toLowerCase())
    && text !== word);
}
