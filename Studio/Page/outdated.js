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
