import { call, query } from '../../../../ui/api.js';
import { ask, bytesText, confirmed, countText, el, shownText } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import { attempt, may } from '../state.js';
import { runTask } from '../tasks.js';
import { field, quiet, scrolledTable } from './fields.js';
import type { MeasuredUpload, UploadsPage } from '../../s3/unfinished.js';

const DAYS = 7;

/** Multipart uploads of a bucket that were begun and never finished. */
export async function showUnfinished(container: string) {
  const first = await pageOf(container, null);
  const table = scrolledTable(
    'Incomplete multipart uploads',
    ['Name', 'Started', 'Uploaded', ''],
    first.items.map((one) => rowOf(container, one)),
  );
  const more = el('button', { type: 'button', textContent: 'Show more' });
  let { next } = first;
  more.hidden = next === null;
  more.onclick = () =>
    attempt(async () => {
      const page = await pageOf(container, next);
      next = page.next;
      more.hidden = next === null;
      table.body.append(...page.items.map((one) => rowOf(container, one)));
    });
  const isNone = first.items.length === 0;
  const about = isNone
    ? 'No incomplete multipart uploads.'
    : 'Parts of incomplete multipart uploads take up space until the uploads are completed or aborted.';
  const days = field('Abort uploads older than (days)', {
    ...{ type: 'number', min: '0.05', step: 'any', required: true, value: String(DAYS) },
  });
  const mayAbort = may('admin') && !isNone;
  const nodes = [
    quiet(about),
    ...(isNone ? [] : [table.node, more]),
    ...(mayAbort ? [days.node] : []),
  ];
  const okText = mayAbort ? 'Abort old uploads' : undefined;
  const danger = { danger: true };
  const given = await ask('Incomplete multipart uploads', nodes, okText, undefined, danger);
  if (given === null || !mayAbort) return;
  const count = Number(days.input.value);
  const body = { container, older_than_h: count * 24 };
  const title = `Abort uploads older than ${count} days`;
  await runTask(title, '/api/files/unfinished/abort-old', body, async () => undefined);
  await showUnfinished(container);
}

async function pageOf(container: string, after: UploadsPage['next']): Promise<UploadsPage> {
  const { name = null, upload_id = null } = after ?? {};
  const place = query({ container, after_name: name, after_id: upload_id });
  return call('GET', `/api/files/unfinished?${place}`);
}

function rowOf(container: string, { name, upload_id: id, started, parts, bytes }: MeasuredUpload) {
  const abort = el('button', { type: 'button', textContent: 'Abort', className: 'danger' });
  abort.setAttribute('aria-label', `Abort upload of ${name}`);
  abort.onclick = () =>
    attempt(async () => {
      const text = `The uploaded parts of “${shownText(name)}” (${partsText(parts, bytes)}) will be deleted. Clients still uploading to it will fail.`;
      if (await confirmed('Abort upload', text, 'Abort upload', { danger: true })) {
        await call('POST', '/api/files/unfinished/abort', { container, name, upload_id: id });
      }
      await showUnfinished(container);
    });
  return el(
    'tr',
    {},
    el('td', { textContent: shownText(name), className: 'long' }),
    el('td', {}, timeElement(Date.parse(started))),
    el('td', { textContent: partsText(parts, bytes) }),
    el('td', {}, ...(may('admin') ? [abort] : [])),
  );
}

function partsText(parts: number, bytes: number) {
  return `${countText(parts, 'part')}, ${bytesText(bytes)}`;
}
