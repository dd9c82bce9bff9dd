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
