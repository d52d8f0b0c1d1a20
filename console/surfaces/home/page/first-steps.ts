import { el } from '../../../ui/dom.js';
import { icon } from '../../../ui/icons.js';
import { card } from '../../../ui/parts.js';
import type { SessionView } from '../../../server/session-routes.js';

interface Step {
  readonly isDone: boolean;
  readonly title: string;
  readonly text: string;
  /** The address that it leads to; undefined where the user cannot do it. */
  readonly href?: string | undefined;
}

/** The first steps while there are no objects. */
export function firstSteps({ role, pages }: SessionView, buckets: number) {
  const mayCreate = role === 'admin' || role === 'operator';
  const hasKeys = pages.some(({ path }) => path === '/keys');
  const steps: Step[] = [
    {
      isDone: buckets > 0,
      title: 'Create a bucket',
      text: mayCreate ? 'Buckets hold your objects.' : 'Ask an admin of your account for one.',
      href: mayCreate ? '/buckets?create=1' : undefined,
    },
    {
      isDone: false,
      title: 'Upload objects',
      text: 'Open the bucket, and drop files or folders there.',
      href: buckets > 0 && role !== 'reader' ? '/buckets' : undefined,
    },
    ...(hasKeys
      ? [
          {
            isDone: false,
            title: 'Create an access key',
            text: 'Give each program a key of its own.',
            href: '/keys',
          },
        ]
      : []),
  ];
  const made = card('Get started', el('ol', { className: 'steps' }, ...steps.map(lineOf)));
  made.id = 'first-steps';
  return made;
}

function lineOf({ isDone, title, text, href }: Step) {
  const name = href === undefined || isDone ? title : el('a', { href, textContent: title });
  const done = el('span', { className: 'sr', textContent: ' (done)' });
  const line = el(
    'li',
    {},
    icon(isDone ? 'circle-check' : 'arrow-right'),
    el(
      'div',
      {},
      el('strong', {}, name, ...(isDone ? [done] : [])),
      el('p', { className: 'quiet', textContent: text }),
    ),
  );
  if (isDone) line.dataset.done = '';
  return line;
}
