import { call, runJob } from '../../../../ui/api.js';
import { el, messageOf } from '../../../../ui/dom.js';
import { timeElement } from '../../../../ui/times.js';
import {
  card,
  field,
  fill,
  input,
  note,
  openPage,
  plainButton,
  quiet,
  setViewState,
  stack,
  tableCard,
  viewState,
} from '../../page/ground.js';
import { captureView, verdictBadge } from './report.js';
import { takeInCard } from './take-in.js';
import type { SessionView as Session } from '../../../../server/session-routes.js';
import type { CaptureMade, CapturesView } from '../page.js';

/** Captures the state of objects, and takes capsules in. */
export async function mount(session: Session) {
  const detail = stack();
  const list = el('div');
  const open = (id: string) =>
    fill(detail, async () => {
      const capture = await call('GET', `/lab/api/capsule/captures/${id}`);
      setViewState({ capture: id });
      return captureView(capture);
    });
  const refresh = () =>
    fill(list, async () => [captureTable(await call('GET', '/lab/api/capsule/captures'), open)]);
  const done = async (id: string) => {
    await open(id);
    await refresh();
  };
  openPage(
    captureCard(done),
    detail,
    list,
    takeInCard(session.features.lab_mutations === true, done),
  );
  await refresh();
  const { capture } = viewState();
  if (capture !== undefined) await open(capture);
}

function captureCard(onDone: (id: string) => Promise<void>) {
  const { container = '', name = '' } = viewState();
  const controls = {
    container: input('container', { required: true, value: container }),
    name: input('name', { required: true, value: name }),
    version: input('version', { placeholder: '1700000000.12345' }),
  };
  const button = el('button', { className: 'primary', textContent: 'Capture object' });
  const said = note();
  said.setAttribute('role', 'status');
  const form = el(
    'form',
    { className: 'lab-form' },
    field('Container', controls.container),
    field('Object', controls.name),
    field('Version', controls.version, 'leave empty for the current version'),
    button,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    said.textContent = 'Querying servers…';
    const version = controls.version.value.trim();
    const body = {
      container: controls.container.value,
      name: controls.name.value,
      ...(version === '' ? {} : { version_id: version }),
    };
    try {
      const job = await runJob('/lab/api/capsule/capture', body, ({ done, total }) => {
        if (total !== null) said.textContent = `${done} of ${total} servers responded.`;
      });
      await onDone((job.result as CaptureMade).id);
      said.textContent = '';
    } catch (error) {
      said.textContent = messageOf(error);
    }
    button.disabled = false;
  });
  return card('Capture an object', form, said);
}

function captureTable({ items }: CapturesView, onOpen: (id: string) => void) {
  if (items.length === 0) return card('Captures', quiet('No captures yet.'));
  return tableCard('Captures', items, [
    {
      title: 'Object',
      value: (row) => `${row.container}/${row.name}`,
      cell: (row) => plainButton(`${row.container}/${row.name}`, () => onOpen(row.id)),
    },
    { title: 'State', value: (row) => row.state },
    {
      title: 'Verdict',
      value: (row) => (row.unavailable === null ? row.verdict : null),
      cell: verdictBadge,
    },
    {
      title: 'Created',
      value: (row) => row.created_unix_s,
      cell: (row) => timeElement(1000 * row.created_unix_s),
    },
    { title: 'By', value: (row) => row.actor },
  ]);
}
