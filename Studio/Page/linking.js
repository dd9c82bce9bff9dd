// Choosing the object that a link leads to.

import { post } from './api.js';
import { debounced, formatCount, h } from './dom.js';

const shownCount = 20;

/** A dialog with the objects of a type, which are searched by their texts and keys: `onDone({ id, label })`. */
export function linkDialog(type, onDone) {
  const list = h('ul', { class: 'link-list' });
  const status = h('p', { class: 'muted', role: 'status' });
  const input = h('input', { 'aria-label': `Search ${type.name}`, placeholder: 'Search', spellcheck: 'false', oninput: debounced(250, () => load()) });
  const dialog = h('dialog', { class: 'dialog', 'aria-label': `Choose a ${type.name}`, onclose: () => dialog.remove() },
    h('h2', {}, `Choose a ${type.name}`), h('div', { class: 'new-value' }, input), status, list,
    h('div', { class: 'dialog-end' }, h('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, 'Cancel')));
  let question = 0;
  async function load() {
    question += 1;
    const own = question;
    try {
      const answer = await post('/api/rows', {
        query: { type: type.name, filter: condition(type, input.value.trim()), order: [] }, from: 0, count: shownCount, hasLabels: true,
      });
      if (own !== question) return;
      list.replaceChildren(...answer.rows.map((row) => item(row)));
      status.textContent = answer.total > shownCount
        ? `The first ${shownCount} of ${formatCount(answer.total)}.` : answer.total === 0 ? 'Nothing found.' : '';
    } catch (error) {
      if (own === question) status.textContent = error.message;
    }
  }
  function item(row) {
    const others = row.c.filter((cell) => typeof cell === 'string' && cell !== '' && cell !== row.l).slice(0, 2);
    return h('li', {}, h('button', {
      class: 'quiet-button', type: 'button',
      onclick: () => { dialog.close(); onDone({ id: row.id, label: row.l }); },
    }, [row.l, ...others].join(' · ')));
  }
  document.body.append(dialog);
  dialog.showModal();
  load();
}

/** A condition for objects that have a text in one of their texts, or as their key. */
function condition(type, text) {
  if (text === '') return '';
  const quoted = `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const single = type.properties.filter((property) => !property.collection);
  const name = (property) => `#"${property.name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const terms = single.filter((property) => property.base === 'string').map((property) => `${name(property)} CONTAINS[c] ${quoted}`);
  const key = single.find((property) => property.isKey);
  if (key?.base === 'int' && /^-?\d{1,18}$/.test(text)) terms.push(`${name(key)} == ${text}`);
  if (key?.base === 'object id' && /^[0-9a-f]{24}$/i.test(text)) terms.push(`${name(key)} == oid(${text})`);
  if (key?.base === 'uuid' && /^[0-9a-f-]{36}$/i.test(text)) terms.push(`${name(key)} == uuid(${text})`);
  return terms.length > 0 ? terms.join(' OR ') : 'FALSEPREDICATE';
}
