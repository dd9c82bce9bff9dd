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
