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
