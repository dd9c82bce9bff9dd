"""Checks what assistive technology needs of a page: names, roles, contrast. Of the same kind as axe-core's rules."""

SCRIPT = r"""
(() => {
  const problems = [];
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const where = (element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`;
  const nameOf = (element) => (element.getAttribute('aria-label')
    ?? (element.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join('')
    ) || element.textContent.trim() || element.getAttribute('title') || element.getAttribute('alt') || element.placeholder || '';

  // Names of what can be used, and of pictures.
  for (const element of document.querySelectorAll('button, a[href], input, select, [role=button], [role=tab], summary')) {
    if (seen(element) && !nameOf(element)) problems.push(`${where(element)} has no name`);
  }
  for (const element of document.querySelectorAll('img:not([alt]), svg[role=img]:not([aria-label])')) {
    problems.push(`${where(element)} has no text in its place`);
  }
  // Numbers of elements are there once.
  const ids = new Map();
  for (const element of document.querySelectorAll('[id]')) {
    if (ids.has(element.id)) problems.push(`the id ${element.id} is there twice`);
    ids.set(element.id, element);
  }
  for (const attribute of ['aria-controls', 'aria-labelledby', 'aria-describedby', 'aria-activedescendant']) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(' ')) {
        if (!document.getElementById(id)) problems.push(`${where(element)}: ${attribute} names ${id}, which is not there`);
      }
    }
  }
  // Roles are where they belong.
  const parents = { gridcell: ['row'], rowheader: ['row'], columnheader: ['row'], row: ['rowgroup', 'grid'],
    rowgroup: ['grid'], tab: ['tablist'], option: ['listbox'] };
  for (const [role, allowed] of Object.entries(parents)) {
    for (const element of document.querySelectorAll(`[role=${role}]`)) {
      let parent = element.parentElement;
      while (parent && (!parent.hasAttribute('role') || parent.getAttribute('role') === 'presentation')) parent = parent.parentElement;
      if (!allowed.includes(parent?.getAttribute('role'))) problems.push(`a ${role} is in a ${parent?.getAttribute('role')}`);
    }
  }
  if (document.querySelectorAll('main').length !== 1) problems.push('there is not one main part');
  if ([...document.querySelectorAll('h1')].filter(seen).length !== 1) problems.push('there is not one first heading');
  if (!document.documentElement.lang) problems.push('the language is missing');

  // Contrast: 4.5 of texts with what is below them.
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, index) => sum + value * [0.2126, 0.7152, 0.0722][index], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      if (color[3] > 250) return color;
    }
    return [255, 255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const reported = new Set();
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !seen(element) || element.closest('svg, :disabled, .unseen, .skip')) continue;
    const color = rgba(getComputedStyle(element).color);
    const [high, low] = [light(color), light(ground(element))].sort((left, right) => right - left);
    const ratio = (high + 0.05) / (low + 0.05);
    const key = element.className + element.tagName;
    if (ratio < 4.5 && !reported.has(key)) {
      reported.add(key);
      problems.push(`${where(element)} “${walker.currentNode.textContent.trim().slice(0, 20)}” has a contrast of ${ratio.toFixed(2)}`);
    }
  }
  return problems;
})()
"""


def problems(page):
    """What is wrong in what is shown."""
    return page.run(SCRIPT)
