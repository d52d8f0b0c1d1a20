import { bytesText, el, shownText } from '../../../ui/dom.js';
import { icon, iconButton } from '../../../ui/icons.js';
import { openMenu, type MenuItem } from '../../../ui/menu.js';
import { hashOf } from './state.js';
import type { BucketSize } from '../bucket-size.js';
import type { ContainerDetails } from '../container-details.js';
import type { ContainerItem } from '../container-routes.js';

/** A row of the table of buckets. */

/** The line of a bucket: first its row in the listing, then its details, then its size. */
export interface Line {
  readonly item: ContainerItem;
  details?: ContainerDetails;
  size?: BucketSize;
  /** It could not be counted, or is gone. */
  isUncounted?: boolean;
}

const VERSIONING: Readonly<Record<ContainerDetails['versioning'], string>> = {
  stack: 'Enabled',
  archive: 'In another bucket',
  history: 'In another bucket',
  gateway: 'Enabled',
  none: 'Off',
};

export function lineOf(line: Line, actions: (name: string) => readonly MenuItem[]) {
  const { name, kind } = line.item;
  const label = shownText(name);
  const link = el('a', { href: `#${hashOf(name, '')}`, className: 'name', title: label });
  link.append(icon('box'), el('span', { textContent: label }));
  const more = iconButton('ellipsis', `Actions for ${label}`, () => openMenu(more, actions(name)));
  const what = el('div', {}, link);
  if (kind !== 'user') what.append(el('span', { className: 'badge', textContent: kind }));
  const cell = (part: string) => {
    const isNumber = part !== 'access' && part !== 'versioning';
    const made = el('td', { className: isNumber ? 'number' : part });
    made.dataset.part = part;
    return made;
  };
  const row = el(
    'tr',
    {},
    el('td', { className: 'what' }, what, el('div', { className: 'sub quiet' })),
    ...['objects', 'size', 'versions', 'uploads', 'versioning', 'access'].map(cell),
    el('td', { className: 'act' }, ...(kind === 'user' ? [more] : [])),
  );
  row.dataset.name = name;
  fillLine(row, line);
  return row;
}

/** Shows what is known by now; the name, and what can have the focus, stays. */
export function fillLine(row: HTMLElement, { item, details, size, isUncounted }: Line) {
  const isOurs = item.kind !== 'user';
  // The store's count has manifests for large objects: it is shown where nothing else will be.
  const pending = isOurs ? null : isUncounted === true ? 'unknown' : 'counting…';
  const set = (part: string, ...nodes: (Node | string)[]) => {
    const place =
      part === 'sub' ? row.querySelector('.sub') : row.querySelector(`[data-part=${part}]`);
    place?.replaceChildren(...nodes);
  };
  const quiet = (text: string) => el('span', { className: 'quiet', textContent: text });
  const isWhole = size?.is_complete !== false;
  const objects = size?.current.count ?? item.objects;
  set('objects', amountText(objects.toLocaleString('en'), isWhole));
  const bytes =
    size === undefined
      ? (pending ?? bytesText(item.bytes))
      : amountText(bytesText(size.current.bytes), isWhole);
  set('size', size === undefined && !isOurs ? quiet(bytes) : bytes);
  for (const [part, amount] of [
    ['versions', size?.noncurrent],
    ['uploads', size?.uploads],
  ] as const) {
    if (size === undefined) set(part, quiet(isOurs ? '' : (pending ?? '')));
    else if (amount === null || amount === undefined) set(part, quiet('unknown'));
    else if (amount.count === 0 && isWhole) set(part, quiet('none'));
    else {
      const count = quiet(` (${amount.count.toLocaleString('en')})`);
      set(part, amountText(bytesText(amount.bytes), isWhole), count);
    }
  }
  set('versioning', versioningText(details));
  set('access', ...accessNodes(details));
  const sub = [`${objects.toLocaleString('en')} ${objects === 1 ? 'object' : 'objects'}`, bytes];
  set('sub', sub.join(' · '));
}

function versioningText(details: ContainerDetails | undefined) {
  if (details === undefined) return '';
  if (details.s3_unavailable) return 'Unknown';
  const { versioning, versioning_active: isActive } = details;
  if (versioning !== 'none' && !isActive) return 'Suspended';
  return VERSIONING[versioning];
}

function accessNodes(details: ContainerDetails | undefined): Node[] {
  const badge = (text: string, title: string, look: string) => {
    const made = el('span', { className: 'badge', textContent: text, title });
    made.dataset.state = look;
    return made;
  };
  if (details?.access === 'public')
    return [badge('Public', 'An access rule lets everybody read.', 'warn')];
  if (details?.access === 'shared') return [badge('Shared', 'Access rules let others in.', 'info')];
  return details?.access === 'private'
    ? [el('span', { className: 'quiet', textContent: 'Private' })]
    : [];
}

/** @param isWhole whether all of it was counted */
export function amountText(text: string, isWhole: boolean) {
  return isWhole ? text : `at least ${text}`;
}
