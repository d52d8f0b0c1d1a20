import { call } from '../../../ui/api.js';
import { durationText, el } from '../../../ui/dom.js';
import { badge, pageHead as plainHead } from '../../../ui/parts.js';
import type { DataSource } from '../ground/data-source.js';

/** The common parts of all pages of the Lab. */

export * from '../../../ui/parts.js';

const STATES: Record<DataSource['state'], 'ok' | 'info' | 'warn' | 'crit'> = {
  live: 'ok',
  embedded: 'info',
  stale: 'warn',
  unavailable: 'crit',
};
const REFRESH_MS = 30_000;

/** The head of a page of the Lab, which also says where the figures of the page are from. */
export function pageHead() {
  const place = el('div', { className: 'lab-source' });
  const name = location.pathname.split('/').at(-1);
  const refresh = async () => {
    try {
      const source = await call('GET', `/lab/api/sources/${name}`, undefined, true);
      place.replaceChildren(...sourceBadge(source));
    } catch {
      // The page says by itself that the console does not answer.
      place.replaceChildren();
    }
  };
  void refresh();
  setInterval(() => void refresh(), REFRESH_MS);
  return plainHead(place);
}

/**
 * The notice of a page whose subject the configuration lacks: the page asks for nothing else then.
 *
 * @returns null where nothing is missing
 */
export async function missingHere(): Promise<HTMLElement | null> {
  const name = location.pathname.split('/').at(-1);
  const { reason, needs } = await call('GET', `/lab/api/sources/${name}`, undefined, true);
  if (needs === null) return null;
  const made = el(
    'div',
    { className: 'empty-state' },
    el('p', { textContent: `${reason ?? ''} Set ${needs} in the console's configuration.` }),
    el('p', {
      className: 'quiet',
      textContent: 'To try this page without a cluster, create sample data: npm run lab:sample',
    }),
  );
  made.setAttribute('role', 'status');
  return made;
}

/** Where the figures of a page are from, and why. */
export function sourceBadge({ state, reason, needs, age_s: ageS }: DataSource) {
  const made = badge(ageS === null ? state : `${state} ${durationText(ageS)}`, STATES[state]);
  made.title = 'Data source of this page';
  const why = needs === null ? reason : `${reason} Requires ${needs}.`;
  return why === null ? [made] : [made, el('span', { className: 'quiet', textContent: why })];
}

/** Names of the processes that take faults back. */
export const TAKERS: Readonly<Record<'console' | 'dead_man' | 'supervisor', string>> = {
  console: 'console',
  dead_man: 'dead-man',
  supervisor: 'supervisor',
};
