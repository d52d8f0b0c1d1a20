import { runJob } from '../api.js';
import { $, ask, el } from '../dom.js';
import { load, loadContainers } from './listing.js';
import { view } from './state.js';

/** Runs a job, tells how far it is, and shows what it made; fails when a part of it did. */
export async function job(path, body) {
  const state = $('#state');
  const { result } = await runJob(path, body, ({ done, total }) => {
    state.textContent = `${done}${total === null ? '' : ` of ${total}`} done…`;
  });
  await Promise.all([load(), loadContainers()]);
  if (result?.failed > 0) {
    const [first] = result.failures;
    throw new Error(
      `${result.failed} failed, the first one “${first.name}”: ${first.code.replaceAll('_', ' ')}.`,
    );
  }
}

export async function rename(name) {
  const field = el('input', { name: 'name', value: name, required: true });
  const given = await ask(
    'Rename or move',
    [el('label', {}, 'New name, with its folders', field)],
    'Rename',
  );
  if (given === null || given.name === name) return;
  const { container } = view;
  await job('/api/files/move', {
    container,
    to_container: container,
    items: [{ name, to_name: given.name }],
  });
}

/** @returns null when the dialog was closed */
export async function askName(title, text) {
  const field = el('input', { name: 'name', required: true });
  return (await ask(title, [el('label', {}, text, field)], 'Make'))?.name || null;
}
