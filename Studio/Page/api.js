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
