import { ApiFailure, call, query } from '../../../ui/api.js';
import { countBuckets } from '../../../ui/bucket-sizes.js';
import { bytesText, el, messageOf, shownText } from '../../../ui/dom.js';
import { card, figures, numberText } from '../../../ui/parts.js';
import type { BucketSize } from '../../files/bucket-size.js';

/** The content of all buckets of the account together. */

const PAGE = 1000;
/** More buckets than these are not counted one by one here: the page of buckets does that. */
const NAMES_MAX = 5000;
const COUNTED_MAX = 500;

interface Total {
  count: number;
  bytes: number;
  /** True when the counts are lower bounds: not all was counted, or the user may not see all. */
  isPart: boolean;
}

const zero = (): Total => ({ count: 0, bytes: 0, isPart: false });

/** The known figures of the account so far. */
interface Totals {
  buckets: number;
  hasMore: boolean;
  counted: number;
  toCount: number;
  current: Total;
  noncurrent: Total;
  uploads: Total;
}

/**
 * The card of the storage: it is filled while buckets are counted.
 *
 * @param onEnd told how many buckets and objects there are, once that is known
 */
export function storageCard(onEnd: (buckets: number, objects: number) => void) {
  const body = el('div', {}, figures(FIGURES.map((label) => ({ label, value: '…' }))));
  body.setAttribute('aria-busy', 'true');
  const made = card('Storage', body);
  const show = (totals: Totals) => body.replaceChildren(...nodesOf(totals));
  read(show)
    .then(({ buckets, current }) => onEnd(buckets, current.count))
    .catch((error: unknown) => body.replaceChildren(failureText(error)))
    .finally(() => body.removeAttribute('aria-busy'));
  return made;
}

const FIGURES = ['Buckets', 'Objects', 'Size', 'Noncurrent versions', 'Incomplete uploads'];

async function read(show: (totals: Totals) => void): Promise<Totals> {
  const { names, hasMore } = await bucketNames();
  const counted = names.slice(0, COUNTED_MAX);
  const isCut = hasMore || counted.length < names.length;
  const totals: Totals = {
    buckets: names.length,
    hasMore,
    counted: 0,
    toCount: counted.length,
    current: { ...zero(), isPart: isCut },
    noncurrent: { ...zero(), isPart: isCut },
    uploads: { ...zero(), isPart: isCut },
  };
  show(totals);
  await countBuckets(counted, (batch, sizes) => {
    totals.counted += batch.length;
    for (const size of sizes) add(totals, size);
    show(totals);
  });
  return totals;
}

async function bucketNames() {
  const names: string[] = [];
  let marker: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof readPage>> = await readPage(marker);
    for (const { name, kind } of page.items) if (kind === 'user') names.push(name);
    marker = page.items.length === PAGE ? page.next_marker : null;
  } while (marker !== null && names.length < NAMES_MAX);
  return { names, hasMore: marker !== null };
}

function readPage(marker: string | null) {
  const parameters = query({ limit: String(PAGE), marker });
  return call('GET', `/api/files/containers?${parameters}`, undefined, true);
}

function add(totals: Totals, { is_complete: isComplete, ...size }: BucketSize) {
  for (const part of ['current', 'noncurrent', 'uploads'] as const) {
    const amount = size[part];
    totals[part].count += amount?.count ?? 0;
    totals[part].bytes += amount?.bytes ?? 0;
    if (!isComplete || amount === null) totals[part].isPart = true;
  }
}

function nodesOf(totals: Totals): Node[] {
  const { buckets, hasMore, counted, toCount, current, noncurrent, uploads } = totals;
  const isCounting = counted < toCount;
  const least = (text: string, isPart: boolean) => (isPart ? `at least ${text}` : text);
  const number = ({ count, isPart }: Total) => least(numberText(count), isPart);
  const size = ({ bytes, isPart }: Total) => least(bytesText(bytes), isPart);
  const shown = figures([
    { label: 'Buckets', value: least(numberText(buckets), hasMore) },
    { label: 'Objects', value: isCounting ? '…' : number(current) },
    { label: 'Size', value: isCounting ? '…' : size(current) },
    {
      label: 'Noncurrent versions',
      value: isCounting ? '…' : number(noncurrent),
      ...(isCounting ? {} : { hint: size(noncurrent) }),
    },
    {
      label: 'Incomplete uploads',
      value: isCounting ? '…' : number(uploads),
      ...(isCounting ? {} : { hint: size(uploads) }),
    },
  ]);
  const text = isCounting
    ? `Counting… ${counted} of ${toCount} buckets`
    : 'Sizes are those of the objects themselves. Versions and parts of uploads are counted apart.';
  const note = el('p', { className: 'quiet note', textContent: text });
  return [shown, note];
}

function failureText(error: unknown) {
  const text =
    error instanceof ApiFailure && error.code === 'acl'
      ? 'You do not have permission to list buckets. Open one by its name on the page Buckets.'
      : messageOf(error);
  return el('p', { className: 'quiet', textContent: shownText(text) });
}
