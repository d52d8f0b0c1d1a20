import { call, csrf, errorIn, followJob, query } from '../../../../ui/api.js';
import { timeAt } from '../../../../ui/clock.js';
import { el, shownText } from '../../../../ui/dom.js';
import {
  badge,
  card,
  download,
  field,
  fields,
  input,
  note,
  plainButton,
  problem,
  quiet,
  row,
  stack,
  tableOf,
} from '../../page/ground.js';
import type { CapsuleVerdict } from '../capsules.js';
import type { CapsuleProblem, CaptureMade } from '../page.js';

/** Verifies capsules, and writes their objects where that is allowed. */
export function takeInCard(canImport: boolean, onImported: (id: string) => Promise<void>) {
  const file = input('capsule', { type: 'file', accept: '.capsule,.zip' });
  const result = stack();
  result.setAttribute('aria-live', 'polite');
  const work = async (task: () => Promise<readonly Node[]>) => {
    result.replaceChildren(quiet('Reading the capsule…'));
    try {
      result.replaceChildren(...(await task()));
    } catch (error) {
      result.replaceChildren(problem(error));
    }
  };
  const chosen = () => file.files?.[0];
  file.addEventListener('change', () => {
    const capsule = chosen();
    if (capsule === undefined) return;
    void work(async () => {
      const answer = await send('/lab/api/capsule/verify', capsule);
      return verdictView(answer as CapsuleVerdict | CapsuleProblem);
    });
  });
  const key = plainButton("Download this console's public key", async () => {
    const { key_id: id, public_key_pem: pem } = await call('GET', '/lab/api/capsule/key');
    download(`${id}.pem`, pem, 'application/x-pem-file');
  });
  const parts: HTMLElement[] = [
    fields(field('Capsule', file, 'capsule file to verify')),
    note(
      'Capsules are verified byte by byte. To verify one without the console, run “ringway capsule verify FILE”.',
    ),
    row(key),
  ];
  if (canImport) {
    const form = importForm(chosen, work, onImported);
    parts.push(el('details', {}, el('summary', { textContent: 'Import the object' }), form));
  } else {
    parts.push(
      note('Importing an object from a capsule requires lab_mutations in the configuration.'),
    );
  }
  return card('Verify a capsule', ...parts, result);
}

function importForm(
  chosen: () => File | undefined,
  work: (task: () => Promise<readonly Node[]>) => Promise<void>,
  onImported: (id: string) => Promise<void>,
) {
  const controls = {
    container: input('import-container', { required: true }),
    name: input('import-name', { required: true }),
    overwrite: el('input', { type: 'checkbox', name: 'overwrite' }),
  };
  const form = el(
    'form',
    { className: 'lab-form' },
    field('Destination container', controls.container),
    field('Object name', controls.name),
    el('label', { className: 'check' }, controls.overwrite, 'Overwrite existing object'),
    el('button', { className: 'primary', textContent: 'Import object' }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const capsule = chosen();
    void work(async () => {
      if (capsule === undefined) throw new Error('Select a capsule file first.');
      const target = query({
        container: controls.container.value,
        name: controls.name.value,
        overwrite: controls.overwrite.checked ? '1' : '0',
      });
      const { job_id: id } = (await send(`/lab/api/capsule/import?${target}`, capsule)) as {
        job_id: string;
      };
      const job = await followJob(id);
      await onImported((job.result as CaptureMade).id);
      return [el('p', { textContent: 'The object was written. Its capture is shown above.' })];
    });
  });
  return form;
}

async function send(path: string, body: File): Promise<unknown> {
  const headers = { 'content-type': 'application/octet-stream', 'x-csrf-token': csrf() };
  const answer = await fetch(path, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error((await errorIn(answer)).message);
  return answer.json();
}

function verdictView(verdict: CapsuleVerdict | CapsuleProblem) {
  if (!verdict.valid) {
    const { file, reason } = verdict.problem;
    const text = shownText(`${file}: ${reason}.`);
    return [row(badge('does not verify', 'crit')), el('p', { textContent: text })];
  }
  const { object, created_unix_s: made, cluster } = verdict.manifest;
  const trust = verdict.trusted
    ? badge(`signed by a trusted key, ${verdict.key_id}`, 'ok')
    : badge(`signed by an unknown key, ${verdict.key_id}`, 'warn');
  const what = `${object.container}/${object.name}, ${object.state}, from ${cluster}, ${timeAt(made, 'full')}`;
  return [
    row(badge('whole', 'ok'), trust),
    el('p', { textContent: shownText(what) }),
    tableOf('Capsule files', verdict.files, [
      { title: 'File', value: (row) => row.path },
      { title: 'Bytes', value: (row) => row.bytes, number: true },
      { title: 'SHA-256', value: (row) => row.sha256 },
    ]),
  ];
}
