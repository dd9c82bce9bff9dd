// swift-format-ignore-file
// Written by Studio/embed from the files of Studio/Page: change those.

/// The files of the page.
public enum StudioPage {
    /// A file of the page.
    public struct File: Sendable {
        /// The media type.
        public let contentType: String
        /// What is in it.
        public let text: String
    }

    /// The files by their paths.
    public static let files: [String: File] = [
        "/api.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Requests to the server, and its events.

/** What the server answered instead of what was asked for. */
export class RequestError extends Error {
  constructor(status, message, { detail, isOutcomeUnknown = false } = {}) {
    super(message);
    this.status = status;
    this.detail = detail;
    /** Whether it is not known if what was asked for was done. Else nothing was done. */
    this.isOutcomeUnknown = isOutcomeUnknown;
  }
}

const baseName = 'travertine-studio-base';

/** What addresses of data begin with: only pages of this server know it, which all remember it together. */
let base = '';
try { base = localStorage.getItem(baseName) ?? ''; } catch { /* Nothing is remembered in this browser. */ }

async function request(path, options) {
  let response;
  try {
    response = await fetch(base + path, { credentials: 'same-origin', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new RequestError(0, 'The studio does not answer. Is the program still running?', { isOutcomeUnknown: true });
  }
  if (response.status === 204) return null;
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    throw new RequestError(response.status, body.error ?? `Status ${response.status}`, body);
  }
  return body;
}

export const get = (path) => request(path);

export const post = (path, body, signal) => request(path, {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), signal,
});

/** The text for a request that has failed: a sentence, where nothing was done, and the reason. */
export function outcomeText(error, sentence) {
  if (!error.isOutcomeUnknown) return `${sentence} ${error.message}`;
  return error.status === 0 ? `${error.message} Look what is there before you do this again.` : error.message;
}

/** Exchanges the key of the address for a cookie and its path, and takes the key out of the address. */
export async function signIn() {
  const match = /^#key=([0-9a-f]+)$/.exec(location.hash);
  if (!match) return;
  base = '';
  const answer = await post('/api/session', { token: match[1] });
  base = answer.base;
  try { localStorage.setItem(baseName, base); } catch { /* The page works until it is loaded again. */ }
  history.replaceState(null, '', '/');
}

// URLSearchParams would write a space as a plus sign.
function address(path, query) {
  return `${base}${path}?${Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

/** The address of data of an object. */
export function dataAddress(type, id, path, isSaved = false) {
  // Steps of the path may have slashes themselves.
  const steps = path.map(encodeURIComponent).join('/');
  return address('/api/data', { type, id, path: steps, ...(isSaved ? { save: '1' } : {}) });
}

/** The address of the objects of a table as a file. */
export function exportAddress({ type, filter, order }) {
  const steps = order.map(({ name, isDescending }) => (isDescending ? 'd' : 'a') + encodeURIComponent(name));
  return address('/api/export', { type, filter, order: steps.join('/') });
}

/** Listens to the server for as long as the page is in view. `onState(isOpen)` is called for each connection. */
export function listen({ onVersion, onJob, onState }) {
  let source = null;
  const open = () => {
    if (source || document.hidden) return;
    const own = new EventSource(`${base}/api/events`);
    source = own;
    own.addEventListener('open', () => onState(true));
    own.addEventListener('error', () => {
      onState(false);
      // After a refusal the browser does not try again.
      if (own.readyState === EventSource.CLOSED && source === own) {
        source = null;
        setTimeout(open, 3000);
      }
    });
    own.addEventListener('version', (event) => onVersion(JSON.parse(event.data).version));
    own.addEventListener('job', (event) => onJob(JSON.parse(event.data)));
  };
  // Browsers have six connections to one server, for all pages together: one that nobody sees keeps none.
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else {
      open();
    }
  });
  open();
}
"""##),
        "/base.css": File(
            contentType: "text/css; charset=utf-8",
            text: ##"""
/* Colours, type, the frame of the page, and what several views share. */

:root {
  color-scheme: light;
  --ground: #f7f5f1;
  --panel: #ffffff;
  --sunken: #f1eee8;
  --line: #e5dfd5;
  --line-strong: #d3cabb;
  --text: #26221d;
  --soft: #5f574b;
  --faint: #6c6457;
  --accent: #0f6e66;
  --accent-soft: #e0efec;
  --accent-line: #a9d0ca;
  --active: #f0f7f5;
  --number: #234c8a;
  --code: #6a4b12;
  --good: #28733c;
  --bad: #b3341f;
  --bad-soft: #fbeae6;
  --warm: #c9702d;
  --fresh: #fdf0c2;
  --shadow: 0 8px 28px rgb(60 48 30 / 14%);
  --font: Inter, "SF Pro Text", "Segoe UI", "Noto Sans", system-ui, sans-serif;
  --mono: "SF Mono", "JetBrains Mono", "Cascadia Code", "DejaVu Sans Mono", ui-monospace, monospace;
}

@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
    --ground: #191715; --panel: #211e1b; --sunken: #1c1917; --line: #35302b; --line-strong: #4a433c;
    --text: #ece6dd; --soft: #b3a99b; --faint: #ada294; --accent: #5cbcae; --accent-soft: #1e3733;
    --accent-line: #2f5a53; --active: #222c2a; --number: #9dbdf0; --code: #d9b877; --good: #76c389;
    --bad: #f08c78; --bad-soft: #3a211c; --warm: #e09a63; --fresh: #3f3718;
    --shadow: 0 8px 28px rgb(0 0 0 / 50%);
  }
}

:root[data-theme="dark"] {
  color-scheme: dark;
  --ground: #191715; --panel: #211e1b; --sunken: #1c1917; --line: #35302b; --line-strong: #4a433c;
  --text: #ece6dd; --soft: #b3a99b; --faint: #ada294; --accent: #5cbcae; --accent-soft: #1e3733;
  --accent-line: #2f5a53; --active: #222c2a; --number: #9dbdf0; --code: #d9b877; --good: #76c389;
  --bad: #f08c78; --bad-soft: #3a211c; --warm: #e09a63; --fresh: #3f3718;
  --shadow: 0 8px 28px rgb(0 0 0 / 50%);
}

* { box-sizing: border-box; }
[hidden] { display: none !important; }
html, body { height: 100%; margin: 0; }
body { background: var(--ground); color: var(--text); font: 13px/1.45 var(--font); -webkit-font-smoothing: antialiased; }
h1, h2, h3, p, ul, ol, dl, dd, figure, pre { margin: 0; padding: 0; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
button:disabled { cursor: default; }
code, pre { font-family: var(--mono); font-size: 12px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; border-radius: 6px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.skip { position: absolute; left: 8px; top: -60px; background: var(--panel); padding: 8px 12px; z-index: 10; }
.skip:focus { top: 8px; }
.icon { width: 16px; height: 16px; fill: none; stroke: currentcolor; stroke-width: 1.5; stroke-linecap: round;
  stroke-linejoin: round; flex: none; }
.muted { color: var(--soft); }
.nil { color: var(--faint); font-style: italic; }
.spring { flex: 1; }

/* The frame */
.app { display: grid; grid-template: 56px 1fr / 232px 1fr; height: 100%; }
.boot { grid-column: 1 / -1; align-self: center; text-align: center; color: var(--soft); }
.top { grid-column: 1 / -1; display: grid; grid-template-columns: 232px 1fr auto; align-items: center;
  background: var(--panel); border-bottom: 1px solid var(--line); padding-right: 14px; }
.brand { display: flex; gap: 10px; align-items: center; padding: 0 16px; min-width: 0; }
.brand > div { min-width: 0; }
.brand-name { font-weight: 650; font-size: 13.5px; letter-spacing: -0.01em; }
.brand-name, .brand-path { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.brand-path { font-size: 11px; color: var(--faint); }
.tabs { display: flex; gap: 2px; padding: 0 12px; height: 100%; }
.tab { border: 0; background: none; padding: 0 14px; color: var(--soft); font-weight: 550; position: relative; }
.tab:hover { color: var(--text); }
.tab[aria-selected="true"] { color: var(--text); }
.tab[aria-selected="true"]::after { content: ""; position: absolute; inset: auto 12px 0; height: 2.5px;
  border-radius: 2px 2px 0 0; background: var(--accent); }
.top-end { display: flex; align-items: center; gap: 12px; }
.live { display: flex; align-items: center; gap: 7px; color: var(--soft); font-size: 12px; }
.live-dot { width: 8px; height: 8px; border-radius: 50%; background: var(--good); }
.live.beat .live-dot { animation: beat 0.9s ease-out; }
.live.off .live-dot { background: var(--bad); }
@keyframes beat { from { box-shadow: 0 0 0 0 var(--good); } to { box-shadow: 0 0 0 8px transparent; } }
.mode { font-size: 11.5px; font-weight: 600; padding: 3px 9px; border-radius: 20px; background: var(--sunken);
  border: 1px solid var(--line); color: var(--soft); }
.mode.writing { background: var(--bad-soft); border-color: transparent; color: var(--bad); }

/* The types */
.sidebar { background: var(--ground); border-right: 1px solid var(--line); overflow: auto; padding: 14px 10px; }
.type-search { width: 100%; padding: 6px 10px; margin-bottom: 12px; border: 1px solid var(--line);
  border-radius: 8px; background: var(--panel); }
.sidebar h2 { font-size: 11px; font-weight: 600; color: var(--faint); padding: 4px 8px 6px; letter-spacing: 0.02em; }
.sidebar ul { list-style: none; margin-bottom: 14px; }
.type { display: flex; align-items: center; gap: 9px; width: 100%; padding: 6px 8px; border: 0; border-radius: 7px;
  background: none; text-align: left; }
.type .icon { color: var(--faint); width: 14px; height: 14px; }
.type:hover:not(:disabled) { background: var(--sunken); }
.type:disabled { color: var(--faint); }
.type[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.type[aria-current] .icon { color: inherit; }
.type-name { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.type-count { font-variant-numeric: tabular-nums; font-size: 11.5px; color: var(--faint); font-weight: 400; }
.type[aria-current] .type-count { color: inherit; }

/* Views and buttons */
.content { min-width: 0; min-height: 0; overflow: hidden; outline: none; }
.view { height: 100%; overflow: auto; padding: 0 24px 40px; }
.view-head { display: flex; align-items: baseline; gap: 12px; padding: 18px 0 12px; }
.view-title { font-size: 19px; font-weight: 680; letter-spacing: -0.02em; }
.summary { color: var(--soft); font-variant-numeric: tabular-nums; }
.button { border: 1px solid var(--line-strong); background: var(--panel); border-radius: 8px; padding: 6px 14px;
  font-weight: 550; }
.button:hover:not(:disabled) { border-color: var(--accent); color: var(--accent); }
.button.primary { background: var(--accent); border-color: var(--accent); color: var(--panel); }
.button.primary:hover:not(:disabled) { filter: brightness(1.08); color: var(--panel); }
.button:disabled { opacity: 0.5; }
.quiet-button { display: inline-flex; align-items: center; gap: 6px; border: 0; background: none; border-radius: 7px;
  padding: 6px 10px; color: var(--soft); font-weight: 550; text-decoration: none; }
.quiet-button:hover { background: var(--sunken); color: var(--text); }
.quiet-button[aria-expanded="true"] { background: var(--accent-soft); color: var(--accent); }
.icon-button { display: inline-grid; place-items: center; width: 28px; height: 28px; border: 0; border-radius: 7px;
  background: none; color: var(--soft); flex: none; }
.icon-button:hover { background: var(--sunken); color: var(--text); }
.empty { display: grid; gap: 8px; justify-items: center; align-content: center; text-align: center; padding: 60px 24px;
  color: var(--soft); }
.empty.whole { grid-column: 1 / -1; grid-row: 1 / -1; }
.empty.small { padding: 28px; }
.empty h1, .empty h2 { color: var(--text); font-size: 16px; }
.empty .button { margin-top: 8px; color: var(--text); }
"""##),
        "/cells.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Values in the cells of a table.

import { formatBytes, h, icon } from './dom.js';

const numeric = new Set(['int', 'float', 'double', 'decimal128']);

/** How a column is aligned and set: `number`, `code`, or `text`. */
export function columnStyle(property) {
  if (property.collection) return 'text';
  if (numeric.has(property.base)) return 'number';
  if (['date', 'objectId', 'object id', 'UUID', 'uuid', 'data'].includes(property.base)) return 'code';
  return 'text';
}

/** A cell as text: for measuring widths, copying, and screen readers. */
export function cellText(cell) {
  if (cell === null) return 'nil';
  if (typeof cell !== 'object') return String(cell);
  switch (cell.k) {
    case 'data': return `${formatBytes(cell.n)}  ${cell.v}`;
    case 'list': return `${cell.n}  ${cell.v}`;
    case 'map': return `${cell.n}  ${cell.v}`;
    default: return cell.v;
  }
}

/** Fills an element with a cell. */
export function fillCell(element, cell) {
  if (cell === undefined) {
    // Rows of another version of the schema, whose properties come in a moment.
    element.textContent = '';
  } else if (cell === null) {
    element.replaceChildren(h('span', { class: 'nil' }, 'nil'));
  } else if (typeof cell === 'string') {
    element.textContent = cell;
  } else if (typeof cell === 'boolean') {
    element.replaceChildren(h('span', { class: `flag ${cell ? 'on' : 'off'}` }, String(cell)));
  } else {
    element.replaceChildren(...parts(cell));
  }
}

function parts(cell) {
  switch (cell.k) {
    case 'link': return [h('span', { class: 'chip', 'data-link': '' }, icon('link'), cell.v)];
    case 'embedded': return [h('span', { class: 'embedded' }, icon('embedded'), cell.v)];
    case 'data':
      return [h('span', { class: 'count' }, formatBytes(cell.n)), h('code', {}, cell.v)];
    case 'list':
    case 'map':
      return cell.n === 0
        ? [h('span', { class: 'nil' }, 'empty')]
        : [h('span', { class: 'count' }, String(cell.n)), cell.v];
    default: return [h('span', { class: 'kind' }, cell.k), cell.v];
  }
}
"""##),
        "/changes.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/columns.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// The head of a table: names and types of columns, sorting, and widths.

import { cellText } from './cells.js';
import { h } from './dom.js';

/** The cells of the head; they call `onSort` and `resize` of the table. */
export function headCells(grid) {
  return [
    h('div', { class: 'cell number-cell', role: 'columnheader', 'aria-label': 'Position' }, '#'),
    ...grid.columns.map((column, index) => headCell(grid, column, index)),
  ];
}

function headCell(grid, column, index) {
  const { property } = column;
  const place = grid.order.findIndex((entry) => entry.name === property.name);
  const isSorted = place >= 0;
  const isDescending = isSorted && grid.order[place].isDescending;
  const direction = !isSorted ? 'none' : isDescending ? 'descending' : 'ascending';
  const mark = !isSorted ? '' : isDescending ? '↓' : '↑';
  const name = h('span', { class: 'column-name' }, property.name,
    property.isKey ? h('span', { class: 'key-mark', title: 'Primary key' }, 'key') : null);
  const label = h('button', {
    class: 'column-label', type: 'button', tabindex: -1, disabled: !property.isSortable,
    title: property.isSortable
      ? `${property.name}: ${property.type}. Sort; with Shift as a further order.`
      : `${property.name}: ${property.type}`,
    onclick: (event) => grid.onSort(property.name, event.shiftKey),
  }, name, h('span', { class: 'column-type' }, property.type),
  h('span', { class: 'sort-mark' }, mark, grid.order.length > 1 && isSorted ? String(place + 1) : ''));
  return h('div', {
    class: `cell ${column.style}`, role: 'columnheader', 'aria-sort': direction, 'aria-colindex': index + 2,
  }, label, h('div', {
    class: 'resizer', 'aria-hidden': 'true',
    onpointerdown: (event) => resizing(grid, column, event), ondblclick: () => grid.resize(column),
  }));
}

function resizing(grid, column, event) {
  event.preventDefault();
  const start = event.clientX;
  const { width } = column;
  const handle = event.currentTarget;
  handle.setPointerCapture(event.pointerId);
  const move = (moved) => grid.resize(column, width + moved.clientX - start);
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', move), { once: true });
}

let canvas;

/** The width that fits the name of a column and some of its cells. */
export function fittedWidth(column, cells) {
  canvas ??= document.createElement('canvas').getContext('2d');
  const family = getComputedStyle(document.body).fontFamily;
  canvas.font = `600 12.5px ${family}`;
  const name = canvas.measureText(column.property.name).width + (column.property.isKey ? 34 : 0);
  canvas.font = `11px ${family}`;
  const type = canvas.measureText(column.property.type).width;
  let widest = Math.max(name + type + 34, 64);
  canvas.font = column.style === 'code' ? '12px monospace' : `13px ${family}`;
  for (const cell of cells) {
    // What is before the text: a symbol, a number of elements, or the kind of a value of any type.
    const extra = cell === null || typeof cell !== 'object' ? 0 : cell.k === 'link' || cell.k === 'embedded' ? 20 : 62;
    widest = Math.max(widest, canvas.measureText(cellText(cell).slice(0, 60)).width + extra);
  }
  return Math.min(340, Math.ceil(widest * 1.08) + 26);
}
"""##),
        "/detail.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/dom.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Making elements, and small things that every view needs.

/** Makes an element: attributes, listeners (`onclick`), `class`, and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Makes an element of SVG. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}

const icons = {
  type: 'M3 4.5h10M3 8h10M3 11.5h10',
  embedded: 'M3 3h10v10H3zM6 6h4v4H6z',
  asymmetric: 'M3 8h9M9 4.5 12.5 8 9 11.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5 14 14',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M9.5 3.5 5 8l4.5 4.5',
  link: 'M5 11 11 5M6 5h5v5',
  plan: 'M3 13V9h4V5h6M10.5 2.5 13 5l-2.5 2.5',
  theme: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  check: 'M3.5 8.5 6.5 11.5 12.5 4.5',
  warning: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  save: 'M8 3v7M5 7.5 8 10.5l3-3M3 13h10',
  load: 'M8 10.5v-7M5 6 8 3l3 3M3 13h10',
  add: 'M8 3v10M3 8h10',
  edit: 'M3 13l.5-3 7-7 2.5 2.5-7 7zM9 4.5 11.5 7',
  remove: 'M3.5 4.5h9M6.5 4.5v-2h3v2M5 4.5l.5 9h5l.5-9',
};

/** A line drawing of 16 pixels, which assistive technology skips. */
export function icon(name) {
  return s('svg', { viewBox: '0 0 16 16', class: 'icon', 'aria-hidden': 'true' },
    s('path', { d: icons[name] }));
}

const numbers = new Intl.NumberFormat('en');

/** A number with separators. */
export const formatCount = (count) => numbers.format(count);

/** A number with the word that fits it: `plural(1, 'object')`. */
export const plural = (count, word) => `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;

/** Bytes in a unit that fits. */
export function formatBytes(count) {
  if (count < 1024) return plural(count, 'byte');
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let value = count / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** A duration in a unit that fits, from nanoseconds. */
export function formatDuration(nanoseconds) {
  if (nanoseconds < 1e3) return `${Math.round(nanoseconds)} ns`;
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(nanoseconds < 1e4 ? 1 : 0)} µs`;
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toFixed(nanoseconds < 1e7 ? 1 : 0)} ms`;
  if (nanoseconds < 120e9) return `${(nanoseconds / 1e9).toFixed(1)} s`;
  return `${Math.round(nanoseconds / 60e9)} min`;
}

/** Has a screen reader say a text. */
export function announce(text) {
  document.getElementById('announcer').textContent = text;
}

/** Calls a function when it was not called again for a while. */
export function debounced(milliseconds, body) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...values), milliseconds);
  };
}
"""##),
        "/editable.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/editing.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/filter.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/grid.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// A table of any number of rows, of which only those in view are elements.
//
// Browsers have no element that is high enough for a million rows and more. So the height that is scrolled
// over has a limit; beyond it, short scrolling moves by pixels and long scrolling by shares of the whole.

import { announce, formatCount, h } from './dom.js';
import { columnStyle, fillCell } from './cells.js';
import { fittedWidth, headCells } from './columns.js';

const rowHeight = 32;
const heightLimit = 6_000_000;

export class Grid {
  /**
   * - `source`: `total`, `row(position)`, `want(first, end)`, `isFresh(row, column)`
   * - `onOpen(row, link)`, `onSort(name, isAdded)`: what was chosen
   */
  constructor({ source, onOpen, onSort }) {
    this.source = source;
    this.onOpen = onOpen;
    this.onSort = onSort;
    this.columns = [];
    this.widths = new Map();
    this.active = { row: 0, column: 0 };
    this.top = 0;
    this.lastScroll = 0;
    this.pool = [];
    this.head = h('div', { class: 'grid-head', role: 'row', 'aria-rowindex': 1 });
    this.layer = h('div', { class: 'grid-layer', role: 'rowgroup' });
    this.spacer = h('div', { class: 'grid-spacer' }, this.layer);
    this.scroller = h('div', { class: 'grid-scroll', tabindex: -1, onscroll: () => this.scrolled() },
      this.spacer);
    this.element = h('div', {
      class: 'grid', role: 'grid', tabindex: 0, 'aria-label': 'Objects', 'aria-multiselectable': 'false',
      onkeydown: (event) => this.pressed(event), onfocus: () => this.render(),
    }, h('div', { class: 'grid-clip', role: 'rowgroup' }, this.head), this.scroller);
    this.layer.addEventListener('click', (event) => this.clicked(event));
    this.layer.addEventListener('dblclick', (event) => this.clicked(event));
    new ResizeObserver(() => this.layout()).observe(this.scroller);
  }

  /** Shows other columns, from the first row on. */
  setColumns(columns, order, typeName) {
    const isOtherType = this.typeName !== typeName;
    this.typeName = typeName;
    this.columns = columns.map((property) => ({
      property, style: columnStyle(property),
      key: `${typeName}.${property.name}`,
    }));
    this.order = order;
    if (isOtherType) {
      this.active = { row: 0, column: 0 };
      this.scroller.scrollLeft = 0;
    }
    this.pool = [];
    this.layer.replaceChildren();
    this.element.setAttribute('aria-colcount', columns.length + 1);
    this.head.replaceChildren(...headCells(this));
    this.layout();
  }

  toTop() {
    this.active.row = 0;
    this.top = 0;
    this.lastScroll = 0;
    this.scroller.scrollTop = 0;
  }

  // MARK: Layout

  /** Sets the width of a column; without one, it fits what is in view. */
  resize(column, width) {
    if (width === undefined) this.widths.delete(column.key);
    else this.widths.set(column.key, Math.min(1200, Math.max(56, width)));
    if (width === undefined) this.fit();
    else this.layout();
  }

  /** Decides widths that nobody has set, once rows are there. */
  fit() {
    const first = this.firstRow();
    this.columns.forEach((column, index) => {
      if (this.widths.has(column.key)) return;
      const cells = [];
      for (let position = first; position < Math.min(first + 60, this.source.total); position += 1) {
        const cell = this.source.row(position)?.c[index];
        if (cell !== undefined) cells.push(cell);
      }
      this.widths.set(column.key, fittedWidth(column, cells));
    });
    this.layout();
  }

  layout() {
    // The positions have as many digits as the last one.
    this.numberWidth = Math.max(58, 28 + 7.2 * formatCount(this.source.total).length);
    let left = this.numberWidth;
    this.columns.forEach((column) => {
      column.width = this.widths.get(column.key) ?? 160;
      column.left = left;
      left += column.width;
    });
    this.width = left;
    this.head.style.width = `${left}px`;
    [...this.head.children].forEach((cell, index) => {
      cell.style.width = `${index === 0 ? this.numberWidth : this.columns[index - 1].width}px`;
    });
    for (const row of this.pool) this.layoutRow(row);
    this.measure();
    this.render();
  }

  layoutRow(row) {
    row.element.style.width = `${this.width}px`;
    row.number.style.width = `${this.numberWidth}px`;
    row.cells.forEach((cell, index) => { cell.style.width = `${this.columns[index].width}px`; });
  }

  /** Fits the height that is scrolled over to the number of rows. */
  measure() {
    this.viewHeight = this.scroller.clientHeight;
    const fullHeight = this.source.total * rowHeight;
    const spacerHeight = Math.min(fullHeight, heightLimit);
    this.topLimit = Math.max(0, fullHeight - this.viewHeight);
    this.scrollLimit = Math.max(0, spacerHeight - this.viewHeight);
    this.isScaled = fullHeight > heightLimit;
    this.spacer.style.height = `${spacerHeight}px`;
    this.spacer.style.width = `${this.width}px`;
    this.layer.style.height = `${Math.min(this.viewHeight, fullHeight)}px`;
    this.top = Math.min(this.top, this.topLimit);
    this.element.setAttribute('aria-rowcount', this.source.total + 1);
  }

  // MARK: Scrolling

  scrolled() {
    const scroll = this.scroller.scrollTop;
    this.head.style.transform = `translateX(${-this.scroller.scrollLeft}px)`;
    if (!this.isScaled) {
      this.top = scroll;
    } else {
      const moved = scroll - this.lastScroll;
      const isShort = Math.abs(moved) < 2 * this.viewHeight;
      if (scroll <= 0) this.top = 0;
      else if (scroll >= this.scrollLimit) this.top = this.topLimit;
      else if (isShort) this.top = Math.min(this.topLimit, Math.max(0, this.top + moved));
      else this.top = scroll / this.scrollLimit * this.topLimit;
      clearTimeout(this.syncTimer);
      this.syncTimer = setTimeout(() => this.syncScroll(), 180);
    }
    this.lastScroll = scroll;
    this.scheduleRender();
  }

  /** Moves the scroll bar to where the rows in view are. */
  syncScroll() {
    if (this.topLimit === 0) return;
    const wanted = this.isScaled ? this.top / this.topLimit * this.scrollLimit : this.top;
    if (Math.abs(this.scroller.scrollTop - wanted) < 1) return;
    this.scroller.scrollTop = wanted;
    this.lastScroll = this.scroller.scrollTop;
  }

  firstRow() { return Math.floor(this.top / rowHeight); }

  /** Scrolls as little as shows a row. */
  reveal(position) {
    const start = position * rowHeight;
    if (start < this.top) this.top = start;
    else if (start + rowHeight > this.top + this.viewHeight) this.top = start + rowHeight - this.viewHeight;
    this.top = Math.max(0, Math.min(this.topLimit, this.top));
    this.syncScroll();
    const column = this.columns[this.active.column];
    if (!column) return;
    const left = this.scroller.scrollLeft;
    if (column.left - this.numberWidth < left) this.scroller.scrollLeft = column.left - this.numberWidth;
    else if (column.left + column.width > left + this.scroller.clientWidth) {
      this.scroller.scrollLeft = column.left + column.width - this.scroller.clientWidth;
    }
  }

  // MARK: Rows

  scheduleRender() {
    this.frame ??= requestAnimationFrame(() => this.render());
  }

  render() {
    cancelAnimationFrame(this.frame);
    this.frame = undefined;
    const first = this.firstRow();
    const end = Math.min(this.source.total, Math.ceil((this.top + this.viewHeight) / rowHeight));
    // Before anything has arrived, nobody knows how many rows there are. Some rows more are fetched in the
    // direction of scrolling.
    const view = Math.ceil(this.viewHeight / rowHeight);
    const isDown = this.top >= (this.topBefore ?? 0);
    if (this.top !== this.topBefore) this.isDown = isDown;
    this.topBefore = this.top;
    this.source.want(first, Math.max(end, first + view));
    if (this.isDown) this.source.prefetch(end + 2 * view);
    else this.source.prefetch(first - 2 * view);
    while (this.pool.length < end - first) this.pool.push(this.makeRow());
    this.pool.forEach((row, index) => {
      const isShown = index < end - first;
      row.element.hidden = !isShown;
      if (isShown) this.fillRow(row, first + index);
    });
    const id = `cell-${this.active.row}-${this.active.column}`;
    if (document.getElementById(id)) this.element.setAttribute('aria-activedescendant', id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  makeRow() {
    const number = h('div', { class: 'cell number-cell', role: 'rowheader' });
    const cells = this.columns.map((column, index) => h('div', {
      class: `cell ${column.style}`, role: 'gridcell', 'aria-colindex': index + 2,
    }));
    const element = h('div', { class: 'grid-row', role: 'row' }, number, cells);
    const row = { element, number, cells, shown: undefined };
    this.layoutRow(row);
    this.layer.append(element);
    return row;
  }

  fillRow(row, position) {
    const data = this.source.row(position);
    row.element.style.transform = `translateY(${position * rowHeight - this.top}px)`;
    const isActive = position === this.active.row;
    row.element.classList.toggle('active', isActive);
    row.element.classList.toggle('opened', data !== undefined && data.id === this.openedId);
    if (row.position !== position) {
      row.position = position;
      row.element.dataset.position = position;
      row.element.setAttribute('aria-rowindex', position + 2);
      row.number.textContent = formatCount(position + 1);
      row.cells.forEach((cell, index) => { cell.id = `cell-${position}-${index}`; });
    }
    if (row.data !== data) {
      row.data = data;
      row.element.classList.toggle('waiting', data === undefined);
      row.cells.forEach((cell, index) => {
        if (data === undefined) cell.textContent = '';
        else fillCell(cell, data.c[index]);
      });
    }
    row.cells.forEach((cell, index) => {
      cell.classList.toggle('current', isActive && index === this.active.column);
      cell.classList.toggle('fresh', data !== undefined && this.source.isFresh(data, index));
    });
  }

  // MARK: Mouse and keys

  clicked(event) {
    const element = event.target.closest('.grid-row');
    if (!element) return;
    const position = Number(element.dataset.position);
    const cell = event.target.closest('[role=gridcell]');
    const column = cell ? Number(cell.getAttribute('aria-colindex')) - 2 : this.active.column;
    this.active = { row: position, column };
    this.element.focus({ preventScroll: true });
    this.render();
    const row = this.source.row(position);
    if (row) this.onOpen(row, event.target.closest('[data-link]') ? row.c[column] : null);
  }

  pressed(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.viewHeight / rowHeight) - 1);
    const { row, column } = this.active;
    const last = { row: this.source.total - 1, column: this.columns.length - 1 };
    if (event.altKey) {
      const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
      if (step) { this.resize(this.columns[column], this.columns[column].width + step); event.preventDefault(); }
      return;
    }
    const target = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], PageDown: [row + page, column], PageUp: [row - page, column],
      Home: [0, column], End: [last.row, column],
    }[event.key];
    if (target) {
      event.preventDefault();
      this.active = {
        row: Math.max(0, Math.min(last.row, target[0])), column: Math.max(0, Math.min(last.column, target[1])),
      };
      this.reveal(this.active.row);
      this.render();
    } else if (event.key === 'Enter') {
      const data = this.source.row(row);
      if (!data) return;
      event.preventDefault();
      this.onOpen(data, event.shiftKey && data.c[column]?.k === 'link' ? data.c[column] : null);
    } else if (event.key === 's' && this.columns[column]?.property.isSortable) {
      this.onSort(this.columns[column].property.name, false);
      announce(`Sorted by ${this.columns[column].property.name}`);
    }
  }
}
"""##),
        "/icon.svg": File(
            contentType: "image/svg+xml",
            text: ##"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#0f6e66"/>
<g fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round">
<path d="M8 10.5h16"/><path d="M8 16h6.5M19 16h5"/><path d="M8 21.5h11M23.6 21.5h.4"/>
</g>
</svg>
"""##),
        "/importing.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Importing a file that is chosen or dropped: it is sent in pieces, and becomes one commit.

import { outcomeText, post } from './api.js';
import { announce, formatBytes, formatCount, h, icon, plural } from './dom.js';

const pieceLength = 64 << 10;
const fileByteLimit = 64 << 20;

export class Importing {
  /** `onDone(undo)`: objects were imported. */
  constructor({ isWritable, onDone }) {
    Object.assign(this, { isWritable, onDone });
    this.chooser = h('input', {
      type: 'file', accept: '.json,.jsonl,.ndjson', hidden: true, 'aria-label': 'File to import',
      onchange: () => { this.take(this.chooser.files); this.chooser.value = ''; },
    });
    this.button = isWritable
      ? h('span', {}, this.chooser, h('button', {
        class: 'quiet-button', type: 'button', title: 'Make objects of a file of JSON; it may be dropped here too',
        onclick: () => this.chooser.click(),
      }, icon('load'), 'Import'))
      : null;
  }

  show(type) {
    this.type = type;
    if (this.button) this.button.hidden = type.isEmbedded;
  }

  /** Has files that are dropped on an element imported. */
  acceptDrops(element) {
    const isFile = (event) => [...event.dataTransfer.types].includes('Files');
    // A file that is dropped beside it would be opened in place of the page.
    for (const kind of ['dragover', 'drop']) {
      document.addEventListener(kind, (event) => { if (isFile(event)) event.preventDefault(); });
    }
    element.addEventListener('dragover', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = this.isWritable ? 'copy' : 'none';
      element.classList.add('dropping');
    });
    element.addEventListener('dragleave', (event) => {
      if (!element.contains(event.relatedTarget)) element.classList.remove('dropping');
    });
    element.addEventListener('drop', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      element.classList.remove('dropping');
      this.take(event.dataTransfer.files);
    });
  }

  take(files) {
    if (files.length === 0) return;
    const file = files[0];
    const reason = this.refusal(files);
    this.ask(file, reason);
  }

  /** Why files can't be imported; null if they can. */
  refusal(files) {
    if (!this.isWritable) return 'The realm was opened read-only. Start the studio with --write to import.';
    if (files.length > 1) return 'One file is imported at a time.';
    if (this.type.isEmbedded) return `A ${this.type.name} is a part of another object: import its owners.`;
    if (/\.(csv|gz|lz4|bson)$/i.test(files[0].name)) {
      return 'Here JSON is imported: one object on a line, or an array. “travertine import” takes CSV, BSON and compressed files.';
    }
    if (files[0].size > fileByteLimit) {
      return `A file has ${formatBytes(fileByteLimit)} at most here. “travertine import” takes larger ones.`;
    }
    return null;
  }

  /** A dialog that says what will happen, shows how far it is, and what became of it. */
  ask(file, reason) {
    const { type } = this;
    const text = h('p', { role: 'status' }, reason ?? `Each object of ${file.name} (${formatBytes(file.size)}) becomes a ${type.name}. `
      + 'One with the same key is replaced as a whole: what the file leaves out is nil, or the default, then. '
      + 'All are committed together, which can’t be undone.');
    const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Sent' });
    const cancel = h('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, reason ? 'Close' : 'Cancel');
    const start = h('button', { class: 'button primary', type: 'button', hidden: reason !== null, onclick: () => run() }, 'Import');
    let isStopped = false;
    const dialog = h('dialog', {
      class: 'dialog import-dialog', 'aria-label': `Import ${type.name}`,
      oncancel: (event) => { if (cancel.disabled) event.preventDefault(); }, onclose: () => { isStopped = true; dialog.remove(); },
    }, h('h2', {}, `Import into ${type.name}`), text, bar, h('div', { class: 'dialog-end' }, cancel, start));
    const run = async () => {
      start.hidden = true;
      bar.hidden = false;
      text.classList.remove('failed');
      try {
        const answer = await send(file, type, (share) => {
          bar.value = share;
          if (share < 1) return;
          // From here on it is imported.
          cancel.disabled = true;
          text.textContent = 'Importing …';
        }, () => isStopped);
        if (!answer) return;
        text.textContent = outcome(answer);
        announce(text.textContent);
        this.onDone(answer.undo);
      } catch (error) {
        text.textContent = outcomeText(error, 'Nothing was imported.');
        text.classList.add('failed');
      }
      bar.hidden = true;
      cancel.disabled = false;
      cancel.textContent = 'Close';
      cancel.focus();
    };
    document.body.append(dialog);
    dialog.showModal();
  }
}

function outcome({ inserted, replaced, unknownFields }) {
  const parts = [`${plural(inserted, 'object')} added, ${formatCount(replaced)} replaced.`];
  if (unknownFields.length > 0) parts.push(`Left out, because no property has the name: ${unknownFields.join(', ')}.`);
  return parts.join(' ');
}

/** Sends a file in pieces; null if it was stopped before the last one. */
async function send(file, type, onProgress, isStopped) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const name = `${file.name} ${crypto.randomUUID()}`;
  let offset = 0;
  let sent = 0;
  for (;;) {
    const end = Math.min(offset + pieceLength, file.size);
    let text;
    try {
      text = decoder.decode(await file.slice(offset, end).arrayBuffer(), { stream: end < file.size });
    } catch {
      throw new Error('The file is not text in UTF-8.');
    }
    if (isStopped()) return null;
    const isLast = end === file.size;
    if (isLast) onProgress(1);
    const answer = await post('/api/import', { type: type.name, file: name, offset: sent, text, isLast });
    if (isLast) return answer;
    sent = answer.received;
    offset = end;
    onProgress(offset / file.size);
  }
}
"""##),
        "/index.html": File(
            contentType: "text/html; charset=utf-8",
            text: ##"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Travertine Studio</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/base.css">
<link rel="stylesheet" href="/objects.css">
<link rel="stylesheet" href="/panels.css">
<script type="module" src="/main.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the objects</a>
<div id="app" class="app">
  <p class="boot" role="status">Opening the realm…</p>
</div>
<div id="announcer" class="unseen" role="status" aria-live="polite"></div>
<noscript>Travertine Studio needs JavaScript.</noscript>
</body>
</html>
"""##),
        "/layout.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Places for the cards of a graph: in columns, so that most links lead to the right.
//
// A link that leads over several columns has a way in each between, which takes part in all that follows, so
// that no card is in its way.

const gapX = 76;
const gapY = 30;
const margin = 32;
// What links from a card to itself, and between cards of one column, need on its right.
const bendRoom = 52;
const columnHeight = 1500;
const wayHeight = 12;

/** Gives each card its `x` and `y`, and each link its `ways`; returns the size of the whole. */
export function place(cards, links) {
  const out = new Map(cards.map((card) => [card.name, []]));
  const into = new Map(cards.map((card) => [card.name, []]));
  const others = links.filter(({ from, to }) => from !== to);
  for (const { from, to } of others) out.get(from).push(to);
  const levels = levelsOf(cards, out);
  const isLinked = new Set(others.flatMap(({ from, to }) => [from, to]));
  const single = cards.filter((card) => !isLinked.has(card.name));
  const columns = columnsOf(cards.filter((card) => isLinked.has(card.name)), levels);
  const nodes = new Map(cards.map((card) => [card.name, card]));
  const column = new Map(columns.flatMap((members, index) => members.map((card) => [card.name, index])));
  out.forEach((_, name) => out.set(name, []));
  for (const link of others) addWays(link, columns, column, nodes, out, into);
  order(columns, out, into);
  let x = margin;
  for (const members of columns) {
    let y = margin;
    for (const card of members) {
      card.x = x;
      card.y = y;
      y += card.height + gapY;
    }
    x += Math.max(...members.map((card) => card.width)) + gapX;
  }
  settle(columns, nodes, out, into);
  const bottom = Math.max(0, ...columns.flat().map((card) => card.y + card.height));
  return withSingles(single, Math.max(x - gapX + bendRoom, 0), bottom + (bottom > 0 ? gapY : margin));
}

/** How far each card is from the left: the longest way to the end of its links, leaving out circles. */
function levelsOf(cards, out) {
  const onWay = new Set();
  const depth = new Map();
  const visit = (name) => {
    if (depth.has(name)) return depth.get(name);
    if (onWay.has(name)) return -1;
    onWay.add(name);
    const found = Math.max(-1, ...out.get(name).map(visit)) + 1;
    onWay.delete(name);
    depth.set(name, found);
    return found;
  };
  cards.forEach((card) => visit(card.name));
  const deepest = Math.max(0, ...depth.values());
  return new Map([...depth].map(([name, found]) => [name, deepest - found]));
}

/** The cards by level; a column that is much too high becomes several. */
function columnsOf(cards, levels) {
  const columns = [];
  for (const card of cards) (columns[levels.get(card.name)] ??= []).push(card);
  return columns.filter(Boolean).flatMap((members) => {
    const parts = [[]];
    let height = 0;
    for (const card of members) {
      if (height > 0 && height + card.height > columnHeight) { parts.push([]); height = 0; }
      parts[parts.length - 1].push(card);
      height += card.height + gapY;
    }
    return parts;
  });
}

function addWays(link, columns, column, nodes, out, into) {
  link.ways = [];
  const step = column.get(link.from) < column.get(link.to) ? 1 : -1;
  let last = link.from;
  const connect = (name) => {
    out.get(last).push(name);
    into.get(name).push(last);
    last = name;
  };
  if (step > 0) {
    for (let index = column.get(link.from) + 1; index < column.get(link.to); index += 1) {
      const name = `${link.from}.${link.property.name}>${index}`;
      const way = { name, width: columns[index][0].width, height: wayHeight, isWay: true };
      nodes.set(name, way);
      out.set(name, []);
      into.set(name, []);
      columns[index].push(way);
      link.ways.push(way);
      connect(name);
    }
  }
  connect(link.to);
}

/** Sorts each column by the mean position of what its members are linked with. */
function order(columns, out, into) {
  const position = new Map();
  const note = (members) => members.forEach((card, index) => position.set(card.name, index / members.length));
  columns.forEach(note);
  for (let pass = 0; pass < 8; pass += 1) {
    for (const members of pass % 2 === 0 ? columns : [...columns].reverse()) {
      const weight = new Map(members.map((card) => {
        const near = [...out.get(card.name), ...into.get(card.name)].map((name) => position.get(name));
        return [card, near.reduce((sum, value) => sum + value, 0) / Math.max(1, near.length)];
      }));
      members.sort((left, right) => weight.get(left) - weight.get(right));
      note(members);
    }
  }
}

/** Moves cards towards what they are linked with, as far as their column has room. */
function settle(columns, nodes, out, into) {
  for (let pass = 0; pass < 16; pass += 1) {
    for (const members of columns) {
      members.forEach((card, index) => {
        const near = [...out.get(card.name), ...into.get(card.name)].map((name) => nodes.get(name));
        if (near.length === 0) return;
        const wanted = near.reduce((sum, other) => sum + other.y + other.height / 2, 0) / near.length - card.height / 2;
        const above = members[index - 1];
        const below = members[index + 1];
        const least = above ? above.y + above.height + gapY : margin;
        const most = below ? below.y - gapY - card.height : Infinity;
        card.y = Math.max(least, Math.min(most, card.y + (wanted - card.y) * 0.5));
      });
    }
  }
  const all = columns.flat();
  const top = Math.min(...all.map((card) => card.y), Infinity);
  for (const card of all) card.y += margin - top;
}

/** Cards without any link, in rows below the others. */
function withSingles(cards, width, top) {
  if (cards.length === 0) return { width, height: top };
  const gap = bendRoom;
  const columnCount = Math.max(1, Math.min(cards.length, Math.max(4, Math.floor(width / (cards[0].width + gap)))));
  let y = top;
  let right = width;
  for (let start = 0; start < cards.length; start += columnCount) {
    const row = cards.slice(start, start + columnCount);
    row.forEach((card, index) => {
      card.x = margin + index * (card.width + gap);
      card.y = y;
      right = Math.max(right, card.x + card.width + bendRoom);
    });
    y += Math.max(...row.map((card) => card.height)) + gapY;
  }
  return { width: right, height: y };
}
"""##),
        "/lineends.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Line ends of texts: an element in which a text is edited has only \n.

/** The line end of a text, which it has everywhere; null where it has several kinds. */
export function lineEnd(text) {
  const ends = new Set(text.match(/\r\n|\r|\n/g) ?? []);
  return ends.size > 1 ? null : [...ends][0] ?? '\n';
}

/** Whether a text has several lines. */
export const hasLines = (text) => /[\r\n]/.test(text);
"""##),
        "/linking.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/main.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// The page: its frame, and which view is in it.

import { get, listen, RequestError, signIn } from './api.js';
import { formatCount, h, icon } from './dom.js';
import { MaintenanceView } from './maintenance.js';
import { ObjectsView } from './objects.js';
import * as route from './route.js';
import { SchemaView } from './schema.js';
import { Sidebar } from './sidebar.js';
import { SpaceView } from './space.js';

const tabs = [['objects', 'Objects'], ['schema', 'Schema'], ['space', 'Space'], ['maintenance', 'Maintenance']];

class Studio {
  constructor(overview) {
    this.overview = overview;
    this.sidebar = new Sidebar({ onChoose: (type) => route.go({ view: 'objects', type }) });
    this.views = {
      objects: new ObjectsView(overview), schema: new SchemaView(), space: new SpaceView(),
      maintenance: new MaintenanceView(),
    };
    this.content = h('main', { class: 'content', id: 'content', tabindex: -1 });
    this.live = h('span', { class: 'live', role: 'status' }, h('span', { class: 'live-dot' }), 'Live');
    this.tabs = new Map(tabs.map(([view, label], index) => [view, h('button', {
      class: 'tab', type: 'button', role: 'tab', id: `tab-${view}`, 'aria-controls': 'content',
      onclick: () => this.choose(view), onkeydown: (event) => this.tabPressed(event, index),
    }, label)]));
    document.getElementById('app').replaceChildren(this.header(), this.sidebar.element, this.content);
    document.title = `${overview.name} – Travertine Studio`;
    window.addEventListener('hashchange', () => this.show());
    window.addEventListener('popstate', () => this.show());
    document.addEventListener('keydown', (event) => this.pressed(event));
    window.addEventListener('beforeunload', (event) => {
      if (this.views.objects.changes?.list.length > 0) event.preventDefault();
    });
    this.views.objects.changes?.showUndo(overview.undo);
    this.show();
    listen({
      onVersion: () => this.changed(),
      onJob: (job) => this.views.maintenance.update(job),
      onState: (isOpen) => this.showLive(isOpen),
    });
  }

  header() {
    const { overview } = this;
    return h('header', { class: 'top' },
      h('div', { class: 'brand' }, h('img', { src: '/icon.svg', alt: '', width: 24, height: 24 }),
        h('div', {}, h('div', { class: 'brand-name' }, overview.name),
          h('div', { class: 'brand-path', title: overview.path }, shortPath(overview.path)))),
      h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views' }, [...this.tabs.values()]),
      h('div', { class: 'top-end' }, this.live,
        h('span', {
          class: overview.isWritable ? 'mode writing' : 'mode',
          title: overview.isWritable ? 'Objects can be changed.'
            : 'Nothing can be changed; programs that write go on beside this page.',
        }, overview.isWritable ? 'writing' : 'read-only'),
        h('button', {
          class: 'icon-button', type: 'button', 'aria-label': 'Light or dark', title: 'Light or dark',
          onclick: () => this.switchTheme(),
        }, icon('theme'))));
  }

  switchTheme() {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    root.dataset.theme = isDark ? 'light' : 'dark';
  }

  // MARK: Routes

  choose(view) {
    const now = route.current();
    route.go(view === 'objects' ? { view, type: this.lastType } : { ...now, view, object: null, filter: '' });
  }

  show() {
    const now = route.current();
    const view = Object.hasOwn(this.views, now.view) ? now.view : 'objects';
    const { types } = this.overview;
    for (const [name, tab] of this.tabs) {
      tab.setAttribute('aria-selected', String(name === view));
      tab.tabIndex = name === view ? 0 : -1;
    }
    const element = view === 'objects' && !this.shownType(now) ? this.emptyRealm() : this.views[view].element;
    if (this.content.firstChild !== element) this.content.replaceChildren(element);
    this.content.setAttribute('aria-labelledby', `tab-${view}`);
    const type = this.shownType(now);
    this.sidebar.show(types, view === 'objects' ? type?.name : null);
    if (view === 'objects') {
      if (type) {
        this.lastType = type.name;
        this.views.objects.show(now, type, types);
      }
    } else {
      this.views[view].show(this.overview);
    }
    if (view !== 'space') this.views.space.hide();
  }

  /** The type of a route; without one the first that has objects. */
  shownType({ type }) {
    const shown = this.overview.types.filter((candidate) => !candidate.isAsymmetric);
    return shown.find((candidate) => candidate.name === (type ?? this.lastType))
      ?? shown.find((candidate) => !candidate.isEmbedded && candidate.count > 0)
      ?? shown.find((candidate) => !candidate.isEmbedded) ?? shown[0];
  }

  emptyRealm() {
    return h('div', { class: 'empty' }, h('h2', {}, 'No types yet'),
      h('p', {}, 'As soon as a program opens this realm with its classes, they appear here.'));
  }

  // MARK: Live

  showLive(isOpen) {
    this.live.classList.toggle('off', !isOpen);
    this.live.lastChild.textContent = isOpen ? 'Live' : 'Disconnected';
    // Events before the connection was opened are not sent again, and requests meantime have failed.
    if (isOpen) this.changed(this.wasOff);
    this.wasOff = !isOpen;
    if (isOpen && this.content.firstChild === this.views.maintenance.element) this.views.maintenance.show();
  }

  /** Reads again what is shown if the version is another, or always; while that is under way, once more after it. */
  async changed(isAlways = false) {
    this.isAlways ||= isAlways;
    if (this.isReading) { this.isOutdated = true; return; }
    this.isReading = true;
    try {
      const { changes } = this.views.objects;
      const sendCount = changes?.sendCount;
      const overview = await get('/api/overview');
      if (overview.version === this.overview.version && !this.isAlways) return;
      this.isAlways = false;
      this.overview = overview;
      if (changes?.sendCount === sendCount) {
        changes?.showUndo(overview.undo);
      } else {
        // What is undone next may be another since the question.
        this.isOutdated = true;
        this.isAlways = true;
      }
      changes?.look();
      const now = route.current();
      const type = this.shownType(now);
      this.sidebar.show(this.overview.types, now.view === 'objects' ? type?.name : null);
      if (now.view === 'objects' && type) {
        if (this.views.objects.type?.name === type.name) this.views.objects.refresh(type, this.overview.types);
        else this.show();
      } else {
        if (Object.hasOwn(this.views, now.view)) this.views[now.view].refresh?.(this.overview);
      }
      this.live.title = `Version ${formatCount(this.overview.version)} since this page was opened`;
      this.live.classList.remove('beat');
      requestAnimationFrame(() => this.live.classList.add('beat'));
    } catch (error) {
      // That the connection is lost is shown by the events.
      if (!(error instanceof RequestError)) throw error;
    } finally {
      setTimeout(() => {
        this.isReading = false;
        if (this.isOutdated) { this.isOutdated = false; this.changed(); }
      }, 200);
    }
  }

  // MARK: Keys

  pressed(event) {
    const isTyping = event.target.matches('input, textarea, select');
    if (event.key === '/' && !isTyping) {
      event.preventDefault();
      this.views.objects.filter.input.focus();
    }
  }

  tabPressed(event, index) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const next = [...this.tabs.keys()][(index + step + tabs.length) % tabs.length];
    this.choose(next);
    this.tabs.get(next).focus();
  }
}

/** The last parts of a path. */
function shortPath(path) {
  const parts = path.replace(/\/$/, '').split('/');
  return path.length < 34 ? parts.join('/') : `…/${parts.slice(-3).join('/')}`;
}

// Where the page is open already, an address with a key changes its fragment only.
window.addEventListener('hashchange', () => { if (location.hash.startsWith('#key=')) location.reload(); });
try {
  await signIn();
  new Studio(await get('/api/overview'));
  performance.mark('studio-ready');
} catch (error) {
  document.getElementById('app').replaceChildren(h('div', { class: 'empty whole', role: 'alert' },
    h('img', { src: '/icon.svg', alt: '', width: 48, height: 48 }),
    h('h1', {}, error.status === 401 ? 'This page needs its key' : 'The realm can’t be shown'),
    h('p', {}, error.message)));
}
"""##),
        "/maintenance.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Verifying and backing up: what runs, how far it is, and what it has found.

import { get, post } from './api.js';
import { formatBytes, formatCount, h, icon, plural } from './dom.js';

export class MaintenanceView {
  constructor() {
    this.jobs = new Map();
    this.list = h('div', { class: 'jobs', role: 'log', 'aria-label': 'What was started' });
    this.path = h('code', { class: 'path' });
    this.error = h('p', { class: 'filter-error', role: 'alert', hidden: true });
    this.verify = this.button('verify', 'Verify');
    this.backup = this.button('backup', 'Back up');
    this.element = h('section', { class: 'view maintenance', 'aria-label': 'Maintenance' },
      h('header', { class: 'view-head' }, h('h1', { class: 'view-title' }, 'Maintenance')),
      h('div', { class: 'cards' },
        h('section', { class: 'card-panel action' }, h('h2', {}, 'Verify'),
          h('p', {}, 'Reads every byte and checks it against its checksum, and the index against the log. '
            + 'A program that writes goes on: what is checked is a backup that is removed at the end.'), this.verify),
        h('section', { class: 'card-panel action' }, h('h2', {}, 'Back up'),
          h('p', {}, 'Makes a copy as of the newest commit, beside the realm. '
            + 'On one file system files get a second name, which takes no space.'),
          h('p', {}, this.path), this.backup)),
      this.error, this.list);
  }

  button(kind, label) {
    return h('button', { class: 'button primary', type: 'button', onclick: () => this.start(kind) }, label);
  }

  async show() {
    try {
      const { jobs, backupPath } = await get('/api/jobs');
      this.path.textContent = backupPath;
      for (const job of jobs) this.jobs.set(job.number, job);
      this.render();
    } catch (error) {
      this.showError(error);
    }
  }

  async start(kind) {
    this.error.hidden = true;
    try {
      this.update(await post('/api/jobs', { kind }));
    } catch (error) {
      this.showError(error);
    }
  }

  showError(error) {
    this.error.hidden = false;
    this.error.textContent = error.message;
  }

  update(job) {
    const known = this.jobs.get(job.number);
    if (known && known.state !== 'running' && job.state === 'running') return;
    this.jobs.set(job.number, job);
    this.render();
  }

  render() {
    const jobs = [...this.jobs.values()].sort((left, right) => right.number - left.number);
    const isRunning = jobs.some((job) => job.state === 'running');
    this.verify.disabled = isRunning;
    this.backup.disabled = isRunning;
    const open = new Set([...this.list.querySelectorAll('details[open]')].map((part) => part.dataset.job));
    this.list.replaceChildren(...jobs.map((job) => jobElement(job, open)));
    if (jobs.length === 0) {
      this.list.append(h('div', { class: 'empty small' }, h('p', {}, 'Nothing was started yet.')));
    }
  }
}

const titles = { verify: 'Verification', backup: 'Backup' };

function jobElement(job, open) {
  const head = (mark, text) => h('div', { class: 'job-head' }, mark, h('strong', {}, titles[job.kind]),
    h('span', { class: 'muted' }, text));
  if (job.state === 'running') {
    const share = job.total > 0 ? job.done / job.total : 0;
    return h('section', { class: 'job' }, head(h('span', { class: 'spinner' }),
      job.total > 0 ? `${job.step}: ${formatBytes(job.done)} of ${formatBytes(job.total)}` : job.step),
    h('progress', { max: 1, value: share, 'aria-label': titles[job.kind] }));
  }
  if (job.state === 'failed') {
    return h('section', { class: 'job failed' }, head(icon('warning'), 'was not done'), h('p', {}, job.error));
  }
  return job.kind === 'backup' ? backupElement(job, head) : verificationElement(job, head, open);
}

function backupElement(job, head) {
  const { path, report } = job.result;
  return h('section', { class: 'job done' },
    head(icon('check'), `${plural(report.fileCount, 'file')}, ${formatBytes(report.byteCount)}, as of LSN ${formatCount(report.lsn)}`),
    h('p', {}, h('code', { class: 'path' }, path)));
}

function verificationElement(job, head, open) {
  const report = job.result;
  const severe = report.findings.filter((finding) => finding.severity !== 'note');
  const isSound = !report.findings.some((finding) => finding.severity === 'error');
  const what = `${plural(report.segmentCount, 'segment')}, ${formatCount(report.recordCount)} records, `
    + `${formatCount(report.pageCount)} pages, ${formatBytes(report.byteCount)}`;
  return h('section', { class: isSound ? 'job done' : 'job failed' },
    head(icon(isSound ? 'check' : 'warning'), isSound ? 'sound' : `damaged: ${plural(severe.length, 'finding')}`),
    h('p', { class: 'muted' }, what),
    report.findings.length === 0 ? null : h('details', {
      class: 'nested', 'data-job': String(job.number), open: !isSound || open.has(String(job.number)),
    }, h('summary', {}, plural(report.findings.length, 'finding')),
    h('ul', { class: 'findings' }, report.findings.map((finding) => h('li', { class: finding.severity },
      h('span', { class: 'kind' }, finding.severity), h('div', {},
        h('p', {}, finding.message),
        finding.file ? h('p', { class: 'muted' }, finding.file
          + (finding.offset === undefined ? '' : `, byte ${formatCount(finding.offset)}`)) : null,
        h('p', { class: 'muted' }, finding.advice)))))));
}
"""##),
        "/map.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// A small map of the world with one place, drawn from a few lines: no pictures come from elsewhere.

import { h, s } from './dom.js';

const width = 360;
const height = 180;

// Rough outlines, as longitude and latitude.
const lands = [
  [-168, 66, -156, 71, -128, 70, -110, 68, -95, 72, -82, 68, -94, 59, -82, 55, -79, 62, -65, 59, -56, 52, -66, 44,
    -75, 38, -81, 31, -81, 25, -84, 30, -97, 28, -97, 20, -88, 21, -87, 16, -83, 9, -78, 8, -92, 14, -105, 20,
    -114, 31, -124, 40, -124, 48, -140, 60, -152, 59, -165, 60],
  [-55, 60, -44, 60, -22, 70, -18, 78, -30, 83, -60, 82, -72, 77, -54, 70],
  [-78, 8, -72, 12, -60, 9, -50, 0, -35, -7, -39, -16, -48, -27, -57, -37, -65, -43, -69, -52, -74, -50, -72, -32,
    -70, -18, -81, -5],
  [-17, 15, -10, 30, -6, 35, 10, 37, 20, 32, 32, 31, 37, 20, 43, 12, 51, 11, 42, -2, 40, -15, 33, -27, 26, -34,
    18, -34, 12, -18, 9, 0, 5, 5, -8, 5],
  [-9, 37, -9, 43, -1, 44, -4, 48, 3, 51, 8, 54, 8, 57, 12, 55, 20, 55, 28, 60, 20, 61, 24, 66, 16, 57, 11, 59, 5, 60,
    14, 68, 28, 71, 42, 67, 60, 69, 70, 73, 88, 75, 104, 78, 130, 72, 160, 70, 179, 68, 178, 62, 163, 59, 157, 51,
    155, 59, 138, 54, 140, 47, 129, 41, 127, 35, 122, 40, 118, 38, 122, 31, 115, 23, 108, 20, 109, 12, 102, 12, 103, 2,
    98, 9, 97, 16, 90, 22, 80, 15, 78, 8, 73, 18, 66, 25, 57, 26, 59, 22, 45, 13, 35, 28, 36, 36, 27, 37, 23, 37,
    19, 42, 14, 45, 18, 40, 11, 44, 3, 42, -2, 37],
  [-5, 50, 1, 51, 0, 54, -3, 58, -5, 57, -3, 54, -5, 52],
  [114, -22, 122, -18, 131, -12, 136, -12, 141, -17, 143, -11, 153, -27, 150, -37, 139, -35, 131, -31, 116, -35],
  [131, 31, 141, 41, 145, 44, 141, 45, 139, 38, 131, 34],
  [95, 5, 105, -6, 115, -8, 106, -7, 100, 1], [109, 1, 117, 6, 118, -3, 111, -3], [131, -1, 145, -5, 150, -10, 138, -8],
  [44, -25, 50, -16, 47, -25], [167, -46, 178, -38, 173, -35, 173, -41], [-24, 65, -14, 65, -18, 63],
  [-84, 22, -75, 20, -78, 22],
];

const x = (longitude) => longitude + 180;
const y = (latitude) => 90 - latitude;

function outline(numbers) {
  const points = [];
  for (let index = 0; index < numbers.length; index += 2) {
    points.push(`${x(numbers[index])},${y(numbers[index + 1])}`);
  }
  return points.join(' ');
}

/** A map with a place: `[longitude, latitude]`. */
export function placeMap([longitude, latitude]) {
  const lines = [];
  for (let line = 30; line < width; line += 30) lines.push(`M${line} 0V${height}`);
  for (let line = 30; line < height; line += 30) lines.push(`M0 ${line}H${width}`);
  const side = (value, plus, minus) => `${Math.abs(value).toFixed(4)}° ${value < 0 ? minus : plus}`;
  const text = `${side(latitude, 'N', 'S')}, ${side(longitude, 'E', 'W')}`;
  return h('figure', { class: 'map' },
    s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': `Map of the world with ${text}` },
      s('path', { class: 'graticule', d: lines.join('') }),
      s('path', { class: 'equator', d: `M0 90H${width}` }),
      lands.map((land) => s('polygon', { class: 'land', points: outline(land) })),
      s('circle', { class: 'halo', cx: x(longitude), cy: y(latitude), r: 9 }),
      s('circle', { class: 'place', cx: x(longitude), cy: y(latitude), r: 3 })),
    h('figcaption', {}, text));
}
"""##),
        "/objects.css": File(
            contentType: "text/css; charset=utf-8",
            text: ##"""
/* The condition, the table, and the object beside it. */

.objects { display: flex; height: 100%; background: var(--panel); }
.objects-main { flex: 1; min-width: 0; display: flex; flex-direction: column; }
.objects .view-head { padding: 16px 20px 10px; }
.filter { padding: 0 20px 12px; border-bottom: 1px solid var(--line); }
.filter-line { display: flex; gap: 8px; align-items: center; }
.filter-box { position: relative; flex: 1; display: flex; align-items: center; gap: 8px; padding: 0 4px 0 11px;
  border: 1px solid var(--line-strong); border-radius: 9px; background: var(--ground); height: 36px; }
.filter-box > .icon { color: var(--faint); }
.filter-box:focus-within { border-color: var(--accent); box-shadow: 0 0 0 3px var(--accent-soft); }
.filter-box:has([aria-invalid]) { border-color: var(--bad); }
.filter-input { flex: 1; min-width: 0; border: 0; background: none; outline: none; font-family: var(--mono);
  font-size: 12.5px; }
.filter-input::placeholder { color: var(--faint); font-family: var(--font); font-size: 13px; }
.completions { position: absolute; top: 40px; left: 28px; z-index: 5; min-width: 280px; list-style: none; padding: 5px;
  background: var(--panel); border: 1px solid var(--line-strong); border-radius: 9px; box-shadow: var(--shadow); }
.completions li { display: flex; justify-content: space-between; gap: 24px; padding: 5px 9px; border-radius: 6px;
  cursor: pointer; font-family: var(--mono); font-size: 12.5px; }
.completions li .muted { font-family: var(--font); font-size: 12px; }
.completions li[aria-selected="true"], .completions li:hover { background: var(--accent-soft); }
.filter-error { margin-top: 10px; padding: 10px 14px; border-radius: 9px; background: var(--bad-soft); color: var(--bad); }
.filter-error p { display: flex; gap: 8px; }
.filter-error pre { margin: 6px 0 0 24px; overflow: auto; color: var(--text); font-size: 12.5px; line-height: 1.35; }
.plan { display: flex; gap: 12px; align-items: flex-start; margin-top: 10px; padding: 10px 14px; border-radius: 9px;
  background: var(--sunken); }
.plan pre { flex: 1; white-space: pre-wrap; line-height: 1.6; }

/* The table */
.grid-place { position: relative; flex: 1; min-height: 0; }
.grid-place > .empty { position: absolute; inset: 60px 0 auto; }
.grid { position: absolute; inset: 0; display: flex; flex-direction: column; outline: none; }
.cell .nil { font-family: var(--font); font-size: 13px; }
.grid.outdated .grid-layer { opacity: 0.45; }
.grid-clip { overflow: hidden; flex: none; border-bottom: 1px solid var(--line); background: var(--ground); }
.grid-head { display: flex; height: 34px; will-change: transform; }
.grid-scroll { flex: 1; min-height: 0; overflow: auto; overscroll-behavior: contain; }
.grid-spacer { position: relative; min-width: 100%; }
.grid-layer { position: sticky; top: 0; overflow: clip; min-width: 100%; }
.grid-row { position: absolute; top: 0; left: 0; display: flex; height: 32px; min-width: 100%;
  border-bottom: 1px solid var(--line); }
.grid-row:hover { background: var(--sunken); }
.grid-row.active { background: var(--active); }
.grid-row.opened { background: var(--accent-soft); }
.cell { flex: none; padding: 0 12px; line-height: 31px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.cell.number { text-align: right; font-variant-numeric: tabular-nums; }
.cell.code { font-family: var(--mono); font-size: 12px; font-variant-numeric: tabular-nums; color: var(--soft); }
.number-cell { text-align: right; color: var(--faint); font-size: 11.5px; font-variant-numeric: tabular-nums; }
.cell .icon { width: 12px; height: 12px; vertical-align: -2px; margin-right: 5px; }
.grid:focus .cell.current, .grid:focus-visible .cell.current { box-shadow: inset 0 0 0 2px var(--accent);
  border-radius: 4px; }
.grid:focus-visible { outline: none; }
.cell.fresh { animation: fresh 1.6s ease-out; }
@keyframes fresh { from { background: var(--fresh); } 60% { background: var(--fresh); } }
.grid-row.waiting .cell[role="gridcell"]::after { content: ""; display: inline-block; width: 60%; height: 8px;
  border-radius: 4px; background: var(--sunken); }
.grid-head .cell { position: relative; padding: 0; overflow: visible; line-height: 33px; }
.grid-head .cell.code { font-family: var(--font); font-size: 13px; color: var(--text); }
.grid-head .number-cell { padding: 0 12px; }
.column-label { display: flex; align-items: baseline; gap: 7px; width: 100%; height: 100%; padding: 0 12px; border: 0;
  background: none; text-align: left; overflow: hidden; }
.cell.number .column-label { flex-direction: row-reverse; }
.column-label:hover:not(:disabled) { background: var(--sunken); }
.column-name { font-weight: 600; font-size: 12.5px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.column-type { color: var(--faint); font-size: 11px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.sort-mark { color: var(--accent); font-weight: 700; }
.key-mark { margin-left: 6px; padding: 0 5px; border-radius: 4px; background: var(--accent-soft); color: var(--accent);
  font-size: 10px; font-weight: 650; }
.resizer { position: absolute; top: 8px; right: -4px; width: 9px; height: 18px; cursor: col-resize; z-index: 1; }
.resizer::after { content: ""; position: absolute; left: 4px; top: 0; bottom: 0; width: 1px; background: var(--line-strong); }
.resizer:hover::after { background: var(--accent); width: 2px; }

/* Values */
.count { color: var(--faint); font-size: 11.5px; margin-right: 7px; font-variant-numeric: tabular-nums; }
.cell code { color: var(--faint); font-size: 11.5px; }
.flag { padding: 1px 7px; border-radius: 5px; font-size: 11.5px; font-weight: 550; }
.flag.on { background: var(--accent-soft); color: var(--accent); }
.flag.off { background: var(--sunken); color: var(--faint); }
.kind { display: inline-block; margin-right: 7px; padding: 0 6px; border-radius: 4px; background: var(--sunken);
  color: var(--soft); font-size: 11px; line-height: 17px; }
.chip { color: var(--accent); }
.cell .chip { cursor: pointer; }
.cell .chip:hover { text-decoration: underline; }
.embedded { color: var(--soft); }

/* One object */
.detail { position: relative; flex: none; width: 420px; display: flex; flex-direction: column; min-height: 0;
  border-left: 1px solid var(--line); background: var(--ground); }
.detail-resizer { position: absolute; left: -4px; top: 0; bottom: 0; width: 8px; cursor: col-resize; z-index: 2; }
.detail-head { display: flex; align-items: center; gap: 6px; padding: 12px 12px 12px 18px;
  border-bottom: 1px solid var(--line); }
.detail-name { flex: 1; min-width: 0; }
.detail-title { font-size: 16px; font-weight: 660; letter-spacing: -0.015em; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; outline: none; }
.type-tag { border: 0; background: none; padding: 0; color: var(--accent); font-size: 11.5px; font-weight: 600; }
.type-tag:hover { text-decoration: underline; }
.detail-body { flex: 1; overflow: auto; padding: 6px 18px 32px; }
.fields > dt { display: flex; align-items: baseline; gap: 8px; margin-top: 12px; }
.fields > dd { margin-top: 2px; overflow-wrap: anywhere; }
.field-name { font-weight: 600; font-size: 12px; }
.field-type { color: var(--faint); font-size: 11px; }
.figure { font-variant-numeric: tabular-nums; }
.long-text { white-space: pre-wrap; }
code.long { color: var(--code); font-size: 12.5px; }
.detail .chip { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; padding: 3px 10px 3px 8px;
  border: 1px solid var(--accent-line); border-radius: 8px; background: var(--panel); text-align: left; }
.detail .chip:hover { background: var(--accent-soft); }
.detail .chip .icon { width: 12px; height: 12px; }
.chip-type { color: var(--faint); font-size: 11.5px; font-weight: 500; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; padding: 6px 0; }
.nested > summary { cursor: pointer; color: var(--soft); padding: 3px 0; }
.nested > summary .chip-type { color: var(--accent); margin-right: 8px; }
.nested > .fields, .nested > .items { padding-left: 14px; border-left: 2px solid var(--line); margin: 2px 0 6px; }
.nested > .fields > dt { margin-top: 8px; }
.items { list-style: none; }
.items li { display: grid; grid-template-columns: minmax(24px, auto) 1fr; gap: 12px; padding: 3px 0; align-items: baseline; }
.item-key { color: var(--faint); font-variant-numeric: tabular-nums; font-size: 12px; text-align: right; }
.items.keyed .item-key { color: var(--soft); text-align: left; min-width: 64px; }
.picture { display: block; max-width: 100%; min-width: 96px; image-rendering: pixelated; border-radius: 8px; margin: 4px 0 6px;
  border: 1px solid var(--line); background: repeating-conic-gradient(var(--sunken) 0 25%, var(--panel) 0 50%) 0 0 / 16px 16px; }
.hex { padding: 10px 12px; border-radius: 8px; background: var(--sunken); overflow: auto; font-size: 11px; line-height: 1.5;
  color: var(--soft); max-height: 300px; }
.map { margin: 4px 0; }
.map svg { display: block; width: 100%; border-radius: 9px; background: var(--sunken); border: 1px solid var(--line); }
.map figcaption { font-size: 11.5px; color: var(--soft); margin-top: 4px; font-variant-numeric: tabular-nums; }
.graticule { stroke: var(--line); stroke-width: 0.5; fill: none; }
.equator { stroke: var(--line-strong); stroke-width: 0.7; stroke-dasharray: 2 2; }
.land { fill: var(--line-strong); opacity: 0.75; }
.halo { fill: var(--accent); opacity: 0.2; }
.place { fill: var(--accent); stroke: var(--panel); stroke-width: 1; }
.linked-from { margin-top: 22px; padding-top: 14px; border-top: 1px solid var(--line); }
.linked-from h3 { font-size: 12px; font-weight: 600; color: var(--soft); margin-bottom: 4px; }

/* Changing */
.editable { display: flex; align-items: baseline; gap: 4px; }
.editable > :first-child { flex: 1; min-width: 0; }
.editable > .icon-button { width: 24px; height: 22px; opacity: 0; }
.editable:hover > .icon-button, .editable > .icon-button:focus-visible { opacity: 1; }
.editable.pending { background: var(--fresh); border-radius: 6px; padding: 1px 6px; margin-left: -6px; }
del { color: var(--soft); }
ins { text-decoration: none; font-weight: 600; }
.editor { display: flex; align-items: center; gap: 8px; }
.editor input:not([type]), .editor textarea, .editor select { flex: 1; min-width: 0; padding: 4px 8px;
  border: 1px solid var(--accent); border-radius: 7px; background: var(--panel); }
.editor .noted-entry { flex: 1; display: grid; gap: 4px; }
.editor .link-entry { display: flex; gap: 8px; min-width: 0; }
.editor label { display: flex; align-items: center; gap: 4px; color: var(--soft); }
.editor .button { padding: 4px 10px; }
.detail-title.removed { text-decoration: line-through; color: var(--bad); }
.changes { border-top: 1px solid var(--line); background: var(--ground); padding: 10px 20px; max-height: 45%; overflow: auto; }
.changes-line { display: flex; align-items: center; gap: 10px; }
.changes-list { list-style: none; margin-bottom: 8px; }
.changes-list:empty { display: none; }
.changes-list li { display: flex; align-items: baseline; gap: 8px; padding: 3px 0; border-bottom: 1px solid var(--line); }
.changes-list .kind { min-width: 52px; text-align: center; }
.changes-list .delete .kind { background: var(--bad-soft); color: var(--bad); }
.changes-list .add .kind { background: var(--accent-soft); color: var(--accent); }
.changes-list .outdated { background: var(--bad-soft); }
.changes-list .now { color: var(--bad); max-width: 40%; }
.difference { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.changes-error { color: var(--bad); background: var(--bad-soft); border-radius: 8px; padding: 8px 12px; margin-bottom: 8px; }
.dialog { width: 460px; max-height: 80%; border: 1px solid var(--line-strong); border-radius: 14px; padding: 20px 22px;
  background: var(--panel); color: var(--text); box-shadow: var(--shadow); }
.dialog::backdrop { background: rgb(30 24 16 / 35%); }
.dialog h2 { font-size: 16px; margin-bottom: 12px; }
.new-values { display: grid; gap: 10px; }
.new-value { display: grid; gap: 3px; font-weight: 600; font-size: 12px; }
.new-value input { font-weight: 400; font-size: 13px; padding: 6px 9px; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--ground); }
.new-value .field-type { font-weight: 400; }
.dialog-end { display: flex; justify-content: flex-end; gap: 8px; margin-top: 16px; }
.additions { display: grid; gap: 4px; justify-items: start; margin-top: 2px; }
.additions .pending { background: var(--fresh); border-radius: 6px; padding: 1px 6px; }
.additions .editor { width: 100%; }
.data-entry { display: grid; gap: 6px; flex: 1; min-width: 0; }
.item-value.editable { flex: 1; }
.link-list { list-style: none; max-height: 300px; overflow: auto; margin-top: 6px; }
.link-list .quiet-button { width: 100%; text-align: left; }
.objects.dropping .grid-place { outline: 2px dashed var(--accent); outline-offset: -6px; }
.import-dialog p.failed { color: var(--bad); }
.import-dialog progress { width: 100%; margin-top: 10px; accent-color: var(--accent); }
"""##),
        "/objects.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/outdated.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Which of the collected changes are outdated: what they concern is another by now, or gone.

import { post, RequestError } from './api.js';

export class OutdatedChanges {
  /** `onFound()`: the changes that are outdated are known. */
  constructor(onFound) {
    this.onFound = onFound;
    this.found = new Map();
    this.lookCount = 0;
  }

  /** Asks which changes are outdated; of several questions the last one counts. */
  async look(list) {
    this.lookCount += 1;
    const own = this.lookCount;
    if (list.length === 0) { this.found = new Map(); return; }
    try {
      const { outdated } = await post('/api/check', { changes: list });
      if (own !== this.lookCount) return;
      this.found = new Map(list.map((change, index) => [change, outdated[index]]).filter(([, entry]) => entry));
      this.onFound();
    } catch (error) {
      // The commit says why, if it fails as well.
      if (!(error instanceof RequestError)) throw error;
    }
  }

  /** Has answers that are under way not count. */
  forget() { this.lookCount += 1; }

  /** Why a change is outdated; undefined if it is not. */
  of(change) { return this.found.get(change); }

  has(change) { return this.found.has(change); }

  /** Whether a change can be made of what is there now. */
  canBeKept(change) { return this.found.get(change)?.now !== undefined; }

  /** The change as one of what is there now; null where that is what it makes. */
  kept(change) {
    const { now, shown } = this.found.get(change);
    return change.kind === 'set' && change.value === now ? null : { ...change, before: now, shownBefore: shown };
  }
}
"""##),
        "/panels.css": File(
            contentType: "text/css; charset=utf-8",
            text: ##"""
/* Schema, space and maintenance. */

.schema { display: flex; flex-direction: column; padding-bottom: 20px; }
.schema-canvas { flex: 1; min-height: 0; overflow: auto; border: 1px solid var(--line); border-radius: 12px;
  background: radial-gradient(var(--line) 1px, transparent 1px) 0 0 / 22px 22px var(--panel); }
.schema-graph { display: block; margin: 0 auto; }
.card { cursor: pointer; outline: none; }
.card.asymmetric { cursor: default; }
.card-box { fill: var(--panel); stroke: var(--line-strong); }
.card-head { fill: var(--accent-soft); }
.card.embedded .card-head, .card.asymmetric .card-head { fill: var(--sunken); }
.card.embedded .card-box { stroke-dasharray: 4 3; }
.card:hover .card-box, .card:focus-visible .card-box { stroke: var(--accent); stroke-width: 2; }
.card text { font-family: var(--font); fill: var(--text); font-size: 12px; }
.card .card-name { font-size: 13px; font-weight: 650; }
.card .card-count { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
.card .row-type { fill: var(--faint); font-size: 11px; }
.card .row-type.link { fill: var(--accent); font-weight: 600; }
.card .row-mark { fill: var(--accent); font-size: 9.5px; font-weight: 700; }
.card .rest { fill: var(--faint); font-style: italic; }
.line { fill: none; stroke: var(--faint); stroke-width: 1.4; opacity: 0.75; }
.line.owns { stroke-dasharray: 4 3; }
.line.near { stroke: var(--accent); stroke-width: 2.2; opacity: 1; }
.head { fill: var(--faint); }
.head.many { fill: none; stroke: var(--faint); stroke-width: 1.6; }
.legends { display: inline-flex; gap: 16px; margin-left: auto; color: var(--soft); font-size: 12px; }
.legend::before { content: ""; display: inline-block; width: 18px; height: 0; margin-right: 7px; vertical-align: 4px;
  border-top: 2px solid var(--faint); }
.legend.owned::before { border-top-style: dashed; }
.legend.many::before { border-top-style: double; border-top-width: 4px; }

.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin-bottom: 14px; }
.tile, .card-panel { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; }
.tile { padding: 14px 16px; }
.tile-label { color: var(--soft); font-size: 12px; font-weight: 550; }
.tile-value { font-size: 23px; font-weight: 680; letter-spacing: -0.02em; margin: 2px 0; font-variant-numeric: tabular-nums; }
.tile-note { color: var(--faint); font-size: 11.5px; }
.card-panel { padding: 16px 18px; margin-bottom: 14px; }
.card-panel h2 { font-size: 13.5px; font-weight: 650; margin-bottom: 8px; }
.card-title { display: flex; align-items: baseline; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 14px; }
.cards .card-panel { margin-bottom: 0; }
.cards { margin-bottom: 14px; }
.legend.segment-live::before, .legend.segment-dead::before, .legend.segment-free::before { width: 10px; height: 10px;
  border: 0; border-radius: 3px; vertical-align: -1px; }
.legend.segment-live::before { background: var(--accent); }
.legend.segment-dead::before { background: var(--warm); }
.legend.segment-free::before { background: var(--line); }
.segments { display: block; width: 100%; height: 120px; margin: 6px 0 8px; }
.segment-live { fill: var(--accent); }
.segment-dead { fill: var(--warm); }
.segment-free { fill: var(--line); }
.segment:hover rect { filter: brightness(1.12); }
.facts { display: grid; grid-template-columns: auto 1fr; gap: 6px 24px; }
.facts dt { color: var(--soft); }
.facts dd { text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.meter { margin-top: 12px; }
.meter svg { display: block; width: 100%; height: 8px; }
.meter-rest { fill: var(--line); }
.meter-part { fill: var(--accent); }
.histogram { display: block; width: 100%; height: 72px; margin-bottom: 6px; }
.bar { fill: var(--accent); }
.figures { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin-top: 6px; }
.figures th, .figures td { text-align: right; padding: 5px 8px; border-bottom: 1px solid var(--line); font-weight: 400; }
.figures thead th { color: var(--faint); font-size: 11.5px; font-weight: 550; }
.figures th:first-child { text-align: left; }

.action { display: flex; flex-direction: column; align-items: flex-start; gap: 10px; }
.action p { color: var(--soft); }
.action .button { margin-top: auto; }
.path { color: var(--code); overflow-wrap: anywhere; }
.job { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; padding: 14px 18px; margin-bottom: 10px;
  display: grid; gap: 6px; }
.job-head { display: flex; align-items: center; gap: 9px; }
.job.done .icon { color: var(--good); }
.job.failed .icon, .job.failed > p { color: var(--bad); }
.job progress { width: 100%; height: 6px; accent-color: var(--accent); }
.spinner { width: 14px; height: 14px; border-radius: 50%; border: 2px solid var(--line-strong); border-top-color: var(--accent);
  animation: turn 0.8s linear infinite; }
@keyframes turn { to { rotate: 1turn; } }
.findings { list-style: none; display: grid; gap: 10px; padding-top: 8px; }
.findings li { display: grid; grid-template-columns: 64px 1fr; gap: 8px; }
.findings .error .kind, .findings .fatal .kind { background: var(--bad-soft); color: var(--bad); }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; } }
"""##),
        "/route.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// What is shown, as the part of the address after `#`: going back in the browser's history goes back here.

/** The route of the address: the view, and its parameters. */
export function current() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, type] = path.split('/').map(decoded);
  const parameters = new URLSearchParams(query);
  const object = parameters.get('object');
  return {
    view: view || 'objects',
    type: type ?? null,
    filter: parameters.get('filter') ?? '',
    object: object ? { type: parameters.get('of') ?? type, id: object } : null,
  };
}

/** A part of the address; as it is, if it is not percent-encoded. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a route. */
export function address({ view, type = null, filter = '', object = null }) {
  const parameters = new URLSearchParams();
  if (filter) parameters.set('filter', filter);
  if (object) {
    if (object.type !== type) parameters.set('of', object.type);
    parameters.set('object', object.id);
  }
  const query = parameters.toString();
  return `#/${view}${type ? `/${encodeURIComponent(type)}` : ''}${query ? `?${query}` : ''}`;
}

/** Shows another route. With `replaces` it is no new entry of the history. */
export function go(route, replaces = false) {
  const target = address(route);
  if (target === location.hash) return;
  if (replaces) history.replaceState(null, '', target);
  else history.pushState(null, '', target);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}
"""##),
        "/rows.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// The rows of a table: pieces of them are fetched where they are looked at.

import { post } from './api.js';

const blockLength = 100;
const keptBlocks = 120;
const fetchLimit = 4;
const flashTime = 1600;

export class RowSource {
  /** `onChange` is called when rows have arrived or their number has changed. */
  constructor({ onChange, onError }) {
    this.onChange = onChange;
    this.onError = onError;
    this.generation = 0;
    this.fetches = new Map();
    this.blocks = new Map();
    this.total = 0;
    this.show(null);
  }

  /** Shows the rows of another query; null for none. Those of the same type stay until the first arrive. */
  show(query) {
    if (query?.type !== this.query?.type) {
      this.blocks = new Map();
      this.total = 0;
    }
    this.query = query;
    this.isCounted = false;
    this.isRefused = false;
    this.microseconds = 0;
    this.version = 0;
    this.restart();
  }

  /** The query was refused: what is there stays, and nothing more is fetched. */
  refuse() { this.isRefused = true; }

  /** Fetches everything that is looked at again; what is there stays until then. */
  restart() {
    this.generation += 1;
    for (const controller of this.fetches.values()) controller.abort();
    this.fetches.clear();
    for (const block of this.blocks.values()) block.isStale = true;
  }

  row(position) {
    return this.blocks.get(Math.floor(position / blockLength))?.rows[position % blockLength];
  }

  /** Whether a cell has changed a moment ago. */
  isFresh(row, column) {
    return row.fresh !== undefined && row.freshUntil > performance.now() && row.fresh.has(column);
  }

  /**
   * Fetches what is missing of some rows. The server answers also what nobody waits for any more, so few requests
   * are under way at a time; when one ends, the table asks again for what is in view then.
   */
  want(first, end) {
    if (!this.query || this.isRefused) return;
    const from = Math.floor(Math.max(0, first) / blockLength);
    const last = Math.floor(Math.max(first, end - 1) / blockLength);
    for (let number = from; number <= last; number += 1) {
      const block = this.blocks.get(number);
      if ((!block || block.isStale) && !this.fetches.has(number) && this.fetches.size < fetchLimit) this.fetch(number);
    }
  }

  /** Fetches the rows around a position that will be looked at soon. */
  prefetch(position) {
    if (!this.isCounted || position < 0 || position >= this.total) return;
    const number = Math.floor(position / blockLength);
    if (!this.blocks.has(number) && !this.fetches.has(number) && this.fetches.size < fetchLimit) this.fetch(number);
  }

  async fetch(number) {
    const controller = new AbortController();
    const generation = this.generation;
    this.fetches.set(number, controller);
    try {
      const answer = await post('/api/rows',
        { query: this.query, from: number * blockLength, count: blockLength }, controller.signal);
      if (generation !== this.generation) return;
      this.fetches.delete(number);
      this.accept(number, answer);
    } catch (error) {
      if (error.name !== 'AbortError' && generation === this.generation) this.onError(error);
    } finally {
      if (this.fetches.get(number) === controller) this.fetches.delete(number);
    }
  }

  accept(number, answer) {
    const isFirst = !this.isCounted;
    if (isFirst) {
      this.microseconds = answer.microseconds;
      this.blocks.clear();
    }
    this.isCounted = true;
    this.total = answer.total;
    this.version = answer.version;
    const before = this.blocks.get(number);
    if (before) markChanges(before.rows, answer.rows);
    this.blocks.delete(number);
    this.blocks.set(number, { rows: answer.rows, isStale: false });
    if (this.blocks.size > keptBlocks) this.blocks.delete(this.blocks.keys().next().value);
    this.onChange(isFirst);
  }
}

/** Notes which cells of objects that are still there have other values. */
function markChanges(before, after) {
  const known = new Map(before.map((row) => [row.id, row]));
  const until = performance.now() + flashTime;
  for (const row of after) {
    const old = known.get(row.id);
    if (!old) {
      row.fresh = new Set(row.c.keys());
      row.freshUntil = until;
      continue;
    }
    const fresh = new Set();
    row.c.forEach((cell, column) => {
      if (JSON.stringify(cell) !== JSON.stringify(old.c[column])) fresh.add(column);
    });
    if (fresh.size > 0) {
      row.fresh = fresh;
      row.freshUntil = until;
    }
  }
}
"""##),
        "/schema.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// The schema as a graph: a card for each type, a line for each link.

import { formatCount, h, plural, s } from './dom.js';
import { place } from './layout.js';
import * as route from './route.js';

const cardWidth = 216;
const headHeight = 38;
const rowHeight = 22;
const rowLimit = 14;

export class SchemaView {
  constructor() {
    this.canvas = h('div', { class: 'schema-canvas', tabindex: 0, role: 'region', 'aria-label': 'Graph of the types' });
    this.summary = h('span', { class: 'summary' });
    this.element = h('section', { class: 'view schema', 'aria-label': 'Schema' },
      h('header', { class: 'view-head' }, h('h1', { class: 'view-title' }, 'Schema'), this.summary, legend()),
      this.canvas);
  }

  show(overview) { this.refresh(overview); }

  refresh({ types }) {
    const links = types.flatMap((type) => type.properties.filter((property) => property.target)
      .map((property) => ({ from: type.name, to: property.target, property })));
    this.summary.textContent = `${plural(types.length, 'type')}, ${plural(links.length, 'link')}`;
    if (types.length === 0) {
      this.canvas.replaceChildren(h('div', { class: 'empty' }, h('h2', {}, 'No types yet')));
      return;
    }
    const cards = types.map((type) => ({
      type, name: type.name, width: cardWidth, rows: shownRows(type),
      height: headHeight + rowHeight * Math.max(1, Math.min(type.properties.length, rowLimit + 1)) + 10,
    }));
    const byName = new Map(cards.map((card) => [card.name, card]));
    const known = links.filter((link) => byName.has(link.to));
    const size = place(cards, known);
    const lines = known.map((link) => line(byName.get(link.from), byName.get(link.to), link));
    // A graph that is somewhat too wide is made smaller; one that is much too wide scrolls.
    const scale = Math.min(1, Math.max(0.8, (this.canvas.clientWidth - 4) / size.width));
    this.canvas.replaceChildren(s('svg', {
      class: 'schema-graph', width: size.width * scale, height: size.height * scale,
      viewBox: `0 0 ${size.width} ${size.height}`,
      role: 'group', 'aria-label': `${plural(types.length, 'type')} with their links`,
    }, arrowHeads(), s('g', { class: 'lines' }, lines), cards.map((card) => this.card(card))));
  }

  card(card) {
    const { type } = card;
    const open = () => route.go({ view: 'objects', type: type.name });
    const focus = (isOn) => this.canvas.querySelectorAll('.line').forEach((path) => {
      path.classList.toggle('near', isOn && (path.dataset.from === type.name || path.dataset.to === type.name));
    });
    return s('g', {
      class: `card${type.isEmbedded ? ' embedded' : ''}${type.isAsymmetric ? ' asymmetric' : ''}`,
      transform: `translate(${card.x} ${card.y})`, tabindex: type.isAsymmetric ? null : 0, role: 'button',
      'aria-label': `${type.name}, ${plural(type.properties.length, 'property').replace('propertys', 'properties')}. Show its objects.`,
      onclick: type.isAsymmetric ? null : open,
      onkeydown: (event) => { if (event.key === 'Enter') open(); },
      onmouseenter: () => focus(true), onmouseleave: () => focus(false),
      onfocus: () => focus(true), onblur: () => focus(false),
    },
    s('rect', { class: 'card-box', width: card.width, height: card.height, rx: 8 }),
    s('path', { class: 'card-head', d: roundedTop(card.width, headHeight) }),
    text('card-name', 14, 24, clip(type.name, 20)),
    text('card-count', card.width - 14, 24, type.count === null ? 'asymmetric' : formatCount(type.count), 'end'),
    card.rows.map((property, index) => row(property, index, card.width)));
  }
}

function shownRows(type) {
  const rows = type.properties.slice(0, rowLimit);
  const rest = type.properties.length - rows.length;
  if (rest > 0) rows.push({ name: `and ${rest} more`, type: '', isRest: true });
  return rows;
}

function row(property, index, width) {
  const y = headHeight + 5 + rowHeight * index + 15;
  const mark = property.isKey ? 'key' : property.isIndexed ? 'idx' : '';
  return [
    text(`row-name${property.isRest ? ' rest' : ''}`, 14, y, clip(property.name, 17)),
    mark ? text('row-mark', 14 + 7.1 * Math.min(17, property.name.length) + 8, y, mark) : null,
    text(property.target ? 'row-type link' : 'row-type', width - 14, y, clip(property.type, 16), 'end'),
  ];
}

function text(name, x, y, content, anchor = 'start') {
  return s('text', { class: name, x, y, 'text-anchor': anchor }, content);
}

const clip = (name, length) => (name.length > length ? `${name.slice(0, length - 1)}…` : name);

const roundedTop = (width, height) =>
  `M0 ${height}V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${height - 8}z`;

/** From the row of the property to the head of the card that it leads to, along the ways between columns. */
function line(from, to, { property, ways = [] }) {
  const position = from.rows.findIndex((candidate) => candidate.name === property.name);
  const y1 = from.y + headHeight + 5 + rowHeight * (position < 0 ? from.rows.length - 1 : position) + 11;
  const y2 = to.y + headHeight / 2;
  return s('path', {
    class: `line${to.type.isEmbedded ? ' owns' : ''}${property.collection ? ' many' : ''}`,
    d: from === to ? loop(from.x + from.width, y1, y2) : way(from, y1, to, y2, ways),
    'data-from': from.name, 'data-to': to.name,
    'marker-end': to.type.isEmbedded ? 'url(#owned)' : property.collection ? 'url(#many)' : 'url(#one)',
  }, s('title', {}, `${from.name}.${property.name}: ${property.type}`));
}

const loop = (x, y1, y2) => `M${x} ${y1}c52 0 52 ${y2 - y1} 6 ${y2 - y1}`;

function way(from, y1, to, y2, ways) {
  const isSameColumn = Math.abs(to.x - from.x) < from.width / 2;
  const isRight = isSameColumn || to.x > from.x;
  let x = isRight ? from.x + from.width : from.x;
  let y = y1;
  let path = `M${x} ${y}`;
  const curve = (x2, y2, bend) => {
    const end = isSameColumn ? x2 + bend : isRight ? x2 - bend : x2 + bend;
    path += `C${isRight ? x + bend : x - bend} ${y} ${end} ${y2} ${x2} ${y2}`;
    x = x2;
    y = y2;
  };
  for (const step of ways) {
    curve(step.x, step.y + step.height / 2, Math.abs(step.x - x) / 2);
    path += `H${step.x + step.width}`;
    x = step.x + step.width;
  }
  const end = isSameColumn ? to.x + to.width + 6 : isRight ? to.x - 6 : to.x + to.width + 6;
  curve(end, y2, isSameColumn ? 60 : Math.max(36, Math.abs(end - x) / 2));
  return path;
}

function arrowHeads() {
  const head = (id, path) => s('marker', {
    id, viewBox: '0 0 10 10', refX: 5, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto',
  }, s('path', { class: `head ${id}`, d: path }));
  return s('defs', {}, head('one', 'M1 1 9 5 1 9z'), head('many', 'M0 1 5 5 0 9M5 1 10 5 5 9'),
    head('owned', 'M1 5 5 1 9 5 5 9z'));
}

function legend() {
  const entry = (name, label) => h('span', { class: `legend ${name}` }, label);
  return h('span', { class: 'legends', 'aria-hidden': 'true' },
    entry('one', 'link'), entry('many', 'collection of links'), entry('owned', 'embedded'));
}
"""##),
        "/sidebar.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
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
"""##),
        "/space.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// What the store takes on the disk: segments with what is live in them, pages, snapshots, and writing.

import { post } from './api.js';
import { formatBytes, formatCount, formatDuration, h, plural, s } from './dom.js';

const pause = 2000;

export class SpaceView {
  constructor() {
    this.body = h('div', { class: 'space-body' });
    this.measure = h('button', {
      class: 'button', type: 'button', title: 'Visits every key: what is given to the store, and how full its pages are',
      onclick: () => this.load(true),
    }, 'Measure');
    this.element = h('section', { class: 'view space', 'aria-label': 'Space' },
      h('header', { class: 'view-head' }, h('h1', { class: 'view-title' }, 'Space'),
        h('span', { class: 'summary' }, 'of the files of this realm'), h('span', { class: 'spring' }), this.measure),
      this.body);
  }

  show() {
    if (this.isShown) return;
    this.isShown = true;
    this.load(false);
    this.timer = setInterval(() => { if (!document.hidden) this.load(false); }, pause);
  }

  hide() {
    this.isShown = false;
    clearInterval(this.timer);
  }

  async load(isMeasured) {
    if (this.isLoading) return;
    this.isLoading = true;
    this.measure.disabled = isMeasured;
    try {
      const answer = await post('/api/space', { isMeasured });
      if (isMeasured) this.measured = answer.measured;
      this.render(answer);
    } catch (error) {
      this.body.replaceChildren(h('div', { class: 'empty' }, h('h2', {}, 'Not readable'), h('p', {}, error.message)));
    }
    this.isLoading = false;
    this.measure.disabled = false;
  }

  render(answer) {
    const { statistics } = answer;
    const folds = [...this.body.querySelectorAll('details')].map((part) => part.open);
    this.body.replaceChildren(this.tiles(answer), segments(statistics), this.columns(answer), keyspaces(statistics));
    [...this.body.querySelectorAll('details')].forEach((part, index) => { part.open = folds[index] ?? part.open; });
  }

  tiles({ statistics, writeAmplification, isOfWriter }) {
    const dead = statistics.segments.reduce((sum, segment) => sum + segment.deadByteCount, 0);
    const disk = statistics.allocatedByteCount + statistics.pageFileByteCount;
    const measured = this.measured;
    const given = measured ? measured.keyByteCount + measured.valueByteCount : 0;
    return h('div', { class: 'tiles' },
      tile('On the disk', formatBytes(disk),
        `${formatBytes(statistics.allocatedByteCount)} log, ${formatBytes(statistics.pageFileByteCount)} index`),
      tile('Live', formatBytes(statistics.liveByteCount), `${formatBytes(dead)} dead in the log`),
      measured
        ? tile('Disk ÷ data', measured.amplification.toFixed(2), `for ${formatBytes(given)} of keys and values`)
        : tile('Disk ÷ live', statistics.spaceAmplification.toFixed(2),
          `a floor of ${formatBytes(statistics.spaceFloorByteCount)} is not reclaimed`),
      tile('Index', formatBytes(statistics.index.nodeByteCount + statistics.index.pageByteCount),
        `${formatCount(statistics.index.keyCount)} keys, ${formatBytes(statistics.index.pageByteCount)} mapped`),
      tile('Write amplification', isOfWriter && statistics.writes.committedByteCount > 0
        ? writeAmplification.toFixed(2) : '–',
      isOfWriter ? `${formatBytes(statistics.writes.committedByteCount)} committed since opening`
        : 'known to the program that writes'));
  }

  columns({ statistics, isOfWriter }) {
    return h('div', { class: 'cards' }, this.checkpoints(statistics), snapshots(statistics),
      isOfWriter
      ? [writing(statistics), latencies('Commits', statistics.commits), latencies('Syncs', statistics.syncs)] : null);
  }

  checkpoints(statistics) {
    const rows = [
      ['Kept checkpoints', statistics.checkpointLSNs.map((lsn) => `LSN ${formatCount(lsn)}`).join(', ') || 'none'],
      ['Newest change', `LSN ${formatCount(statistics.lastLSN)}`],
      ['Page files', formatBytes(statistics.pageFileByteCount)],
    ];
    if (this.measured) {
      rows.push(['Pages', `${formatCount(this.measured.livePageCount)} live of ${formatCount(this.measured.pageCount)}`]);
    }
    if (statistics.lastCheckpointFailure) rows.push(['Failed', statistics.lastCheckpointFailure]);
    const share = this.measured?.pageCount > 0 ? this.measured.livePageCount / this.measured.pageCount : null;
    return card('Checkpoints', facts(rows), share === null
      ? h('p', { class: 'muted' }, 'Measure shows how many pages are live.') : meter(share, 'live pages'));
  }
}

function tile(label, value, note) {
  return h('div', { class: 'tile' }, h('div', { class: 'tile-label' }, label),
    h('div', { class: 'tile-value' }, value), h('div', { class: 'tile-note' }, note));
}

function card(title, ...children) {
  return h('section', { class: 'card-panel' }, h('h2', {}, title), children);
}

function facts(rows) {
  return h('dl', { class: 'facts' }, rows.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function meter(share, label) {
  return h('div', { class: 'meter', role: 'img', 'aria-label': `${Math.round(share * 100)} % ${label}` },
    s('svg', { viewBox: '0 0 100 6', preserveAspectRatio: 'none' },
      s('rect', { class: 'meter-rest', width: 100, height: 6, rx: 1 }),
      s('rect', { class: 'meter-part', width: Math.max(0.5, 100 * share), height: 6, rx: 1 })));
}

/** A bar for each segment: as wide as the file is large, filled from below with what is live. */
function segments(statistics) {
  const { segments: all } = statistics;
  const height = 120;
  const gap = Math.min(3, 300 / all.length);
  const total = all.reduce((sum, segment) => sum + Math.max(1, segment.allocatedByteCount), 0);
  const width = 1000;
  const room = width - gap * (all.length - 1);
  let x = 0;
  const bars = all.map((segment) => {
    const own = Math.max(0.2, room * segment.allocatedByteCount / total);
    const share = (bytes) => height * bytes / Math.max(1, segment.allocatedByteCount);
    const live = share(segment.liveByteCount);
    const dead = share(segment.deadByteCount);
    const words = `Segment ${segment.number}${segment.isActive ? ', appended to' : ''}${segment.isRetired ? ', retired' : ''}: `
      + `${formatBytes(segment.allocatedByteCount)} on the disk, ${formatBytes(segment.liveByteCount)} live, `
      + `${formatBytes(segment.deadByteCount)} dead`;
    const bar = s('g', { class: `segment${segment.isActive ? ' active' : ''}`, transform: `translate(${x} 0)` },
      s('title', {}, words),
      s('rect', { class: 'segment-free', width: own, height, rx: 2 }),
      s('rect', { class: 'segment-dead', y: height - live - dead, width: own, height: dead }),
      s('rect', { class: 'segment-live', y: height - live, width: own, height: live }));
    x += own + gap;
    return bar;
  });
  const legend = (name, label) => h('span', { class: `legend ${name}` }, label);
  return h('section', { class: 'card-panel' },
    h('div', { class: 'card-title' }, h('h2', {}, plural(all.length, 'segment')),
      h('span', { class: 'legends' }, legend('segment-live', 'live'), legend('segment-dead', 'dead'),
        legend('segment-free', 'not written'))),
    s('svg', { class: 'segments', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img',
      'aria-label': `${plural(all.length, 'segment')}; the table below has the same figures` }, bars),
    h('details', { class: 'nested' }, h('summary', {}, 'As a table'), table(
      ['Segment', 'On the disk', 'Written', 'Live', 'Dead', 'Last LSN'],
      all.map((segment) => [
        `${segment.number}${segment.isActive ? ' · active' : segment.isRetired ? ' · retired' : ''}`,
        formatBytes(segment.allocatedByteCount), formatBytes(segment.writtenByteCount),
        formatBytes(segment.liveByteCount), formatBytes(segment.deadByteCount), formatCount(segment.lastLSN),
      ]))));
}

function snapshots(statistics) {
  // The statistics read one snapshot more.
  const open = statistics.snapshots.length - 1;
  const { compaction } = statistics;
  const rows = [['Open in this program', formatCount(Math.max(0, open))]];
  if (open > 0 && compaction.oldestSnapshotAgeNanoseconds !== undefined) {
    rows.push(['The oldest is open for', formatDuration(compaction.oldestSnapshotAgeNanoseconds)]);
    rows.push(['It keeps', formatBytes(compaction.oldestSnapshotByteCount)]);
  }
  rows.push(['Retired segments that wait', formatBytes(compaction.waitingByteCount)]);
  if (compaction.lastFailure) rows.push(['Compaction failed', compaction.lastFailure]);
  if (compaction.stopReason) rows.push(['Compaction stopped', compaction.stopReason]);
  return card('Snapshots and compaction', facts(rows));
}

function writing(statistics) {
  const { writes } = statistics;
  return card('Written since opening', facts([
    ['Log', formatBytes(writes.logByteCount - Math.min(writes.logByteCount, writes.movedByteCount))],
    ['Moved by compaction', formatBytes(writes.movedByteCount)], ['Pages', formatBytes(writes.pageByteCount)],
    ['Zeros', formatBytes(writes.zeroByteCount)],
  ]));
}

/** The upper edge of the bucket that has a share of the durations. */
function percentile(histogram, share) {
  let rest = Math.ceil(histogram.count * share);
  const place = histogram.buckets.findIndex((count) => { rest -= count; return rest <= 0; });
  return Math.min(2 ** (place + 1), histogram.maximumNanoseconds);
}

/** How long commits or syncs took: buckets that double. */
function latencies(title, histogram) {
  if (histogram.count === 0) return card(title, h('p', { class: 'muted' }, 'None since the realm was opened.'));
  const first = histogram.buckets.findIndex((count) => count > 0);
  const last = histogram.buckets.findLastIndex((count) => count > 0);
  const shown = histogram.buckets.slice(first, last + 1);
  const most = Math.max(...shown);
  const step = 100 / shown.length;
  const p50 = formatDuration(percentile(histogram, 0.5));
  const p99 = formatDuration(percentile(histogram, 0.99));
  return card(title, s('svg', {
    class: 'histogram', viewBox: '0 0 100 40', preserveAspectRatio: 'none', role: 'img',
    'aria-label': `${formatCount(histogram.count)} durations: half took up to ${p50}, 99 % up to ${p99}`,
  },
    shown.map((count, index) => s('rect', {
      class: 'bar', x: index * step, width: step * 0.86, y: 40 - 38 * count / most, height: 38 * count / most,
    }, s('title', {}, `${formatCount(count)} from ${formatDuration(2 ** (first + index))}`)))),
  h('p', { class: 'muted' }, `${formatCount(histogram.count)}; half up to ${p50}, 99 % up to ${p99}, `
    + `longest ${formatDuration(histogram.maximumNanoseconds)}`));
}

function keyspaces(statistics) {
  return h('section', { class: 'card-panel' }, h('details', { class: 'nested' },
    h('summary', {}, plural(statistics.keyspaces.length, 'keyspace')),
    table(['Keyspace', 'Keys', 'Values'], statistics.keyspaces.map((keyspace) => [
      keyspace.name, formatCount(keyspace.keyCount), keyspace.isDerived ? 'derived' : 'records',
    ]))));
}

/** A table whose first column is text and whose others are figures. */
function table(names, rows) {
  return h('table', { class: 'figures' }, h('thead', {}, h('tr', {}, names.map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows.map((row) => h('tr', {}, row.map((cell, index) =>
      (index === 0 ? h('th', { scope: 'row' }, cell) : h('td', {}, cell)))))));
}
"""##),
        "/values.js": File(
            contentType: "text/javascript; charset=utf-8",
            text: ##"""
// Values with all that is known of them: collections and embedded objects unfold.

import { dataAddress, post } from './api.js';
import { formatBytes, formatCount, h, icon, plural } from './dom.js';
import { additions, editableElement, mixedSlot, slotOf } from './editable.js';
import { placeMap } from './map.js';

/** Where values are: in an object, which links lead away from, and whose values can be changed with `changes`. */
export class ValueContext {
  constructor(object, onFollow, label, changes, types) {
    Object.assign(this, { object, onFollow, label, changes, types });
  }
}

/** The element of a value. `path` leads to it from the object; `slot` says what values the place takes. */
export function valueElement(value, path, context, slot) {
  switch (value.k) {
    case 'null': return h('span', { class: 'nil' }, 'nil');
    case 'bool': return h('span', { class: `flag ${value.v ? 'on' : 'off'}` }, String(value.v));
    case 'int':
    case 'number': return h('span', { class: 'figure' }, value.v);
    case 'date': return dateElement(value.v);
    case 'id': return h('code', { class: 'long' }, value.v);
    case 'string': return textElement(value);
    case 'data': return dataElement(value, path, context);
    case 'link': return linkElement(value, context);
    case 'embedded': return embeddedElement(value, path, context);
    case 'list':
    case 'map': return collectionElement(value, path, context, slot);
    default: return h('span', {}, value.v ?? '');
  }
}

function dateElement(text) {
  const date = new Date(text);
  const own = Number.isNaN(date.getTime()) ? null : date.toLocaleString();
  return h('span', { class: 'figure', title: own ? `Here: ${own}` : null }, text);
}

function textElement(value) {
  if (value.v === '') return h('span', { class: 'nil' }, 'empty text');
  return h('span', {},
    h('span', { class: 'long-text' }, value.v),
    value.n ? h('p', { class: 'muted' }, `The beginning of ${formatBytes(value.n)}.`) : null);
}

function linkElement(value, context) {
  return h('button', {
    class: 'chip', type: 'button', title: `${value.t} ${value.v}`,
    onclick: () => context.onFollow({ type: value.t, id: value.id }),
  }, icon('link'), h('span', { class: 'chip-type' }, value.t), value.v);
}

function embeddedElement(value, path, context) {
  const point = value.point ? placeMap(value.point) : null;
  const fields = value.fields
    ? fieldList(value.fields, path, context)
    : linkElement(value, context);
  if (point) {
    return h('div', {}, point, h('details', { class: 'nested' },
      h('summary', {}, h('span', { class: 'chip-type' }, value.t), value.v), fields));
  }
  return h('details', { class: 'nested', open: true },
    h('summary', {}, h('span', { class: 'chip-type' }, value.t)), fields);
}

/** Properties with their values. */
export function fieldList(fields, path, context) {
  return h('dl', { class: 'fields' }, fields.map((field) => [
    h('dt', {}, h('span', { class: 'field-name' }, field.name),
      field.isKey ? h('span', { class: 'key-mark' }, 'key') : null,
      h('span', { class: 'field-type' }, field.type)),
    fieldElement(field, [...path, field.name], context),
  ]));
}

function fieldElement(field, path, context) {
  if (!field.isEditable || !context.changes) return h('dd', {}, valueElement(field.value, path, context));
  const slot = slotOf(field, context.types);
  return editableElement(h('dd', {}), field.value, { ...slot, field }, path, context);
}

/** What the elements of a collection are; null where they can't be changed. */
function elementSlot(slot, context) {
  if (!slot || !context.changes) return null;
  return slot.isCollection ? { ...slotOf(slot.field, context.types, { isElement: true }), field: slot.field } : mixedSlot;
}

function collectionElement(value, path, context, slot) {
  const isMap = value.k === 'map';
  const inner = elementSlot(slot, context);
  const added = inner ? additions(value.k, inner, path, context) : null;
  if (value.n === 0) return h('div', {}, h('span', { class: 'nil' }, 'empty'), added);
  const list = h('ol', { class: isMap ? 'items keyed' : 'items', start: 0 });
  const more = h('button', { class: 'quiet-button', type: 'button' });
  let count = 0;
  const add = (items) => {
    for (const item of items) {
      const step = isMap ? item.key : String(count);
      const place = h('div', { class: 'item-value' });
      const element = isMap ? item.value : item;
      if (inner) editableElement(place, element, inner, [...path, step], context, { isTakenOut: true });
      else place.append(valueElement(element, [...path, step], context));
      list.append(h('li', {}, h('span', { class: 'item-key' }, isMap ? item.key : formatCount(count)), place));
      count += 1;
    }
    more.hidden = count >= value.n;
    more.textContent = `Show more of ${formatCount(value.n)}`;
  };
  more.addEventListener('click', async () => {
    more.disabled = true;
    try {
      const answer = await post('/api/elements', { ...context.object, path, from: count });
      add(answer.items);
      if (answer.items.length === 0) more.hidden = true;
    } catch (error) {
      more.textContent = error.message;
    }
    more.disabled = false;
  });
  add(value.items ?? []);
  return h('details', { class: 'nested', open: value.n <= 12 },
    h('summary', {}, plural(value.n, isMap ? 'entr' : 'element').replace('entrs', 'entries').replace(/entr$/, 'entry')),
    list, more, added);
}

function dataElement(value, path, context) {
  const { type, id } = context.object;
  if (value.n === 0) return h('span', { class: 'nil' }, 'no bytes');
  const picture = value.image
    ? h('img', {
      class: 'picture', src: dataAddress(type, id, path), loading: 'lazy',
      alt: `Picture of ${formatBytes(value.n)}, ${value.image.toUpperCase()}`,
    })
    : null;
  return h('div', { class: 'data' }, picture,
    h('details', { class: 'nested', open: !picture && value.n <= 256 },
      h('summary', {}, formatBytes(value.n), value.image ? `, ${value.image.toUpperCase()}` : ''),
      hexElement(value.v, value.n),
      h('a', { class: 'quiet-button', href: dataAddress(type, id, path, true), download: '' },
        icon('save'), 'Save as a file')));
}

/** Bytes as hexadecimal digits and characters, eight in a line: that fits beside a table. */
function hexElement(digits, count) {
  const lines = [];
  for (let start = 0; start < digits.length; start += 16) {
    const bytes = digits.slice(start, start + 16).match(/../g);
    const characters = bytes.map((byte) => {
      const code = parseInt(byte, 16);
      return code >= 32 && code < 127 ? String.fromCharCode(code) : '·';
    }).join('');
    lines.push(`${(start / 2).toString(16).padStart(4, '0')}  ${bytes.join(' ').padEnd(23)}  ${characters}`);
  }
  const rest = count - digits.length / 2;
  return h('pre', { class: 'hex' }, lines.join('\n'),
    rest > 0 ? `\n… ${formatBytes(rest)} more` : '');
}
"""##),
    ]
}
