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
