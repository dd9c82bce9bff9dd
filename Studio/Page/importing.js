// Importing a file that is chosen or dropped: it is sent in pieces, and becomes one commit.

import { outcomeText, post } from './api.js';
import { announce, formatBytes, formatCount, h, icon, plural } from './dom.js';

const pieceLength = 64 << 10;
const fileByteLimit = 64 << 20;

export class Importing {
  /** `onDone(undo)`: objects were imported. */
  constructor({ isWritable, onDone }) {
    Object.assign(this, { isWritable, onDone });
    this.chooser = h('input', {
      type: 'file', accept: '.json,.jsonl,.ndjson', hidden: true, 'aria-label': 'File to import',
      onchange: () => { this.take(this.chooser.files); this.chooser.value = ''; },
    });
    this.button = isWritable
      ? h('span', {}, this.chooser, h('button', {
        class: 'quiet-button', type: 'button', title: 'Make objects of a file of JSON; it may be dropped here too',
        onclick: () => this.chooser.click(),
      }, icon('load'), 'Import'))
      : null;
  }

  show(type) {
    this.type = type;
    if (this.button) this.button.hidden = type.isEmbedded;
  }

  /** Has files that are dropped on an element imported. */
  acceptDrops(element) {
    const isFile = (event) => [...event.dataTransfer.types].includes('Files');
    // A file that is dropped beside it would be opened in place of the page.
    for (const kind of ['dragover', 'drop']) {
      document.addEventListener(kind, (event) => { if (isFile(event)) event.preventDefault(); });
    }
    element.addEventListener('dragover', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = this.isWritable ? 'copy' : 'none';
      element.classList.add('dropping');
    });
    element.addEventListener('dragleave', (event) => {
      if (!element.contains(event.relatedTarget)) element.classList.remove('dropping');
    });
    element.addEventListener('drop', (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      element.classList.remove('dropping');
      this.take(event.dataTransfer.files);
    });
  }

  take(files) {
    if (files.length === 0) return;
    const file = files[0];
    const reason = this.refusal(files);
    this.ask(file, reason);
  }

  /** Why files can't be imported; null if they can. */
  refusal(files) {
    if (!this.isWritable) return 'The realm was opened read-only. Start the studio with --write to import.';
    if (files.length > 1) return 'One file is imported at a time.';
    if (this.type.isEmbedded) return `A ${this.type.name} is a part of another object: import its owners.`;
    if (/\.(csv|gz|lz4|bson)$/i.test(files[0].name)) {
      return 'Here JSON is imported: one object on a line, or an array. “travertine import” takes CSV, BSON and compressed files.';
    }
    if (files[0].size > fileByteLimit) {
      return `A file has ${formatBytes(fileByteLimit)} at most here. “travertine import” takes larger ones.`;
    }
    return null;
  }

  /** A dialog that says what will happen, shows how far it is, and what became of it. */
  ask(file, reason) {
    const { type } = this;
    const text = h('p', { role: 'status' }, reason ?? `Each object of ${file.name} (${formatBytes(file.size)}) becomes a ${type.name}. `
      + 'One with the same key is replaced as a whole: what the file leaves out is nil, or the default, then. '
      + 'All are committed together, which can’t be undone.');
    const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Sent' });
    const cancel = h('button', { class: 'button', type: 'button', onclick: () => dialog.close() }, reason ? 'Close' : 'Cancel');
    const start = h('button', { class: 'button primary', type: 'button', hidden: reason !== null, onclick: () => run() }, 'Import');
    let isStopped = false;
    const dialog = h('dialog', {
      class: 'dialog import-dialog', 'aria-label': `Import ${type.name}`,
      oncancel: (event) => { if (cancel.disabled) event.preventDefault(); }, onclose: () => { isStopped = true; dialog.remove(); },
    }, h('h2', {}, `Import into ${type.name}`), text, bar, h('div', { class: 'dialog-end' }, cancel, start));
    const run = async () => {
      start.hidden = true;
      bar.hidden = false;
      text.classList.remove('failed');
      try {
        const answer = await send(file, type, (share) => {
          bar.value = share;
          if (share < 1) return;
          // From here on it is imported.
          cancel.disabled = true;
          text.textContent = 'Importing …';
        }, () => isStopped);
        if (!answer) return;
        text.textContent = outcome(answer);
        announce(text.textContent);
        this.onDone(answer.undo);
      } catch (error) {
        text.textContent = outcomeText(error, 'Nothing was imported.');
        text.classList.add('failed');
      }
      bar.hidden = true;
      cancel.disabled = false;
      cancel.textContent = 'Close';
      cancel.focus();
    };
    document.body.append(dialog);
    dialog.showModal();
  }
}

function outcome({ inserted, replaced, unknownFields }) {
  const parts = [`${plural(inserted, 'object')} added, ${formatCount(replaced)} replaced.`];
  if (unknownFields.length > 0) parts.push(`Left out, because no property has the name: ${unknownFields.join(', ')}.`);
  return parts.join(' ');
}

/** Sends a file in pieces; null if it was stopped before the last one. */
async function send(file, type, onProgress, isStopped) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const name = `${file.name} ${crypto.randomUUID()}`;
  let offset = 0;
  let sent = 0;
  for (;;) {
    const end = Math.min(offset + pieceLength, file.size);
    let text;
    try {
      text = decoder.decode(await file.slice(offset, end).arrayBuffer(), { stream: end < file.size });
    } catch {
      throw new Error('The file is not text in UTF-8.');
    }
    if (isStopped()) return null;
    const isLast = end === file.size;
    if (isLast) onProgress(1);
    const answer = await post('/api/import', { type: type.name, file: name, offset: sent, text, isLast });
    if (isLast) return answer;
    sent = answer.received;
    offset = end;
    onProgress(offset / file.size);
  }
}
