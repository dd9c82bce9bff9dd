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
