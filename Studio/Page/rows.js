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
