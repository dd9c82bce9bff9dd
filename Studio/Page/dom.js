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
