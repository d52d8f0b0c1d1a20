import { countBuckets } from '../../../ui/bucket-sizes.js';
import { bytesText, el } from '../../../ui/dom.js';
import { amountText } from './bucket-line.js';
import type { BucketSize } from '../bucket-size.js';

/** The content of a bucket, counted while its page is shown already. */

const TITLES = {
  current: 'Current objects',
  noncurrent: 'Noncurrent versions',
  uploads: 'Incomplete uploads',
} as const;

type Part = keyof typeof TITLES;

export function sizeFacts(name: string, parts: readonly Part[]) {
  const list = el('dl');
  const places = parts.map((part) => {
    const place = el('dd', { textContent: 'counting…' });
    list.append(el('dt', { textContent: TITLES[part], className: 'quiet' }), place);
    return [part, place] as const;
  });
  const show = (size: BucketSize | undefined) => {
    for (const [part, place] of places) place.textContent = textOf(size, part);
  };
  countBuckets([name], (_names, [size]) => show(size)).catch(() => show(undefined));
  return list;
}

function textOf(size: BucketSize | undefined, part: Part) {
  const amount = size?.[part];
  if (size === undefined || amount === undefined || amount === null) return 'unknown';
  if (amount.count === 0 && size.is_complete) return 'none';
  const text = `${amount.count.toLocaleString('en')}, ${bytesText(amount.bytes)}`;
  return amountText(text, size.is_complete);
}
